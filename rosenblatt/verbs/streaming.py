"""Training from files that need not fit into memory: several passes, a few megabytes of rows at a time.

The first pass finds out what the columns are (`ColumnEncoder.fit_batches`), which classes there are, and keeps a random
sample of rows to test on. Every further pass is an epoch: blocks of rows are read and encoded on a thread of their own
while the learner's `partial_fit` learns from the block before. Within a block the rows are shuffled; the blocks of a
plain file of text are visited in a new random order in every epoch, a few places of the file at a time, so that a
sorted file does no harm.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import polars as pl
from scipy.sparse import issparse, vstack
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt.features.column import KEPT
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.features.tables import CellError
from rosenblatt.features.target import MOST_CLASSES, check_classes, find_column, labels_of
from rosenblatt.interrupts import pressed
from rosenblatt.progress import reporter
from rosenblatt.sources import Matrix, Source
from rosenblatt.sources.delimited import TypesWidened
from rosenblatt.trace import Array, Epoch, Trace
from rosenblatt.verbs.errors import UsageError, reading, setting
from rosenblatt.verbs.examples import Examples, Roles, missing_labels, open_data, read_examples, roles_of
from rosenblatt.verbs.gaps import GapsOfStream, check_gaps, labelled_rows, may_have_gaps, note_on_gaps, note_on_labels
from rosenblatt.verbs.label_files import is_file_of_labels, is_number, with_target
from rosenblatt.verbs.learners import LEARNERS, make_learner
from rosenblatt.verbs.models import columns_for
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.pipelines import check_numbers, columns_of, note_on_scale, notes_of, with_width
from rosenblatt.verbs.testing import Test, check_known, heard_warnings, is_interrupted
from rosenblatt.verbs.training import Clock, Training, _judged, _save, about_model, keep_model
from rosenblatt.wording import listed, shortened

TESTED_ROWS = 20_000  # kept aside, which tells the accuracy to less than one per cent
TESTED_BYTES = 2**25
EPOCHS = 5
WINDOW = 8  # blocks from different places of the file whose rows are shuffled together
WINDOW_BYTES = 2**26

Item = TypeVar("Item")


@dataclass(eq=False)
class StreamedTraining:
    """What `train_streamed` did.

    Attributes
    ----------
    model : Pipeline of a fitted `ColumnEncoder` (for tables) and the learner
    target : str or None
    X_test, y_test : a random sample of rows, kept aside: a polars frame or a matrix, and labels; None if none is
    X_seen, y_seen : a random sample of the rows that were learned from, as many
    rows, learned_rows : int
    trace : one row per epoch, with the error on the sample
    notes : sentences about what was assumed
    """

    model: Pipeline
    target: str | None
    X_test: Any
    y_test: Array | None
    X_seen: Any
    y_seen: Array
    rows: int
    learned_rows: int
    trace: Trace
    notes: list[str] = field(default_factory=list)


@dataclass
class _Rows:
    """A piece of the source: rows without the target, labels, weights, random numbers, and which rows it has left."""

    rows: Any
    y: Array
    weights: Array | None
    keys: Array
    kept: Array | None = None  # of the rows of its block, those with a target; None for all


@dataclass
class _Block:
    """Where the rows of a piece come from."""

    start: int  # rows before it, of those with a target
    number: int  # of the block in its source
    before: int  # all rows before it
    after: int  # all rows up to its end
    height: int  # rows with a target
    kept: Array | None  # which of its rows these are, eight to a byte

    def row(self, row: int) -> int:
        """The place in the block of a row that is counted among those with a target."""
        found = row - self.start
        return found if self.kept is None else int(np.flatnonzero(np.unpackbits(self.kept))[found])


def learns_in_passes(learner: Any) -> bool:
    """Whether it is a classifier that learns batch by batch."""
    from sklearn.base import is_classifier

    return hasattr(learner, "partial_fit") and bool(is_classifier(learner))


def train_streamed(
    source: Source,
    target: str | int | None,
    learner: Any,
    *,
    encoder: ColumnEncoder | None = None,
    max_iter: int = EPOCHS,
    time_limit: float | None = None,
    tested_rows: int = TESTED_ROWS,
    weights: str | None = None,
    drop: Sequence[str] = (),
    scale: bool = False,
    missing: str = "median",
    seed: int = 0,
    verbose: int = 0,
    on_epoch: Callable[[Epoch], object] | None = None,
    on_classes: Callable[[Array], object] | None = None,
    settings: Any = None,
) -> StreamedTraining:
    """Learn from the rows of a source in several passes over its files, with bounded memory.

    Beside the model and the sample that is tested on (at most 64 MB), memory holds a few blocks of rows (three times
    64 MB at most, when rows are encoded), whatever the size of the files.

    Parameters
    ----------
    source : Source
        From `open_source`.
    target : str, int or None
        The column to predict: its name, its number from 1, or -1 for the last. None for a source of matrices, which
        has its labels beside the rows.
    learner : classifier with `partial_fit`
        It is cloned.
    encoder : ColumnEncoder, optional
        For tables; cloned. Text is hashed unless it says otherwise.
    max_iter : int
        Epochs, each a pass over the files.
    time_limit : float, optional
        Seconds of training; heeded after every block.
    tested_rows : int
        How many rows to keep aside, drawn at random. With 0, all rows are learned from, and epochs are watched by the
        error on a sample of them.
    weights, drop : str, sequence of str
        The column with the weights of the rows; columns to leave out.
    scale : bool
        Whether to bring the columns of a dense matrix, unless it holds bytes, to one scale; a table's encoder does.
    missing : "error", "median" or "indicator"
        What is done about gaps (NaN) in a dense matrix, as by `ColumnEncoder`, which has a policy of its own.
    seed : int
        Draws the sample and shuffles.
    verbose : int
        1 shows the epochs.
    on_epoch : callable, optional
        Told of every epoch; returning something true stops.
    on_classes : callable, optional
        Told the classes after the first pass, when nothing is learned yet; it may raise.
    settings : optional
        What was set of the learner: if anything, what it refuses is wrong usage.

    Returns
    -------
    StreamedTraining

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rosenblatt import Perceptron, open_source
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "t.csv"
    >>> _ = path.write_text("a,b,sum\\n" + "".join(f"{i % 7},{i % 5},{(i % 7 + i % 5) > 5}\\n" for i in range(1000)))
    >>> done = train_streamed(open_source(path), "sum", Perceptron("averaged"), tested_rows=200)
    >>> done.rows, done.learned_rows, float((done.model.predict(done.X_test) == done.y_test).mean()) > 0.95
    (1000, 800, True)
    """
    if not learns_in_passes(learner):
        raise UsageError(f"{type(learner).__name__} is no classifier with partial_fit, which learning in passes needs.")
    if max_iter < 1:
        raise UsageError(f"max_iter, the number of passes, must be at least 1, but got {max_iter!r}.")
    stream = _Stream(source, target, weights, tuple(drop), seed, int(tested_rows), scale, missing, settings=settings)
    columns = None if source.kind == "matrix" else clone(encoder) if encoder is not None else ColumnEncoder()
    first = stream.survey(columns)
    if on_classes is not None:
        on_classes(first.classes)
    steps = stream.steps if columns is None else [("columns", columns)]
    taught = clone(learner)
    trace = _epochs(stream, first, Pipeline(steps) if steps else None, taught, max_iter, time_limit, verbose, on_epoch)
    notes = [*source.notes, *first.notes]
    X_test, y_test = (None, None) if first.tested is None else (first.tested.rows, first.tested.y)
    return StreamedTraining(
        Pipeline([*steps, ("learner", taught)]), stream.target, X_test, y_test, first.seen.rows, first.seen.y,
        first.rows, first.learned_rows, trace, notes,
    )  # fmt: skip


def train_in_passes(
    source: Source,
    target: str | int | None,
    options: TrainOptions,
    out: str | None,
    report: str | None,
    verbose: int,
    on_epoch: Any,
    command: str | None,
) -> Training:
    """`train` where the file is not held in memory."""
    options.check_in_passes()
    learner = make_learner(options.name, options.given, random_state=options.seed, max_iter=EPOCHS)
    if not learns_in_passes(learner):
        able = [each for each in LEARNERS if learns_in_passes(make_learner(each))]
        raise UsageError(f"{options.name} does not learn in passes; use one of {listed(able)}, or --no-stream.")
    clock, roles = Clock(), _roles(source, target, options)
    others = None
    if options.test is not None:
        others = read_examples(
            open_data(options.test, replace(source.reading, header=None)), roles.target, drop=options.drop, least=1,
            tests=True,
        )  # fmt: skip
    encoder = None
    if source.kind == "frame":
        encoder = ColumnEncoder(
            text=options.text, missing=options.missing, scale=None if options.scale is False else "standard",
            kinds=dict.fromkeys(roles.keep, KEPT) or None,
        )  # fmt: skip
    with heard_warnings() as heard, reading(source.name):
        done = train_streamed(
            source,
            roles.target,
            learner,
            encoder=encoder,
            max_iter=options.given.get("max_iter", EPOCHS),
            time_limit=options.time_limit,
            tested_rows=TESTED_ROWS if others is None else 0,
            weights=roles.weights,
            drop=roles.drop,
            scale=options.scale is not False,
            missing=options.missing,
            seed=options.seed,
            verbose=verbose,
            on_epoch=on_epoch,
            on_classes=None if others is None else partial(check_known, others),
            settings=options.given,
        )
        clock.note("learning")
        digest = source.digest() if out is not None and "://" not in source.paths[0] else None
    zero_based = source.reading.zero_based and source.format == "libsvm"
    seen = Examples(
        done.X_seen, done.y_seen, None, done.target, source.name, source.format, zero_based=zero_based, digest=digest,
        left_out=(*roles.drop, *([roles.weights] if roles.weights else [])),
    )  # fmt: skip
    tested: Examples | None = replace(seen, rows=done.X_test, y=done.y_test)
    told = f"a random {done.rows - done.learned_rows:,} of {done.rows:,} rows"
    if others is not None:
        tested, told = _fitting(others, done.model), f"the rows of {others.name}"
    about = about_model(source, seen, options, told, done.rows)
    about |= {"learned_rows": done.learned_rows, "split": None, "columns": columns_of(done.model)}
    _save(done.model, out, about)
    test = Test(done.model, seen, told, options, rows_train=done.learned_rows)
    with heard_warnings() as more:
        summary = test.by_rows(tested)
    clock.note("testing")
    about |= _judged(summary)
    page = keep_model(done.model, summary, seen, tested, about, out, report, command, test.ended)
    notes = [f"{source.name} is learned from in passes, {done.rows:,} rows.", *done.notes, *notes_of(done.model)]
    if options.scale and encoder is None and "scaler" not in done.model.named_steps:
        notes.append(note_on_scale(source.name))
    source.close()
    return Training(
        done.model, summary, options.name, about, None, None, out, page,
        [*dict.fromkeys([*notes, *heard, *more, *test.notes, *test.ended])], clock.seconds,
        bool(test.ended) or is_interrupted(done.model),
    )  # fmt: skip


def _fitting(others: Examples, model: Pipeline) -> Examples:
    """Rows of another file, as the fitted steps take them."""
    if others.is_frame:
        return replace(others, rows=columns_for(model.steps[0][1], others))
    check_numbers(others.rows, others.name)
    return replace(others, rows=with_width(others.rows, model.steps[0][1].n_features_in_, others.name)[0])


def _roles(source: Source, target: str | int | None, options: TrainOptions) -> Roles:
    if source.kind == "frame":
        roles = roles_of(source, target, weights=options.weights, drop=options.drop, keep=options.keep)
        source.labels = roles.target
        return roles
    if is_file_of_labels(target):
        raise UsageError(
            f"A file of labels needs all rows in memory; use --no-stream, or write both into one file (rosenblatt "
            f"convert {source.name} FILE.npz --target {target})."
        )
    number = is_number(target) and source.format in ("npy", "npz")
    if (target is not None and not number) or options.weights is not None or options.drop or options.keep:
        raise UsageError(f"{source.name} is {source.format}, which has no columns to name.")
    return Roles(str(target) if number else None)


# ---------------------------------------------------------------------- the first pass


class _Sample:
    """The rows with the smallest keys, which are random: a sample without a second look at any row."""

    def __init__(self, most: int) -> None:
        self.most, self.pieces, self.limit = most, list[_Rows](), np.uint64(2**64 - 1)

    def add(self, piece: _Rows) -> None:
        chosen = np.flatnonzero(piece.keys <= self.limit)
        if len(chosen) == 0 or self.most == 0:
            return
        self.pieces.append(_taken(piece, chosen))
        if sum(len(kept.y) for kept in self.pieces) > 2 * self.most:
            self._prune()

    def _prune(self) -> None:
        together = _joined(self.pieces)
        order = np.argsort(together.keys, kind="stable")[: self.most]
        self.pieces = [_taken(together, np.sort(order))]
        self.limit = together.keys[order[-1]]

    def finished(self) -> _Rows:
        if sum(len(kept.y) for kept in self.pieces) > self.most:
            self._prune()
        return _joined(self.pieces)


@dataclass
class _Survey:
    rows: int
    classes: Array
    tested: _Rows | None  # kept aside
    seen: _Rows
    limit: np.uint64 | None  # rows with a key up to this are kept aside
    notes: list[str]

    @property
    def learned_rows(self) -> int:
        return self.rows - (0 if self.tested is None else len(self.tested.y))


@dataclass
class _Stream:
    """A source, and what is taken from it."""

    source: Source
    wanted: str | int | None
    weights: str | None
    drop: tuple[str, ...]
    seed: int
    tested_rows: int
    scale: bool = False
    missing: str = "median"
    steps: list[tuple[str, Any]] = field(default_factory=list)  # in front of the learner, for a matrix
    target: str | None = None
    without: int = 0
    first_without: int = 0  # row of a matrix
    blocks: list[_Block] = field(default_factory=list)
    settings: Any = None

    def survey(self, encoder: ColumnEncoder | None) -> _Survey:
        while True:
            try:
                return self._survey(encoder)
            except TypesWidened:
                continue  # the source knows the types now

    def _survey(self, encoder: ColumnEncoder | None) -> _Survey:
        sample: _Sample | None = None
        scaler, gaps = StandardScaler(), GapsOfStream()
        classes: set[Any] = set()
        rows = 0

        def noted() -> Iterator[Any]:
            nonlocal sample, rows
            for piece in self.pieces():
                if sample is None:
                    size = max(1, _n_bytes(piece.rows) // max(1, len(piece.y)))
                    # Half of the sample is tested on, and the other shows what was learned from.
                    sample = _Sample(2 * min(self.tested_rows or TESTED_ROWS, max(100, TESTED_BYTES // size)))
                sample.add(piece)
                classes.update(np.unique(piece.y).tolist())
                rows += len(piece.y)
                if len(classes) > MOST_CLASSES:
                    raise ValueError(
                        f"The target {shortened(self.target or 'label')} has more than {MOST_CLASSES:,} different "
                        "values; choose another column."
                    )
                yield piece.rows

        if encoder is None:
            for block in noted():
                if may_have_gaps(block):
                    gaps.add(block)
                    if self.scale:
                        scaler.partial_fit(block)
        else:
            try:
                encoder.fit_batches(noted())
            except CellError as error:
                raise error.at(error.row, self.place_of(error.row)) from error
        known = np.array(sorted(classes))
        check_classes(known, self.target or "label", n_rows=rows)
        assert sample is not None
        kept = sample.finished()
        order = np.argsort(kept.keys, kind="stable")
        n_tested = min(self.tested_rows, len(order) // 2 if rows > 2 * len(order) else max(1, rows // 5))
        tested, seen = order[:n_tested], order[n_tested:]
        notes = [note_on_gaps(gaps.count, estimated=rows > len(order))] if gaps.count else []
        if encoder is not None:
            notes = self._strangers(encoder)
        else:
            self._settle(scaler, gaps, kept.rows)
        if self.without and encoder is None:
            notes = [*notes, note_on_labels(self.without, self.source.name, self.first_without)]
        elif self.without:
            notes = [*notes, missing_labels(self.without, str(self.target))]
        if not self.tested_rows:
            return _Survey(rows, known, None, _taken(kept, seen), None, notes)
        return _Survey(rows, known, _taken(kept, tested), _taken(kept, seen), kept.keys[tested[-1]], notes)

    def _settle(self, scaler: StandardScaler, gaps: GapsOfStream, sample: Any) -> None:
        """The steps in front of the learner of a matrix: gaps are filled, columns scaled."""
        self.steps = []
        if gaps.rows == 0:
            return  # bytes or sparse rows
        filling = gaps.filling(sample, self.missing)
        if self.missing != "error":
            self.steps.append(("imputer", filling))
        if self.scale:
            if gaps.count:
                gaps.refit_scaler(scaler, filling)
            self.steps.append(("scaler", scaler))

    def pieces(self, shuffle: int | None = None) -> Iterator[_Rows]:
        """The rows of one pass; a number shuffles the blocks where the format allows it."""
        self.without, self.blocks = 0, []
        start = before = 0
        for number, block in self.source.placed_blocks(shuffle):
            piece = self._taken_apart(block)
            kept = None if piece.kept is None else np.packbits(piece.kept)
            self.blocks.append(_Block(start, number, before, before + len(block), len(piece.y), kept))
            start, before = start + len(piece.y), before + len(block)
            if len(piece.y):
                piece.keys = random_keys(number, np.arange(len(piece.y), dtype=np.uint64), self.seed)
                yield piece

    def place_of(self, row: int) -> str:
        """Where its user finds a row of the pass so far, counted from 0 among those with a target."""
        block = next(block for block in reversed(self.blocks) if block.start <= row and block.height)
        if self.source.is_text_table:
            return self.source.place_of(block.row(row), block.number)
        return f"row {block.before + block.row(row) + 1:,}"

    def _strangers(self, encoder: ColumnEncoder) -> list[str]:
        """What is no number among numbers, and where the first such cell stands."""
        found = [(column, *column.first_strange) for column in encoder.columns_ if column.first_strange]
        return [
            f"The column {shortened(column.name)} holds {column.called}s, except that {self.place_of(row)} has "
            f"{shortened(value)}."
            for column, row, value in found
        ]

    def _taken_apart(self, block: Any) -> _Rows:
        if isinstance(block, Matrix):
            if self.wanted is not None:
                block = with_target(block, self.wanted, self.source.name, self.source.format)
            if block.y is None:
                raise ValueError(f"{self.source.name} has no labels; name the target.")
            before = self.blocks[-1].after if self.blocks else 0
            check_numbers(block.X, self.source.name, before=before)
            if self.missing == "error":
                check_gaps(block.X, self.source.name, before)
            there = labelled_rows(np.asarray(block.y), self.source.name, before)
            if there is not None:
                self.first_without = before + int(there.argmin()) if not self.without else self.first_without
                self.without += int((~there).sum())
                block = block.take(there)
            return _Rows(block.X, _plain(np.asarray(block.y)), block.sample_weight, np.empty(0, np.uint64), there)
        if self.target is None:
            if self.wanted is None:
                raise ValueError(f"Name the target: one of {listed(block.columns)}.")
            self.target = find_column(block.columns, self.wanted, self.source.name)
            self.drop = tuple(find_column(block.columns, name) for name in self.drop)
            self.weights = None if self.weights is None else find_column(block.columns, self.weights)
        column = block[self.target]
        if column.dtype.is_float():
            column = column.fill_nan(None)
        kept = None
        if column.null_count():
            self.without += column.null_count()
            kept = column.is_not_null().to_numpy()
            block, column = block.filter(kept), column.drop_nulls()
        weights = None if self.weights is None else block[self.weights].cast(pl.Float64).to_numpy()
        away = [self.target, *self.drop, *([] if self.weights is None else [self.weights])]
        return _Rows(block.drop(away), _plain_labels(column), weights, np.empty(0, np.uint64), kept)


def random_keys(start: int, places: Array, seed: int) -> Array:
    """A number for every row that looks random and is the same in every pass (SplitMix64 of byte, row and seed)."""
    with np.errstate(over="ignore"):
        z = places * np.uint64(0x9E3779B97F4A7C15) + _mixed(np.uint64(start) + np.uint64(seed) * np.uint64(2**40 + 15))
        return _mixed(z)


def _mixed(z: Any) -> Any:
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def _plain_labels(column: pl.Series) -> Array:
    """Labels of one block; whole numbers are int64 however they are written, so that blocks agree."""
    return labels_of(column) if len(column) else np.empty(0, np.int64)


def _plain(y: Array) -> Array:
    whole = y.dtype.kind == "f" and bool((y == np.rint(y)).all())
    return y.astype(np.int64) if whole else y


def _n_bytes(rows: Any) -> int:
    if isinstance(rows, pl.DataFrame):
        return int(rows.estimated_size())
    return int(rows.data.nbytes + rows.indices.nbytes) if issparse(rows) else int(rows.nbytes)


def _taken(piece: _Rows, chosen: Array) -> _Rows:
    weights = None if piece.weights is None else piece.weights[chosen]
    return _Rows(piece.rows[chosen], piece.y[chosen], weights, piece.keys[chosen])


def _joined(pieces: list[_Rows]) -> _Rows:
    if len(pieces) == 1:
        return pieces[0]
    parts = [piece.rows for piece in pieces]
    if isinstance(parts[0], pl.DataFrame):
        rows: Any = pl.concat(parts, how="vertical_relaxed")
    else:
        rows = vstack(parts, format="csr") if issparse(parts[0]) else np.concatenate(parts)
    weights = (
        None if pieces[0].weights is None else np.concatenate([p.weights for p in pieces if p.weights is not None])
    )
    return _Rows(rows, np.concatenate([p.y for p in pieces]), weights, np.concatenate([p.keys for p in pieces]))


# ---------------------------------------------------------------------- epochs


def _epochs(
    stream: _Stream, first: _Survey, encoder: Pipeline | None, learner: Any, max_iter: int,
    time_limit: float | None, verbose: int, on_epoch: Any,
) -> Trace:  # fmt: skip
    """Pass after pass until there is a reason to stop; the learner has learned, whatever the reason."""
    trace, started = Trace(), time.perf_counter()
    rows, watched = first.learned_rows, first.tested or first.seen
    X_watched = watched.rows if encoder is None else encoder.transform(watched.rows)
    show = reporter(verbose, type(learner).__name__, max_iter)
    reason = "max_iter"
    with show:
        for number in range(1, max_iter + 1):
            clock, mistakes = time.perf_counter(), getattr(learner, "mistakes_", 0) if number > 1 else 0
            stop, done = "", 0
            blocks = prefetched(_encoded(stream, first.limit, encoder, number, bool(getattr(learner, "shuffle", True))))
            try:
                for X, y, weights in blocks:
                    with setting(stream.settings):
                        learner.partial_fit(X, y, classes=first.classes, sample_weight=weights)
                    done += len(y)
                    show.progress(done / max(1, rows))
                    stop = getattr(learner, "stop_reason_", "")
                    if time_limit is not None and time.perf_counter() - started >= time_limit:
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
            if not stop and on_epoch is not None and on_epoch(row):
                stop = "callback"
            if not stop and met == 0 and hasattr(learner, "mistakes_"):
                stop = "converged"
            if stop:
                reason = stop
                break
        trace.stop_reason = reason
        show.finish(trace)
    learner.trace_, learner.stop_reason_, learner.n_iter_ = trace, reason, len(trace)
    return trace


def _encoded(
    stream: _Stream, limit: np.uint64 | None, encoder: Pipeline | None, number: int, shuffle: bool
) -> Iterator[tuple[Any, Array, Array | None]]:
    """The rows of an epoch as the learner takes them, without those that are kept aside, shuffled within a block."""
    random = np.random.default_rng([stream.seed, number])
    window: list[tuple[Any, Array, Array | None]] = []
    waiting = 0
    for piece in stream.pieces(int(random.integers(2**31)) if shuffle else None):
        learned = np.arange(len(piece.y)) if limit is None else np.flatnonzero(piece.keys > limit)
        if len(learned) == 0:
            continue
        X = piece.rows if encoder is None else encoder.transform(piece.rows)
        whole = len(learned) == len(piece.y)
        weights = piece.weights if whole or piece.weights is None else piece.weights[learned]
        window.append((X, piece.y, weights) if whole else (X[learned], piece.y[learned], weights))
        waiting += _n_bytes(X)
        if not shuffle or len(window) == WINDOW or waiting > WINDOW_BYTES:
            yield _mixed_rows(window, random if shuffle else None)
            window, waiting = [], 0
    if window:
        yield _mixed_rows(window, random if shuffle else None)


def _mixed_rows(
    window: list[tuple[Any, Array, Array | None]], random: np.random.Generator | None
) -> tuple[Any, Array, Array | None]:
    """The rows of several blocks together, in random order."""
    parts = [X for X, _, _ in window]
    if len(parts) == 1:
        X = parts[0]
    else:
        X = vstack(parts, format="csr") if issparse(parts[0]) else np.concatenate(parts)
    y = np.concatenate([y for _, y, _ in window])
    weights = None if window[0][2] is None else np.concatenate([w for _, _, w in window if w is not None])
    if random is None:
        return X, y, weights
    order = random.permutation(len(y))
    return X[order], y[order], None if weights is None else weights[order]


def _norm(learner: Any) -> float:
    coefficients = getattr(learner, "coef_", None) if getattr(learner, "answer", "") != "voted" else None
    return 0.0 if coefficients is None else float(np.linalg.norm(coefficients))


class prefetched(Iterator[Item]):  # noqa: N801  a generator that is made on another thread
    """The items of an iterator, of which the next is made on another thread while the present one is used."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._ready: queue.Queue[tuple[str, Any]] = queue.Queue(maxsize=1)
        self._given_up = threading.Event()
        self._thread = threading.Thread(target=self._make, args=(items,), daemon=True)
        self._thread.start()

    def _make(self, items: Iterator[Item]) -> None:
        try:
            for item in items:
                if not self._put("item", item):
                    return
            self._put("end", None)
        except BaseException as error:
            self._put("error", error)

    def _put(self, kind: str, value: Any) -> bool:
        while not self._given_up.is_set():
            try:
                self._ready.put((kind, value), timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def __next__(self) -> Item:
        kind, value = self._ready.get()
        if kind == "item":
            return value
        self._given_up.set()
        if kind == "error":
            raise value
        raise StopIteration

    def close(self) -> None:
        """Let the other thread end."""
        self._given_up.set()
        self._thread.join()
