"""`train`: from a file to a fitted, tested, explained and saved model."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.interrupts import listening
from rosenblatt.sources import ReadOptions, Source
from rosenblatt.sources.arrays import labels_beside
from rosenblatt.verbs.errors import UsageError
from rosenblatt.verbs.examples import Examples, open_data, read_examples, roles_of
from rosenblatt.verbs.memory import too_large
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.outputs import check_outputs, files_of

if TYPE_CHECKING:
    from rosenblatt.verbs.learning import Training


@listening()
def train(
    data: str | Sequence[str] | Source,
    target: str | int | None = None,
    options: TrainOptions | None = None,
    reading: ReadOptions | None = None,
    *,
    out: str | None = None,
    report: str | None = None,
    force: bool = True,
    verbose: int = 0,
    command: str | None = None,
    **settings: Any,
) -> Training:
    """Learn to predict one column of a file from the others, and test the model on rows that it has not seen.

    Parameters
    ----------
    data : a file, several, a pattern, or "-" for standard input; or a source that `open_source` made of them
    target : the column to predict: its name, its number from 1, or -1 for the last
    options : what to learn and how to test it
    reading : how to read the files
    out, report : the model file and the page to write
    force : whether a model file that is there already is replaced
    verbose : 1 shows the epochs
    command : how this was asked for, for the report
    **settings : fields of `TrainOptions`, instead of `options`

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.verbs import export_dataset
    >>> path = str(Path(tempfile.mkdtemp()) / "iris.csv")
    >>> _ = export_dataset("iris", path)
    >>> found = train(path, "species")
    >>> print(found.learner, found.summary.accuracy)
    averaged 96.7% (95% interval 83.3% to 99.4%)
    """
    options = TrainOptions(**settings) if options is None else replace(options, **settings)
    source = data if isinstance(data, Source) else open_data(data, reading)
    _check_files(source, out, report, force, target, options)
    clock, caught, rows = Clock(verbose), [], list[Examples]()
    streamed = too_large(source) if options.stream is None else options.stream
    if not streamed:
        with clock.running("reading"), ThreadPoolExecutor(1) as aside:
            aside.submit(import_module, "sklearn.pipeline")  # is needed next, and takes as long as many a file
            with warnings.catch_warnings(record=True) as caught:
                rows.append(_read(source, target, options, out is not None))
    from rosenblatt.verbs.learning import completed, learn

    def learned() -> Any:
        if streamed:
            from rosenblatt.verbs.streaming import learn_in_passes

            return learn_in_passes(source, target, options, digest=out is not None, verbose=verbose)
        for warning in caught:  # among the notes, as those to come
            warnings.warn(warning.message, stacklevel=1)
        return learn(rows.pop(), source, target, options, clock)  # popped: held here, the table would stay in memory

    return completed(
        learned, options, clock, na_values=source.reading.na_values, out=out, report=report, command=command
    )


def _read(source: Source, target: Any, options: TrainOptions, digest: bool) -> Examples:
    return read_examples(
        source, target, numbers=options.numbers, weights=options.weights, apart=options.time or options.group,
        drop=(*options.drop, *([options.group] if options.group else [])), keep=options.keep, digest=digest,
    )  # fmt: skip


class Clock:
    """Seconds by what took them; on a terminal it shows what is being done."""

    def __init__(self, verbose: int) -> None:
        self.verbose, self.seconds = verbose, dict[str, float]()

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        start, before = time.perf_counter(), sum(self.seconds.values())
        shown: Any = nullcontext()
        if self.verbose and name != "learning":  # which shows its epochs
            from rich.console import Console

            shown = Console(stderr=True).status(f"{name.capitalize()} …")
        with shown:
            yield
        self.seconds[name] = time.perf_counter() - start - (sum(self.seconds.values()) - before)


def _check_files(
    source: Source, out: str | None, report: str | None, force: bool, target: Any, options: TrainOptions
) -> None:
    """Refuse results that would replace what is read, and columns that are not there."""
    if source.kind == "frame":  # what is wrong with the names of columns is found in the header
        roles_of(source, target, weights=options.weights, drop=options.drop, keep=options.keep)
    read = files_of(list(source.paths), options.test)
    labels = [path for path in map(labels_beside, read) if path is not None]
    check_results(out, report, [*read, *labels], force)


def check_results(out: str | None, report: str | None, read: Sequence[str], force: bool) -> None:
    """Refuse results that would replace what is read, or an old model unasked, and a report that cannot be drawn."""
    check_outputs({"The model": out, "The report": report}, read)
    if report is not None:
        from rosenblatt.plots.style import pyplot

        pyplot()  # which the pictures need
    if out is not None and not force and os.path.isfile(out):
        raise UsageError(f"{out} exists already; --force replaces it, and --out NAME writes another file.")


def default_path(data: str | Sequence[str]) -> str:
    """Where a model goes unless told: the name of the data, in the present folder.

    Examples
    --------
    >>> default_path("data/iris.csv.gz"), default_path("-"), default_path(["part-*.csv"])
    ('iris.safetensors', 'model.safetensors', 'model.safetensors')
    """
    first = data if isinstance(data, str) else data[0]
    stem = Path(first.split("?")[0]).name.split(".")[0]
    return "model.safetensors" if stem in ("", "-") or set(stem) & set("*[]") else f"{stem}.safetensors"
