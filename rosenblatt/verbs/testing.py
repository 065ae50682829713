"""What a fitted model is worth, by rows held out or by cross-validation; Ctrl-C never loses the model."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.estimators.classes import classes_of
from rosenblatt.interrupts import postponed, pressed
from rosenblatt.report import Summary, summarise
from rosenblatt.report.drivers import some_rows
from rosenblatt.verbs.errors import InputError, one_line
from rosenblatt.verbs.examples import Array, Examples
from rosenblatt.verbs.learners import LEARNERS, make_learner
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.pipelines import fit_columns, fit_learner, in_the_file, seen
from rosenblatt.verbs.splits import folds
from rosenblatt.wording import listed, shortened

ON_TRAINING_ROWS = "the training rows themselves, which flatters"
ADVISING = 5.0  # seconds for separability and for trying other learners
TESTING = 60.0  # seconds for the test itself, unless a limit was given
FEW = 256  # rows that tell how long a prediction takes
FEW_TESTED = 10  # rows below which a test says little
BRIEF = 1.0  # seconds for what is left to do after Ctrl-C


@dataclass(eq=False)
class Learned:
    """A model that has learned, the rows that it learned from, and those to test it on."""

    model: Pipeline
    rows: Examples  # what it learned from, or a sample of that
    tested: Examples | None  # rows that it has not seen
    told: str  # how these came about
    total: int  # rows
    count: int  # of them that it learned from
    notes: list[str] = field(default_factory=list)
    positive: Any = None  # the class that precision and recall are about, where one was asked for
    searched: Any = None  # the search for the best setting
    split: dict[str, float] | None = None  # how the rows can be split again
    ended: list[str] = field(default_factory=list)  # what Ctrl-C has ended

    @property
    def interrupted(self) -> bool:
        return bool(self.ended) or is_interrupted(self.model)


def summary_of(done: Learned, options: TrainOptions) -> Summary:
    """The summary of a model by rows that it has not seen, or by cross-validation; Ctrl-C makes it a brief one."""
    found, learned, answers = done.tested or done.rows, done.rows, None
    try:
        if options.cv is not None:
            found, answers = _by_folds(done, options, options.cv)
        if answers is None and len(found) > FEW:
            most = _affordable(done.model, found, options)
            if most < len(found):
                done.notes.append(
                    f"The model was tested on {most:,} of {len(found):,} rows, drawn at random: more would have taken "
                    "longer than the time limit."
                )
            found, learned = _some(found, most, options.seed), _some(learned, most, options.seed)
        if len(found) < FEW_TESTED:
            done.notes.append(f"{len(found)} rows are few to test on; --cv 5 tests on every row.")
        if not is_interrupted(done.model) and not pressed():
            return _summary(done, found, learned, answers, options, briefly=False)
    except KeyboardInterrupt:
        done.ended.append("Ctrl-C ended the test; the model itself is whole.")
        found = found if answers is not None else _some(found, FEW, options.seed)
    with postponed():
        return _summary(done, found, learned, answers, options, briefly=True)


def _summary(
    done: Learned, found: Examples, learned: Examples, answers: Array | None, options: TrainOptions, *, briefly: bool
) -> Summary:  # fmt: skip
    with in_the_file(found):
        return summarise(
            done.model, found.rows, found.labels(), X_train=learned.rows, y_train=learned.labels(),
            predictions=answers, positive=done.positive, target=done.rows.target,
            feature_names=done.rows.feature_names(), held_out=done.told, rows_train=done.count, most=options.top,
            time_limit=BRIEF if briefly else ADVISING, advise=options.advise and not briefly,
            random_state=options.seed,
        )  # fmt: skip


def _some(found: Examples, most: int, seed: int) -> Examples:
    """As many rows, drawn at random; all of them where there are no more."""
    return found if len(found) <= most else found.take(some_rows(len(found), most, seed))


def _affordable(model: Pipeline, found: Examples, options: TrainOptions) -> int:
    """How many rows the model predicts within the time limit, by the time that a few of them take."""
    few = _some(found, FEW, options.seed)
    with in_the_file(few):
        model.predict(few.rows)  # compiles
    start = time.perf_counter()
    model.predict(few.rows)
    each = (time.perf_counter() - start) / FEW
    return max(FEW, int((options.time_limit or TESTING) / max(each, 1e-9)))


def _by_folds(done: Learned, options: TrainOptions, count: int) -> tuple[Examples, Array | None]:
    """The rows with the answers of the same steps, fitted again for every fold; what Ctrl-C leaves out is reported."""
    y = done.rows.labels()
    answers, answered, left = np.empty_like(y), np.zeros(len(y), dtype=bool), count
    groups = done.rows.apart if options.group is not None else None
    with suppress(KeyboardInterrupt):
        for kept, tested in folds(y, count, options.seed, numbers=options.numbers, groups=groups):
            model, part = clone(done.model), done.rows.take(kept)
            if is_interrupted(done.model) or pressed():
                break
            fit_learner(model, fit_columns(model, part), part, settings=options.given)
            if is_interrupted(model):
                break
            answers[tested], answered[tested] = model.predict(done.rows.rows[tested]), True
            left -= 1
    if left:
        done.ended.append(f"Ctrl-C ended the cross-validation after {count - left} of {count} folds.")
    if left == count:
        done.told = ON_TRAINING_ROWS
        return done.rows, None
    return done.rows.take(np.flatnonzero(answered)), answers[answered]


def check_known(tested: Examples, classes: Array) -> None:
    """Refuse rows to test on where no label is one of the model's classes: every answer would be wrong."""
    labels = classes_of(tested.labels())
    if not np.isin(labels, classes).any():
        raise InputError(
            f"None of the labels of {tested.name} was in training: it has {shortened(labels.tolist()[0])} for one, and "
            f"training had {listed(classes.tolist())}."
        )


def is_interrupted(model: Pipeline) -> bool:
    return getattr(model.steps[-1][1], "stop_reason_", "") == "interrupted"


@contextmanager
def caught_warnings() -> Iterator[list[str]]:
    """Warnings as notes; how a run ended is in the summary."""
    sentences: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield sentences
    for warning in caught:
        text = one_line(warning.message) if isinstance(warning.message, Warning) else str(warning.message)
        if not issubclass(warning.category, ConvergenceWarning | DeprecationWarning) and text not in sentences:
            sentences.append(text)


def compared(done: Learned, options: TrainOptions) -> list[dict[str, Any]]:
    """What every learner scores on the rows held out, after learning from the others; the best first.

    Each has the time limit, or a minute; one that fails or is interrupted is listed without a score.
    """
    found = []
    tested = done.tested or done.rows
    rows, test_rows = seen(done.model, done.rows.rows), seen(done.model, tested.rows)
    several = len(classes_of(done.rows.labels())) > 2
    for name, learner in LEARNERS.items():
        if learner.kind != LEARNERS[options.name].kind or not learner.usual or pressed():
            continue
        estimator = make_learner(name, learner.several if several else {}, random_state=options.seed,
                                 time_limit=options.time_limit or TESTING)  # fmt: skip
        start, score, told = time.perf_counter(), None, learner.told
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit_learner(Pipeline([("learner", estimator)]), rows, done.rows)
                score = float(estimator.score(test_rows, tested.labels()))
        except (ValueError, TypeError, MemoryError) as error:
            told = one_line(error)
        found.append({"learner": name, "told": told, "score": score, "seconds": time.perf_counter() - start})
    return sorted(found, key=lambda row: -1.0 if row["score"] is None else row["score"], reverse=True)
