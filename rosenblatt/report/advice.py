"""What to try next, each suggestion tried before it is made: on a sample of the training rows, with the held-out ones.

A suggestion that names a learner says what it scored. One learner is called better than another when so many
held-out rows are right with it and wrong with the other, and so few the other way round, that chance has less than
5% (McNemar's test, exact). Nothing but such a difference is a reason to suggest a learner.

The same rows and seed give the same suggestions. The clock decides only whether a trial takes place: one that does not
come to its end in time is thrown away, and the last suggestion names it.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import bdtr
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt.features.anatomy import Anatomy, Array, count_rows, plain, take
from rosenblatt.report.scores import Baseline, Confusion, RegressionFigures, Share, percent
from rosenblatt.report.separation import Separation
from rosenblatt.wording import LONGEST, counted, short

ROWS_FOR_KERNEL = 2_000
ROWS_FOR_LINEAR = 20_000
ROWS_HELD_OUT = 4_000
FEATURES_FOR_KERNEL = 2_000
WEIGHTS_FOR_LINEAR = 1_000_000  # of all half-spaces together: a machine with more takes longer than a summary may
CHANCE = 0.05
RARE = 3.0  # a largest class that has this many times the rows of the smallest
GAP = 0.03  # training accuracy above held-out accuracy that is worth a word


@dataclass(frozen=True)
class Trial:
    """A learner that was tried: what it was, on how many rows it learned, what it scored on held-out rows."""

    learner: str
    settings: dict[str, Any]
    rows: int
    accuracy: Share
    scaled: bool  # whether a StandardScaler was put in front

    @property
    def name(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{self.learner}({settings})" + (" after a StandardScaler" if self.scaled else "")

    def to_dict(self) -> dict[str, Any]:
        found = {name: plain(value) for name, value in vars(self).items() if name != "accuracy"}
        return found | {"accuracy": self.accuracy.to_dict()}


@dataclass(frozen=True)
class Advice:
    """One thing to try next: a sentence, what it is about, and the trial behind it where there was one.

    `learner` and `settings` are what to train with: a class of ours and its parameters.
    """

    topic: str
    sentence: str
    learner: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    trial: Trial | None = None

    def to_dict(self) -> dict[str, Any]:
        found = {name: plain(value) for name, value in vars(self).items() if name != "trial"}
        return found | {"trial": None if self.trial is None else self.trial.to_dict()}


@dataclass
class Judge:
    """Everything that the suggestions are made from."""

    anatomy: Anatomy
    X_test: Any
    y_test: Array
    answers: Array
    X_train: Any
    y_train: Array | None
    classes: list[Any]
    accuracy: Share
    train_accuracy: Share | None
    baseline: Baseline
    beats_baseline: bool
    confusion: Confusion
    separation: Separation | None
    deadline: float
    seed: int
    cross_validated: bool  # whether the model itself has seen the rows that it is judged by
    skipped: list[str] = field(default_factory=list)  # trials for which there was no time
    tried: list[str] = field(default_factory=list)  # learners whose trial came to its end

    def suggestions(self) -> list[Advice]:
        ways = [self._other_answer, self._kernel, self._separable, self._fit, self._balance, self._epochs]
        if not self.beats_baseline:
            ways.insert(0, ways.pop(2 if self._is_separable() else 1))  # first what is likeliest to help at all
        found: list[Advice] = []
        for way in ways:
            advice = way()
            if advice is not None:
                found.append(advice)
        if not found and self.accuracy.count == self.accuracy.total:
            found.append(
                Advice("done", "Every held-out row was answered correctly; more held-out rows would tell more.")
            )
        elif not found and not self.beats_baseline:
            found.append(Advice("features", self._nothing_helps()))
        elif not found:
            found.append(Advice("done", self._nothing_better()))
        if self.skipped:
            names = ", ".join(dict.fromkeys(self.skipped))
            found.append(Advice("time", f"Not tried, since the time for trials was up: {names}."))
        return found

    # ------------------------------------------------------------------ trials

    def _out_of_time(self) -> bool:
        return time.monotonic() > self.deadline

    def _rows(self, X: Any, most: int) -> Array:
        n = count_rows(X)
        if n <= most:
            return np.arange(n)
        return np.sort(np.random.default_rng(self.seed).choice(n, most, replace=False))

    def _asked(self, *, linear: bool) -> Array:
        """The rows that a trial is judged by: held-out ones, or a third of all where folds were held out in turn.

        A kernel machine takes its time to answer, so that many rows are too many for it.
        """
        n = count_rows(self.X_test)
        if not self.cross_validated:
            return self._rows(self.X_test, n if linear else ROWS_HELD_OUT)
        return np.sort(
            np.random.default_rng(self.seed + 1).choice(n, min(max(1, n // 3), ROWS_HELD_OUT), replace=False)
        )

    def _try(self, learner: Any, settings: dict[str, Any], most: int) -> tuple[Trial, Array, Array] | None:
        """Fit on a sample and answer held-out rows; None where there is nothing to fit on, or no time."""
        if self.y_train is None:
            return None
        if self._out_of_time():
            self.skipped.append(self._called(learner, settings))
            return None
        asked = self._asked(linear=most == ROWS_FOR_LINEAR)
        chosen = self._rows(self.X_train, most)
        if self.cross_validated and count_rows(self.X_train) == count_rows(self.X_test):
            chosen = np.setdiff1d(chosen, asked)
        labels = self.y_train[chosen]
        if len(np.unique(labels)) < 2:
            return None
        rows, held_out = self.anatomy.seen(take(self.X_train, chosen)), self.anatomy.seen(take(self.X_test, asked))
        scaled = not self.anatomy.steps and not hasattr(rows, "indptr") and getattr(rows, "dtype", None) != np.uint8
        left = max(0.05, self.deadline - time.monotonic())
        model = learner(**settings)
        model.set_params(**{k: v for k, v in (("random_state", self.seed), ("time_limit", left)) if hasattr(model, k)})
        if scaled:
            model = make_pipeline(StandardScaler(), model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", ".* encountered in ", RuntimeWarning)  # NumPy's: no word on the model
            model.fit(rows, labels)
            if getattr(model[-1] if scaled else model, "stop_reason_", "") == "time_limit":
                self.skipped.append(self._called(learner, settings))  # half a fit would say what the clock says
                return None
            answers = np.asarray(model.predict(held_out))
        right = answers == self.y_test[asked]
        accuracy = Share(int(right.sum()), len(right))
        self.tried.append(learner.__name__)
        return Trial(learner.__name__, settings, len(chosen), accuracy, scaled), answers, asked

    def _called(self, learner: Any, settings: dict[str, Any]) -> str:
        named = {name: settings[name] for name in ("kernel", "lam", "class_weight") if name in settings}
        return f"{learner.__name__}({', '.join(f'{name}={value!r}' for name, value in named.items())})"

    def _has_room(self) -> bool:
        """Whether the weights of a linear machine are few enough to be proven in a moment."""
        weights = self.anatomy.coefficients
        return weights is not None and weights.size <= WEIGHTS_FOR_LINEAR

    def _better(self, answers: Array, asked: Array, than: Array) -> bool:
        """Whether these answers to the rows that were asked are better than others, beyond chance."""
        truth = self.y_test[asked]
        ours, theirs = than == truth, answers == truth
        gained, lost = int((theirs & ~ours).sum()), int((ours & ~theirs).sum())
        return gained > lost and 2.0 * float(bdtr(lost, gained + lost, 0.5)) < CHANCE

    def _scored(self, trial: Trial, asked: Array) -> str:
        ours = float((self.answers[asked] == self.y_test[asked]).mean())
        learned = (
            f"trained on {trial.rows:,} rows, it"
            if trial.rows < len(() if self.y_train is None else self.y_train)
            else "it"
        )
        right, those = percent(trial.accuracy.value), self._those(asked)
        return f"{learned} answers {right} of {those} correctly, this model {percent(ours)}"

    def _those(self, asked: Array) -> str:
        """The rows that were asked, in words; where they are not all, figures differ from those of the whole."""
        if len(asked) == len(self.y_test):
            return "the held-out rows"
        return f"{len(asked):,} of the {len(self.y_test):,} held-out rows"

    # ------------------------------------------------------------------ suggestions

    def _kernel(self) -> Advice | None:
        """Whether a curved boundary does better than a flat one."""
        if self.anatomy.name == "KernelPerceptron" or self.accuracy.count == self.accuracy.total:
            return None
        if self.anatomy.learner.n_features_in_ > FEATURES_FOR_KERNEL:
            return None
        from rosenblatt.estimators.kernel_perceptron import KernelPerceptron

        settings = {"kernel": "rbf", "answer": "averaged", "max_iter": 20}
        tried = self._try(KernelPerceptron, settings, ROWS_FOR_KERNEL)
        if tried is None:
            return None
        trial, answers, asked = tried
        known = self.beats_baseline or self._is_separable()  # that a flat one can tell something
        flat = "" if known else f"A flat boundary does not beat the largest class here{self._beyond()}. "
        if self._better(answers, asked, self.answers[asked]):
            sentence = f"{flat}Try a curved boundary, {trial.name}: {self._scored(trial, asked)}."
            return Advice("kernel", sentence, trial.learner, settings, trial)
        if self.y_train is None or trial.rows == len(self.y_train):
            return None
        # It has learned from few rows. How would this learner do with as few?
        same = self._try(type(self.anatomy.learner), self._same(), ROWS_FOR_KERNEL)
        if same is None or not self._better(answers, asked, same[1]):
            return None
        sentence = (
            f"Try a curved boundary, {trial.name}: learning from the same {trial.rows:,} rows it answers "
            f"{percent(trial.accuracy.value)} of {self._those(asked)} correctly, {self.anatomy.name} "
            f"{percent(same[0].accuracy.value)}."
        )
        return Advice("kernel", sentence, trial.learner, settings, trial)

    def _other_answer(self) -> Advice | None:
        """One fit has several answers: whether another of them does better."""
        learner = self.anatomy.learner
        if self.cross_validated or not hasattr(learner, "answers_") or self._out_of_time():
            return None
        asked = self._asked(linear=self.anatomy.coefficients is not None)
        rows = self.anatomy.seen(take(self.X_test, asked))
        best: tuple[int, str, Array] | None = None
        for name, answer in learner.answers_.items():
            answers = np.asarray(answer.predict(rows))
            right = int((answers == self.y_test[asked]).sum())
            if (
                name != learner.answer
                and self._better(answers, asked, self.answers[asked])
                and (best is None or right > best[0])
            ):
                best = right, name, answers
        if best is None:
            return None
        trial = Trial(
            self.anatomy.name,
            {"answer": best[1]},
            len(() if self.y_train is None else self.y_train),
            Share(best[0], len(asked)),
            False,
        )
        sentence = f"Use answer={best[1]!r}, which this same fit has: {self._scored(trial, asked)}."
        return Advice("answer", sentence, self.anatomy.name, {"answer": best[1]}, trial)

    def _is_separable(self) -> bool:
        return self.separation is not None and self.separation.verdict == "separable"

    def _separable(self) -> Advice | None:
        """The widest margin, where the rows are separable."""
        if not self._is_separable() or self.anatomy.name == "LinearSVM":
            return None
        if self.accuracy.count == self.accuracy.total:
            return None
        from rosenblatt.estimators.linear_svm import LinearSVM

        tried = self._try(LinearSVM, {}, ROWS_FOR_LINEAR) if self._has_room() else None
        why = "The training rows are separable, so the boundary can be put where it is farthest from all of them"
        if tried is None or not self._better(tried[1], tried[2], self.answers[tried[2]]):
            return None
        return Advice("margin", f"{why}: try LinearSVM; {self._scored(tried[0], tried[2])}.", "LinearSVM", {}, tried[0])

    def _fit(self) -> Advice | None:
        """Much better on the rows it has seen: overfitted."""
        if self.train_accuracy is None:
            return None
        gap = self.train_accuracy.value - self.accuracy.value
        if gap < GAP or self.train_accuracy.low <= self.accuracy.high:
            return None
        why = (
            f"The model answers {percent(self.train_accuracy.value)} of the training rows correctly but "
            f"{percent(self.accuracy.value)} of the held-out ones: it has learned the rows by heart"
        )
        best: tuple[Trial, Array] | None = None
        if self._has_room():
            from rosenblatt.estimators.linear_svm import LinearSVM

            for penalty in (0.001, 0.01, 0.1):
                tried = self._try(LinearSVM, {"lam": penalty, "max_iter": 100}, ROWS_FOR_LINEAR)
                if tried is not None and (best is None or tried[0].accuracy.count > best[0].accuracy.count):
                    best = (tried[0], tried[2]) if self._better(tried[1], tried[2], self.answers[tried[2]]) else best
        if best is None:
            return Advice("overfitted", f"{why}. More training rows, or fewer features, would help.")
        trial, asked = best
        sentence = f"{why}. Try a penalty on large weights, {trial.name}: {self._scored(trial, asked)}."
        return Advice("overfitted", sentence, trial.learner, trial.settings, trial)

    def _balance(self) -> Advice | None:
        """Rare classes that are found too seldom, and whether weights for classes find them."""
        learner = self.anatomy.learner
        if getattr(learner, "class_weight", "none") is not None:
            return None
        figures = [each for each in self.confusion.per_class if each.rows]
        if max(each.rows for each in figures) < RARE * min(each.rows for each in figures):
            return None
        rarest = min(figures, key=lambda each: each.rows)
        if rarest.recall is None or rarest.recall > self.accuracy.low:
            return None
        most = ROWS_FOR_LINEAR if self.anatomy.coefficients is not None else ROWS_FOR_KERNEL
        tried = self._try(type(learner), self._same() | {"class_weight": "balanced"}, most)
        if tried is None:
            return None
        trial, answers, asked = tried
        there = self.y_test[asked] == rarest.name
        if not there.any():
            return None
        before = float((self.answers[asked][there] == rarest.name).mean())
        after = float((answers[there] == rarest.name).mean())
        if not self._better(answers[there], asked[there], self.answers[asked][there]):
            return None
        ours = float((self.answers[asked] == self.y_test[asked]).mean())
        learned = f", on {trial.rows:,} rows," if self.y_train is not None and trial.rows < len(self.y_train) else ""
        name = short(rarest.name, LONGEST)
        sentence = (
            f"The class “{name}” is rare ({rarest.rows:,} of {self.accuracy.total:,} held-out rows). Of "
            f"{self._those(asked)} that are of it, this model finds {percent(before)}; a second fit{learned} with "
            f"class_weight='balanced' finds {percent(after)}, and {percent(trial.accuracy.value)} of all its answers "
            f"are correct instead of {percent(ours)}."
        )
        return Advice("balance", sentence, trial.learner, {"class_weight": "balanced"}, trial)

    def _epochs(self) -> Advice | None:
        """More epochs, where they ran out while it was still getting better, and twice as many do better."""
        learner = self.anatomy.learner
        trace = getattr(learner, "trace_", None)
        if trace is None or trace.stop_reason not in ("max_iter", "time_limit", "interrupted") or len(trace) < 4:
            return None
        figures = trace["loss"] if "loss" in trace.columns else trace["mistakes"]
        quarter = max(1, len(figures) // 4)
        earlier, later = float(np.mean(figures[-2 * quarter : -quarter])), float(np.mean(figures[-quarter:]))
        if not later < 0.98 * earlier:
            return None
        what = "the loss was" if "loss" in trace.columns else "mistakes per epoch were"
        ended = f"Training ended after {counted(len(trace), 'epoch')}"
        why = f"{ended} while {what} still falling ({earlier:,.4g} to {later:,.4g})"
        if trace.stop_reason != "max_iter":
            return Advice("epochs", f"{why}: give it more time.", self.anatomy.name)
        more = {"max_iter": 2 * int(learner.max_iter)}
        most = ROWS_FOR_LINEAR if self.anatomy.coefficients is not None else ROWS_FOR_KERNEL
        tried = self._try(type(learner), self._same() | more, most)
        if tried is None:
            return Advice("epochs", f"{why}: raise max_iter above {learner.max_iter}.", self.anatomy.name, more)
        trial, answers, asked = tried
        if not self._better(answers, asked, self.answers[asked]):
            return None
        sentence = f"{why}: raise max_iter to {more['max_iter']}; {self._scored(trial, asked)}."
        return Advice("epochs", sentence, self.anatomy.name, more, trial)

    def _same(self) -> dict[str, Any]:
        """The learner's own settings, for a trial."""
        return {name: value for name, value in self.anatomy.settings.items() if name not in OWN}

    def _nothing_helps(self) -> str:
        flat, curved = self.anatomy.coefficients is not None, "KernelPerceptron" in self.tried
        tried = " Neither a flat nor a curved boundary was found that does." if flat and curved else ""
        always = short(self.baseline.answer, LONGEST)
        if self._is_separable():
            return (
                f"The model does not beat always answering “{always}”{self._beyond()}, although the training rows are "
                f"separable: more rows, or other columns, are needed."
            )
        return (
            f"The model does not beat always answering “{always}”{self._beyond()}.{tried} The columns "
            f"may not tell the classes apart: other columns, or more rows, are needed."
        )

    def _beyond(self) -> str:
        """Said where the model is right more often than the largest class, but not by so much that it means much."""
        assert self.baseline.accuracy is not None
        return " beyond chance" if self.accuracy.count > self.baseline.accuracy.count else ""

    def _nothing_better(self) -> str:
        if self.y_train is None:
            return "Without the training rows no other learner was tried."
        return "Nothing that was tried does better beyond chance; more rows or other columns would be the next step."


OWN = ("random_state", "verbose", "n_jobs", "time_limit", "class_weight", "warm_start")  # not part of a trial


def regression_advice(anatomy: Anatomy, test: RegressionFigures, train: RegressionFigures | None) -> list[Advice]:
    """For a regression: too little, too much, or neither."""
    if test.r2 is not None and test.r2 <= 0:
        return [Advice("features", "The model does not beat always answering the mean: other columns are needed.")]
    if train is not None and train.mean_error < 0.7 * test.mean_error:
        sentence = (
            f"The mean error is {train.mean_error:.4g} on training rows but {test.mean_error:.4g} on held-out ones: it "
            f"has learned the rows by heart. Raise lam above {getattr(anatomy.learner, 'lam', 0):g}, or add rows."
        )
        return [Advice("overfitted", sentence, anatomy.name)]
    return [Advice("done", "Training and held-out errors agree; products of columns (PairProducts) may tell more.")]
