"""What a fitted model is worth, by rows held out or by cross-validation; Ctrl-C never loses the model."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.estimators.classes import classes_of
from rosenblatt.interrupts import postponed, pressed
from rosenblatt.report import Summary, summarise
from rosenblatt.verbs.errors import InputError, UsageError, nearest, one_line
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


@dataclass(eq=False)
class Test:
    """How a summary of a model is made, and remarks about that."""

    __test__ = False  # for pytest

    done: Learned
    options: TrainOptions
    most: int | None = None  # rows, of each part, that there is time for
    notes: list[str] = field(default_factory=list)

    def summary(self) -> Summary:
        return self._by_rows() if self.options.cv is None else self._by_folds(self.options.cv)

    def _by_rows(self) -> Summary:
        """By rows that were held out; by the training rows themselves where none were."""
        found = self.done.tested or self.done.rows
        some = self._within_time(found)
        if len(some) < len(found):
            self.notes.append(
                f"The model was tested on {len(some):,} of {len(found):,} rows, drawn at random: more would have taken "
                "longer than the time limit."
            )
        if len(some) < FEW_TESTED:
            self.notes.append(f"{len(some)} rows are few to test on; --cv 5 tests on every row.")
        with in_the_file(some):
            return self._summary(some, None)

    def _within_time(self, found: Examples) -> Examples:
        """As many rows, drawn at random, as the model predicts within the time limit."""
        if len(found) <= FEW:
            return found
        random = np.random.default_rng(self.options.seed)
        few = found.take(np.sort(random.choice(len(found), FEW, replace=False)))
        try:
            self.done.model.predict(few.rows)  # compiles
            start = time.perf_counter()
            self.done.model.predict(few.rows)
        except KeyboardInterrupt:
            self.done.ended.append("Ctrl-C ended the test.")
            return few
        each = (time.perf_counter() - start) / FEW
        most = max(FEW, int((self.options.time_limit or TESTING) / max(each, 1e-9)))
        if most >= len(found):
            return found
        self.most = most
        return found.take(np.sort(random.choice(len(found), most, replace=False)))

    def _by_folds(self, count: int) -> Summary:
        """By fitting the same steps again for every fold; what Ctrl-C leaves out is reported."""
        rows, y = self.done.rows.rows, self.done.rows.labels()
        answers = np.empty_like(y)
        done, left = np.zeros(len(y), dtype=bool), count
        groups = self.done.rows.apart if self.options.group is not None else None
        try:
            for kept, tested in folds(y, count, self.options.seed, numbers=self.options.numbers, groups=groups):
                if is_interrupted(self.done.model) or pressed():
                    break
                model, part = clone(self.done.model), self.done.rows.take(kept)
                fit_learner(model, fit_columns(model, part), part, settings=self.options.given)
                if is_interrupted(model):
                    break
                answers[tested], done[tested] = model.predict(rows[tested]), True
                left -= 1
        except KeyboardInterrupt:
            pass
        if left:
            self.done.ended.append(f"Ctrl-C ended the cross-validation after {count - left} of {count} folds.")
        if left == count:
            self.done.told = ON_TRAINING_ROWS
            return self._by_rows()
        return self._summary(self.done.rows.take(np.flatnonzero(done)), answers[done])

    def _summary(self, tested: Examples, predictions: Array | None) -> Summary:
        if not is_interrupted(self.done.model) and not pressed():
            try:
                return self._summarised(tested, predictions, briefly=False)
            except KeyboardInterrupt:
                self.done.ended.append("Ctrl-C ended the test; the model itself is whole.")
                if predictions is None and len(tested) > FEW:
                    self.most = FEW
                    tested = tested.take(np.arange(0, len(tested), len(tested) // FEW))
        with postponed():
            return self._summarised(tested, predictions, briefly=True)

    def _summarised(self, tested: Examples, predictions: Array | None, *, briefly: bool) -> Summary:
        done, learned = self.done, self.done.rows
        if self.most is not None and len(learned) > self.most:
            random = np.random.default_rng(self.options.seed)
            learned = learned.take(np.sort(random.choice(len(learned), self.most, replace=False)))
        return summarise(
            done.model, tested.rows, tested.labels(), X_train=learned.rows, y_train=learned.labels(),
            predictions=predictions, positive=done.positive, target=done.rows.target,
            feature_names=done.rows.feature_names(), held_out=done.told, rows_train=done.count, most=self.options.top,
            time_limit=BRIEF if briefly else ADVISING, advise=self.options.advise and not briefly,
            random_state=self.options.seed,
        )  # fmt: skip


def check_known(tested: Examples, classes: Array) -> None:
    """Refuse rows to test on where no label is one of the model's classes: every answer would be wrong."""
    labels = classes_of(tested.labels())
    if not np.isin(labels, classes).any():
        raise InputError(
            f"None of the labels of {tested.name} was in training: it has {shortened(labels.tolist()[0])} for one, and "
            f"training had {listed(classes.tolist())}."
        )


def class_named(y: Array, wanted: Any) -> Any:
    """The class that is written like this.

    Examples
    --------
    >>> class_named(np.array([0, 1, 1]), "1")
    1
    """
    classes = classes_of(y).tolist()
    for label in classes:
        if str(label) == str(wanted):
            return label
    raise UsageError(
        f"There is no class {shortened(wanted)}{nearest(str(wanted), map(str, classes))}; there are {listed(classes)}."
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
