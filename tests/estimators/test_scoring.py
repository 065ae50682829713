"""`score` is scikit-learn's own."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, r2_score

from rosenblatt import (
    GaussianDiscriminant,
    KernelPerceptron,
    Layer,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    PairProducts,
    Perceptron,
    Streamed,
)

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(40, 3))
y = (X[:, 0] + 0.5 * RANDOM.normal(size=40) > 0).astype(int)
WEIGHT = RANDOM.random(40)
CLASSIFIERS = [
    GaussianDiscriminant(),
    KernelPerceptron(max_iter=3),
    Layer("sigmoid", random_state=0),
    LinearSVM(random_state=0),
    LogisticRegression(random_state=0),
    Perceptron(max_iter=200, random_state=0),
    Streamed(PairProducts(3, random_state=0), Perceptron(), random_state=0),
]
WRONG = [(None, None), (y[:7], None), ("yes", None), (y.astype(str), None), (y + 0.5, None), (y, WEIGHT[:7])]


def fitted(model):
    return model.fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_a_classifier(model):
    fitted(model)
    answers = model.predict(X)
    assert model.score(X, y) == accuracy_score(y, answers)
    assert model.score(X, y[:, None]) == accuracy_score(y, answers)  # a column, which scikit-learn takes too
    assert model.score(X, y.tolist(), WEIGHT) == accuracy_score(y, answers, sample_weight=WEIGHT)
    for labels, weight in WRONG:
        with pytest.raises((TypeError, ValueError)):
            model.score(X, labels, weight)


def test_text_and_rows_come_first():
    model = Perceptron("averaged").fit(X, np.where(y, "yes", "no"))
    with pytest.raises(ValueError, match="Mix of label input types"):
        model.score(X, y)
    with pytest.raises(ValueError, match="X has 2 features, but Perceptron is expecting 3"):
        model.score(X[:, :2], np.where(y, "yes", "no"))


def test_least_squares():
    targets = X @ [1.0, -2.0, 0.5] + 0.1 * WEIGHT
    model = LeastSquares().fit(X, targets)
    assert model.score(X, targets) == r2_score(targets, model.predict(X))
    assert model.score(X, targets, WEIGHT) == r2_score(targets, model.predict(X), sample_weight=WEIGHT)
    for given, weight in [(None, None), (targets[:7], None), (["a"] * 40, None), (targets, WEIGHT[:7])]:
        with pytest.raises((TypeError, ValueError)):
            model.score(X, given, weight)


@pytest.mark.parametrize("model", [Perceptron(max_iter=200), KernelPerceptron(max_iter=3)], ids=["linear", "kernel"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_an_answer_is_judged_by_one_label_for_each_row(model):
    answer = fitted(model).answers_["last"]
    assert answer.score(X, y) == np.mean(answer.predict(X) == y)
    for labels in (None, y[:7], y[:, None]):  # the last was compared with every row
        with pytest.raises(ValueError, match="y must have one label for each of the 40 rows, but its shape is"):
            answer.score(X, labels)
