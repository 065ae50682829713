"""Advice: only what was trained and is significantly better; what was not tried is listed as such."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import KernelPerceptron, LinearSVM, Perceptron
from rosenblatt.report import summarise
from rosenblatt.report.advice import better
from tests.report.test_summary import SMALL, halves, needs_data, rings, two_clouds

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def advised(model, A, a, B, b, **options):
    options = {"advise": True, "time_limit": 60} | options
    return summarise(model.fit(A, a), B, b, X_train=A, y_train=a, **options)


def topics(summary):
    return [advice.topic for advice in summary.advice]


@given(st.integers(0, 300), st.integers(0, 300))
def test_better_is_mcnemars_test(lost, gained):
    rival = np.repeat([False, True], [gained, lost])
    assert better(~rival, rival) == (gained > lost and binomtest(lost, gained + lost).pvalue < 0.05)


def test_a_kernel_is_advised_where_no_line_separates():
    A, B, a, b = halves(*rings())
    summary = advised(Perceptron(answer="averaged", random_state=0), A, a, B, b)
    first = next(advice for advice in summary.advice if advice.topic == "kernel")
    assert first.learner == "KernelPerceptron" and first.trial.scaled
    again = make_pipeline(StandardScaler(), KernelPerceptron(**first.settings, random_state=0)).fit(A, a)
    assert again.score(B, b) == pytest.approx(first.trial.accuracy.value)
    assert f"accuracy {first.trial.accuracy.value:.1%} instead of {summary.accuracy.value:.1%}" in first.sentence


def test_without_advise_nothing_is_tried():
    A, B, a, b = halves(*rings())
    assert not advised(Perceptron(random_state=0), A, a, B, b, advise=False).advice


def test_without_time_nothing_is_called_tried(monkeypatch):
    A, B, a, b = halves(*rings())
    summary = advised(Perceptron(answer="averaged", random_state=0), A, a, B, b, time_limit=1e-9)
    assert "tried" not in topics(summary) and not any(advice.learner for advice in summary.advice)
    late = summary.advice[-1]
    assert late.topic == "time" and late.sentence.startswith("Not tried, out of time: KernelPerceptron(kernel='rbf'")


def test_a_trial_that_the_clock_ends_is_not_used(monkeypatch):
    A, B, a, b = halves(*rings())
    fit = KernelPerceptron.fit

    def ended(self, *given, **options):
        self.time_limit = 1e-9
        return fit(self, *given, **options)

    model = Perceptron(answer="averaged", random_state=0)
    whole = [advised(model, A, a, B, b, time_limit=limit).advice for limit in (60, 90)]
    assert [advice.sentence for advice in whole[0]] == [advice.sentence for advice in whole[1]]
    monkeypatch.setattr(KernelPerceptron, "fit", ended)
    summary = advised(model, A, a, B, b)
    assert "kernel" not in topics(summary) and summary.advice[-1].topic == "time"


def test_a_sample_is_compared_with_the_same_learner_on_it(monkeypatch):
    monkeypatch.setattr("rosenblatt.report.advice.ROWS_FOR_KERNEL", 150)
    A, B, a, b = halves(*rings())
    advice = next(each for each in advised(Perceptron(random_state=0), A, a, B, b).advice if each.topic == "kernel")
    assert advice.trial.rows == 150 and advice.sentence.endswith(", both trained on 150 rows.")


def test_overfitting_is_reported():
    random = np.random.default_rng(0)
    X = random.normal(size=(160, 120))
    A, B, a, b = halves(X, (X[:, 0] + random.normal(size=160) > 0).astype(int))
    assert {"overfitting", "penalty"} & set(topics(advised(Perceptron(random_state=0), A, a, B, b)))


def test_only_a_significant_difference_is_advised():
    """On clouds that overlap, others are better or worse by a few rows."""
    for seed in range(4):
        X, y = two_clouds(500, seed, spread=1.5)
        summary = advised(LinearSVM(random_state=0), X[:400], y[:400], X[400:], y[400:])
        assert not any(advice.learner for advice in summary.advice) and topics(summary) == ["tried"]


def test_cross_validated_rows_do_not_flatter_the_trials():
    """Labels by chance: no trial may score well by remembering rows."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(600, 5)), random.integers(0, 2, 600)
    learner = Perceptron(random_state=0)
    summary = advised(learner, X, y, X, y, predictions=cross_val_predict(learner, X, y, cv=3))
    assert summary.cross_validated and not any(advice.learner for advice in summary.advice)
    assert "features" in topics(summary)


@needs_data
def test_banana():
    table = np.loadtxt(SMALL / "banana.keel.dat", delimiter=",")
    A, B, a, b = halves(table[:, :-1], table[:, -1])
    model = make_pipeline(StandardScaler(), Perceptron(answer="averaged", max_iter=20, random_state=0))
    summary = advised(model, A, a, B, b)
    advice = next(each for each in summary.advice if each.topic == "kernel")
    assert not summary.beats_baseline and advice.trial.accuracy.low > 0.85
