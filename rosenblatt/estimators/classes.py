"""Which half-space stands for which class, also when classes appear late.

Two classes are told apart by one half-space, for the second of them; by symmetry the first's is its opposite.
More classes have one each. While learning online a further half-space, the shadow, is told -1 for every row:
it is what the half-space of any class would be by now that has not appeared yet.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.checked_labels import NUMBERS
from rosenblatt.engine.online.state import Array

HASHED = 2**12  # labels at a time, which take little memory as Python's objects


def half_space_count(n_classes: int, coupled: bool) -> int:
    """How many half-spaces answer for this many classes."""
    if coupled:
        return n_classes
    return {0: 0, 1: 0, 2: 1}.get(n_classes, n_classes)


def positive_codes(n_classes: int, coupled: bool, listening: bool) -> Array:
    """The class that each half-space is told +1 for; -1 for the shadow, which is told so for none."""
    codes = [1] if n_classes == 2 and not coupled else list(range(half_space_count(n_classes, coupled)))
    return np.array(codes + ([-1] if listening and not coupled else []), np.int32)


def classes_of(labels: Array) -> Array:
    """Every class once, sorted. Text is hashed, which is faster than `np.unique`."""
    if labels.dtype.kind in NUMBERS:
        return np.unique(labels)
    found: set[Any] = set()
    for start in range(0, len(labels), HASHED):
        found.update(labels[start : start + HASHED].tolist())
    return np.array(sorted(found), labels.dtype)


def classes_to_fit(labels: Array) -> Array:
    """The classes of the labels of a fit, at least two."""
    classes = classes_of(labels)
    if len(classes) < 2:
        raise ValueError(
            f"y must hold at least 2 classes, but got 1 class ({classes.item(0)!r}); add rows of another class, or use "
            f"partial_fit of an online learner, where classes may appear later."
        )
    return classes


def codes_of(classes: Array, labels: Array) -> Array | None:
    """The place of every label among the sorted classes; None when a label is not among them."""
    if len(classes) == 0 or (classes.dtype.kind in NUMBERS) != (labels.dtype.kind in NUMBERS):
        return None
    if "O" in classes.dtype.kind + labels.dtype.kind:
        place = {label: code for code, label in enumerate(classes.tolist())}
        try:
            return np.fromiter(map(place.__getitem__, labels.tolist()), code_dtype(len(classes)), len(labels))
        except KeyError:
            return None
    codes = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    return codes.astype(code_dtype(len(classes))) if (classes[codes] == labels).all() else None


def coded(labels: Array) -> tuple[Array, Array]:
    """(every class once, sorted; the place of every label among them)."""
    classes = classes_of(labels)
    codes = codes_of(classes, labels)
    assert codes is not None
    return classes, codes


def code_dtype(n_classes: int) -> np.dtype[Any]:
    """What holds the codes of so many classes, and -1."""
    return np.min_scalar_type(-n_classes)


def arrange_classes(known: Array, labels: Array, coupled: bool) -> tuple[Array, list[int], list[float]] | None:
    """Where the half-spaces of a larger set of classes come from, or None when nothing is new.

    (all classes, sources, signs): new half-space n is a copy of the old one number `sources[n]`, turned around
    where `signs[n]` is -1; source -1 means zero. Old half-spaces are followed by the shadow, and so are new ones.
    """
    if len(known):
        check_kind(known, labels)
    classes = np.unique(np.concatenate([known, labels]) if len(known) else labels)
    if len(classes) == len(known):
        return None
    place = {label: code for code, label in enumerate(known.tolist())}
    shadow = half_space_count(len(known), coupled)

    def origin(label: object) -> tuple[int, float]:
        code = place.get(label)
        if coupled:
            return (-1 if code is None else code), 1.0
        if code is None:
            return shadow, 1.0
        if len(known) == 1:
            return shadow, -1.0  # told +1 for every row: the shadow's opposite
        if len(known) == 2:
            return 0, 1.0 if code == 1 else -1.0
        return code, 1.0

    names = classes.tolist()
    if not coupled:
        names = {1: [], 2: names[1:]}.get(len(names), names)
    origins = [origin(label) for label in names]
    if not coupled:
        origins.append((shadow, 1.0))
    return classes, [source for source, _ in origins], [sign for _, sign in origins]


def check_kind(known: Array, labels: Array) -> None:
    """Numbers with numbers, text with text."""
    numeric = [array.dtype.kind in NUMBERS for array in (known, labels)]
    if numeric[0] != numeric[1]:
        raise ValueError(
            f"y must hold labels of one kind, but got {shortened(labels.item(0))} after {known.item(0)!r}; convert "
            f"them to one kind."
        )
