"""Probabilities for learners that have scores, online and by scikit-learn's cross-validation."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

from rosenblatt import LinearSVM, OnlineCalibrator, PassiveAggressive, Perceptron

rng = np.random.default_rng(0)
X = rng.normal(size=(2500, 5))
CHANCE = 1.0 / (1.0 + np.exp(-X @ np.array([2.0, -1.0, 0.5, 0.0, 0.0])))
y = (rng.random(len(X)) < CHANCE).astype(int)
LEARNERS = [Perceptron("averaged"), PassiveAggressive(C=0.01), LinearSVM(lam=0.01)]
each = pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)


@each
def test_probabilities_of_a_stream_are_close_to_the_true_ones(learner):
    model, found = OnlineCalibrator(learner), []
    assert model.predict_proba_one(X[0]) == {} and model.predict_one(X[0]) is None
    for x, label in zip(X, y.tolist(), strict=True):
        found.append(model.predict_proba_one(x).get(1, 0.5))
        model.learn_one(x, label)
    late, given = np.array(found[1000:]), y[1000:]
    least = log_loss(given, CHANCE[1000:])
    assert log_loss(given, late) < least + 0.04 < log_loss(given, np.full(len(given), 0.5)) - 0.1
    for low in np.arange(0.0, 1.0, 0.25):  # among answers of about p, a fraction of about p is positive
        inside = (late >= low) & (late < low + 0.25)
        assert abs(late[inside].mean() - given[inside].mean()) < 0.1
    assert not hasattr(learner, "classes_")  # a copy has learned


def test_dicts_of_several_classes_have_probabilities_that_add_up_to_one():
    labels = np.argmax(X[:600, :3], axis=1).tolist()
    examples = [dict(zip("abcde", row, strict=True)) for row in X[:600].tolist()]
    model, right = OnlineCalibrator(Perceptron()), 0
    for x, label in zip(examples, labels, strict=True):
        right += model.predict_one(x) == label
        model.learn_one(x, label)
    found = model.predict_proba_one(examples[0])
    assert list(found) == [0, 1, 2] and sum(found.values()) == pytest.approx(1.0) and right > 450


def test_a_weight_of_zero_is_an_example_that_never_came():
    one, other = OnlineCalibrator(Perceptron()), OnlineCalibrator(Perceptron())
    for n, (x, label) in enumerate(zip(X[:200], y[:200].tolist(), strict=True)):
        one.learn_one(x, label, float(n % 2))
        if n % 2:
            other.learn_one(x, label)
    assert one.predict_proba_one(X[0]) == other.predict_proba_one(X[0])


def test_what_cannot_be_calibrated():
    with pytest.raises(ValueError, match="memory must be"):
        OnlineCalibrator(Perceptron(), memory=-1.0).learn_one(X[0], 1)
    model = OnlineCalibrator(Perceptron())
    for label in (0, 1):
        model.learn_one(X[label], label)
    before = model.predict_proba_one(X[2])
    with pytest.raises(ValueError, match="x must be finite"):
        model.learn_one(np.full(5, np.nan), 1)
    assert model.predict_proba_one(X[2]) == before


@each
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_calibrates_offline(learner):
    model = CalibratedClassifierCV(learner, cv=3).fit(X[:1500], y[:1500])
    assert log_loss(y[1500:], model.predict_proba(X[1500:])) < log_loss(y[1500:], CHANCE[1500:]) + 0.03
