"""`train`: from a file to a fitted, tested, explained and saved model."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.features.labels import distinct
from rosenblatt.interrupts import listening, postponed, pressed
from rosenblatt.report import Summary
from rosenblatt.sources import ReadOptions, Source
from rosenblatt.verbs.errors import UsageError, setting, writing
from rosenblatt.verbs.examples import Examples, open_data, read_examples, roles_of
from rosenblatt.verbs.label_files import labels_beside
from rosenblatt.verbs.learners import DEFAULT, LEARNERS, make_learner
from rosenblatt.verbs.memory import too_large
from rosenblatt.verbs.models import columns_for, save_model
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.outputs import check_outputs, files_of, identity
from rosenblatt.verbs.pipelines import (
    as_the_learner_takes,
    check_numbers,
    columns_of,
    encoded,
    fit_columns,
    fit_learner,
    notes_of,
    unfitted,
    with_width,
)
from rosenblatt.verbs.splits import hold_out
from rosenblatt.verbs.tables import names_data
from rosenblatt.verbs.testing import (
    ON_TRAINING_ROWS,
    Test,
    check_known,
    class_named,
    compared,
    heard_warnings,
    is_interrupted,
)

KEPT = ("accuracy", "baseline", "regression", "classes", "rows_test", "positive")  # figures for the model file


@dataclass(frozen=True, eq=False)
class Training:
    """What `train` did.

    Attributes
    ----------
    model : a fitted scikit-learn Pipeline, from the columns of the file to the answer
    summary : how good it is, against what, what drives it, and what to try next
    learner : the name of the learner, as the command line knows it
    about : what the model file says about where the model comes from
    searched : a frame of the settings that were tried, or None
    compared : what every learner scored, or None
    path, report : the files that were written, or None
    notes : sentences about what was assumed
    seconds : how long reading, learning and testing took
    interrupted : whether Ctrl-C was pressed; the notes say what it ended
    """

    model: Pipeline
    summary: Summary
    learner: str
    about: dict[str, Any]
    searched: Any = None
    compared: list[dict[str, Any]] | None = None
    path: str | None = None
    report: str | None = None
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.path,
            "report": self.report,
            "learner": self.learner,
            "summary": self.summary.to_dict(),
            "searched": None if self.searched is None else self.searched.to_dicts(),
            "compared": self.compared,
            "columns": columns_of(self.model),
            "data": {key: self.about[key] for key in ("source", "digest", "target", "rows")},
            "notes": self.notes,
            "seconds": {name: round(value, 4) for name, value in self.seconds.items()},
        }


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
    on_epoch: Any = None,
    command: str | None = None,
    **settings: Any,
) -> Training:
    """Learn to predict one column of a file from the others, and test the model on rows that it has not seen.

    Parameters
    ----------
    data : a file, several, a pattern, or "-" for standard input; or a source that `open_source` made of them
    target : the column to predict: its name, its number from 1, or -1 for the last; for rows of numbers, also the file
        of their labels, which comes before labels of their own
    options : what to learn and how to test it
    reading : how to read the files
    out, report : the model file and the page to write
    force : whether a model file that is there already is replaced
    verbose : 1 shows the epochs
    on_epoch : called with every epoch; returning something true stops
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
    _check_outputs(out, report, data.paths if isinstance(data, Source) else data, target, options)
    source = data if isinstance(data, Source) else open_data(data, reading)
    _check_files(source, options.test)
    if source.kind == "frame":  # what is wrong with the names of columns is found in the header
        roles_of(source, target, weights=options.weights, drop=options.drop, keep=options.keep)
    if out is not None and not force and os.path.isfile(out):
        raise UsageError(f"{out} exists already; --force replaces it, and --out NAME writes another file.")
    if too_large(source) if options.stream is None else options.stream:
        from rosenblatt.verbs.streaming import train_in_passes

        return train_in_passes(source, target, options, out, report, verbose, on_epoch, command)
    clock = Clock()
    rows = read_examples(
        source, target, numbers=options.numbers, weights=options.weights, apart=options.time or options.group,
        drop=(*options.drop, *([options.group] if options.group else [])), keep=options.keep, digest=out is not None,
    )  # fmt: skip
    total, positive = len(rows), None if options.positive is None else class_named(rows.labels(), options.positive)
    clock.note("reading")
    with heard_warnings() as heard:
        model = unfitted(rows, _learner(options, rows), scale=options.scale, missing=options.missing, text=options.text)
        rows = as_the_learner_takes(rows, model.steps[-1][1])
        learned, tested, told = _split(rows, source, target, options, model)
        del rows
        fitted = fit_columns(model, learned)
        if tested is not None and tested.is_frame and options.test is not None:
            tested = replace(tested, rows=columns_for(model.steps[0][1], tested))
        if report is None and options.cv is None and learned.is_frame:  # nobody needs the table any more
            learned = encoded(model, learned, fitted)
            tested = None if tested is None else encoded(model, tested)
        tries = _search(model.steps[-1][1], fitted, learned, options, verbose) if options.search else None
        fit_learner(model, fitted, learned, tested, settings=options.given, verbose=verbose, on_epoch=on_epoch)
        del fitted
        clock.note("learning")
        about = about_model(source, learned, options, told, total)
        _save(model, out, about)
        test = Test(model, learned, told, options, positive)
        summary = test.by_rows(tested) if options.cv is None else test.by_folds(options.cv)
        others = compared(learned, tested, options, model) if options.compare and tested is not None else None
        clock.note("testing")
    ended = [*([_end_of_search(tries)] if tries is not None and tries.interrupted_ else []), *test.ended]
    about |= {"columns": columns_of(model), **_judged(summary)}
    page = keep_model(model, summary, learned, tested, about, out, report, command, ended)
    notes = [*learned.notes, *notes_of(model, learned), *heard, *test.notes, *ended]
    if options.search and options.learner is None:
        notes.append(f"The learner is {options.name}, since {DEFAULT} has nothing to search for.")
    interrupted = bool(ended) or is_interrupted(model)
    searched = None if tries is None else tries.scores
    return Training(
        model, summary, options.name, about, searched, others, out, page, [*dict.fromkeys(notes)], clock.seconds,
        interrupted,
    )  # fmt: skip


class Clock:
    """Seconds between notes, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def note(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name], self._last = now - self._last, now


def _learner(options: TrainOptions, rows: Examples) -> Any:
    known = LEARNERS[options.name]
    several = known.several if known.kind == "classes" and len(distinct(rows.labels())) > 2 else {}
    return make_learner(
        options.name, {**several, **options.given}, random_state=options.seed, time_limit=options.time_limit
    )


def _split(
    rows: Examples, source: Source, target: Any, options: TrainOptions, model: Pipeline
) -> tuple[Examples, Examples | None, str]:
    """Rows to learn from, rows to test on, and how these came about in words."""
    if options.test is not None:
        others = read_examples(
            open_data(options.test, replace(source.reading, header=None)), rows.target or target,
            drop=(*options.drop, *([options.weights] if options.weights else [])), least=1, numbers=options.numbers,
            tests=True,
        )  # fmt: skip
        return rows, _fitting(others, rows, options, model), f"the rows of {others.name}"
    if options.cv is not None:
        return rows, None, f"each row by a model that was trained on the other {options.cv - 1} of {options.cv} folds"
    share = options.share
    if share == 0:
        return rows, None, ON_TRAINING_ROWS
    by = {"time": rows.apart} if options.time else {"groups": rows.apart} if options.group else {}
    parts = hold_out(rows.labels(), share, options.seed, numbers=options.numbers, **by)
    told = f"a random {share:.0%} of the rows"
    if options.time or options.group:
        told = (
            f"the latest {share:.0%} of the rows by {options.time}"
            if options.time
            else f"rows of other groups by {options.group}"
        )
    return *rows.split(*parts), told


def _fitting(others: Examples, rows: Examples, options: TrainOptions, model: Pipeline) -> Examples:
    """Rows of another file to test on, checked to be of the same kind as those to learn from."""
    if others.is_frame != rows.is_frame:
        raise UsageError(f"{others.name} and {rows.name} must both be tables, or neither.")
    if not options.numbers:
        check_known(others, distinct(rows.labels()))
    if others.is_frame:
        return others
    check_numbers(others.rows, others.name)
    others = as_the_learner_takes(others, model.steps[-1][1])
    return replace(others, rows=with_width(others.rows, rows.rows.shape[1], others.name)[0])


def _search(estimator: Any, fitted: Any, learned: Examples, options: TrainOptions, verbose: int) -> Any:
    """Set the learner's main parameter to the best value by cross-validation on the training rows."""
    from rosenblatt import search

    with setting(options.given):
        found = search(
            fitted,
            learned.labels(),
            estimator,
            dict(LEARNERS[options.name].grid),
            sample_weight=learned.weights,
            random_state=options.seed,
            refit=False,
            verbose=verbose,
        )
    estimator.set_params(**found.best_params_)
    return found


def _end_of_search(found: Any) -> str:
    """What Ctrl-C has left of a search."""
    n_settings, n_folds = found.fold_scores.shape
    done, folds = int(np.isfinite(found.mean_scores).sum()), len(found.folds_compared)
    if folds < n_folds:
        return f"Ctrl-C ended the search after {folds} of {n_folds} folds; the setting that is best on these is taken."
    return f"Ctrl-C ended the search after {done} of {n_settings} settings; the best of these is taken."


# ------------------------------------------------------------------------------------------------ what is written


def about_model(source: Source, learned: Examples, options: TrainOptions, told: str, total: int) -> dict[str, Any]:
    """What the model file says about where the model comes from."""
    split = None if options.time or options.group else {"share": 0.0 if options.cv or options.test else options.share}
    return {
        "target": learned.target,
        "learner": options.name,
        "source": learned.name,
        "format": learned.format,
        "zero_based": learned.zero_based,
        "na_values": None if source.reading.na_values is None else list(source.reading.na_values),
        "digest": learned.digest,
        "rows": total,
        "learned_rows": len(learned),
        "held_out": told,
        "seed": options.seed,
        "split": split,
        "weighted": learned.weights is not None,
        "left_out": list(learned.left_out),
        "image_shape": None if learned.image_shape is None else list(learned.image_shape),
    }


def _judged(summary: Summary) -> dict[str, Any]:
    found = summary.to_dict()
    return {"summary": {key: found[key] for key in KEPT}, "drivers": found["drivers"]["top"]}


def _save(model: Pipeline, out: str | None, about: dict[str, Any]) -> None:
    """Save the model before it is tested: who stops the test has it all the same."""
    if out is not None and out != "-":
        with postponed():
            save_model(model, out, about)


def keep_model(
    model: Pipeline,
    summary: Summary,
    learned: Examples,
    tested: Examples | None,
    about: dict[str, Any],
    out: str | None,
    report: str | None,
    command: str | None,
    ended: list[str],
) -> str | None:
    """Write the model and the page about it, whatever Ctrl-C ended before; where the page is, if it was written."""
    if out is not None:
        with postponed():
            save_model(model, out, about)
    if report is not None:
        from rosenblatt.report import write_report

        found = tested or learned
        try:
            with writing(report):
                write_report(
                    report, model, summary, found.rows, found.labels(), X_train=learned.rows, y_train=learned.labels(),
                    about=about | {"model": out, "command": command}, image_shape=learned.image_shape,
                )  # fmt: skip
        except KeyboardInterrupt:
            ended.append("Ctrl-C ended the report, which is not written; the model itself is whole.")
            report = None
    if pressed() and not ended and not is_interrupted(model):
        ended.append("Ctrl-C came when the learning was done; the model is whole.")
    return report


def _check_files(source: Source, test: Any) -> None:
    """A file that is given twice would be learned from and tested on."""
    seen: dict[Any, str] = {}
    for path in source.paths:
        key = identity(path)
        if key in seen:
            name, other = source.name_of(seen[key]), source.name_of(path)
            again = "" if name == other else f", also as {other}"
            raise UsageError(f"{name} is given twice{again}: a model would be tested on rows it learned from.")
        seen[key] = path
    known = [path for path in files_of(test) if identity(path) in seen]
    if known:
        source.notes.append(f"{known[0]} is learned from and tested on: on new rows the model may do worse.")


def _check_outputs(out: str | None, report: str | None, data: Any, target: Any, options: TrainOptions) -> None:
    read = files_of(data, options.test)
    labels = [path for path in (target, *map(labels_beside, read)) if isinstance(path, str)]
    check_outputs({"The model": out, "The report": report}, [*read, *labels])
    if out is not None and names_data(out):
        raise UsageError(f"{out} is named like data, not like a model; call it {Path(out).stem}.safetensors.")


def default_path(data: str | Sequence[str]) -> str:
    """Where a model goes when nobody says: the name of the data, in the present folder.

    Examples
    --------
    >>> default_path("data/iris.csv.gz"), default_path("-"), default_path(["part-*.csv"])
    ('iris.safetensors', 'model.safetensors', 'model.safetensors')
    """
    first = data if isinstance(data, str) else data[0]
    name = Path(first.split("?")[0]).name
    stem = name.split(".")[0]
    plain = (stem and not set(stem) & set("*?[]-")) or stem.replace("-", "").isalnum()
    return f"{stem}.safetensors" if plain and first != "-" else "model.safetensors"
