"""A run of a learner, frame by frame: frame 0 is the start, frame k the weights after k updates (or k epochs).

The library trains; here its record is only read again. `weights` has one row (w₁, …, w_d, b) for every frame of what
the learner answers with, `path` the same of the perceptron underneath an averaged or pocket answer. The last frame is
the model's own, to the last bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.kernels import RBF
from rosenblatt.lab.learners import Call, Choice
from rosenblatt.lab.listening import warnings_heard
from rosenblatt.lab.sets import Data
from rosenblatt.trace import STOP_REASONS, Trace
from rosenblatt.wording import counted

MOST_FRAMES = 20_000  # that are sent to the page
MOST_WORK = 2_000_000  # scores computed for the curve of errors
KEYFRAMES = 100  # at most, for what is not a line
SIDE = 80  # cells of a region's picture
EPOCH_FRAMES = 60  # fits of a learner whose history is known epoch by epoch
MOST_REFITTED = 200_000  # numbers in the rows, times fits, of layers: they are slow


@dataclass(eq=False)
class Run:
    """What the page shows of one learner."""

    choice: Choice
    call: Call
    kind: str
    model: Any
    frames: int = 1
    weights: Array | None = None  # (frames, d + 1)
    path: Array | None = None  # (frames, d + 1)
    rows: Array = field(default_factory=lambda: np.empty(0, np.int64))  # the sample of each update
    steps: Array = field(default_factory=lambda: np.empty(0))
    shrinks: Array = field(default_factory=lambda: np.empty(0))
    margins: Array = field(default_factory=lambda: np.empty(0))  # before each update, where the page cannot compute it
    numbers: Array = field(default_factory=lambda: np.zeros(1, np.int64))  # of updates (or epochs) at each frame
    epoch_ends: Array = field(default_factory=lambda: np.empty(0, np.int64))  # the frame that each epoch ends with
    error_frames: Array = field(default_factory=lambda: np.empty(0, np.int64))
    errors: Array = field(default_factory=lambda: np.empty(0))
    lengths: Array = field(default_factory=lambda: np.empty(0))  # ‖w_k‖² of the perceptron's weights
    support: Array = field(default_factory=lambda: np.empty(0, np.int64))
    stages: list[Any] = field(default_factory=list)  # layers have no one line; the fitted layers of every frame
    notes: list[str] = field(default_factory=list)

    @property
    def trace(self) -> Trace:
        return getattr(self.model, "trace_", Trace())

    @property
    def is_kernel(self) -> bool:
        return self.call.name == "KernelPerceptron"

    @property
    def updates(self) -> int:
        return int(self.numbers[-1])

    def ending(self) -> str:
        """Why the run ended, in one sentence."""
        reason = self.trace.stop_reason
        if not reason or self.kind == "once":
            return "There is nothing to wait for: the weights have a formula."
        raised = "; raise it to go on" if reason == "max_iter" else ""
        why = self._rest() if reason == "converged" else STOP_REASONS[reason]
        return f"Stopped after {counted(len(self.trace), 'epoch')}: {why}{raised}."

    def _rest(self) -> str:
        """What has been seen when a run comes to rest; not that all is well."""
        if self.kind == "updates":
            dropped = self.choice.options.get("drop_after") if self.is_kernel else 0
            left = f", points missed {dropped} times being left out" if dropped else ""
            return f"a whole epoch passed without an update{left}"
        if self.call.name == "LinearSVM":
            return "the objective is as low as can be, within the tolerance"
        return "the loss no longer fell"


def train(choice: Choice, data: Data, seed: int) -> Run:
    """Train by the library, and read the record."""
    if len(np.unique(data.y)) < 2:
        have = {-1: "blue", 1: "orange"}.get(int(data.y[0]), "one") if len(data.y) else None
        raise ValueError(
            "There are no points yet; click in the picture to add some of both classes."
            if have is None
            else f"All points are {have}, and learning needs two classes; add a point of the other class."
        )
    call = choice.call(seed)
    kind = choice.learner.kind(call)
    with warnings_heard() as said:
        run = {"updates": _by_updates, "epochs": _by_epochs, "once": _once}[kind](choice, call, data)
    run.notes += [text for text in dict.fromkeys(said) if "max_iter" not in text][:2]  # `ending` says that one
    _count_errors(run, data)
    return run


# ------------------------------------------------------------------------------------------------ by updates


def _by_updates(choice: Choice, call: Call, data: Data) -> Run:
    model = call.make()
    if call.name == "KernelPerceptron":
        model.set_params(n_jobs=1)  # the same bits; for so few rows a second thread costs more than it helps
    model.fit(data.X, data.y, record=("updates", "train_error"))
    log = model.trace_.updates
    rows, steps, shrinks, times = log.rows[0], log.steps[0], log.shrinks[0], log.times[0]
    run = Run(choice, call, "updates", model)
    run.epoch_ends = np.cumsum([epoch.updates for epoch in model.trace_])
    if not run.is_kernel:
        path = replay(data.X, rows, steps, shrinks)
        last = model.answers_["last"]
        path[-1] = np.append(last.coef[0], last.intercept[0])
        run.lengths = np.einsum("ij,ij->i", path, path)
        run.weights = _answer(choice.learner.answer, model, path, times, data)
        run.path = path if run.weights is not path else None
        if run.weights is None or not data.flat:
            moved = np.column_stack([data.X[rows], np.ones(len(rows))])
            run.margins = data.y[rows] * np.einsum("ij,ij->i", path[:-1], moved)
    else:
        run.lengths, run.margins = _kernel_lengths(model, data.X, rows, steps)
        run.support = model.support_
    run.numbers = np.arange(len(rows) + 1)
    run.frames = len(rows) + 1
    run.rows, run.steps, run.shrinks = rows, steps, shrinks
    return _thinned(run)


def replay(X: Array, rows: Array, steps: Array, shrinks: Array) -> Array:
    """(w, b) before the first and after every update: w ← shrink·w + step·x and b ← b + step.

    >>> replay(np.array([[1.0, 2.0]]), np.array([0, 0]), np.array([1.0, -0.5]), np.ones(2)).tolist()
    [[0.0, 0.0, 0.0], [1.0, 2.0, 1.0], [0.5, 1.0, 0.5]]
    """
    moves = steps[:, None] * np.column_stack([X[rows].astype(np.float64), np.ones(len(rows))])
    path = np.concatenate([np.zeros((1, X.shape[1] + 1)), moves])
    if (shrinks == 1.0).all():
        return np.cumsum(path, axis=0)
    for k, shrink in enumerate(shrinks.tolist(), start=1):
        path[k, :-1] += shrink * path[k - 1, :-1]
        path[k, -1] += path[k - 1, -1]
    return path


def _answer(answer: str, model: Any, path: Array, times: Array, data: Data) -> Array | None:
    """The weights of what the learner answers with, at every frame."""
    if answer == "last":
        return path
    if answer == "voted":
        return None
    if answer == "averaged":
        shown = averages(path, times)
    else:
        shown = path[_fewest_errors(path, data)]
    own = model.answers_[answer]
    shown[-1] = np.append(own.coef[0], own.intercept[0])
    return shown


def averages(path: Array, times: Array) -> Array:
    """At every update the mean of the weights after each example seen so far; the start is shown as it is."""
    shown = path.copy()
    if len(times):
        stay = np.diff(times)[:, None] * path[1:-1]
        before = np.concatenate([np.zeros((1, path.shape[1])), np.cumsum(stay, axis=0)])
        shown[1:] = (before + path[1:]) / times[:, None]
    return shown


def _fewest_errors(path: Array, data: Data) -> Array:
    """For every frame the first frame so far with the fewest errors on all rows."""
    errors = np.array([wrong(part, data).sum(axis=1) for part in path[:, None]]).ravel()
    best = np.minimum.accumulate(errors)
    first = np.r_[True, best[1:] < best[:-1]]
    return np.maximum.accumulate(np.where(first, np.arange(len(errors)), 0))


def wrong(weights: Array, data: Data) -> Array:
    """Which rows each weight vector answers wrongly; a score of 0 answers +1."""
    scores = weights[:, :-1] @ data.X.T + weights[:, -1:]
    return (scores >= 0.0) != (data.y > 0)


def _kernel_lengths(model: Any, X: Array, rows: Array, steps: Array) -> tuple[Array, Array]:
    """‖w_k‖² in the kernel's space: each update adds 2 step·score + step²·K(x, x); and the margin before each."""
    used, place = np.unique(rows, return_inverse=True)
    if len(used) > 1500 or model.drop_after:  # rows that were dropped have left no trace in the log
        return np.empty(0), np.empty(0)
    gram = kernel_values(model, X[used], X[used])
    scores, lengths, margins = np.zeros(len(used)), np.zeros(len(rows) + 1), np.zeros(len(rows))
    for k, (i, step) in enumerate(zip(place.tolist(), steps.tolist(), strict=True), start=1):
        margins[k - 1] = math.copysign(1.0, step) * scores[i]
        lengths[k] = lengths[k - 1] + 2.0 * step * scores[i] + step * step * gram[i, i]
        scores += step * gram[i]
    return lengths, margins


def kernel_values(model: Any, left: Array, right: Array) -> Array:
    values = model.kernel_(left, right)
    return values + 1.0 if model.fit_intercept else values


def _thinned(run: Run) -> Run:
    """Where there are too many frames, an even part of them, with the end of every epoch."""
    if run.frames <= MOST_FRAMES:
        return run
    chosen = np.union1d(np.linspace(0, run.frames - 1, MOST_FRAMES).astype(np.int64), run.epoch_ends)
    run.notes.append(f"{run.frames - 1:,} updates were made; {len(chosen) - 1:,} of them are kept for scrubbing.")
    run.epoch_ends = np.searchsorted(chosen, run.epoch_ends)
    run.numbers, run.frames = run.numbers[chosen], len(chosen)
    before = chosen[1:] - 1
    run.rows, run.steps, run.shrinks = run.rows[before], run.steps[before], run.shrinks[before]
    run.margins = run.margins[before] if len(run.margins) else run.margins
    for name in ("weights", "path", "lengths"):
        value = getattr(run, name)
        setattr(run, name, value if value is None or not len(value) else value[chosen])
    return run


# ------------------------------------------------------------------------------------------------ by epochs


def _by_epochs(choice: Choice, call: Call, data: Data) -> Run:
    """Frame e is a fit of at most e epochs: the same seed goes the same way."""
    whole = call.make().fit(data.X, data.y)
    count = int(whole.n_iter_)
    most = EPOCH_FRAMES if call.name != "Layer" else max(2, min(EPOCH_FRAMES, MOST_REFITTED // data.X.size))
    epochs = np.unique(np.linspace(1, count, min(count, most)).astype(np.int64))
    parts = []
    for epoch in epochs[:-1].tolist():
        with warnings_heard():
            parts.append(stopped_at(call, epoch).make().fit(data.X, data.y))
    run = Run(choice, call, "epochs", whole, frames=len(epochs) + 1)
    if call.name == "Layer":
        with warnings_heard():
            run.stages = [stopped_at(call, 0).make().fit(data.X, data.y), *parts, whole]
    else:
        shown = [start_of(call, data), *(weights_of(model) for model in (*parts, whole))]
        run.weights = np.array(shown, np.float64)
    run.numbers = np.concatenate([[0], epochs])
    run.epoch_ends = np.arange(1, run.frames)
    run.support = getattr(whole, "support_", run.support)
    return run


def weights_of(model: Any) -> Array:
    """(w, b) of a model of two classes."""
    return np.append(model.coef_, model.intercept_)


def stopped_at(call: Call, epochs: int) -> Call:
    """The same fit, stopped after so many epochs; layers with a tolerance that nothing exceeds stay at their start."""
    return Call(call.name, {**call.arguments, **({"max_iter": epochs} if epochs else {"tol": 1e300})})


def start_of(call: Call, data: Data) -> Array:
    """The weights before the first epoch: zero, or the random start that the learner was asked for."""
    start = np.zeros((1, data.X.shape[1] + 1))
    if call.arguments.get("start"):
        from rosenblatt.estimators.minimising import seed_of

        start += np.random.default_rng(seed_of(call.make())).normal(0.0, call.arguments["start"], start.shape)
    return start[0]


def _once(choice: Choice, call: Call, data: Data) -> Run:
    model = call.make().fit(data.X, data.y)
    weights = np.array([np.zeros(data.X.shape[1] + 1), weights_of(model)])
    run = Run(choice, call, "once", model, frames=2, weights=weights)
    run.numbers, run.epoch_ends = np.arange(2), np.array([1])
    return run


# ------------------------------------------------------------------------------------------------ errors


def _count_errors(run: Run, data: Data) -> None:
    """The share of rows answered wrongly, at every frame or, where that is much work, at an even part of them."""
    n = max(1, len(data.y))
    most = max(20, MOST_WORK // (n * max(1, data.X.shape[1] // 2)))
    chosen = np.unique(np.linspace(0, run.frames - 1, min(run.frames, most)).astype(np.int64))
    run.error_frames = chosen
    if run.weights is not None:
        parts = np.array_split(chosen, max(1, len(chosen) * n // 1_000_000))
        run.errors = np.concatenate([wrong(run.weights[part], data).mean(axis=1) for part in parts if len(part)])
        return
    run.error_frames = chosen = keyframes(run)
    scores = scores_at(run, data, data.X, chosen)
    run.errors = np.mean(np.where(scores >= 0.0, 1, -1) != data.y, axis=1)


# ------------------------------------------------------------------------------------------------ what is not a line


def keyframes(run: Run) -> Array:
    """The frames at which something that is not a line is computed."""
    return np.unique(np.linspace(0, run.frames - 1, min(run.frames, KEYFRAMES)).astype(np.int64))


def scores_at(run: Run, data: Data, places: Array, frames: Array) -> Array:
    """(frames, places): the scores of layers, of a kernel expansion, or of votes, as they were at these frames."""
    if run.stages:
        return np.array([run.stages[frame].decision_function(places) for frame in frames.tolist()])
    if not run.is_kernel:
        return _votes(run, data, places, run.numbers[frames])
    used, coefficients = _expansion(run, frames)
    return coefficients @ kernel_values(run.model, data.X[used], places)


def field_at(run: Run, data: Data, view: tuple[float, float, float, float], frames: Array) -> Array:
    """(frames, cells): the scores of the cells of `grid`. A radial kernel is the product of itself along each axis."""
    kernel = getattr(run.model, "kernel_", None)
    kernel = getattr(kernel, "radial", kernel)
    if not isinstance(kernel, RBF):
        return scores_at(run, data, grid(view), frames)
    used, coefficients = _expansion(run, frames)
    cells = grid(view).reshape(SIDE, SIDE, 2)
    across = np.exp(-kernel.gamma * (data.X[used, :1] - cells[0, :, 0]) ** 2)
    up = np.exp(-kernel.gamma * (data.X[used, 1:] - cells[:, 0, 1]) ** 2)
    values = (up[:, :, None] * across[:, None, :]).reshape(len(used), -1)
    return coefficients @ (values + 1.0 if run.model.fit_intercept else values)


def _expansion(run: Run, frames: Array) -> tuple[Array, Array]:
    """The rows of a kernel expansion, and at each of these frames their coefficients."""
    numbers = run.numbers[frames]
    log = run.model.trace_.updates
    rows, steps = log.rows[0], log.steps[0]
    used, place = np.unique(rows, return_inverse=True)
    coefficients = np.zeros((len(frames), len(used)))
    running, done = np.zeros(len(used)), 0
    for f, number in enumerate(numbers.tolist()):
        np.add.at(running, place[done:number], steps[done:number])
        coefficients[f], done = running, number
    if number == len(rows):  # rows that were dropped have left no trace in the log
        coefficients[-1] = 0.0
        coefficients[-1, np.searchsorted(used, run.model.support_)] = run.model.dual_coef_[0]
    return used, coefficients


def _votes(run: Run, data: Data, places: Array, numbers: Array) -> Array:
    """Each weight vector votes with the number of examples that it survived."""
    log = run.model.trace_.updates
    path = replay(data.X, log.rows[0], log.steps[0], log.shrinks[0])[1:]
    times = log.times[0]
    counts = np.diff(np.append(times, max(run.model._state.seen + 1, times[-1] + 1 if len(times) else 1)))
    result, total, done = np.zeros((len(numbers), len(places))), np.zeros(len(places)), 0
    for f, number in enumerate(numbers.tolist()):
        for start in range(done, number, 256):
            part = slice(start, min(number, start + 256))
            signs = np.where(path[part, :-1] @ places.T + path[part, -1:] >= 0.0, 1.0, -1.0)
            total = total + counts[part] @ signs
        result[f], done = total, number
    return result


def grid(view: tuple[float, float, float, float], side: int = SIDE) -> Array:
    """The middles of side x side cells of the view (left, right, bottom, top), line by line from the bottom."""
    left, right, bottom, top = view
    middles = (np.arange(side) + 0.5) / side
    x, y = left + (right - left) * middles, bottom + (top - bottom) * middles
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
