"""One tab of the page: requests come in as dictionaries, and what has changed on the screen goes out.

Nothing here knows of a browser; the page sends what it gets and draws what it is told.
"""

from __future__ import annotations

import base64
import logging
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from rosenblatt.arguments import shortened
from rosenblatt.engine.online.state import Array
from rosenblatt.lab import tour, upload
from rosenblatt.lab.explanations import links, paragraph
from rosenblatt.lab.history import SIDE, Run, field_at, keyframes, train
from rosenblatt.lab.learners import LEARNERS, Choice
from rosenblatt.lab.options import Values, fill
from rosenblatt.lab.picture import Screen, View, animation, picture
from rosenblatt.lab.proof import Proof, prove
from rosenblatt.lab.script import script
from rosenblatt.lab.sets import MOST_DRAWN, SETS, Data, as_csv, missing
from rosenblatt.lab.state import State, data_of, from_address, to_address
from rosenblatt.lab.surface import LOSSES, surface

Reply = dict[str, Any]
MOST_UNDONE = 200
FIRST = {"margin": 0.2, "seed": 21}  # what a stranger sees: a run of 35 updates, where 502 are allowed
IMAGES = 200  # frames of the weights as an image


def packed(values: Array, kind: str) -> str:
    """Numbers as text: base64 of their bytes, little-endian."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()).decode()


class Session:
    """The state of one tab, with its past and its future."""

    def __init__(self, address: str = "") -> None:
        self.lock = threading.RLock()
        self.past: list[State] = []
        self.future: list[State] = []
        self.message = ""
        self.table: tuple[list[str], list[list[str]]] | None = None  # an uploaded file, until columns are chosen
        self.state = State.of("blobs", FIRST, Choice.of("perceptron", {"order": "as they are"}))
        if address:
            try:
                self.state = from_address(address)
            except ValueError as error:
                self.message = str(error)
        self.left: dict[str, Values] = {}  # the knobs of learners as they were left
        self.data: Data
        self.view: View
        self.runs: list[Run] = []
        self.generation = 0  # of data and runs; a late proof of an earlier one is thrown away
        self.proven: tuple[int, list[Proof]] = (0, [])  # the proofs, and the generation that they are of
        self.trouble = ""
        self._learn()

    # ------------------------------------------------------------------ requests

    def handle(self, request: dict[str, Any]) -> Reply:
        """Answer one request. What is refused changes nothing and is said in `message`."""
        with self.lock:
            try:
                action = self._actions().get(str(request.get("do")))
                if action is None:
                    raise ValueError(f"The page asked for {request.get('do')!r}, which the lab does not know.")
                reply = action(request)
            except ValueError as error:
                self.message = str(error).split("\n")[0]
                reply = self.screen()
            except (KeyError, TypeError, IndexError) as error:
                self.message = f"A request must be whole, but this one had no proper {error}; reload the page."
                reply = self.screen()
            except Exception as error:  # a page that waits for an answer must get one
                logging.getLogger(__name__).exception("The lab could not answer %r", request.get("do"))
                self.message = f"That did not work, by a mistake of the lab's ({type(error).__name__}: {error})."
                reply = self.screen()
            reply["id"] = request.get("id", 0)
            return reply

    def _actions(self) -> dict[str, Callable[[dict[str, Any]], Reply]]:
        return {
            "screen": lambda r: self.screen(),
            "add": lambda r: self._edit(("add", int(r["label"]), [[float(x), float(y)] for x, y in r["places"]])),
            "move": lambda r: self._edit(("move", int(r["row"]), float(r["x"]), float(r["y"])), r.get("generation")),
            "delete": lambda r: self._edit(("delete", [int(row) for row in r["rows"]]), r.get("generation")),
            "flip": lambda r: self._edit(("flip", int(r["row"])), r.get("generation")),
            "clear": lambda r: self._edit(("clear",)),
            "set": lambda r: self._go(replace(self._with_set(r), learners=self.state.learners, seed=self.state.seed)),
            "learner": self._learner,
            "compare": self._compare,
            "seed": lambda r: self._go(replace(self.state, seed=_seed(r["seed"]), frame=0)),
            "undo": lambda r: self._undo(),
            "redo": lambda r: self._redo(),
            "frame": self._frame,
            "tour": lambda r: self._go(tour.state_of(int(r["step"])) if r["step"] else replace(self.state, tour=0)),
            "script": lambda r: self._script(r),
            "export": self._export,
            "upload": self._upload,
            "columns": self._columns,
        }

    def _edit(self, edit: tuple[Any, ...], generation: int | None = None) -> Reply:
        if generation not in (None, self.generation):
            return self.screen()  # the click was meant for rows that have other numbers by now
        if not self.data.flat:
            raise ValueError("Points of 784 pixels cannot be drawn by hand; choose two pixels or two principal axes.")
        return self._go(self.state.edited(edit), self.view)  # the picture stays still under the hand

    def _with_set(self, request: dict[str, Any]) -> State:
        return State.of(str(request["name"]), request.get("values"))

    def _learner(self, request: dict[str, Any]) -> Reply:
        learners, which = list(self.state.learners), int(request["which"])
        choice = self._chosen(str(request["name"]), request.get("values"))
        if not 0 <= which < len(learners):
            raise ValueError(f"There are {len(learners)} learners on the screen, but number {which} was meant.")
        learners[which] = choice
        return self._go(replace(self.state, learners=tuple(learners), frame=0))

    def _chosen(self, name: str, values: dict[str, Any] | None) -> Choice:
        """A learner with its knobs; one that was on the screen before comes back as it was left."""
        return Choice.of(name, self.left.get(name) if values is None else values)

    def _compare(self, request: dict[str, Any]) -> Reply:
        name = str(request.get("name") or "")
        second = (self._chosen(name, None),) if name else ()
        return self._go(replace(self.state, learners=(self.state.learners[0], *second), frame=0))

    def _frame(self, request: dict[str, Any]) -> Reply:
        self.state = replace(self.state, frame=_seed(request["frame"]))
        return {"address": to_address(self.state)}

    def _go(self, state: State, held: View | None = None) -> Reply:
        """To another state, which can be undone; refused if its rows cannot be had."""
        earlier = self.state, self.data
        self.state = state
        try:
            self._learn(held)
        except ValueError:
            self.state, self.data = earlier
            raise
        if not earlier[0].tour:
            self.left |= {choice.name: choice.options for choice in earlier[0].learners}
        self.past = [*self.past[-MOST_UNDONE:], earlier[0]]
        self.future = []
        return self.screen()

    def _undo(self) -> Reply:
        if not self.past:
            raise ValueError("There is nothing to undo.")
        self.future.append(self.state)
        self.state = self.past.pop()
        self._learn()
        return self.screen()

    def _redo(self) -> Reply:
        if not self.future:
            raise ValueError("There is nothing to redo.")
        self.past.append(self.state)
        self.state = self.future.pop()
        self._learn()
        return self.screen()

    def _learn(self, held: View | None = None) -> None:
        self.data = data_of(self.state)
        self.view = held if held is not None and within(self.data, held) else view_of(self.data)
        self.trouble, self.runs = "", []
        self.generation += 1
        try:
            self.runs = [train(choice, self.data, self.state.seed) for choice in self.state.learners]
        except ValueError as error:
            self.runs, self.trouble = [], str(error).split("\n")[0]

    # ------------------------------------------------------------------ what goes out

    def screen(self) -> Reply:
        """Everything on the screen but the proofs, which come when they are ready."""
        state, message = self.state, self.message
        self.message = ""
        return {
            "generation": self.generation,
            "set": state.set if state.points is None else "own",
            "set_values": dict(state.values),
            "edited": "" if not state.edits else "cleared" if self._cleared() else "by hand",
            "learners": [[choice.name, choice.options] for choice in state.learners],
            "seed": state.seed,
            "frame": state.frame,
            "tour": self._tour(),
            "undo": bool(self.past),
            "redo": bool(self.future),
            "address": to_address(state),
            "message": message or self._said_of_size(),
            "trouble": self.trouble,
            "data": self.drawn(),
            "runs": [self._told(run) for run in self.runs],
        }

    def _tour(self) -> Reply | None:
        if not self.state.tour or self.state.tour > len(tour.STEPS):
            return None
        step = tour.STEPS[self.state.tour - 1]
        return {"number": self.state.tour, "title": step.title, "text": step.text, "task": step.task,
                "row": step.row, "end": step.end}  # fmt: skip

    def _said_of_size(self) -> str:
        n = len(self.data.y)
        if n > MOST_DRAWN:
            return f"{n:,} points: {MOST_DRAWN:,} of them are drawn, and all are learned from."
        if self.state.points is not None and not to_address(self.state):
            return "These points are too many for a link; share the exported data instead."
        return ""

    def _cleared(self) -> bool:
        return any(edit[0] == "clear" for edit in self.state.edits)

    def drawn(self) -> Reply:
        data, rows = self.data, self.data.sample()
        cleared = self._cleared()
        about = SETS[self.state.set].about if self.state.points is None and not cleared else "Your own data."
        if self.state.edits and not cleared:
            about += " You have changed it by hand."
        return {
            "x": packed(data.plane[rows, 0], "f8"), "y": packed(data.plane[rows, 1], "f8"),
            "side": packed(data.y[rows], "i1"), "rows": packed(rows, "i4"), "total": len(data.y),
            "axes": data.axes, "classes": data.classes, "view": self.view, "flat": data.flat, "about": about,
        }  # fmt: skip

    def _told(self, run: Run) -> Reply:
        data, learner = self.data, run.choice.learner
        place = np.full(len(data.y), -1, np.int32)
        place[data.sample()] = np.arange(len(data.sample()))
        told: Reply = {
            "name": learner.name, "title": learner.title, "formula": run.choice.formula, "kind": run.kind,
            "answer": learner.answer, "links": links(learner), "paragraph": paragraph(run, data),
            "frames": run.frames, "numbers": _unless_counting(run.numbers), "epoch_ends": packed(run.epoch_ends, "i4"),
            "rows": packed(run.rows, "i4"), "places": packed(place[run.rows], "i4"), "steps": packed(run.steps, "f8"),
            "sides": packed(data.y[run.rows], "i1"), "margins": packed(run.margins, "f8"),
            "shrinks": packed(run.shrinks, "f8") if (run.shrinks != 1.0).any() else "",
            "error_frames": _unless_counting(run.error_frames),
            "errors": packed(run.errors, "f8"), "lengths": packed(run.lengths, "f8"),
            "support": packed(place[run.support], "i4"), "columns": list(run.trace.columns), "cells": run.trace.cells(),
            "ending": run.ending(), "notes": run.notes, "features": data.X.shape[1],
        }  # fmt: skip
        if data.flat and run.weights is not None:
            told["weights"] = packed(run.weights, "f8")
        if data.flat and run.path is not None:
            told["path"] = packed(run.path, "f8")
        if data.flat and run.weights is None:
            told["field"] = self._field(run)
        if data.flat and run.stages:
            below = [model.below_ for model in run.stages]
            told["hidden"] = {"units": len(below[0].bias_), "lines": packed(np.array(
                [np.column_stack([layer.weights_, layer.bias_]) for layer in below]), "f8")}  # fmt: skip
        if data.shape is not None and run.weights is not None:
            told["image"] = _images(run, data.shape)
        if len(run.rows):
            hidden = np.unique(run.rows[place[run.rows] < 0])[: 4000 if data.flat else 0]
            told["samples"] = {int(row): data.X[row].tolist() for row in hidden}
        if data.flat and learner.name in LOSSES and run.weights is not None:
            told["surface"] = _told_surface(run, data)
        return told

    def _field(self, run: Run) -> Reply:
        frames = keyframes(run)
        scores = field_at(run, self.data, self.view, frames)
        bits = np.packbits(scores >= 0.0, axis=1, bitorder="little")
        return {"side": SIDE, "frames": packed(frames, "i4"), "bits": packed(bits, "u1")}

    def proofs(self) -> Reply:
        """What is proven about the runs on the screen; slow, so it is asked for after the screen is drawn."""
        with self.lock:
            generation, runs, data = self.generation, list(self.runs), self.data
        place = {int(row): j for j, row in enumerate(data.sample())}
        found = [prove(run, data) for run in runs]
        self.proven = generation, found
        told = [
            {
                **asdict(proof),
                "places": [place[row] for row in proof.rows if row in place],
                "apart": [[*data.plane[row].tolist(), int(data.y[row])] for row in proof.rows if row not in place],
            }
            for proof in found
        ]
        return {"generation": generation, "proofs": told}

    # ------------------------------------------------------------------ in and out of the page

    def _script(self, request: dict[str, Any]) -> Reply:
        return {"script": script(self.data, self.runs, int(request.get("frame", 0)))}

    def _export(self, request: dict[str, Any]) -> Reply:
        kind, frame = str(request["kind"]), int(request.get("frame", 0))
        if kind == "csv":
            reply = _file("rosenblatt-data.csv", "text/csv", as_csv(self.data).encode())
            if not self.data.flat:
                reply["message"] = "The file has the two principal axes that are drawn, not the 784 pixels."
            return reply
        if not self.runs:
            raise ValueError("There is no run to draw; add points of both classes first.")
        proofs = self.proven[1] if self.proven[0] == self.generation else []
        dark, sizes = bool(request.get("dark")), bool(request.get("sizes", True))
        screen = Screen(self.data, self.runs, self.view, proofs, dark, sizes)
        if kind in ("svg", "png"):
            kinds = {"svg": "image/svg+xml", "png": "image/png"}
            return _file(f"rosenblatt.{kind}", kinds[kind], picture(screen, frame, kind))
        if kind == "gif":
            return _file("rosenblatt.gif", "image/gif", animation(screen))
        raise ValueError(
            f"A picture can be svg, png or gif, and data csv, but got {shortened(kind)}; choose one of them."
        )

    def _upload(self, request: dict[str, Any]) -> Reply:
        self.table = upload.read(str(request["text"]))
        names, rows = self.table
        return {"columns": names, "count": len(rows), "proposal": upload.proposal(names, rows)}

    def _columns(self, request: dict[str, Any]) -> Reply:
        if self.table is None:
            raise ValueError("Choose a file first; then its columns.")
        names, rows = self.table
        chosen = (str(request[key]) for key in ("x", "y", "target"))
        state, left_out = upload.take(self.state, names, rows, *chosen)
        reply = self._go(state)
        if left_out:
            have = "1 row has an empty cell and is" if left_out == 1 else f"{left_out:,} rows have empty cells and are"
            reply["message"] = f"{have} left out. {reply['message']}".strip()
        return reply


def menu() -> Reply:
    """What can be chosen: sent once."""
    return {
        "sets": [
            {"name": s.name, "title": s.title, "options": [o.describe() for o in s.options],
             "values": fill(s.options), "missing": missing(s.name)}
            for s in SETS.values()
        ],
        "learners": [
            {"name": a.name, "title": a.title, "options": [o.describe() for o in a.options], "values": fill(a.options)}
            for a in LEARNERS.values()
        ],
        "tour": [step.title for step in tour.STEPS],
    }  # fmt: skip


def within(data: Data, view: View) -> bool:
    """Whether all points lie in a view."""
    low, high = np.array(view[::2]), np.array(view[1::2])
    return bool(((data.plane >= low) & (data.plane <= high)).all())


def view_of(data: Data) -> View:
    """Left, right, bottom and top of the picture: around the points, square where the units are alike."""
    if not len(data.y):
        return -5.0, 5.0, -5.0, 5.0
    low, high = data.plane.min(axis=0), data.plane.max(axis=0)
    span = np.maximum(high - low, 1e-9 * np.maximum(1.0, np.abs(high)))
    if len(data.y) == 1 or (span <= 1e-9 * np.maximum(1.0, np.abs(high))).all():
        span = np.full(2, 10.0)
    if span.max() <= 4 * span.min():
        span = np.full(2, span.max())
    middle, half = (low + high) / 2, 0.62 * span
    return (float(middle[0] - half[0]), float(middle[0] + half[0]),
            float(middle[1] - half[1]), float(middle[1] + half[1]))  # fmt: skip


def _images(run: Run, shape: tuple[int, int]) -> Reply:
    """The weights of some frames as pictures, -127 … 127 each, the first line at the bottom."""
    assert run.weights is not None
    frames = np.unique(np.linspace(0, run.frames - 1, min(run.frames, IMAGES)).astype(np.int64))
    values = run.weights[frames, :-1]
    most = np.abs(values).max(axis=1, keepdims=True)
    scaled = np.round(127 * values / np.where(most > 0, most, 1.0)).reshape(-1, *shape)[:, ::-1]
    return {"shape": shape, "frames": packed(frames, "i4"), "values": packed(scaled, "i1")}


def _told_surface(run: Run, data: Data) -> Reply:
    found = surface(run, data)
    return {"side": found.side, "view": found.view, "values": packed(found.values, "f4"), "note": found.note}


def _file(name: str, kind: str, content: bytes) -> Reply:
    return {"file": {"name": name, "kind": kind, "content": base64.b64encode(content).decode()}}


def _unless_counting(numbers: Array) -> str:
    """Packed, or nothing where they are 0, 1, 2, …"""
    return "" if np.array_equal(numbers, np.arange(len(numbers))) else packed(numbers, "i4")


def _seed(value: Any) -> int:
    try:
        number = int(value) if value == int(value) else -1
    except (TypeError, ValueError, OverflowError):
        number = -1
    if not 0 <= number < 2**31:
        raise ValueError(f"A seed must be a whole number of at least 0, but got {shortened(value)}; take 0, say.")
    return number
