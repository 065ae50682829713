"""What a fitted model is worth, by rows kept aside or by cross-validation; Ctrl-C never loses the model."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.features.labels import distinct
from rosenblatt.interrupts import postponed, pressed
from rosenblatt.report import Summary, summarise
from rosenblatt.verbs.errors import InputError, one_line
from rosenblatt.verbs.examples import Array, Examples
from rosenblatt.verbs.pipelines import fit_columns, fit_learner, fresh, in_the_file
from rosenblatt.verbs.splits import folds
from rosenblatt.wording import listed, shortened

TOO_FAR = "Some numbers were too large or too small to compute with; give the columns in other units, or scale them."
FEW_OF_EACH = (
    "The target has more than half as many classes as rows, too few of each to learn from; if it is a quantity, write "
    "it as numbers and pass --learner least-squares."
)
FLATTERING = "the training rows themselves, which flatters"
THINKING = 5.0  # seconds for separability and for trying other learners


@dataclass(eq=False)
class Judge:
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
                if is_interrupted(self.model) or pressed():
                    break
                model, part = fresh(self.model), self.learned.take(kept)
                fit_learner(model, fit_columns(model, part), part)
                if is_interrupted(model):
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
        if not is_interrupted(self.model) and not pressed():
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


def check_known(tested: Examples, classes: Array) -> None:
    """Refuse rows to test on where no label is one of the model's classes: every answer would be wrong."""
    labels = distinct(tested.labels())
    if not np.isin(labels, classes).any():
        raise InputError(
            f"Rows to test on must have labels that training had ({listed(classes.tolist())}), but {tested.name} has "
            f"none of them, {shortened(labels.tolist()[0])} for one; pass rows whose labels are written as in training."
        )


def is_interrupted(model: Pipeline) -> bool:
    return getattr(model.steps[-1][1], "stop_reason_", "") == "interrupted"


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """Warnings as sentences; how a run ended is in the summary."""
    sentences: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield sentences
    for warning in caught:
        text = one_line(warning.message) if isinstance(warning.message, Warning) else str(warning.message)
        if issubclass(warning.category, RuntimeWarning) and " encountered in " in text:  # NumPy's words
            text = TOO_FAR
        if text.startswith("The number of unique classes is greater than"):  # scikit-learn's
            text = FEW_OF_EACH
        if not issubclass(warning.category, ConvergenceWarning | DeprecationWarning) and text not in sentences:
            sentences.append(text)
