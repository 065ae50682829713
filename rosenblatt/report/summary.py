"""One look at a fitted model: how good, against what, which mistakes, what drives it, what to try next."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rosenblatt
from rosenblatt.arguments import shortened
from rosenblatt.features.anatomy import Anatomy, Array, labels_of, plain, take
from rosenblatt.features.labels import coded, distinct
from rosenblatt.report.advice import Advice, Judge, regression_advice
from rosenblatt.report.drivers import Drivers, drivers_of
from rosenblatt.report.scores import (
    Baseline,
    ClassFigures,
    Confusion,
    RegressionFigures,
    Share,
    area_under_roc,
    lead,
    percent,
)
from rosenblatt.report.separation import Separation, separation_of
from rosenblatt.trace import STOP_REASONS
from rosenblatt.wording import LONGEST, short

ROWS_FOR_TRAIN_ERROR = 50_000


@dataclass(frozen=True)
class Summary:
    """What `summarise` found; `sentences()` says it, `to_dict()` is ready for JSON.

    Attributes
    ----------
    kind : "classification" or "regression"
    learner, settings : the class of the learner, and its parameters that are not the defaults
    target : the name of what is predicted, if known
    rows_train, rows_test, n_features : how much it learned from and was judged by; features as the learner sees them
    classes : the labels, in the model's order; empty for a regression
    accuracy, train_accuracy : shares of correct answers with Wilson's interval (`value`, `low`, `high`, `count`,
        `total`); None for a regression
    balanced_accuracy : the mean over the classes of the share that is found
    baseline : always the same `answer`, with its `accuracy` or `mean_error`
    beats_baseline : whether the interval of the accuracy (or of the mean error) lies beyond the baseline
    confusion : `classes`, `counts` (rows: truth, columns: answers), `per_class`, `worst()`
    positive, positive_figures : the class that precision and recall are about, with `precision`, `recall` and `f1`:
        the second of two classes, or the one that was asked for
    roc_auc : the area under the ROC curve of the class `positive`, where there are scores; of several classes, a row
        counts by the score of `positive` minus the best other score
    regression, train_regression : `r2`, `mean_error`, `low`, `high`, `root_mean_square`; None for classes
    drivers : the most important features: `kind`, `note`, `top`, `by_class`
    separation : whether the training rows are separable: `verdict`, `sentence`, `margin`, `certificate`, or None
    stop_reason, epochs, updates : of the fit, where the learner keeps a trace
    advice : what to try next, each with its `sentence`
    held_out : how the held-out rows came about, in words
    cross_validated : whether the answers came from other fits, since this model has seen the rows
    version : of rosenblatt
    """

    kind: str
    learner: str
    settings: dict[str, Any]
    target: str | None
    rows_train: int | None
    rows_test: int
    n_features: int | None
    classes: list[Any]
    accuracy: Share | None
    train_accuracy: Share | None
    balanced_accuracy: float | None
    baseline: Baseline
    beats_baseline: bool
    confusion: Confusion | None
    positive: Any
    positive_figures: ClassFigures | None
    roc_auc: float | None
    regression: RegressionFigures | None
    train_regression: RegressionFigures | None
    drivers: Drivers
    separation: Separation | None
    stop_reason: str | None
    epochs: int | None
    updates: int | None
    advice: list[Advice] = field(default_factory=list)
    held_out: str = "not used for training"
    cross_validated: bool = False
    version: str = rosenblatt.__version__

    def to_dict(self) -> dict[str, Any]:
        """Everything as numbers, texts, lists and dictionaries."""
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            found[name] = value.to_dict() if hasattr(value, "to_dict") else plain(value)
        found["advice"] = [each.to_dict() for each in self.advice]
        found["per_class"] = [] if self.confusion is None else [c.to_dict() for c in self.confusion.per_class]
        return found

    def sentences(self) -> list[str]:
        """The summary in plain words."""
        said = [self.headline(), self.against_baseline()]
        if self.separation is not None:
            said.append(self.separation.sentence)
        if self.stop_reason:
            epochs = "1 epoch" if self.epochs == 1 else f"{self.epochs} epochs"
            said.append(f"Training took {epochs} and ended because {STOP_REASONS[self.stop_reason]}.")
        return said

    def headline(self) -> str:
        if self.accuracy is not None:
            return (
                f"Of 1,000 new rows {self.accuracy.in_a_thousand()} would be answered correctly "
                f"({self.accuracy.count:,} of {self.accuracy.total:,} held-out rows were)."
            )
        assert self.regression is not None
        figures = self.regression
        explained = "" if figures.r2 is None else f" It explains {figures.r2:.1%} of the variance (R²)."
        return (
            f"New rows are answered with a mean error of about {figures.mean_error:.4g}, between {figures.low:.4g} and "
            f"{figures.high:.4g}.{explained}"
        )

    def against_baseline(self) -> str:
        if self.accuracy is not None:
            assert self.baseline.accuracy is not None
            share = percent(self.baseline.accuracy.value)
            always = f"Always answering “{short(self.baseline.answer, LONGEST)}” would be right in {share}"
            ours = f"this model is in {percent(self.accuracy.value)}"
            if self.beats_baseline:
                return f"{always}; {ours}, which is better beyond chance."
            if self.accuracy.value > self.baseline.accuracy.value:
                return f"{always}; {ours}, which does not beat that beyond chance."
            return f"{always}; {ours}: the model does not beat the largest class."
        assert self.regression is not None and self.baseline.mean_error is not None
        verdict = "better beyond chance" if self.beats_baseline else "not better beyond chance"
        return (
            f"Always answering the mean, {self.baseline.answer:.4g}, would have a mean error of "
            f"{self.baseline.mean_error:.4g}; this model is {verdict}."
        )

    def __str__(self) -> str:
        lines = [*self.sentences(), *(f"Next: {each.sentence}" for each in self.advice)]
        return "\n".join(lines)


def summarise(
    model: Any,
    X_test: Any,
    y_test: Any,
    *,
    X_train: Any = None,
    y_train: Any = None,
    predictions: Any = None,
    scores: Any = None,
    positive: Any = None,
    target: str | None = None,
    feature_names: list[str] | None = None,
    held_out: str | None = None,
    rows_train: int | None = None,
    most: int = 10,
    time_limit: float = 5.0,
    advise: bool = True,
    random_state: int = 0,
) -> Summary:
    """Judge a fitted model on rows that it has not seen.

    Parameters
    ----------
    model : a fitted estimator, or a Pipeline that ends with one
    X_test, y_test : held-out rows and their labels
    X_train, y_train : the rows it was trained on; without them separability and other learners are not asked about
    predictions : answers for X_test by other fits of the same learner (cross-validation: X_test is then all rows)
    scores : scores for X_test that go with `predictions`, for the ROC curve
    positive : the class that precision, recall and the ROC curve are about; the second of two classes if None
    target, feature_names : names for the words of the summary; of a pipeline's columns it knows the names itself
    held_out : how X_test came about, in words
    rows_train : how many rows were trained on, where X_train is only some of them
    most : how many features to name
    time_limit : seconds for separability and for trying other learners together; what is not done by then is left out
    advise : whether to try other learners
    random_state : seed of the samples that are taken from many rows

    Returns
    -------
    Summary

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.report import summarise
    >>> from rosenblatt.sources import digits
    >>> data = digits(random_state=0)
    >>> model = Perceptron(answer="averaged", max_iter=20, random_state=0).fit(data.X_train, data.y_train)
    >>> summary = summarise(model, data.X_test, data.y_test)
    >>> print(summary.headline())
    Of 1,000 new rows about 967, between 946 and 980 would be answered correctly (435 of 450 held-out rows were).
    >>> print(summary.against_baseline())
    Always answering “1” would be right in 10.2%; this model is in 96.7%, which is better beyond chance.
    """
    anatomy = Anatomy(model, feature_names)
    if not isinstance(time_limit, int | float) or not time_limit > 0:
        raise ValueError(f"time_limit must be a number of seconds above 0, but got {shortened(time_limit)}; use 5.")
    if not isinstance(most, int) or most < 1:
        raise ValueError(f"most must be a whole number above 0, but got {shortened(most)}; use 10.")
    truth = labels_of(X_test, y_test, "_test")
    if (X_train is None) != (y_train is None):
        raise ValueError("X_train and y_train belong together, but only one of them came; pass both or neither.")
    learned = None if X_train is None else labels_of(X_train, y_train, "_train")
    deadline = time.monotonic() + time_limit
    seen = anatomy.seen(X_test) if predictions is None else None  # once: encoding is most of the work
    answers = np.asarray(anatomy.learner.predict(seen) if predictions is None else predictions)
    if answers.shape != truth.shape:
        raise ValueError(
            f"There must be one prediction for each of the {len(truth):,} labels, but their shape is {answers.shape}; "
            f"pass one answer per row of X_test."
        )
    trace = getattr(anatomy.learner, "trace_", None)
    common: dict[str, Any] = {
        "learner": anatomy.name,
        "settings": anatomy.settings,
        "target": target,
        "rows_train": len(learned) if rows_train is None and learned is not None else rows_train,
        "rows_test": len(truth),
        "n_features": getattr(anatomy.learner, "n_features_in_", None),
        "stop_reason": (trace.stop_reason or None) if trace is not None else None,
        "epochs": len(trace) if trace is not None else None,
        "updates": int(trace["updates"].sum()) if trace is not None and len(trace) else None,
    }
    if held_out is not None:
        common["held_out"] = held_out
    common["cross_validated"] = predictions is not None
    if anatomy.regression:
        return _of_regression(anatomy, X_test, truth, answers, X_train, learned, common, most, deadline, random_state)
    present = distinct(truth)
    known = np.asarray(getattr(anatomy.learner, "classes_", present))
    classes = [plain(name) for name in known]
    if not np.isin(present, known).any():
        raise ValueError(
            f"y_test must have labels that the model knows ({', '.join(map(repr, classes[:6]))}), but it has none, "
            f"{plain(truth[0])!r} for one; pass the labels as they were in training."
        )
    confusion = Confusion.of(truth, answers, classes)
    accuracy = confusion.accuracy
    largest = _largest(truth if learned is None else learned)
    baseline = Baseline(plain(largest), Share(int((truth == largest).sum()), len(truth)))
    assert baseline.accuracy is not None
    beats = accuracy.low > baseline.accuracy.value
    positive = _positive(positive, classes)
    if (
        scores is None
        and predictions is None
        and positive is not None
        and hasattr(anatomy.learner, "decision_function")
    ):
        scores = anatomy.learner.decision_function(seen)
    separation = train_accuracy = None
    if learned is not None:
        train_accuracy = _train_accuracy(anatomy, X_train, learned, random_state)
        separation = separation_of(anatomy, X_train, learned, classes, time_limit=time_limit / 2, seed=random_state)
    drivers = drivers_of(anatomy, X_test, truth, classes, most=most, seed=random_state, deadline=deadline)
    advice: list[Advice] = []
    if advise:
        judge = Judge(
            anatomy, X_test, truth, answers, X_train, learned, classes, accuracy, train_accuracy, baseline, beats,
            confusion, separation, deadline, random_state, predictions is not None,
        )  # fmt: skip
        advice = judge.suggestions()
    return Summary(
        kind="classification", classes=classes, accuracy=accuracy, train_accuracy=train_accuracy,
        balanced_accuracy=confusion.balanced_accuracy, baseline=baseline, beats_baseline=beats, confusion=confusion,
        positive=positive, positive_figures=confusion.of_class(positive),
        roc_auc=_area(truth, scores, classes, positive),
        regression=None, train_regression=None, drivers=drivers, separation=separation, advice=advice, **common,
    )  # fmt: skip


def _of_regression(
    anatomy: Anatomy, X_test: Any, truth: Array, answers: Array, X_train: Any, learned: Array | None,
    common: dict[str, Any], most: int, deadline: float, seed: int,
) -> Summary:  # fmt: skip
    truth = truth.astype(np.float64)
    figures = RegressionFigures.of(truth, answers)
    mean = float((truth if learned is None else learned).mean())
    baseline = Baseline(mean, mean_error=float(np.abs(truth - mean).mean()))
    assert baseline.mean_error is not None
    train = None
    if learned is not None:
        chosen = _some(len(learned), ROWS_FOR_TRAIN_ERROR, seed)
        train = RegressionFigures.of(learned[chosen].astype(np.float64), anatomy.answers(take(X_train, chosen)))
    return Summary(
        kind="regression", classes=[], accuracy=None, train_accuracy=None, balanced_accuracy=None, baseline=baseline,
        beats_baseline=figures.high < baseline.mean_error, confusion=None, positive=None,
        positive_figures=None, roc_auc=None, regression=figures, train_regression=train,
        drivers=drivers_of(anatomy, X_test, truth, [], most=most, seed=seed, deadline=deadline), separation=None,
        advice=regression_advice(anatomy, figures, train), **common,
    )  # fmt: skip


def _positive(positive: Any, classes: list[Any]) -> Any:
    if positive is None:
        return classes[1] if len(classes) == 2 else None
    found = [name for name in classes if name == plain(positive) or str(name) == str(positive)]
    if not found:
        raise ValueError(
            f"positive must be one of the classes ({', '.join(map(repr, classes[:6]))}), but got "
            f"{shortened(positive)}; choose one of them."
        )
    return found[0]


def _area(truth: Array, scores: Any, classes: list[Any], positive: Any) -> float | None:
    """The area under the ROC curve, where it is defined: rows of the class and others were held out, with scores."""
    if scores is None or positive is None or np.shape(scores)[1:] not in ((), (len(classes),)):
        return None
    hits = truth == positive
    if hits.all() or not hits.any():
        return None
    return area_under_roc(hits, lead(scores, classes, positive))


def _largest(labels: Array) -> Any:
    names, codes = coded(labels)
    return names[np.bincount(codes).argmax()]


def _some(n: int, most: int, seed: int) -> Array:
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def _train_accuracy(anatomy: Anatomy, X: Any, y: Array, seed: int) -> Share:
    chosen = _some(len(y), ROWS_FOR_TRAIN_ERROR, seed)
    right = anatomy.answers(take(X, chosen)) == y[chosen]
    return Share(int(right.sum()), len(right))
