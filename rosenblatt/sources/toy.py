"""Toy sets whose margin is known by construction.

Labels are -1 and +1. A hyperplane is {x : normal·x + offset = 0} with a unit normal, the positive class on
the side the normal points to. The margin is the geometric one: the smallest distance of a row to the
hyperplane, over all hyperplanes the largest there is.

Why it is the largest: every separable set here holds two rows of opposite classes, p and q, with
p - q = 2·margin·normal. No hyperplane is further than half their distance from both, and the stated one is
that far from every row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import finite_numbers, generator, room_for, whole_number, yes_or_no

Rows = TypeVar("Rows")
Seed: TypeAlias = int | np.random.Generator | None
Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

SQUARED = 1e150  # what can be squared, and some added up, in float64
TELLING = 1e12  # times the margin: from further away float64 tells no more of it than a few digits


@dataclass(frozen=True, eq=False)
class ToySet(Generic[Rows]):
    """Rows, labels, and what is known about them.

    Attributes
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    y : ndarray of -1 and +1, int64
    normal : ndarray of shape (n_features,) or None
        The unit normal of the hyperplane the set was built around; None where there is none.
    offset : float or None
        The hyperplane is normal·x + offset = 0.
    margin : float or None
        The geometric margin; None where no hyperplane is promised to separate the classes.
    flipped : ndarray of int64
        The rows whose label was flipped, rising.

    Examples
    --------
    >>> toy = two_points()
    >>> toy.y * (toy.X @ toy.normal + toy.offset)
    array([1., 1.])
    """

    X: Rows
    y: Integers
    normal: Floats | None
    offset: float | None
    margin: float | None
    flipped: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def blobs(
    n_samples: int = 100,
    n_features: int = 2,
    margin: float = 0.5,
    radius: float = 5.0,
    *,
    offset: float = 0.0,
    random_state: Seed = None,
) -> ToySet[Floats]:
    """Two clouds, one on each side of a random hyperplane, with exactly the stated margin.

    Every row is f + y·d·n + v with f = -offset·n, margin <= d, v·n = 0 and d^2 + ‖v‖^2 <= radius^2. One row
    of each class has d = margin, and these two have the same v. With offset 0 the rows lie within
    `radius` of the origin, and the margin is the same with and without an intercept, also in the
    theorem's coordinates (x, 1); so a perceptron without intercept makes at most (radius/margin)^2
    mistakes.

    Parameters
    ----------
    n_samples, n_features : int
        The shape; at least two rows, half of them positive (one more when the number is odd).
    margin : float
        The smallest distance to the hyperplane, attained on both sides.
    radius : float
        The largest distance of a row to the point f, an upper bound; at least the margin.
    offset : float
        The signed distance of the origin to the hyperplane. Both are at most 10^12 times the margin, which float64
        could not tell otherwise.
    random_state : int, Generator or None
        The same seed gives the same set.

    Returns
    -------
    ToySet

    Examples
    --------
    >>> toy = blobs(50, 3, margin=0.25, random_state=0)
    >>> round(float((toy.y * (toy.X @ toy.normal + toy.offset)).min()), 12)
    0.25
    """
    check_shape(n_samples, n_features)
    finite_numbers(margin=margin, radius=radius, offset=offset)
    if not 0 < margin <= radius < np.inf:
        raise ValueError(
            f"margin must be above 0 and at most radius, but margin={margin} and radius={radius} came; "
            "lower the margin or raise the radius."
        )
    margin, radius, offset = float(margin), float(radius), float(offset)
    if max(radius, abs(offset)) > min(TELLING * margin, SQUARED):
        raise ValueError(
            f"radius and offset must be at most 10**12 times the margin and at most 10**150, so that float64 tells "
            f"the margin, but margin={margin}, radius={radius} and offset={offset} came; bring them nearer together."
        )
    room_for(3 * n_samples * n_features, n_samples=n_samples, n_features=n_features)
    random = generator(random_state)
    direction = random.standard_normal(n_features)
    normal = direction / np.linalg.norm(direction)
    y = balanced_labels(n_samples, random)

    drawn = (radius + margin) / 2 + (radius - margin) / 4 * random.standard_normal(n_samples)
    along = np.minimum(margin + np.abs(drawn - margin), radius)
    across = random.standard_normal((n_samples, n_features)) * (radius / 3 / np.sqrt(n_features))
    across -= np.outer(across @ normal, normal)
    room = np.sqrt(np.maximum(radius**2 - along**2, 0.0))
    length = np.linalg.norm(across, axis=1)
    across *= np.minimum(1.0, room / np.where(length > 0, length, 1.0))[:, None]

    p, q = nearest_pair(y)
    along[[p, q]] = margin
    across[q] = across[p]  # p's room was for a larger distance along the normal, so it is enough
    X = np.outer(y * along - offset, normal) + across
    return ToySet(X, y, normal, float(offset), float(margin))


def overlapping_blobs(
    n_samples: int = 100,
    n_features: int = 2,
    flipped: float = 0.1,
    margin: float = 0.5,
    radius: float = 5.0,
    *,
    twins: bool = False,
    random_state: Seed = None,
) -> ToySet[Floats]:
    """Two clouds around a hyperplane, with a known number of flipped labels.

    The stated hyperplane misjudges exactly the flipped rows, round(flipped·n_samples) of them. With `twins`
    each flipped row also lies exactly on a clean row of the other label, a partner of its own: then no
    classifier at all makes fewer mistakes, and the smallest training error is known.

    Parameters
    ----------
    n_samples, n_features, margin, radius, random_state
        As for `blobs`; the margin is the one the rows had before the flips (with `twins`, at least).
    flipped : float
        The fraction of rows with the wrong label, from 0 to about a half.
    twins : bool
        Whether each flipped row is moved onto a clean one.

    Returns
    -------
    ToySet
        With `margin` None, and the flipped rows in `flipped`.

    Examples
    --------
    >>> toy = overlapping_blobs(200, flipped=0.1, twins=True, random_state=0)
    >>> wrong = toy.y * (toy.X @ toy.normal + toy.offset) <= 0
    >>> int(wrong.sum()), len(toy.flipped)
    (20, 20)
    """
    random = generator(random_state)
    finite_numbers(flipped=flipped)
    yes_or_no(twins=twins)
    clean = blobs(n_samples, n_features, margin, radius, random_state=random)
    couples = np.concatenate([_couples(np.flatnonzero(clean.y == side), random) for side in (-1, 1)])
    if not 0 <= flipped <= 1 or round(flipped * n_samples) > len(couples):
        raise ValueError(
            f"flipped must be from 0 to {len(couples) / n_samples:.3g} for {n_samples} rows, so that every "
            f"flipped row has a clean partner, but {flipped} came; pass a fraction in this range."
        )
    chosen = random.permutation(couples)[: round(flipped * n_samples)]
    wrong, partner = chosen[:, 0], chosen[:, 1]
    if twins:
        clean.X[wrong] = clean.X[partner]
    clean.y[wrong] *= -1
    return ToySet(clean.X, clean.y, clean.normal, clean.offset, None, np.sort(wrong))


def two_points(a: float = 100.0, b: float = 102.0) -> ToySet[Floats]:
    """Two numbers, a positive and b negative: the hard case for the mistake theorem.

    The margin is ``|a - b|/2`` however far from the origin the points lie, but a perceptron sees the rows
    (a, 1) and (b, 1), almost parallel when a and b are large: 100 and 102 cost it 20,303 mistakes.

    Parameters
    ----------
    a, b : float
        The positive and the negative number; they differ.

    Returns
    -------
    ToySet

    Examples
    --------
    >>> toy = two_points()
    >>> toy.margin, toy.offset, toy.normal
    (1.0, 101.0, array([-1.]))
    """
    finite_numbers(a=a, b=b)
    a, b = float(a), float(b)
    if a == b:
        raise ValueError(f"a and b must be different float64 numbers, but both are {a}; pass two different numbers.")
    side = 1.0 if a > b else -1.0
    X = np.array([[a], [b]], dtype=np.float64)
    return ToySet(X, np.array([1, -1]), np.array([side]), -side * (a / 2 + b / 2), abs(a / 2 - b / 2))


def check_shape(n_samples: int, n_features: int) -> None:
    """Refuse a shape without room for two classes."""
    whole_number("n_samples", n_samples, 2, "a toy set has a row of each class")
    whole_number("n_features", n_features, 1, "it is a number of columns")


def balanced_labels(n_samples: int, random: np.random.Generator) -> Integers:
    """Return half -1, half +1, in random order."""
    return random.permutation(np.where(np.arange(n_samples) % 2 == 0, 1, -1).astype(np.int64))


def nearest_pair(y: Integers) -> tuple[int, int]:
    """Return the first row of each class: the two that are put at the margin, facing each other."""
    return int(np.argmax(y == 1)), int(np.argmax(y == -1))


def _couples(rows: npt.NDArray[np.intp], random: np.random.Generator) -> Integers:
    """Return disjoint pairs of the given rows, in random order."""
    return random.permutation(rows)[: len(rows) // 2 * 2].reshape(-1, 2).astype(np.int64)
