"""Training from files that need not fit into memory: several passes, a few megabytes of rows at a time.

The first pass finds out what the columns are (`ColumnEncoder.fit_batches`), which classes there are, and keeps a random
sample of rows: half of it to test on, half to show what was learned from. Every further pass is an epoch: blocks of
rows are read and encoded on a thread of their own while the learner's `partial_fit` learns from the block before. The
blocks of a plain file of text are visited in a new random order in every epoch, and the rows of a few blocks are
shuffled together, so that a sorted file does no harm.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import polars as pl
from scipy.sparse import issparse, vstack
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from rosenblatt.features.target import MOST_CLASSES
from rosenblatt.interrupts import pressed
from rosenblatt.progress import reporter
from rosenblatt.sources import Source
from rosenblatt.sources.delimited import TypesWidened
from rosenblatt.trace import Array, Epoch, Trace
from rosenblatt.verbs.errors import InputError, UsageError, reading, setting
from rosenblatt.verbs.examples import Examples, Roles, examples_of, roles_of
from rosenblatt.verbs.gaps import check_gaps, count_gaps, note_on_gaps
from rosenblatt.verbs.labels import check_labels, labelled_rows, note_on_missing_labels, notes_on_classes
from rosenblatt.verbs.learners import LEARNERS, make_learner
from rosenblatt.verbs.learning import fitting_tests, read_tests
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.pipelines import fit_columns, in_the_file, notes_of, seen, unfitted
from rosenblatt.verbs.testing import Learned, check_known
from rosenblatt.wording import listed, shortened

TESTED_ROWS = 20_000  # kept aside, which tells the accuracy to less than one per cent
TESTED_BYTES = 2**25
EPOCHS = 5
WINDOW = 8  # blocks from different places of the file whose rows are shuffled together
WINDOW_BYTES = 2**26

Item = TypeVar("Item")


def learn_in_passes(
    source: Source, target: str | int | None, options: TrainOptions, *, digest: bool, verbose: int = 0,
) -> Learned:  # fmt: skip
    """Learn from the rows of a source in several passes over its files, with bounded memory.

    Beside the model and the sample that is tested on (at most 64 MB), memory holds a few blocks of rows (three times
    64 MB at most, when rows are encoded), whatever the size of the files.
    """
    options.check_in_passes()
    learner = make_learner(options.name, options.given, random_state=options.seed, max_iter=EPOCHS)
    if not _learns_in_passes(learner):
        able = [name for name in LEARNERS if _learns_in_passes(make_learner(name))]
        raise UsageError(f"{options.name} does not learn in passes; use one of {listed(able)}, or --no-stream.")
    roles = roles_of(source, target, weights=options.weights, drop=options.drop, keep=options.keep)
    source.labels = roles.target
    others = read_tests(source, target, options)
    first = _survey(_Stream(source, roles, target, options), learner, 0 if others is not None else TESTED_ROWS)
    tested, told = first.tested, f"a random {first.rows - first.learned_rows:,} of {first.rows:,} rows"
    if others is not None:
        check_known(others, first.classes)
        tested, told = fitting_tests(others, first.seen, first.model), f"the rows of {others.name}"
    trace = _epochs(first, options, learner, verbose)
    learner.trace_, learner.stop_reason_, learner.n_iter_ = trace, trace.stop_reason, len(trace)
    placed = replace(first.seen, places=None, place_of=source.place_of)
    if digest:
        first.seen = replace(first.seen, digest=source.digest())
    notes = [f"{source.name} is learned from in passes, {first.rows:,} rows.", *source.notes, *first.notes]
    notes += [*first.seen.notes, *notes_of(first.model, placed)]
    source.close()
    return Learned(first.model, first.seen, tested, told, first.rows, first.learned_rows, notes)


def _learns_in_passes(learner: Any) -> bool:
    return hasattr(learner, "partial_fit") and bool(is_classifier(learner))


# ---------------------------------------------------------------------- the first pass


@dataclass
class _Stream:
    """A source, and what is taken from it in every pass."""

    source: Source
    roles: Roles
    target: str | int | None
    options: TrainOptions

    def blocks(self, shuffle: int | None = None) -> Iterator[tuple[Any, Examples, Array]]:
        """What was read, its rows with labels, and a random number for each of these, the same in every pass.

        A number shuffles the blocks where the format allows it.
        """
        before = 0
        for number, content in self.source.placed_blocks(shuffle):
            found = self._taken_apart(content, before)
            before += len(content)
            yield content, found, np.random.default_rng([self.options.seed, number]).random(len(found))

    def _taken_apart(self, content: Any, before: int) -> Examples:
        if self.source.kind == "frame":
            column = content[self.roles.target]
            there = column.is_not_null() & column.is_not_nan() if column.dtype.is_float() else column.is_not_null()
            if not there.any():
                return Examples(content.clear(), np.empty(0, np.int64))
        else:
            content = labelled_rows(content, self.target, self.source.name, needed=True)
            if self.options.missing == "error":
                check_gaps(content.X, self.source.name, before)
        return examples_of(self.source, content, self.roles, before=before)


@dataclass
class _First:
    """What the first pass has found: the steps before the learner are fitted."""

    stream: _Stream
    model: Pipeline
    rows: int
    classes: Array
    tested: Examples | None  # kept aside
    seen: Examples
    limit: float  # rows with a number up to this are kept aside
    notes: list[str]

    @property
    def learned_rows(self) -> int:
        return self.rows - (0 if self.tested is None else len(self.tested))


class _Sample:
    """The rows with the smallest of random numbers: a sample without a second look at any row."""

    def __init__(self, tested_rows: int) -> None:
        self.tested_rows, self.most = tested_rows, 0
        self.parts: list[Examples] = []
        self.keys = np.empty(0)

    def add(self, found: Examples, keys: Array) -> None:
        if self.most == 0:  # half of the sample is tested on, and the other shows what was learned from
            size = max(1, _n_bytes(found.rows) // len(found))
            self.most = 2 * min(self.tested_rows, max(100, TESTED_BYTES // size))
        chosen = np.flatnonzero(keys <= self.keys.max()) if len(self.keys) >= self.most else np.arange(len(keys))
        self.parts.append(found.take(chosen))
        self.keys = np.concatenate([self.keys, keys[chosen]])
        if len(self.keys) > 2 * self.most:
            self.taken()

    def taken(self) -> tuple[Examples, Array]:
        """The sample and its numbers, in rising order."""
        order = np.argsort(self.keys, kind="stable")[: self.most]
        self.parts, self.keys = [joined(self.parts).take(order)], self.keys[order]
        return self.parts[0], self.keys


def _survey(stream: _Stream, learner: Any, tested_rows: int) -> _First:
    while True:
        try:
            with reading(stream.source.name):
                return _surveyed(stream, learner, tested_rows)
        except TypesWidened:
            continue  # the source knows the types now


def _surveyed(stream: _Stream, learner: Any, tested_rows: int) -> _First:
    options, target = stream.options, stream.roles.target
    sample, classes = _Sample(tested_rows or TESTED_ROWS), set[Any]()
    rows = total = gaps = 0

    def features() -> Iterator[Any]:
        nonlocal rows, total, gaps
        for content, found, keys in stream.blocks():
            total += len(content)
            if len(found):
                sample.add(found, keys)
                classes.update(np.unique(found.labels()).tolist())
                rows += len(found)
                gaps += 0 if found.is_frame else count_gaps(found.rows)
            if len(classes) > MOST_CLASSES:
                raise InputError(
                    f"The target {shortened(target or 'label')} has more than {MOST_CLASSES:,} different values; "
                    "choose another column."
                )
            yield content if target is None else content.drop([*stream.roles.away, target])

    if stream.source.kind == "frame":
        model = unfitted(Examples(pl.DataFrame(), keep=stream.roles.keep), learner, options)
        with in_the_file(Examples(None, place_of=stream.source.place_of)):
            model.steps[0][1].fit_batches(features())
    else:
        for _ in features():
            pass
    if rows == 0:
        raise InputError(f"Every value of the target {shortened(target or 'label')} is missing.")
    found, keys = sample.taken()
    found = replace(found, notes=[], places=None, place_of=None)
    if stream.source.kind == "matrix":
        model = unfitted(found, learner, options)
        fit_columns(model, found)
    known = np.array(sorted(classes))
    check_labels(found, known, n_rows=rows)
    notes = [note_on_gaps(gaps)] if gaps else []
    notes += [*note_on_missing_labels(total - rows, target), *notes_on_classes(found, known)]
    n_tested = min(tested_rows, len(found) // 2 if rows > 2 * len(found) else max(1, rows // 5))
    tested, limit = (found.take(np.arange(n_tested)), float(keys[n_tested - 1])) if n_tested else (None, -1.0)
    return _First(stream, model, rows, known, tested, found.take(np.arange(n_tested, len(found))), limit, notes)


def _n_bytes(rows: Any) -> int:
    if isinstance(rows, pl.DataFrame):
        return int(rows.estimated_size())
    return int(rows.data.nbytes + rows.indices.nbytes) if issparse(rows) else int(rows.nbytes)


def joined(parts: list[Examples]) -> Examples:
    """The rows of several, one after another."""
    if len(parts) == 1:
        return parts[0]
    every: list[Any] = [part.rows for part in parts]
    if isinstance(every[0], pl.DataFrame):
        rows: Any = pl.concat(every, how="vertical_relaxed")
    else:
        rows = vstack(every, format="csr") if issparse(every[0]) else np.concatenate(every)
    weights = None if parts[0].weights is None else np.concatenate([part.weights for part in parts])
    y = np.concatenate([part.labels() for part in parts])
    return replace(parts[0], rows=rows, y=y, weights=weights, places=None, place_of=None)


# ---------------------------------------------------------------------- epochs


def _epochs(first: _First, options: TrainOptions, learner: Any, verbose: int) -> Trace:
    """Pass after pass until there is a reason to stop; the learner has learned, whatever the reason."""
    trace, started = Trace(), time.perf_counter()
    watched = first.tested or first.seen
    X_watched = seen(first.model, watched.rows)
    max_iter = options.given.get("max_iter", EPOCHS)
    if max_iter < 1:
        raise UsageError(f"max_iter, the number of passes, must be at least 1, but got {max_iter!r}.")
    show = reporter(verbose, type(learner).__name__, max_iter)
    trace.stop_reason = "max_iter"
    with show:
        for number in range(1, max_iter + 1):
            clock, mistakes = time.perf_counter(), getattr(learner, "mistakes_", 0) if number > 1 else 0
            stop, done = "", 0
            blocks = prefetched(_encoded(first, number, bool(getattr(learner, "shuffle", True))))
            try:
                for part in blocks:
                    with setting(options.given):
                        learner.partial_fit(part.rows, part.y, classes=first.classes, sample_weight=part.weights)
                    done += len(part)
                    show.progress(done / max(1, first.learned_rows))
                    stop = getattr(learner, "stop_reason_", "")
                    if options.time_limit is not None and time.perf_counter() - started >= options.time_limit:
                        stop = stop or "time_limit"
                    if pressed():  # also what came in the last moment of a block, which the learner forgets
                        stop = stop or "interrupted"
                    if stop:
                        break
            except KeyboardInterrupt:
                if not hasattr(learner, "classes_"):
                    raise
                stop = "interrupted"
            finally:
                blocks.close()
            met = getattr(learner, "mistakes_", 0) - mistakes
            error = float((learner.predict(X_watched) != watched.y).mean())
            errors = (error, None) if first.tested is None else (None, error)
            row = Epoch(number, met, met, _norm(learner), time.perf_counter() - clock, *errors)
            trace.epochs.append(row)
            show.epoch(row)
            if not stop and met == 0 and hasattr(learner, "mistakes_"):
                stop = "converged"
            if stop:
                trace.stop_reason = stop
                break
        show.finish(trace)
    return trace


def _encoded(first: _First, number: int, shuffle: bool) -> Iterator[Examples]:
    """The rows of an epoch as the learner takes them, without those that are kept aside; several blocks are mixed."""
    random = np.random.default_rng([first.stream.options.seed, number])
    window: list[Examples] = []
    for _, found, keys in first.stream.blocks(int(random.integers(2**31)) if shuffle else None):
        learned = np.flatnonzero(keys > first.limit)
        if len(learned) == 0:
            continue
        part = found if len(learned) == len(found) else found.take(learned)
        window.append(replace(part, rows=seen(first.model, part.rows)))
        if not shuffle:
            yield window.pop()
        elif len(window) == WINDOW or sum(_n_bytes(each.rows) for each in window) > WINDOW_BYTES:
            yield joined(window).take(random.permutation(sum(map(len, window))))
            window = []
    if window:
        yield joined(window).take(random.permutation(sum(map(len, window))))


def _norm(learner: Any) -> float:
    coefficients = getattr(learner, "coef_", None) if getattr(learner, "answer", "") != "voted" else None
    return 0.0 if coefficients is None else float(np.linalg.norm(coefficients))


def prefetched(items: Iterator[Item]) -> Generator[Item]:
    """The items of an iterator, of which the next is made on another thread while the present one is used."""
    with ThreadPoolExecutor(1) as other:
        coming = other.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = other.submit(next, items, None)
            yield item
