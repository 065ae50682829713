"""`train`: from a file to a fitted, tested, explained and saved model."""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.features.labels import distinct
from rosenblatt.features.target import check_classes
from rosenblatt.interrupts import listening, postponed, pressed
from rosenblatt.report import Summary, summarise
from rosenblatt.sources import Source
from rosenblatt.verbs.errors import (
    UsageError,
    check_number,
    nearest,
    one_line,
    reading,
    setting,
    with_keep,
    writing,
)
from rosenblatt.verbs.examples import (
    Array,
    Examples,
    check_columns_policy,
    check_kept,
    check_left,
    examples_of,
    find_column,
    find_columns,
    labels_beside,
    open_data,
    read_examples,
)
from rosenblatt.verbs.learners import DEFAULT, LEARNERS, check_parameter, learner_named, make_learner, read_settings
from rosenblatt.verbs.memory import too_large
from rosenblatt.verbs.models import columns_for, save_model
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.pipelines import (
    check_numbers,
    columns_of,
    fit_columns,
    fit_columns_parted,
    fit_learner,
    fresh,
    in_the_file,
    notes_of,
    unfitted,
    with_width,
)
from rosenblatt.verbs.splits import folds, hold_out
from rosenblatt.verbs.tables import names_data
from rosenblatt.wording import listed

HOLDOUT = 0.2
LARGEST_HOLDOUT = 0.95  # so that something is left to learn from
SEEDS = 2**32 - 1  # the largest, as in NumPy
SEARCHED = "passive-aggressive"  # what a search takes when no learner is named
KEPT = ("accuracy", "baseline", "regression", "classes", "rows_test", "positive")  # figures for the model file
NEEDED = ("rosenblatt.exchange.model_file",)
TOO_FAR = "Some numbers were too large or too small to compute with; give the columns in other units, or scale them."
FLATTERING = "the training rows themselves, which flatters"
THINKING = 5.0  # seconds for separability and for trying other learners


@dataclass(frozen=True, eq=False)
class Training:
    """What `train` did.

    Attributes
    ----------
    model : a fitted scikit-learn Pipeline, from the columns of the file to the answer
    summary : how good it is, against what, what drives it, and what to try next
    learner : the name of the learner, as the command line knows it
    searched : a frame of the settings that were tried, or None
    path, report : the files that were written, or None
    columns : what became of each column: (name, kind, what is not obvious)
    notes : sentences about what was assumed
    seconds : how long reading, learning and judging took
    about : what the model file says about where the model comes from
    interrupted : whether Ctrl-C was pressed; the notes say what it ended
    """

    model: Pipeline
    summary: Summary
    learner: str
    about: dict[str, Any]
    columns: list[tuple[str, str, str]]
    searched: Any = None
    path: str | None = None
    report: str | None = None
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def learned_in_part(self) -> bool:
        """Whether Ctrl-C ended the learning; the model is what was learned until then."""
        return self.summary.stop_reason == "interrupted"

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.path,
            "report": self.report,
            "learner": self.learner,
            "summary": self.summary.to_dict(),
            "searched": None if self.searched is None else self.searched.to_dicts(),
            "columns": [{"name": name, "kind": kind, "why": why} for name, kind, why in self.columns],
            "data": {key: self.about[key] for key in ("source", "digest", "target", "rows")},
            "notes": self.notes,
            "seconds": {name: round(value, 4) for name, value in self.seconds.items()},
        }


@listening()
def train(
    data: str | Sequence[str] | Source,
    target: str | int | None = None,
    *,
    learner: str | None = None,
    settings: Mapping[str, Any] | Iterable[str] = (),
    max_iter: int | None = None,
    time_limit: float | None = None,
    search: bool = False,
    scale: bool = True,
    test: str | Sequence[str] | None = None,
    holdout: float | None = None,
    cv: int | None = None,
    seed: int = 0,
    positive: Any = None,
    missing: str = "median",
    text: str = "auto",
    stream: bool | None = None,
    weights: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    header: bool | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    format: str | None = None,
    out: str | None = None,
    report: str | None = None,
    top: int = 10,
    verbose: int = 0,
    on_epoch: Any = None,
    command: str | None = None,
) -> Training:
    """Learn to predict one column of a file from the others, and judge the model on rows that it has not seen.

    Parameters
    ----------
    data : a file, several, a pattern, or "-" for standard input; or a source that `open_source` made of them
    target : the column to predict: its name, its number from 1, or -1 for the last
    learner : a key of `rosenblatt.verbs.learners.LEARNERS`, or the name of a class of ours
    settings : parameters of the learner, as a mapping or as texts "name=value"
    max_iter, time_limit : the most epochs and seconds, where the learner counts them
    search : try several values of the learner's main parameter by cross-validation on the training rows
    scale : bring columns to one scale
    test, holdout, cv : judge by the rows of another file, by a share of the rows that is kept aside (0.2 unless said
        otherwise), or by cross-validation
    seed : of the split and of the learner
    positive : the class that precision and recall are about
    missing : "error", "median" or "indicator", see `ColumnEncoder`
    text : "auto", "tfidf", "hashed" or "drop", see `ColumnEncoder`
    stream : learn in passes over the file instead of holding it in memory; None does so when it might not fit
    weights, drop : the column with the weights of the rows; columns to leave out
    keep : columns to learn from although they look like numbers or names of the rows
    header, encoding, separator, format : of the file
    out, report : the model file and the page to write
    top : how many features to name
    verbose : 1 shows the epochs
    on_epoch : called with every epoch; returning something true stops
    command : how this was asked for, for the report

    Examples
    --------
    >>> import tempfile
    >>> from rosenblatt.verbs import export_dataset
    >>> path = str(Path(tempfile.mkdtemp()) / "iris.csv")
    >>> _ = export_dataset("iris", path)
    >>> found = train(path, "species")
    >>> print(found.learner, found.summary.accuracy)
    averaged 93.3% (95% interval 78.7% to 98.2%)
    """
    check_number("--max-iter", max_iter, 1, usual="100 is usual")
    check_number("--time-limit", time_limit, 0, above=True, usual="give it in seconds")
    name, given = _settings(learner, settings, max_iter, time_limit, search)
    _check_ways(test, holdout, cv)
    check_number("--seed", seed, 0, SEEDS, usual="0 is usual")
    check_number("--top", top, 1, usual="8 is usual")
    check_columns_policy(missing, text)
    clock = _Clock()
    numbers = LEARNERS[name].kind == "numbers"
    if numbers and positive is not None:
        raise UsageError(f"--positive must name a class, but the learner {name} answers numbers; leave it out.")
    _check_outputs(out, report, data.paths if isinstance(data, Source) else data, target, test)
    source = (
        data
        if isinstance(data, Source)
        else open_data(data, format=format, header=header, encoding=encoding, separator=separator)
    )
    if too_large(source) if stream is None else stream:
        _check_streamed(numbers, search, cv, holdout, positive)
        written = {"format": format, "header": header, "encoding": encoding, "separator": separator}
        way = _Streamed(source, target, name, given, seed, weights, drop, missing, text, scale, keep, written)
        return way.train(test, top, out, report, verbose, on_epoch, clock, command)
    if source.is_being_read:
        _prepare()
    found = examples_of(source, target, numbers=numbers, weights=weights, drop=drop, keep=keep)
    reader: dict[str, Any] = {
        "format": format,
        "header": header,
        "encoding": encoding,
        "separator": separator,
        "numbers": numbers,
    }
    others = None if test is None else read_examples(test, found.target or target, drop=drop, **reader)
    if positive is not None:
        positive = class_named(found.labels(), positive)
    if not numbers:
        with reading(found.name):
            check_classes(found.labels(), found.target or "label")
    total = len(found)
    clock.note("reading")
    estimator = _estimator(name, given, found.labels(), seed)
    with _heard() as heard:
        model = unfitted(found, estimator, scale=scale, missing=missing, text=text)
        learned, tested, told = _parts(found, others, holdout, cv, seed, numbers, None if report else model)
        found = replace(found, rows=None, y=None)  # what is still needed of them is in the parts
        rows = fit_columns(model, learned)
        if others is not None and tested is not None and tested.is_frame:
            tested = replace(tested, rows=columns_for(model.steps[0][1], tested))
        tries = _search(estimator, name, rows, learned, seed, verbose) if search else None
        fit_learner(model, rows, learned, tested, verbose=verbose, on_epoch=on_epoch)
        clock.note("learning")
        judge = _Judge(model, learned, told, positive, seed, top)
        summary, left = judge.by_folds(cv, numbers) if cv is not None else (judge.by_rows(tested), 0)
        clock.note("judging")
    share = 0.0 if tested is None or others is not None else (HOLDOUT if holdout is None else holdout)
    about = {**_about(found, learned, summary, name, told, seed, share, columns_of(model)), "rows": total}
    ended = []
    if tries is not None and tries.interrupted_:
        ended.append(_end_of_search(tries))
    if left and cv is not None:
        ended.append(f"Ctrl-C ended the cross-validation after {cv - left} of {cv} folds.")
    kept = _keep(model, summary, learned, tested, about, out, report, command, judge, ended)
    notes = [*found.notes, *notes_of(model), *heard, *ended]
    if search and learner is None:
        notes.append(f"the learner is {name}, since {DEFAULT} has nothing to search for; --learner names another.")
    searched = None if tries is None else tries.scores
    seconds, columns = clock.seconds, columns_of(model)
    interrupted = bool(ended) or _is_interrupted(model)
    return Training(model, summary, name, about, columns, searched, out, kept, notes, seconds, interrupted)


# ------------------------------------------------------------------------------------------------ what to train


def _settings(
    name: str | None,
    settings: Mapping[str, Any] | Iterable[str],
    max_iter: int | None,
    time_limit: float | None,
    search: bool,
) -> tuple[str, dict[str, Any]]:
    """The learner's name and the settings that were asked for, checked."""
    known, learner = learner_named(name or (SEARCHED if search else DEFAULT))
    if search and not learner.grid:
        able = [each for each, other in LEARNERS.items() if other.grid]
        raise UsageError(f"The learner {known} has nothing to search for; use one of {listed(able)}.")
    given = dict(settings) if isinstance(settings, Mapping) else read_settings(known, settings)
    for key, value in (("max_iter", max_iter), ("time_limit", time_limit)):
        if value is not None:
            check_parameter(known, key)
            if key in given:
                option = f"--{key.replace('_', '-')}"
                raise UsageError(f"{key} must be said once, but {option} and --set {key} both came; leave one out.")
            given[key] = value
    make_learner(known, given)
    return known, given


def _prepare() -> None:
    """While the file is being read: import what comes later.

    Not the compiler, which takes as much memory as a third of a table of a million rows: there is more room for it when
    the table is encoded.
    """
    for module in NEEDED:
        importlib.import_module(module)


def _estimator(name: str, given: dict[str, Any], y: Array, seed: int) -> Any:
    several = LEARNERS[name].several if LEARNERS[name].kind == "classes" and len(distinct(y)) > 2 else {}
    return make_learner(name, {**several, **given}, random_state=seed)


def _check_ways(test: Any, holdout: float | None, cv: int | None) -> None:
    asked = [name for name, value in (("--test", test), ("--holdout", holdout), ("--cv", cv)) if value is not None]
    if len(asked) > 1:
        raise UsageError(f"A model is tested in one way, but {' and '.join(asked)} came; choose one of them.")
    check_number("--holdout", holdout, 0, LARGEST_HOLDOUT, usual="0.2 is usual, a fifth of the rows")
    check_number("--cv", cv, 2, usual="5 folds are usual")


def _check_outputs(out: str | None, report: str | None, data: Any, target: Any, test: Any) -> None:
    read = files_of(data, test)
    labels = [path for path in (target, *map(labels_beside, read)) if isinstance(path, str)]
    check_outputs({"The model": out, "The report": report}, [*read, *labels])
    if out is not None and names_data(out):
        raise UsageError(
            f"A model must go to a file that does not look like data, but got {out}; "
            f"call it {Path(out).stem}.safetensors."
        )


def class_named(y: Array, wanted: Any) -> Any:
    """The class that is written like this.

    Examples
    --------
    >>> class_named(np.array([0, 1, 1]), "1")
    1
    """
    classes = distinct(y).tolist()
    for label in classes:
        if str(label) == str(wanted):
            return label
    near = nearest(str(wanted), map(str, classes)) or "choose one of them."
    raise UsageError(f"The positive class must be one of {listed(classes)}, but got {wanted!r}; {near}")


# ------------------------------------------------------------------------------------------------ which rows


def _parts(
    found: Examples,
    others: Examples | None,
    holdout: float | None,
    cv: int | None,
    seed: int,
    numbers: bool,
    model: Pipeline | None,
) -> tuple[Examples, Examples | None, str]:
    """Rows to learn from, rows to test on, and how these came about in words.

    With a model, nobody needs the columns of a table any more: it is encoded and given up.
    """
    if others is not None:
        if others.is_frame != found.is_frame:
            raise UsageError(f"{others.name} must be of the same kind as {found.name}, but one is a table.")
        if not found.is_frame:
            check_numbers(others.rows, others.name)
            others = replace(others, rows=with_width(others.rows, found.rows.shape[1], others.name)[0])
        return found, others, f"the rows of {others.name}"
    if cv is not None:
        return found, None, f"each row by a model that was trained on the other {cv - 1} of {cv} folds"
    share = HOLDOUT if holdout is None else holdout
    if share == 0:
        return found, None, FLATTERING
    learned, tested = hold_out(found.labels(), share, seed, numbers=numbers)
    told = f"a random {share:.0%} of the rows"
    if found.is_frame and model is not None:
        return *fit_columns_parted(model, found, learned, tested), told
    return *found.parted(learned, tested), told


# ------------------------------------------------------------------------------------------------ searching and judging


def _search(estimator: Any, name: str, rows: Any, learned: Examples, seed: int, verbose: int) -> Any:
    """Set the learner's main parameter to the best value by cross-validation on the training rows."""
    from rosenblatt import search

    with reading(learned.name), setting(estimator, learned.labels()):
        found = search(
            rows,
            learned.labels(),
            estimator,
            dict(LEARNERS[name].grid),
            sample_weight=learned.weights,
            random_state=seed,
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


@dataclass(eq=False)
class _Judge:
    """A fitted model and what its summary is made with."""

    model: Pipeline
    learned: Examples
    told: str
    positive: Any
    seed: int
    top: int
    rows_train: int | None = None
    briefly: bool = False  # set where Ctrl-C ends the judging

    def by_rows(self, tested: Examples | None) -> Summary:
        """By rows that were kept aside; by the training rows themselves where none were."""
        tested = tested or self.learned
        with in_the_file(tested):
            return self._summary(tested.rows, tested.labels())

    def by_folds(self, count: int, numbers: bool) -> tuple[Summary, int]:
        """By fitting the same steps again for every fold, and how many Ctrl-C left out; by the training rows if all."""
        rows, y = self.learned.rows, self.learned.labels()
        answers = np.empty_like(y)
        done, left = np.zeros(len(y), dtype=bool), count
        try:
            for kept, tested in folds(y, count, self.seed, numbers=numbers):
                if _is_interrupted(self.model) or pressed():
                    break
                model, part = fresh(self.model), self.learned.take(kept)
                fit_learner(model, fit_columns(model, part), part)
                if _is_interrupted(model):
                    break
                answers[tested], done[tested] = model.predict(rows[tested]), True
                left -= 1
        except KeyboardInterrupt:
            pass
        if left == count:
            return replace(self, told=FLATTERING).by_rows(None), left
        chosen = np.flatnonzero(done)
        return self._summary(rows[chosen], y[chosen], answers[chosen]), left

    def _summary(self, rows: Any, y: Array, predictions: Array | None = None) -> Summary:
        if not _is_interrupted(self.model) and not pressed():
            try:
                return self._summarised(rows, y, predictions, briefly=False)
            except KeyboardInterrupt:
                self.briefly = True
        with postponed():  # the model is there, and must not be lost
            return self._summarised(rows, y, predictions, briefly=True)

    def _summarised(self, rows: Any, y: Array, predictions: Array | None, *, briefly: bool) -> Summary:
        return summarise(
            self.model,
            rows,
            y,
            X_train=self.learned.rows,
            y_train=self.learned.labels(),
            predictions=predictions,
            positive=self.positive,
            target=self.learned.target,
            feature_names=self.learned.feature_names(),
            held_out=self.told,
            rows_train=self.rows_train,
            most=self.top,
            time_limit=1.0 if briefly else THINKING,
            advise=not briefly,
            random_state=self.seed,
        )


def _is_interrupted(model: Pipeline) -> bool:
    return getattr(model.steps[-1][1], "stop_reason_", "") == "interrupted"


# ------------------------------------------------------------------------------------------------ in passes


def _check_streamed(numbers: bool, search: bool, cv: int | None, holdout: float | None, positive: Any) -> None:
    asked = (
        ("--learner least-squares", numbers),
        ("--search", search),
        ("--cv", cv is not None),
        ("--holdout", holdout is not None),
        ("--positive", positive is not None),
    )
    for option, given in asked:
        if given:
            raise UsageError(
                f"{option} needs all rows in memory, but the file is learned from in passes; leave it out, "
                f"or use --no-stream."
            )


@dataclass(frozen=True, eq=False)
class _Streamed:
    """Learning in passes over a file that is not held in memory."""

    source: Any
    target: str | int | None
    name: str
    given: dict[str, Any]
    seed: int
    weights: str | None
    drop: Sequence[str]
    missing: str
    text: str
    scale: bool
    keep: Sequence[str] = ()
    written: Mapping[str, Any] = field(default_factory=dict)  # how the files are written, as far as it was said

    def train(
        self,
        test: str | Sequence[str] | None,
        top: int,
        out: str | None,
        report: str | None,
        verbose: int,
        on_epoch: Any,
        clock: _Clock,
        command: str | None,
    ) -> Training:
        from rosenblatt.features.column_kinds import KEPT
        from rosenblatt.features.columns import ColumnEncoder
        from rosenblatt.verbs.streaming import EPOCHS, TESTED_ROWS, train_streamed

        source = self.source
        learner = make_learner(self.name, self.given, random_state=self.seed, max_iter=EPOCHS)
        if not hasattr(learner, "partial_fit"):
            able = [each for each in LEARNERS if hasattr(make_learner(each), "partial_fit")]
            raise UsageError(
                f"A file is learned from in passes by a learner with partial_fit, but {self.name} has none; "
                f"use one of {listed(able)}, or --no-stream."
            )
        target, weights, away, kept = self._columns()
        others = None if test is None else read_examples(test, target, drop=self.drop, **self.written)
        scale, kinds = "standard" if self.scale else None, dict.fromkeys(kept, KEPT) or None
        encoder = ColumnEncoder(text=self.text, missing=self.missing, scale=scale, kinds=kinds)
        with _heard() as heard, reading(source.name):
            done = train_streamed(
                source,
                target,
                learner,
                encoder=encoder if source.kind == "frame" else None,
                max_iter=self.given.get("max_iter", EPOCHS),
                time_limit=self.given.get("time_limit"),
                tested_rows=TESTED_ROWS if others is None else 0,
                weights=weights,
                drop=away,
                scale=self.scale,
                missing=self.missing,
                seed=self.seed,
                verbose=verbose,
                on_epoch=on_epoch,
            )
            clock.note("learning")
        name, digesting = source.name, source.digest_later()
        if source.is_copy:
            digesting.result()
            source.close()
        seen = Examples(done.X_seen, done.y_seen, None, done.target, name, source.format, digesting=digesting)
        tested = Examples(done.X_test, done.y_test, None, done.target, name, source.format)
        told = f"a random {done.rows - done.learned_rows:,} of {done.rows:,} rows"
        if others is not None:
            if others.is_frame:
                tested = replace(others, rows=columns_for(done.model.steps[0][1], others))
            else:
                check_numbers(others.rows, others.name)
                width = done.model.steps[0][1].n_features_in_
                tested = replace(others, rows=with_width(others.rows, width, others.name)[0])
            told = f"the rows of {tested.name}"
        with _heard() as more:
            judge = _Judge(done.model, seen, told, None, self.seed, top, rows_train=done.learned_rows)
            summary = judge.by_rows(tested)
            clock.note("judging")
        about = _about(seen, seen, summary, self.name, told, self.seed, 0.0, columns_of(done.model))
        about |= {"rows": done.rows, "learned_rows": done.learned_rows, "split": None, "left_out": away}
        ended: list[str] = []
        kept_page = _keep(done.model, summary, seen, tested, about, out, report, command, judge, ended)
        notes = [f"{name} is learned from in passes, {done.rows:,} rows.", *done.notes, *notes_of(done.model)]
        notes = [*dict.fromkeys(map(with_keep, [*notes, *heard, *more])), *ended]
        columns, interrupted = columns_of(done.model), bool(ended) or _is_interrupted(done.model)
        return Training(
            done.model, summary, self.name, about, columns, None, out, kept_page, notes, clock.seconds, interrupted
        )

    def _columns(self) -> tuple[str | None, str | None, list[str], list[str]]:
        """The names of the target, of the weights, and of the columns to drop and to keep."""
        if self.source.kind == "matrix":
            number = str(self.target).lstrip("+-").isdecimal() and self.source.format in ("npy", "npz")
            if (self.target is not None and not number) or self.weights is not None or self.drop or self.keep:
                raise UsageError(f"Only a table has columns to name, but {self.source.name} is {self.source.format}.")
            return (str(self.target) if number else None), None, [], []
        with reading(self.source.name):
            columns = list(self.source.columns)
        if self.target is None:
            raise UsageError(
                f"The target must be named with --target, but none came; "
                f"{self.source.name} has the columns {listed(columns, 20)}."
            )
        where = self.source.name
        weights = None if self.weights is None else find_column(columns, self.weights, where, "The weights")
        away = find_columns(columns, self.drop, where, "A column to drop")
        kept = find_columns(columns, self.keep, where, "A column to keep")
        target = find_column(columns, self.target, where, "The target")
        check_left(columns, target, weights, away, where)
        check_kept(kept, target, weights, away)
        return target, weights, away, kept


# ------------------------------------------------------------------------------------------------ what is kept


def _about(
    found: Examples,
    learned: Examples,
    summary: Summary,
    name: str,
    told: str,
    seed: int,
    share: float,
    columns: list[tuple[str, str, str]],
) -> dict[str, Any]:
    """What the model file says about where the model comes from."""
    judged = summary.to_dict()
    return {
        "target": found.target,
        "learner": name,
        "source": found.name,
        "format": found.format,
        "digest": found.digest,
        "learned_rows": len(learned),
        "held_out": told,
        "seed": seed,
        "split": {"share": share},
        "weighted": learned.weights is not None,
        "left_out": list(found.left_out),
        "columns": [{"name": name, "kind": kind} for name, kind, _ in columns],
        "image_shape": None if found.image_shape is None else list(found.image_shape),
        "summary": {key: judged[key] for key in KEPT},
        "drivers": judged["drivers"]["top"],
    }


def _keep(
    model: Pipeline,
    summary: Summary,
    learned: Examples,
    tested: Examples | None,
    about: dict[str, Any],
    out: str | None,
    report: str | None,
    command: str | None,
    judge: _Judge,
    ended: list[str],
) -> str | None:
    """Write the model and the page about it, whatever Ctrl-C ended before; where the page is, if it was written."""
    if judge.briefly:
        ended.append("Ctrl-C ended the judging: nothing else was tried; the model itself is whole.")
    if out is not None:
        with postponed():
            save_model(model, out, about)
    if report is not None:
        try:
            _write_report(report, model, summary, learned, tested, about | {"model": out, "command": command})
        except KeyboardInterrupt:
            ended.append("Ctrl-C ended the report, which is not written; the model itself is whole.")
            report = None
    if pressed() and not ended and not _is_interrupted(model):
        ended.append("Ctrl-C came when the learning was done; the model is whole.")
    return report


def _write_report(
    path: str, model: Pipeline, summary: Summary, learned: Examples, tested: Examples | None, about: dict[str, Any]
) -> None:
    from rosenblatt.report import write_report

    judged = tested or learned
    with writing(path):
        write_report(
            path,
            model,
            summary,
            judged.rows,
            judged.labels(),
            X_train=learned.rows,
            y_train=learned.labels(),
            about=about,
            image_shape=learned.image_shape,
        )


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


# ------------------------------------------------------------------------------------------------ on the way


class _Clock:
    """Seconds between notes, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def note(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now


@contextmanager
def _heard() -> Iterator[list[str]]:
    """Warnings as sentences; how a run ended is in the summary."""
    sentences: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield sentences
    for warning in caught:
        text = one_line(warning.message) if isinstance(warning.message, Warning) else str(warning.message)
        if issubclass(warning.category, RuntimeWarning) and " encountered in " in text:  # NumPy's words
            text = TOO_FAR
        if not issubclass(warning.category, ConvergenceWarning | DeprecationWarning) and text not in sentences:
            sentences.append(text)
