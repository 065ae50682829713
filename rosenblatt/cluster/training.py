"""`rosenblatt train --cluster`: from a table that no machine holds to a fitted, tested and saved model.

Workers read the partitions; here are only the figures of the columns, the model, and a sample of the rows: at most
20,000 that the model is tested on, and as many of those that it learned from.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, NamedTuple

import dask
import dask.dataframe
import distributed
import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from rosenblatt.cluster.backend import ClusterError, Dask, Part, workers_here
from rosenblatt.cluster.fitting import fit
from rosenblatt.cluster.partitions import blocks_of
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import classes_of
from rosenblatt.features.column import KEPT
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.features.tables import as_frame
from rosenblatt.features.target import MOST_CLASSES, take_target
from rosenblatt.interrupts import listening
from rosenblatt.sources import ReadOptions
from rosenblatt.verbs.errors import InputError, UsageError, one_line, reading, setting
from rosenblatt.verbs.examples import Examples, Roles, open_data, read_examples, roles_among
from rosenblatt.verbs.labels import check_labels, note_on_missing_labels, notes_on_classes
from rosenblatt.verbs.learners import make_learner
from rosenblatt.verbs.learning import Training, completed, fitting_tests
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.pipelines import notes_of
from rosenblatt.verbs.streaming import TESTED_ROWS, joined
from rosenblatt.verbs.testing import ON_TRAINING_ROWS, Learned, check_known
from rosenblatt.verbs.training import Clock, check_results
from rosenblatt.wording import listed, shortened

LOCAL = "local"
PARQUET = (".parquet", ".pq")
ROUNDS = 10
CONNECTING = 10  # seconds


@listening()
def train(
    data: str | Sequence[str],
    target: str | int | None = None,
    options: TrainOptions | None = None,
    reading_options: ReadOptions | None = None,
    *,
    cluster: str = LOCAL,
    out: str | None = None,
    report: str | None = None,
    force: bool = True,
    verbose: int = 0,
    command: str | None = None,
) -> Training:
    """Learn to predict one column of a Parquet data set at the workers of a cluster.

    Parameters
    ----------
    data : files, patterns or folders that the workers can read, also by an address that fsspec knows
    cluster : the address of a Dask scheduler, or "local" for workers on this machine
    target, options, out, report, force, verbose, command
        As in `rosenblatt.verbs.train`.
    reading_options : must be None or the default ones: Parquet knows its columns
    """
    options = options or TrainOptions()
    paths = [data] if isinstance(data, str) else list(data)
    _check(paths, options, reading_options)
    check_results(out, report, [], force)
    clock = Clock(verbose)
    return completed(
        lambda: _learned(paths, target, options, cluster, verbose), options, clock, out=out, report=report,
        command=command,
    )  # fmt: skip


def _check(paths: list[str], options: TrainOptions, reading_options: ReadOptions | None) -> None:
    """Refuse what needs all rows in one memory, and other formats."""
    for name in ("search", "compare", "cv", "time", "group", "stream"):
        if getattr(options, name) not in (None, False):
            raise UsageError(f"--{name} does not go with --cluster, where no machine has all rows; leave one of them.")
    if reading_options not in (None, ReadOptions()):
        raise UsageError("Options about how text is read do not go with --cluster, which reads Parquet; leave them.")
    for path in paths:
        extension = os.path.splitext(path)[1].lower()
        if path == "-" or (extension and extension not in PARQUET):
            raise UsageError(
                f"--cluster reads Parquet, but got {shortened(path)}; write it as Parquet (rosenblatt convert "
                f"{path} rows.parquet)."
            )


def _learned(paths: list[str], target: Any, options: TrainOptions, cluster: str, verbose: int) -> Learned:
    with ExitStack() as stack:
        client = stack.enter_context(_client(cluster))
        try:
            backend = stack.enter_context(Dask(client))
            return _learned_there(backend, paths, target, options, verbose)
        except ClusterError as error:
            raise InputError(one_line(error)) from error


def _client(cluster: str) -> Any:
    if cluster == LOCAL:
        return workers_here()
    try:
        return distributed.Client(cluster, timeout=CONNECTING)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"No Dask scheduler answers at {shortened(cluster)} ({one_line(error)}); start one with `dask scheduler`, "
            f"or use --cluster local."
        ) from error


class Counted(NamedTuple):
    """What one partition knows of its labels."""

    rows: int
    labelled: int
    classes: Array  # none of numbers to predict, and at most one more than there may be


class Table(NamedTuple):
    """A table in partitions, and what its columns are."""

    name: str
    blocks: list[Any]  # delayed
    roles: Roles
    numbers: bool  # whether the target is a quantity
    counted: list[Counted]

    @property
    def rows(self) -> int:
        return sum(each.labelled for each in self.counted)


def _learned_there(backend: Dask, paths: list[str], target: Any, options: TrainOptions, verbose: int) -> Learned:
    table = _table(backend, paths, target, options)
    roles, where = table.roles, table.name
    classes = np.unique(np.concatenate([each.classes for each in table.counted if each.labelled]))
    base = Examples(None, name=where, format="parquet", target=roles.target, left_out=roles.away, keep=roles.keep)
    if not table.numbers:
        if len(classes) > MOST_CLASSES:
            raise InputError(
                f"The target {shortened(roles.target)} has more than {MOST_CLASSES:,} different values; choose another "
                f"column."
            )
        check_labels(base, classes, n_rows=table.rows)
    others = None
    if options.test is not None:
        others = read_examples(
            open_data(options.test), roles.target, drop=roles.away, least=1, numbers=table.numbers, tests=True
        )
        if not table.numbers:
            check_known(others, classes)
    share = 0.0 if others is not None else options.share
    tested, sample = _drawn(table, share, options.seed)
    told = f"a random {len(tested):,} of {table.rows:,} rows" if len(tested) else ON_TRAINING_ROWS
    seen = _rows(backend, table, sample, base)
    model = _fit(backend, table, tested, options, verbose)
    held_out = None
    if others is not None:
        held_out, told = fitting_tests(others, seen, model), f"the rows of {others.name}"
    elif len(tested):
        held_out = _rows(backend, table, tested, base)
    total = sum(each.rows for each in table.counted)
    notes = [*note_on_missing_labels(total - table.rows, roles.target)]
    notes += [] if table.numbers else notes_on_classes(seen, classes)
    notes += [f"Learned on a cluster by {model[-1].trace_.note}.", *notes_of(model)]
    return Learned(model, seen, held_out, told, table.rows, table.rows - len(tested), notes)


def _table(backend: Dask, paths: list[str], target: Any, options: TrainOptions) -> Table:
    """The table, of which the columns and the labels have been looked at."""
    where = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    given = [path if "://" in path else os.path.abspath(path) for path in paths]
    with reading(where):
        frame = dask.dataframe.read_parquet(given if len(given) > 1 else given[0])
    columns = [str(name) for name in frame.columns]
    roles = roles_among(columns, where, target, weights=options.weights, drop=options.drop, keep=options.keep)
    blocks, _ = blocks_of(frame, where)
    parts = [Part(number, block) for number, block in enumerate(blocks)]
    with reading(where):
        counted = backend.tree_reduce(operator.add, backend.map(_counted, parts, roles.target, options.numbers))
    if not sum(each.labelled for each in counted):
        raise InputError(f"{where} has no rows with a value of the target {shortened(roles.target)}.")
    return Table(where, blocks, roles, options.numbers, counted)


def _drawn(table: Table, share: float, seed: int) -> tuple[Array, Array]:
    """(the rows that are tested on, a sample of the others), by their numbers among those with labels."""
    most = min(TESTED_ROWS, max(1, round(share * table.rows)), table.rows - 1) if share else 0
    both = min(most + TESTED_ROWS, table.rows)
    drawn = np.random.default_rng(seed).choice(table.rows, both, replace=False)
    return np.sort(drawn[:most]), np.sort(drawn[most:])


def _by_partition(table: Table, numbers: Array) -> list[Array]:
    """Numbers of rows as they are counted in each partition."""
    starts = np.cumsum([0, *(each.labelled for each in table.counted)])
    edges = np.searchsorted(numbers, starts)
    return [numbers[edges[n] : edges[n + 1]] - starts[n] for n in range(len(table.counted))]


def _rows(backend: Dask, table: Table, numbers: Array, base: Examples) -> Examples:
    """Some of the rows, here."""
    handles = []
    for n, own in enumerate(_by_partition(table, numbers)):
        if len(own):
            handles += backend.map(_some, [Part(n, table.blocks[n])], own, base, table.roles, table.numbers)
    with reading(table.name):
        return joined(backend.tree_reduce(operator.add, handles))


def _fit(backend: Dask, table: Table, tested: Array, options: TrainOptions, verbose: int) -> Pipeline:
    """The model, of all rows but those that are tested on."""
    roles = table.roles
    encoder = ColumnEncoder(
        text=options.text, missing=options.missing, scale=None if options.scale is False else "standard",
        kinds=dict.fromkeys(roles.keep, KEPT) or None,
    )  # fmt: skip
    learner = make_learner(options.name, options.given, random_state=options.seed, time_limit=options.time_limit)
    rounds = options.given.get("max_iter") or ROUNDS
    shown = "verbose" in learner.get_params(deep=False)
    if shown:
        learner.set_params(verbose=verbose)
    part = dask.delayed(_learned_part, nout=3, pure=False)
    known = zip(table.blocks, _by_partition(table, tested), strict=True)
    parts = [part(block, own, roles, table.numbers) for block, own in known]
    weights = None if roles.weights is None else [each[2] for each in parts]
    with setting(options.given):
        model: Pipeline = fit(
            Pipeline([("columns", encoder), ("learner", learner)]), [each[0] for each in parts],
            [each[1] for each in parts], sample_weight=weights, client=backend.client, rounds=rounds,
        )  # fmt: skip
    if shown:
        model[-1].set_params(verbose=0)
    return model


# ---------------------------------------------------------------------- at the workers


def _counted(block: Any, target: str, numbers: bool) -> list[Counted]:
    frame = as_frame(block)
    taken = _labelled(frame, target, numbers)
    if taken is None:
        return [Counted(frame.height, 0, np.empty(0))]
    classes = np.empty(0) if numbers else classes_of(taken.y)[: MOST_CLASSES + 1]
    return [Counted(frame.height, len(taken.y), classes)]


def _labelled(frame: pl.DataFrame, target: str, numbers: bool) -> Any:
    """The rows of a table that have a label, and their labels; None where there are none."""
    column = frame[target]
    if column.dtype.is_float():
        column = column.fill_nan(None)
    return None if column.null_count() == frame.height else take_target(frame, target, numbers=numbers)


def _parts_of(block: Any, roles: Roles, numbers: bool) -> tuple[pl.DataFrame, Array, Array]:
    """(the columns to learn from, labels, weights) of the rows with a label."""
    frame = as_frame(block)
    assert roles.target is not None
    taken = _labelled(frame, roles.target, numbers)
    if taken is None:
        return frame.clear().drop([*roles.away, roles.target]), np.empty(0), np.empty(0)
    weights = np.ones(len(taken.y))
    if roles.weights is not None:
        given = taken.rows[roles.weights]
        if not given.dtype.is_numeric() or given.null_count():
            raise ValueError(f"The weights in {shortened(roles.weights)} must be numbers without gaps; correct them.")
        weights = given.cast(pl.Float64).to_numpy()
    rows: pl.DataFrame = taken.rows.drop(roles.away)
    nested = [name for name, kind in rows.schema.items() if kind.is_nested()]
    if nested:
        raise ValueError(f"The columns {listed(nested)} hold lists; leave them out with --drop, or spread them out.")
    return rows, taken.y, weights


def _learned_part(block: Any, tested: Array, roles: Roles, numbers: bool) -> tuple[pl.DataFrame, Array, Array]:
    """What is learned from."""
    rows, y, weights = _parts_of(block, roles, numbers)
    kept = np.ones(len(y), bool)
    kept[tested] = False
    return rows.filter(kept), y[kept], weights[kept]


def _some(block: Any, numbers: Array, base: Examples, roles: Roles, quantity: bool) -> list[Examples]:
    """Some rows, by their numbers among those with a label."""
    rows, y, weights = _parts_of(block, roles, quantity)
    own = None if roles.weights is None else weights
    return [replace(base, rows=rows, y=y, weights=own).take(numbers)]
