"""Problems for the tests: small ones that hypothesis makes, larger ones whose answer is known by construction."""

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

DTYPES = ("uint8", "int8", "int64", "float32", "float64", "csr")


def as_dtype(values, dtype):
    """The same small integers in one of the layouts that users have; uint8 is shifted to be positive."""
    X = np.asarray(values)
    if dtype == "uint8":
        return (X - X.min()).astype(np.uint8)
    if dtype == "csr":
        return scipy.sparse.csr_array(X.astype(np.float64))
    return X.astype(dtype)


@st.composite
def small_problems(draw, rows=12, features=4, largest=3, dtypes=DTYPES):
    """(X, signs, fit_intercept): small integers, so that rows touch, repeat and lie on one line; both classes."""
    n, d = draw(st.integers(2, rows)), draw(st.integers(1, features))
    flat = draw(st.lists(st.integers(-largest, largest), min_size=n * d, max_size=n * d))
    bits = draw(st.integers(1, 2**n - 2))
    signs = np.array([1 if bits >> i & 1 else -1 for i in range(n)])
    X = as_dtype(np.reshape(flat, (n, d)), draw(st.sampled_from(dtypes)))
    return X, signs, draw(st.booleans())


def listed(X):
    """The numbers as Python has them."""
    return (X.toarray() if scipy.sparse.issparse(X) else X).tolist()


def separable_integers(n, d, gap, seed, dtype=np.int64):
    """Integer rows whose largest margin is gap / 2: class +1 has x_0 >= gap, class -1 has x_0 <= 0, and one row of each
    are exactly that far apart and equal elsewhere."""
    random = np.random.default_rng(seed)
    X = random.integers(-50, 51, (n, d))
    signs = np.where(np.arange(n) % 2 == 0, 1, -1)
    X[:, 0] = np.where(signs > 0, gap + np.abs(X[:, 0]), -np.abs(X[:, 0]))
    X[0, 0], X[1, 0] = gap, 0
    X[1, 1:] = X[0, 1:]
    return X.astype(dtype), signs


def touching_integers(n, d, seed):
    """Integer rows of two classes on two sides of x_0 = 0 whose hulls share a point there, but no row."""
    random = np.random.default_rng(seed)
    X = random.integers(-50, 51, (n, d))
    signs = np.where(np.arange(n) % 2 == 0, 1, -1)
    X[:, 0] = signs * (1 + np.abs(X[:, 0]))
    X[:4, 0] = 0
    X[:4, 1:] = 0
    X[0, 1], X[2, 1] = -4, 4  # the middle of these is the middle of the next two
    X[1, 2], X[3, 2] = -4, 4
    return X, signs


def turned(X, seed):
    """The same rows in other coordinates: a whole matrix of determinant 1, so that no column shows the answer."""
    random = np.random.default_rng(seed)
    d = X.shape[1]
    mixing = np.eye(d, dtype=np.int64)
    for _ in range(2 * d):
        i, j = random.choice(d, 2, replace=False)
        mixing[i] += random.integers(-1, 2) * mixing[j]
    return X @ mixing


def overlapping_integers(n, d, seed):
    """Random integer rows with random labels: with many more rows than features they overlap."""
    random = np.random.default_rng(seed)
    X = random.integers(-50, 51, (n, d))
    signs = random.choice([-1, 1], n)
    signs[:2] = 1, -1
    return X, signs
