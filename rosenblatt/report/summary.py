"""Figures of a fitted model on held-out rows: accuracy, baseline, confusion, features, separability, advice."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import rosenblatt
from rosenblatt.arguments import shortened
from rosenblatt.estimators.classes import classes_of, coded
from rosenblatt.features.anatomy import Anatomy, Array, labels_of, take
from rosenblatt.plain import Figures, plain
from rosenblatt.report.advice import Advice, Advisor
from rosenblatt.report.drivers import Drivers, drivers_of, some_rows
from rosenblatt.report.scores import Baseline, ClassFigures, Confusion, RegressionFigures, Share, percent, roc_auc
from rosenblatt.report.separation import Separation, separation_of
from rosenblatt.trace import STOP_REASONS
from rosenblatt.wording import LONGEST, counted, listed, short

ROWS_FOR_TRAIN_ERROR = 50_000


@dataclass(frozen=True)
class Summary(Figures):
    """What `summarise` found; `sentences()` words it, `to_dict()` is ready for JSON.

    Attributes
    ----------
    kind : "classification" or "regression"
    learner, settings : the class of the learner, and its parameters that are not the defaults
    target : the name of what is predicted, if known
    rows_train, rows_test, n_features : how many; features as the learner sees them
    classes : the labels, in the model's order; empty for a regression
    accuracy, train_accuracy : with Wilson's interval (`value`, `low`, `high`, `count`, `total`); None for a regression
    balanced_accuracy : the mean of the classes' recalls
    baseline : always the same `answer`, with its `accuracy` or `mean_error`
    beats_baseline : whether the interval of the accuracy (or of the mean error) lies beyond the baseline
    confusion : `classes`, `counts` (rows: true class, columns: predicted), `per_class`, `worst()`
    positive, positive_figures : the class that precision, recall and F1 are about: the second of two classes, or the
        one that was asked for
    roc_auc : the area under the ROC curve of the class `positive`, where there are scores; of several classes, a row
        counts by the score of `positive` minus the best other score
    regression : `r2`, `mean_error`, `low`, `high`, `root_mean_square`; None for classes
    drivers : the most important features: `kind`, `note`, `top`, `by_class`
    separation : whether the training rows are separable: `verdict`, `sentence`, `margin`, `certificate`, or None
    stop_reason, epochs, updates : of the fit, where the learner keeps a trace
    advice : what to try next, where it was asked for
    held_out : how the held-out rows came about, in words
    cross_validated : whether the predictions came from other fits, since this model has seen the rows
    version : of rosenblatt
    """

    kind: str
    learner: str
    settings: dict[str, Any]
    target: str | None
    rows_train: int | None
    rows_test: int
    n_features: int | None
    baseline: Baseline
    beats_baseline: bool
    drivers: Drivers
    classes: list[Any] = field(default_factory=list)
    accuracy: Share | None = None
    train_accuracy: Share | None = None
    balanced_accuracy: float | None = None
    confusion: Confusion | None = None
    positive: Any = None
    positive_figures: ClassFigures | None = None
    roc_auc: float | None = None
    regression: RegressionFigures | None = None
    separation: Separation | None = None
    stop_reason: str | None = None
    epochs: int | None = None
    updates: int | None = None
    advice: list[Advice] = field(default_factory=list)
    held_out: str = "not used for training"
    cross_validated: bool = False
    version: str = rosenblatt.__version__
    computed = ("per_class",)

    @property
    def per_class(self) -> list[ClassFigures]:
        return [] if self.confusion is None else self.confusion.per_class

    def sentences(self) -> list[str]:
        """The summary in sentences."""
        found = [self.headline(), self.against_baseline()]
        figures = self.positive_figures
        if figures is not None and figures.precision is not None and figures.recall is not None:
            shares = f"precision {percent(figures.precision)}, recall {percent(figures.recall)}"
            found.append(f"Class “{short(self.positive, LONGEST)}”: {shares}, F1 {figures.f1:.3f}.")
        if self.separation is not None:
            found.append(self.separation.sentence)
        if self.stop_reason:
            found.append(f"Training: {counted(self.epochs or 0, 'epoch')}, {STOP_REASONS[self.stop_reason]}.")
        return found

    def headline(self) -> str:
        if self.accuracy is not None:
            return f"Accuracy {self.accuracy} on {counted(self.rows_test, 'held-out row')}."
        assert self.regression is not None
        figures = self.regression
        r2 = "" if figures.r2 is None else f", R² {figures.r2:.3f}"
        interval = f"(95% interval {figures.low:.4g} to {figures.high:.4g})"
        rows = counted(self.rows_test, "held-out row")
        return f"Mean absolute error {figures.mean_error:.4g} {interval}{r2} on {rows}."

    def against_baseline(self) -> str:
        if self.accuracy is not None:
            assert self.baseline.accuracy is not None
            always = f"Baseline, always “{short(self.baseline.answer, LONGEST)}”"
            value, better = percent(self.baseline.accuracy.value), self.accuracy.value > self.baseline.accuracy.value
        else:
            assert self.regression is not None and self.baseline.mean_error is not None
            always, value = f"Baseline, always {self.baseline.answer:.4g}", f"{self.baseline.mean_error:.4g}"
            better = self.regression.mean_error < self.baseline.mean_error
        if self.beats_baseline:
            return f"{always}: {value}. The model is significantly better."
        return f"{always}: {value}. The model is {'not significantly' if better else 'not'} better."

    def __str__(self) -> str:
        return "\n".join([*self.sentences(), *(each.sentence for each in self.advice)])


def summarise(
    model: Any,
    X_test: Any,
    y_test: Any,
    *,
    X_train: Any = None,
    y_train: Any = None,
    predictions: Any = None,
    positive: Any = None,
    target: str | None = None,
    feature_names: list[str] | None = None,
    held_out: str | None = None,
    rows_train: int | None = None,
    most: int = 10,
    time_limit: float = 5.0,
    advise: bool = False,
    random_state: int = 0,
) -> Summary:
    """Evaluate a fitted model on rows that it has not seen.

    Parameters
    ----------
    model : a fitted estimator, or a Pipeline that ends with one
    X_test, y_test : held-out rows and their labels
    X_train, y_train : the rows it was trained on, for training accuracy, separability and advice
    predictions : predictions for X_test that were made elsewhere, by cross-validation for example
    positive : the class that precision and recall are about; of two classes it is the second
    target : the name of what is predicted
    feature_names : names of the columns of X_test, where they have none
    held_out : how the held-out rows came about, in words
    rows_train : how many rows the model was trained on, where X_train is not all of them
    most : how many features to name
    time_limit : seconds for separability, permutation importance and trials; figures do not depend on it
    advise : whether to train other learners on X_train, and report those that are significantly better
    random_state : seed of samples and trials

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
    Accuracy 96.7% (95% interval 94.6% to 98.0%) on 450 held-out rows.
    >>> print(summary.against_baseline())
    Baseline, always “1”: 10.2%. The model is significantly better.
    """
    anatomy = Anatomy(model, feature_names)
    if not isinstance(time_limit, int | float) or not time_limit > 0:
        raise ValueError(f"time_limit must be a positive number of seconds, got {shortened(time_limit)}.")
    if not isinstance(most, int) or most < 1:
        raise ValueError(f"most must be a positive integer, got {shortened(most)}.")
    truth = labels_of(X_test, y_test, "_test")
    if (X_train is None) != (y_train is None):
        raise ValueError("X_train and y_train must be passed together.")
    learned = None if X_train is None else labels_of(X_train, y_train, "_train")
    deadline = time.monotonic() + time_limit
    seen = anatomy.seen(X_test) if predictions is None else None  # once: encoding is most of the work
    answers = np.asarray(anatomy.learner.predict(seen) if predictions is None else predictions)
    if answers.shape != truth.shape:
        raise ValueError(f"predictions has shape {answers.shape}, expected one for each of {len(truth):,} labels.")
    trace = getattr(anatomy.learner, "trace_", None)
    figures: dict[str, Any] = {
        "learner": anatomy.name, "settings": anatomy.settings, "target": target,
        "rows_train": len(learned) if rows_train is None and learned is not None else rows_train,
        "rows_test": len(truth), "n_features": getattr(anatomy.learner, "n_features_in_", None),
        "stop_reason": (trace.stop_reason or None) if trace is not None else None,
        "epochs": len(trace) if trace is not None else None,
        "updates": int(trace["updates"].sum()) if trace is not None and len(trace) else None,
        "cross_validated": predictions is not None,
    } | ({} if held_out is None else {"held_out": held_out})  # fmt: skip
    options: dict[str, Any] = {"most": most, "seed": random_state, "deadline": deadline}
    if anatomy.regression:
        test = RegressionFigures.of(truth.astype(np.float64), answers)
        mean = float((truth if learned is None else learned).mean())
        baseline = Baseline(mean, mean_error=(error := float(np.abs(truth - mean).mean())))
        drivers = drivers_of(anatomy, X_test, truth.astype(np.float64), [], **options)
        return Summary(kind="regression", baseline=baseline, beats_baseline=test.high < error, drivers=drivers,
                       regression=test, **figures)  # fmt: skip
    present = classes_of(truth)
    known = np.asarray(getattr(anatomy.learner, "classes_", present))
    classes = [plain(name) for name in known]
    if not np.isin(present, known).any():
        raise ValueError(
            f"y_test has no label that the model knows ({', '.join(map(repr, classes[:6]))}); it has "
            f"{plain(truth[0])!r}, for example."
        )
    confusion = Confusion.of(truth, answers, classes)
    largest = _largest(truth if learned is None else learned)
    always = Share(int((truth == largest).sum()), len(truth))
    baseline = Baseline(plain(largest), always)
    if positive is not None:
        positive = class_named(positive, classes)
    elif len(classes) == 2:
        positive = classes[1]
    scored = seen is not None and positive is not None and hasattr(anatomy.learner, "decision_function")
    scores = anatomy.learner.decision_function(seen) if scored else None
    separation = train_accuracy = None
    if learned is not None:
        chosen = some_rows(len(learned), ROWS_FOR_TRAIN_ERROR, random_state)
        train_accuracy = Share(int(np.sum(anatomy.answers(take(X_train, chosen)) == learned[chosen])), len(chosen))
        separation = separation_of(anatomy, X_train, learned, classes, time_limit=time_limit / 2, seed=random_state)
    drivers = drivers_of(anatomy, X_test, truth, classes, **options)
    advice = []
    if advise and learned is not None:
        advice = Advisor(anatomy, X_test, truth, answers, X_train, learned, train_accuracy, always, confusion,
                         separation, deadline, random_state, predictions is not None).advice()  # fmt: skip
    return Summary(
        kind="classification", classes=classes, accuracy=confusion.accuracy, train_accuracy=train_accuracy,
        balanced_accuracy=confusion.balanced_accuracy, baseline=baseline,
        beats_baseline=confusion.accuracy.low > always.value, confusion=confusion, positive=positive,
        positive_figures=confusion.of_class(positive), roc_auc=roc_auc(truth, scores, classes, positive),
        drivers=drivers, separation=separation, advice=advice, **figures,
    )  # fmt: skip


def class_named(wanted: Any, classes: list[Any]) -> Any:
    """The class that is written like this."""
    found = [name for name in classes if name == plain(wanted) or str(name) == str(wanted)]
    if not found:
        raise ValueError(f"There is no class {shortened(wanted)}; there are {listed(classes)}.")
    return found[0]


def _largest(labels: Array) -> Any:
    names, codes = coded(labels)
    return names[np.bincount(codes).argmax()]
