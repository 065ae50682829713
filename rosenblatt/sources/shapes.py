"""Sets of fixed shape: the Boolean gates on four corners, and classes no line can part."""

from __future__ import annotations

import numpy as np

from rosenblatt.arguments import finite_numbers, generator, room_for, whole_number

from .toy import Floats, Seed, ToySet


def and_() -> ToySet[Floats]:
    """The four Boolean corners, positive where both inputs are 1.

    The classes are separated by x1 + x2 = 3/2 with margin sqrt(2)/4.

    Returns
    -------
    ToySet

    Examples
    --------
    >>> and_().y, round(and_().margin, 4)
    (array([-1, -1, -1,  1]), 0.3536)
    """
    return _gate([-1, -1, -1, 1], threshold=1.5)


def or_() -> ToySet[Floats]:
    """The four Boolean corners, positive where at least one input is 1.

    The classes are separated by x1 + x2 = 1/2 with margin sqrt(2)/4.

    Returns
    -------
    ToySet

    Examples
    --------
    >>> or_().y, round(or_().margin, 4)
    (array([-1,  1,  1,  1]), 0.3536)
    """
    return _gate([-1, 1, 1, 1], threshold=0.5)


def xor() -> ToySet[Floats]:
    """The four Boolean corners, positive where exactly one input is 1.

    Not separable: both classes have the mean (1/2, 1/2). A line gets three of the four right at best.

    Returns
    -------
    ToySet
        With `normal`, `offset` and `margin` None.

    Examples
    --------
    >>> toy = xor()
    >>> toy.X[toy.y == 1].mean(axis=0) - toy.X[toy.y == -1].mean(axis=0)
    array([0., 0.])
    """
    return ToySet(_corners(), np.array([-1, 1, 1, -1]), None, None, None)


def circles(
    n_samples: int = 100,
    inner: float = 1.0,
    outer: float = 2.0,
    noise: float = 0.0,
    *,
    random_state: Seed = None,
) -> ToySet[Floats]:
    """A positive circle inside a negative one.

    No line parts them once rows lie all around, but the pair products do: in the single feature
    x1^2 + x2^2 the margin is at least ((outer - noise)^2 - (inner + noise)^2)/2, and exactly this without
    noise.

    Parameters
    ----------
    n_samples : int
        At least two rows, half of them positive (one more when the number is odd).
    inner, outer : float
        The radii.
    noise : float
        Each radius is changed by a uniform draw from -noise to +noise; the rings stay apart.
    random_state : int, Generator or None
        The same seed gives the same set.

    Returns
    -------
    ToySet
        With `normal`, `offset` and `margin` None.

    Examples
    --------
    >>> toy = circles(random_state=0)
    >>> squared = (toy.X**2).sum(axis=1)
    >>> round(float(squared[toy.y == -1].min() - squared[toy.y == 1].max()) / 2, 12)
    1.5
    """
    _check_count(n_samples)
    finite_numbers(inner=inner, outer=outer, noise=noise)
    if not (0 <= noise <= inner and inner + noise < outer - noise):
        raise ValueError(
            "The rings must not touch (0 <= noise <= inner and inner + noise < outer - noise), but "
            f"inner={inner}, outer={outer}, noise={noise} came; lower the noise or move the radii apart."
        )
    random = generator(random_state)
    y = _alternating(n_samples)
    radii = np.where(y == 1, inner, outer) + random.uniform(-noise, noise, n_samples)
    angles = random.uniform(0, 2 * np.pi, n_samples)
    X = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    return ToySet(X, y, None, None, None)


def spirals(
    n_samples: int = 100,
    turns: float = 1.5,
    noise: float = 0.0,
    *,
    random_state: Seed = None,
) -> ToySet[Floats]:
    """Two interleaved Archimedean spirals, the negative one being the positive one turned by half a circle.

    The positive arm is t·(cos a, sin a) with a = 2 pi·turns·t and t from 0.1 to 1; the negative is minus it.

    Parameters
    ----------
    n_samples : int
        At least two rows, half of them positive (one more when the number is odd).
    turns : float
        How often each arm goes around.
    noise : float
        The standard deviation of the normal noise added to each coordinate.
    random_state : int, Generator or None
        The same seed gives the same set; without noise nothing is random.

    Returns
    -------
    ToySet
        With `normal`, `offset` and `margin` None.

    Examples
    --------
    >>> toy = spirals(100)
    >>> float(np.abs(toy.X[toy.y == 1] + toy.X[toy.y == -1]).max())
    0.0
    """
    _check_count(n_samples)
    finite_numbers(turns=turns, noise=noise)
    if not (turns > 0 and noise >= 0):
        raise ValueError(
            f"turns must be above 0 and noise at least 0, but turns={turns} and noise={noise} came; raise them."
        )
    random = generator(random_state)
    y = _alternating(n_samples)
    # Rows 2i and 2i + 1 share one t, so that the arms mirror each other point by point.
    t = np.repeat(np.linspace(0.1, 1.0, (n_samples + 1) // 2), 2)[:n_samples]
    angles = 2 * np.pi * turns * t
    X = (y * t)[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return ToySet(X + noise * random.standard_normal(X.shape), y, None, None, None)


def _corners() -> Floats:
    return np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def _gate(labels: list[int], threshold: float) -> ToySet[Floats]:
    half_diagonal = float(np.sqrt(0.5))
    normal = np.full(2, half_diagonal)
    return ToySet(_corners(), np.array(labels), normal, -threshold * half_diagonal, half_diagonal / 2)


def _alternating(n_samples: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.where(np.arange(n_samples) % 2 == 0, 1, -1).astype(np.int64)


def _check_count(n_samples: int) -> None:
    whole_number("n_samples", n_samples, 2, "a toy set has a row of each class")
    room_for(8 * n_samples, n_samples=n_samples)
