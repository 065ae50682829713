"""The sparse toy set, its margin known by construction as in `toy`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arguments import finite_numbers, generator, room_for

from .toy import Integers, Seed, ToySet, balanced_labels, check_shape, nearest_pair

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def sparse_separable(
    n_samples: int = 1000,
    n_features: int = 10_000,
    density: float = 0.001,
    margin: float = 0.5,
    *,
    random_state: Seed = None,
) -> ToySet[csr_array]:
    """Sparse rows on both sides of a hyperplane through the origin, with exactly the stated margin.

    Every row stores k = round(density·n_features) values (at least one). The normal is ±1/sqrt(k) on k
    features of its own; each row has at least half of its values there, and these are moved until its
    distance is at least the margin. The margin is the same with and without an intercept.

    Parameters
    ----------
    n_samples, n_features : int
        The shape; at least two rows.
    density : float
        The stored fraction of each row, above 0 and at most 1.
    margin : float
        The smallest distance to the hyperplane, attained on both sides.
    random_state : int, Generator or None
        The same seed gives the same set.

    Returns
    -------
    ToySet
        With X a float64 csr_array with sorted indices.

    Examples
    --------
    >>> toy = sparse_separable(100, 1000, density=0.01, margin=0.5, random_state=0)
    >>> toy.X.nnz, round(float((toy.y * (toy.X @ toy.normal)).min()), 12)
    (1000, 0.5)
    """
    from scipy.sparse import csr_array, get_index_dtype

    check_shape(n_samples, n_features)
    finite_numbers(density=density, margin=margin)
    if not 0 < density <= 1 or not 0 < margin < np.inf:
        raise ValueError(
            f"density must be above 0 and at most 1 and margin above 0, but density={density} and "
            f"margin={margin} came; pass values in these ranges."
        )
    random = generator(random_state)
    margin = float(margin)
    k = max(1, round(density * n_features))
    room_for(6 * n_samples * k + 4 * n_features, n_samples=n_samples, n_features=n_features)
    features = random.permutation(n_features)
    telling, silent = np.sort(features[:k]), np.sort(features[k:])
    normal = np.zeros(n_features)
    normal[telling] = random.choice([-1.0, 1.0], k) / np.sqrt(k)
    y = balanced_labels(n_samples, random)

    n_telling = max((k + 1) // 2, k - len(silent))
    told = telling[_distinct(n_samples, n_telling, k, random)]
    indices = np.hstack([told, silent[_distinct(n_samples, k - n_telling, len(silent), random)]])
    values = random.standard_normal((n_samples, k)) / np.sqrt(k)
    restricted = normal[told]
    along = margin + np.abs(random.standard_normal(n_samples)) / 2
    missing = y * along - np.einsum("ij,ij->i", restricted, values[:, :n_telling])
    values[:, :n_telling] += (missing / np.einsum("ij,ij->i", restricted, restricted))[:, None] * restricted

    for row in nearest_pair(y):
        indices[row], values[row] = telling, y[row] * margin * normal[telling]
    integer = get_index_dtype(maxval=max(n_samples * k, n_features))
    indptr = np.arange(0, n_samples * k + 1, k, dtype=integer)
    X = csr_array((values.ravel(), indices.ravel().astype(integer), indptr), shape=(n_samples, n_features))
    X.sort_indices()
    return ToySet(X, y, normal, 0.0, float(margin))


def _distinct(n_rows: int, n_chosen: int, n_available: int, random: np.random.Generator) -> Integers:
    """Return rows of distinct, rising numbers below n_available.

    Sorted draws with repetition from a shorter range become distinct when their rank is added; that
    takes no loop over rows, and every combination can come up.
    """
    draws = random.integers(0, max(1, n_available - n_chosen + 1), (n_rows, n_chosen))
    return np.sort(draws, axis=1) + np.arange(n_chosen)
