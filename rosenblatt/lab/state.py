"""Everything that the screen depends on, in one value that fits into an address.

A state is a set of the menu (or points of one's own), the edits made to it, one or two learners, a seed, and the frame
on view. `data_of` makes the rows; `to_address` and `from_address` carry a state in a URL.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.lab.learners import Choice
from rosenblatt.lab.options import fill
from rosenblatt.lab.sets import SETS, Data, own, ready, written

VERSION = 1
MOST_IN_ADDRESS = 2000  # points of one's own that an address holds
LONGEST_ADDRESS = 60_000  # characters
MOST_POINTS = 200_000
Edit = tuple[Any, ...]


@dataclass(frozen=True)
class State:
    """What is on the screen."""

    set: str = "blobs"
    values: tuple[tuple[str, Any], ...] = ()
    points: tuple[tuple[float, float, int], ...] | None = None  # one's own, in place of a ready set
    axes: tuple[str, str] = ("x₁", "x₂")
    classes: tuple[str, str] = ("−1", "+1")
    edits: tuple[Edit, ...] = ()
    learners: tuple[Choice, ...] = (Choice(),)
    seed: int = 0
    frame: int = 0
    tour: int = 0  # the step of the tour, or 0

    @staticmethod
    def of(name: str, given: dict[str, Any] | None = None, *learners: Choice, **others: Any) -> State:
        """A state with a ready set."""
        if name not in SETS:
            raise ValueError(
                f"A ready set must be one of {', '.join(SETS)}, but got {shortened(name)}; choose one of them."
            )
        values = tuple(fill(SETS[name].options, given).items())
        return State(name, values, learners=learners or (Choice.of("perceptron"),), **others)

    def edited(self, edit: Edit) -> State:
        """With one more edit; a point that is dragged on is one edit."""
        edits = self.edits
        if edit[0] == "move" and edits and edits[-1][0] == "move" and edits[-1][1] == edit[1]:
            edits = edits[:-1]
        return replace(self, edits=(*edits, edit), frame=0)


def data_of(state: State) -> Data:
    """The rows of a state, with the Python that makes them."""
    if state.points is not None:
        data = own(np.array(state.points).reshape(-1, 3), state.axes, state.classes)
    else:
        data = ready(state.set, dict(state.values))
    if not state.edits:
        return data
    if not data.flat:
        raise ValueError("Points of 784 pixels cannot be drawn by hand; choose two pixels or two principal axes.")
    X, y = data.X, data.y
    for edit in state.edits:
        X, y = apply(X, y, edit)
    if len(y) > MOST_POINTS:
        raise ValueError(f"There is room for {MOST_POINTS:,} points, but these are {len(y):,}; delete some.")
    return written(replace(data, X=np.ascontiguousarray(X), y=y))


def apply(X: Any, y: Any, edit: Edit) -> tuple[Any, Any]:
    """The rows after one edit: add, move, delete, flip or clear."""
    kind, *rest = edit
    if kind == "clear":
        return np.empty((0, 2)), np.empty(0, np.int64)
    if kind == "add":
        label, places = rest[0], _numbers(rest[1], np.float64)
        if label not in (-1, 1) or places.size % 2 or not np.isfinite(places).all():
            raise ValueError("A point must have two finite coordinates and the class -1 or +1; click again.")
        places = places.reshape(-1, 2)
        return np.concatenate([X, places]), np.concatenate([y, np.full(len(places), label)])
    if kind not in ("delete", "flip", "move"):
        raise ValueError(f"An edit must add, move, delete, flip or clear, but got {shortened(kind)}; reload the page.")
    rows = np.atleast_1d(_numbers(rest[0], np.int64))
    if len(rows) and not (rows.min() >= 0 and rows.max() < len(y)):
        raise ValueError(f"There are {len(y):,} points, but point {int(rows.max())} was meant; reload the page.")
    if kind == "delete":
        return np.delete(X, rows, axis=0), np.delete(y, rows)
    if kind == "flip":
        y = y.copy()
        y[rows] *= -1
        return X, y
    place = _numbers(rest[1:3], np.float64)
    if place.shape != (2,) or not np.isfinite(place).all():
        raise ValueError("A point must have two finite coordinates; drag it again.")
    X = X.copy()
    X[rows] = place
    return X, y


def _numbers(values: Any, kind: Any) -> Any:
    try:
        return np.asarray(values, kind)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("An edit must have numbers for its points; reload the page.") from None


# ------------------------------------------------------------------------------------------------ in an address


def to_address(state: State) -> str:
    """The state as text for a URL; empty when there is more than an address holds.

    >>> from_address(to_address(State.of("xor"))) == State.of("xor")
    True
    """
    if state.points is not None and len(state.points) > MOST_IN_ADDRESS:
        return ""
    told: dict[str, Any] = {"v": VERSION, "set": state.set, "seed": state.seed, "frame": state.frame}
    told["learners"] = [[choice.name, dict(choice.values)] for choice in state.learners]
    if state.points is None:
        told["values"] = dict(state.values)
    else:
        told |= {"points": state.points, "axes": state.axes, "classes": state.classes}
    if state.edits:
        told["edits"] = state.edits
    if state.tour:
        told["tour"] = state.tour
    packed = zlib.compress(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode(), 9)
    text = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return text if len(text) <= LONGEST_ADDRESS else ""


def from_address(text: str) -> State:
    """The state in an address, or a sentence when it is not one."""
    try:
        told = _unpacked(text)
        if told.get("v") != VERSION:
            raise ValueError(f"it is of version {told.get('v')!r}, and this lab reads version {VERSION}")
        learners = tuple(Choice.of(each[0], each[1]) for each in told["learners"])[:2]
        state = State.of(
            told["set"], told.get("values"), *learners, seed=_whole(told["seed"]), frame=_whole(told["frame"]),
            tour=_whole(told.get("tour", 0)), edits=tuple(tuple(edit) for edit in told.get("edits", ())),
        )  # fmt: skip
        if "points" in told:
            axes, classes = ((str(told[key][0])[:80], str(told[key][1])[:80]) for key in ("axes", "classes"))
            state = replace(state, points=_points(told["points"]), axes=axes, classes=classes)
        data_of(state)
        return state
    except Exception as error:
        said = str(error).split("\n")[0] if isinstance(error, ValueError) else "a part of it is missing or wrong"
        raise ValueError(f"This link does not hold a screen of the lab ({said}); here is a fresh one.") from None


def _unpacked(text: str) -> dict[str, Any]:
    """What was packed into the text; one sentence of ours for all the ways in which a link gets damaged."""
    damaged = "it is cut off or mistyped: copy it whole"
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        unpack = zlib.decompressobj()
        plain = unpack.decompress(packed, 8_000_000)
        told = None if unpack.unconsumed_tail else json.loads(plain)
    except (ValueError, zlib.error, RecursionError):
        raise ValueError(damaged) from None
    if unpack.unconsumed_tail:
        raise ValueError("it is too long")
    if not isinstance(told, dict) or not unpack.eof:
        raise ValueError(damaged)
    return told


def _points(told: Any) -> tuple[tuple[float, float, int], ...]:
    try:
        return tuple((float(x), float(y), int(side)) for x, y, side in told)
    except (TypeError, ValueError):
        raise ValueError("a point of it is not two numbers and a class") from None


def _whole(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < 2**31:
        raise ValueError(f"{value!r} is not a number it can have")
    return value
