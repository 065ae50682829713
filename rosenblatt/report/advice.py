"""What to try next: each suggestion is a learner that was trained and is significantly better on held-out rows.

A learner is better than another when held-out rows that it alone classifies correctly outnumber the others beyond
chance: McNemar's exact test at 5%. On many rows a trial learns from a sample, and is compared with the model's own
learner trained on the same sample.

The same rows and seed give the same suggestions. The clock decides only whether a trial runs: one that does not finish
in time is discarded and listed as not tried.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import bdtr
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt.features.anatomy import Anatomy, Array, take
from rosenblatt.plain import Figures
from rosenblatt.report.drivers import some_rows
from rosenblatt.report.scores import Confusion, Share, percent
from rosenblatt.report.separation import Separation

ROWS_FOR_KERNEL = 2_000
ROWS_FOR_LINEAR = 20_000
ROWS_HELD_OUT = 4_000
FEATURES_FOR_KERNEL = 2_000
WEIGHTS_FOR_LINEAR = 1_000_000  # of all half-spaces together
SIGNIFICANT = 0.05
OVERFIT = 0.03  # training accuracy above held-out accuracy
NOT_TRIED = ("random_state", "verbose", "n_jobs", "time_limit", "class_weight", "warm_start")


@dataclass(frozen=True)
class Trial(Figures):
    """A learner that was tried: its settings, the rows it learned from, its accuracy on held-out rows.

    `rival` is the accuracy of the model's own learner on the same rows, trained on as many. A trial that did not finish
    in time has no accuracy.
    """

    topic: str
    learner: str
    settings: dict[str, Any]
    scaled: bool = False  # whether a StandardScaler came before it
    rows: int = 0
    accuracy: Share | None = None
    rival: Share | None = None
    better: bool = False

    @property
    def name(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{self.learner}({settings})" + (" after a StandardScaler" if self.scaled else "")


@dataclass(frozen=True)
class Advice(Figures):
    """One suggestion: a sentence, its topic, and the trial behind it where there was one.

    `learner` and `settings` are what to train with: a class of ours and its parameters.
    """

    topic: str
    sentence: str
    learner: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    trial: Trial | None = None


@dataclass
class Advisor:
    """A fitted classifier, its rows and its figures, from which `advice` makes suggestions."""

    anatomy: Anatomy
    X_test: Any
    y_test: Array
    answers: Array
    X_train: Any
    y_train: Array
    train_accuracy: Share | None
    baseline: Share
    confusion: Confusion
    separation: Separation | None
    deadline: float
    seed: int
    cross_validated: bool  # the answers are those of other fits: the model has seen the held-out rows

    def advice(self) -> list[Advice]:
        accuracy, best = self.confusion.accuracy, dict[str, Trial]()
        if accuracy.count == accuracy.total:
            return []
        trials = [self._try(*candidate) for candidate in self._candidates()]
        for trial in trials:
            if trial.better and (trial.topic not in best or _right(trial) > _right(best[trial.topic])):
                best[trial.topic] = trial
        found = [Advice(t.topic, self._sentence(t), t.learner, t.settings, t) for t in best.values()]
        if self._overfits() and "penalty" not in best:
            assert self.train_accuracy is not None
            gap = f"training accuracy {percent(self.train_accuracy.value)}, test accuracy {percent(accuracy.value)}"
            found.append(Advice("overfitting", f"The model overfits ({gap}): more rows or fewer features may help."))
        if not best and accuracy.low <= self.baseline.value:
            text = "The columns may not determine the target: try other columns or more rows."
            found.append(Advice("features", text))
        worse = [trial.name for trial in trials if trial.accuracy is not None and not trial.better]
        late = [trial.name for trial in trials if trial.accuracy is None]
        if worse:
            found.append(Advice("tried", f"Tried, not significantly better: {'; '.join(worse)}."))
        if late:
            found.append(Advice("time", f"Not tried, out of time: {'; '.join(late)}."))
        return found

    def _candidates(self) -> Iterator[tuple[str, Any, dict[str, Any], int]]:
        """(topic, learner, settings, the most rows it learns from)."""
        from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
        from rosenblatt.estimators.linear_svm import LinearSVM

        learner, weights = self.anatomy.learner, self.anatomy.coefficients
        most = ROWS_FOR_KERNEL if weights is None else ROWS_FOR_LINEAR
        linear = weights is not None and weights.size <= WEIGHTS_FOR_LINEAR
        parameters = learner.get_params(deep=False)
        if parameters.get("answer", "averaged") != "averaged" and "solver" not in parameters:  # an online learner
            yield "answer", type(learner), self._same() | {"answer": "averaged"}, most
        if linear and self.separation is not None and self.separation.verdict == "separable":
            yield "margin", LinearSVM, {}, ROWS_FOR_LINEAR
        if not isinstance(learner, KernelPerceptron) and learner.n_features_in_ <= FEATURES_FOR_KERNEL:
            yield "kernel", KernelPerceptron, {"kernel": "rbf", "answer": "averaged", "max_iter": 20}, ROWS_FOR_KERNEL
        if linear and self._overfits():
            for lam in (0.001, 0.01, 0.1):
                yield "penalty", LinearSVM, {"lam": lam, "max_iter": 100}, ROWS_FOR_LINEAR
        if getattr(learner, "stop_reason_", "") == "max_iter":
            yield "epochs", type(learner), self._same() | {"max_iter": 2 * int(learner.max_iter)}, most

    def _overfits(self) -> bool:
        train, test = self.train_accuracy, self.confusion.accuracy
        return train is not None and train.value - test.value >= OVERFIT and train.low > test.high

    def _sentence(self, trial: Trial) -> str:
        assert trial.accuracy is not None and trial.rival is not None
        figures = f"accuracy {percent(trial.accuracy.value)} instead of {percent(trial.rival.value)}"
        total = trial.accuracy.total
        rows = "" if total == len(self.y_test) else f" on {total:,} of the held-out rows"
        learned = f", both trained on {trial.rows:,} rows" if trial.rows < len(self.y_train) else ""
        return f"Try {trial.name}: {figures}{rows}{learned}."

    # ------------------------------------------------------------------ trials

    def _same(self) -> dict[str, Any]:
        return {name: value for name, value in self.anatomy.settings.items() if name not in NOT_TRIED}

    def _try(self, topic: str, learner: Any, settings: dict[str, Any], most: int) -> Trial:
        """Held-out rows are a third of all where folds were held out in turn; a kernel gets fewer."""
        n, m = len(self.y_test), len(self.y_train)
        tested = some_rows(n, n if most == ROWS_FOR_LINEAR else ROWS_HELD_OUT, self.seed)
        chosen = some_rows(m, most, self.seed)
        if self.cross_validated:
            tested = some_rows(n, min(max(1, n // 3), ROWS_HELD_OUT), self.seed + 1)
            chosen = np.setdiff1d(chosen, tested) if m == n else chosen
        scaled = not self.anatomy.steps and getattr(self.X_train, "dtype", None) != np.uint8
        scaled = scaled and not hasattr(self.X_train, "indptr")
        trial = Trial(topic, learner.__name__, settings, scaled)
        given = self._answers(learner, settings, scaled, chosen, tested)
        ours: Array | None = self.answers[tested]
        if given is not None and m > most:
            ours = self._answers(type(self.anatomy.learner), self._same(), scaled, chosen, tested)
        if given is None or ours is None:
            return trial
        truth = self.y_test[tested]
        right, rival = given == truth, ours == truth
        return replace(trial, rows=len(chosen), accuracy=Share(int(right.sum()), len(right)),
                       better=better(right, rival), rival=Share(int(rival.sum()), len(rival)))  # fmt: skip

    def _answers(
        self, learner: Any, settings: dict[str, Any], scaled: bool, chosen: Array, tested: Array
    ) -> Array | None:
        """The predictions of a learner for held-out rows; None without time or classes to learn."""
        left, labels = self.deadline - time.monotonic(), self.y_train[chosen]
        if left <= 0 or len(np.unique(labels)) < 2:
            return None
        model = learner(**settings)
        model.set_params(**{k: v for k, v in (("random_state", self.seed), ("time_limit", left)) if hasattr(model, k)})
        whole = make_pipeline(StandardScaler(), model) if scaled else model
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            whole.fit(self.anatomy.seen(take(self.X_train, chosen)), labels)
            if getattr(model, "stop_reason_", "") == "time_limit":
                return None
            return np.asarray(whole.predict(self.anatomy.seen(take(self.X_test, tested))))


def better(right: Array, rival: Array) -> bool:
    """Whether the first of two learners is better by McNemar's exact test; rows that each classifies correctly."""
    gained, lost = int((right & ~rival).sum()), int((rival & ~right).sum())
    return gained > lost and 2.0 * float(bdtr(lost, gained + lost, 0.5)) < SIGNIFICANT


def _right(trial: Trial) -> int:
    return 0 if trial.accuracy is None else trial.accuracy.count
