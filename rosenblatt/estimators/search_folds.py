"""What a search is asked: rows and labels, the folds that they are divided into, and how a fit is scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from rosenblatt.checked_labels import check_labels
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import classes_to_fit
from rosenblatt.estimators.linear import LinearClassifier
from rosenblatt.estimators.validation import check_rows, check_weights
from rosenblatt.scikit_private import count_samples, rows_at, split_at


def last_step(estimator: Any) -> Any:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


@dataclass
class Fold:
    """Which rows are learned from and which are scored."""

    train: Array
    test: Array


@dataclass
class Problem:
    """Rows, labels and folds, checked."""

    X: Any
    y: Array
    folds: list[Fold]
    weights: Array | None
    scoring: Any
    _tests: dict[int, tuple[Any, Array]] = field(default_factory=dict)

    def test(self, number: int) -> tuple[Any, Array]:
        """The rows and labels that fold `number` is scored by."""
        if number not in self._tests:
            fold = self.folds[number]
            self._tests[number] = rows_at(self.X, fold.test), self.y[fold.test]
        return self._tests[number]

    def work(self, settings: int) -> float:
        """About how many multiplications so many settings take on all folds, in a few epochs."""
        width = np.prod(np.shape(self.X)[1:], dtype=float) if hasattr(self.X, "shape") else 1.0
        return 10.0 * len(self.y) * width * settings * len(self.folds)

    def row_weights(self, fold: Fold) -> Array:
        """The fold as sample weights: 0 for the rows that it leaves out."""
        weights = np.zeros(len(self.y))
        weights[fold.train] = 1.0 if self.weights is None else self.weights[fold.train]
        return weights

    def fit_parameters(self, estimator: Any, weights: Array | None) -> dict[str, Any]:
        if weights is None:
            return {}
        if isinstance(estimator, Pipeline):
            return {f"{estimator.steps[-1][0]}__sample_weight": weights}
        return {"sample_weight": weights}

    def fit_alone(self, estimator: Any, number: int) -> float:
        """Fit on the rows of a fold and score its others."""
        fold = self.folds[number]
        if _masks(estimator):
            estimator.fit(self.X, self.y, sample_weight=self.row_weights(fold))
        else:
            own = None if self.weights is None else self.weights[fold.train]
            rows, labels = split_at(estimator, self.X, self.y, fold.train)
            estimator.fit(rows, labels, **self.fit_parameters(estimator, own))
            if get_tags(estimator).input_tags.pairwise:
                return self.score(estimator, *split_at(estimator, self.X, self.y, fold.test, fold.train))
        return self.score(estimator, *self.test(number))

    def score(self, estimator: Any, X: Any, y: Array) -> float:
        if self.scoring is None:
            return float(estimator.score(X, y))
        return float(check_scoring(estimator, self.scoring)(estimator, X, y))

    def refitted(self, candidate: Any, X: Any, jobs: int) -> Any:
        """The setting fitted on all rows, as they came."""
        best = clone(candidate)
        last = last_step(best)
        share_threads(last, jobs)
        best.fit(X, self.y, **self.fit_parameters(best, self.weights))
        if getattr(last_step(candidate), "n_jobs", 1) is None:
            last.set_params(n_jobs=None)
        return best


def _masks(estimator: Any) -> bool:
    """Whether a row that weighs 0 is a row left out for this estimator; it is for ours."""
    return type(estimator).__module__.startswith("rosenblatt.") and has_fit_parameter(estimator, "sample_weight")


def share_threads(learner: Any, jobs: int) -> None:
    """Give a learner whose n_jobs is None so many threads."""
    if getattr(learner, "n_jobs", 1) is None:
        learner.set_params(n_jobs=jobs)


def problem_of(
    X: Any, y: Any, base: Any, candidates: list[Any], cv: Any, groups: Any, sample_weight: Any, scoring: Any
) -> Problem:
    classifier = is_classifier(base)
    if isinstance(base, LinearClassifier):
        X = check_rows(clone(base), X, reset=True)
    elif issparse(X):
        X = X.tocsr()
    n_rows = count_samples(X)
    y = check_labels(y, n_rows) if classifier else np.asarray(y)
    if classifier:
        classes_to_fit(y)
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, n_rows)
    if isinstance(scoring, Iterable) and not isinstance(scoring, str):
        raise ValueError(
            "scoring names several scores, but settings are compared by one. Pass one name or function, and score "
            "best_ with the others."
        )
    check_scoring(base, scoring)
    return Problem(X, y, _folds(cv, y, groups, n_rows, classifier), sample_weight, scoring)


def _folds(cv: Any, y: Array, groups: Any, n_rows: int, classifier: bool) -> list[Fold]:
    splits = check_cv(cv, y, classifier=classifier).split(np.zeros((n_rows, 1)), y, groups)
    parts = [[np.asarray(part) for part in split] for split in splits]
    folds = [Fold(*(np.flatnonzero(part) if part.dtype == bool else part for part in split)) for split in parts]
    if not folds:
        raise ValueError("cv must give at least one fold, but it gave none; pass 5, say.")
    for number, fold in enumerate(folds, 1):
        if len(np.unique(fold.train)) < len(fold.train):
            raise ValueError(
                f"cv must name every training row of a fold once, but fold {number} repeats some; use sample_weight "
                f"for rows that count more."
            )
        if len(fold.train) == 0 or len(fold.test) == 0:
            raise ValueError(
                f"cv must give every fold rows to learn from and rows to score, but fold {number} has "
                f"{len(fold.train)} and {len(fold.test)}; choose fewer folds."
            )
        if classifier:
            classes_to_fit(y[fold.train])
    return folds
