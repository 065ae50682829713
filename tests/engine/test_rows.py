"""Rows are read as they come: no copy of a C-contiguous matrix, and every other kind works too."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse

from rosenblatt import Perceptron
from rosenblatt.engine.layouts.rows import rows_of

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

rng = np.random.default_rng(0)
X = rng.integers(0, 5, (60, 21)).astype(float)
y = rng.integers(0, 3, 60)


def fitted(rows, labels=y):
    return Perceptron(random_state=0, max_iter=4).fit(rows, labels, keep="pocket")


def assert_same_fit(rows, like=X):
    one, other = fitted(rows), fitted(like)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    np.testing.assert_array_equal(one.predict(rows), other.predict(like))


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_a_contiguous_matrix_is_not_copied(dtype):
    rows = X.astype(dtype)
    layout, (seen,) = rows_of(rows)
    assert layout == "rows" and np.shares_memory(seen, rows)
    rows.flags.writeable = False
    assert np.shares_memory(rows_of(rows)[1][0], rows)


@pytest.mark.parametrize("bits", [32, 64])
def test_a_canonical_csr_matrix_is_not_copied(bits):
    S = scipy.sparse.csr_array(X)
    S.indices, S.indptr = S.indices.astype(f"int{bits}"), S.indptr.astype(f"int{bits}")
    layout, arrays = rows_of(S)
    assert layout == "columns"
    assert all(np.shares_memory(*pair) for pair in zip(arrays, (S.data, S.indices, S.indptr), strict=True))


@pytest.mark.parametrize("kind", ["dense", "read-only", "csr"])
def test_a_fit_takes_little_memory_beyond_its_rows(kind):
    rows = np.random.default_rng(1).normal(size=(20_000, 50))
    labels = (rows[:, 0] > 0).astype(int)
    rows = scipy.sparse.csr_array(rows) if kind == "csr" else rows
    size = rows.nbytes if kind != "csr" else rows.data.nbytes
    if kind == "read-only":
        rows.flags.writeable = False
    model = Perceptron(max_iter=2, random_state=0).fit(rows[:100], labels[:100])  # compiled before it is measured
    tracemalloc.start()
    try:
        model.fit(rows, labels)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < size / 3


def test_the_rows_are_left_as_they_were():
    for rows in (X.copy(), scipy.sparse.csr_array(X)):
        before = rows.copy()
        fitted(rows)
        assert np.array_equal(before, rows) if isinstance(rows, np.ndarray) else (before != rows).nnz == 0


def test_unsorted_and_repeated_indices_are_not_changed_in_place():
    S = scipy.sparse.csr_array((np.ones(3), [2, 0, 2], [0, 3, 3]), shape=(2, 3))
    rows_of(S)
    assert S.indices.tolist() == [2, 0, 2]


def test_read_only_rows():
    rows = X.copy()
    rows.flags.writeable = False
    assert_same_fit(rows)


def test_read_only_labels_and_weights():
    labels, weights = y.copy(), np.ones(60)
    labels.flags.writeable = weights.flags.writeable = False
    model = Perceptron(random_state=0, max_iter=4).fit(X, labels, weights)
    np.testing.assert_array_equal(model.coef_, fitted(X).coef_)


def test_memory_mapped_rows(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    assert_same_fit(np.load(tmp_path / "rows.npy", mmap_mode="r"))


def test_fortran_ordered_rows():
    assert_same_fit(np.asfortranarray(X))


def test_rows_that_are_not_contiguous():
    wide = np.zeros((120, 42))
    wide[::2, ::2] = X
    assert_same_fit(wide[::2, ::2])
    assert_same_fit(X[::-1], X[::-1].copy())


def test_rows_that_are_not_aligned():
    raw = np.zeros(X.nbytes + 1, np.uint8)
    rows = raw[1:].view(np.float64).reshape(X.shape)
    rows[:] = X
    assert_same_fit(rows)


def test_rows_in_the_other_byte_order():
    assert_same_fit(X.astype(">f8"))


@pytest.mark.parametrize("dtype", ["int64", "int8", "object", "float16", "uint16"])
def test_other_dtypes_become_float64(dtype):
    assert fitted(X.astype(dtype)).coef_.dtype == np.float64
    assert_same_fit(X.astype(dtype))


def test_booleans_are_zeros_and_ones():
    assert_same_fit(X > 2, (X > 2).astype(float))


@pytest.mark.parametrize(("dtype", "weights"), [("uint8", "float32"), ("float32", "float32"), ("float64", "float64")])
def test_weights_have_the_dtype_of_the_rows(dtype, weights):
    for rows in (X.astype(dtype), scipy.sparse.csr_array(X.astype("float32" if dtype == "uint8" else dtype))):
        assert fitted(rows).coef_.dtype == weights
        assert fitted(rows).intercept_.dtype == weights


def shuffled_and_split(S):
    """The same matrix with every row's entries in another order, and each entry split in two."""
    data, indices, indptr = [], [], [0]
    for i in range(S.shape[0]):
        part = slice(S.indptr[i], S.indptr[i + 1])
        order = rng.permutation(2 * (part.stop - part.start))
        data.append(np.concatenate([S.data[part] - 1.0, np.ones(part.stop - part.start)])[order])
        indices.append(np.tile(S.indices[part], 2)[order])
        indptr.append(indptr[-1] + len(order))
    return scipy.sparse.csr_array((np.concatenate(data), np.concatenate(indices), indptr), shape=S.shape)


def test_csr_with_unsorted_and_repeated_indices():
    S = scipy.sparse.csr_array(X)
    assert not shuffled_and_split(S).has_canonical_format
    assert_same_fit(shuffled_and_split(S), S)


@pytest.mark.parametrize("kind", ["csc", "coo", "lil", "dok"])
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_other_sparse_kinds_are_converted(kind, family):
    assert_same_fit(getattr(scipy.sparse, f"{kind}_{family}")(X), scipy.sparse.csr_array(X))


def test_empty_rows_and_explicit_zeros():
    S = scipy.sparse.csr_array(X)
    S.data[:40] = 0.0
    assert S.nnz == len(S.data)
    assert_same_fit(S, scipy.sparse.csr_array(S.toarray()))


def test_dense_and_csr_make_the_same_of_integers():
    dense, sparse = fitted(X), fitted(scipy.sparse.csr_array(X))
    for name in ("last", "averaged", "pocket"):
        np.testing.assert_array_equal(dense.answers_[name].coef, sparse.answers_[name].coef)


def test_a_csr_matrix_without_any_entries_learns_the_bias():
    model = Perceptron(max_iter=3, shuffle=False).fit(scipy.sparse.csr_array((4, 3)), [0, 0, 1, 1])
    assert (model.coef_ == 0).all()
