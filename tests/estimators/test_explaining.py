"""Weights by name, and why a prediction was made."""

import numpy as np
import pandas
import pytest

from rosenblatt import LogisticRegression, PassiveAggressive, Perceptron

rng = np.random.default_rng(8)
X = rng.normal(size=(80, 4))
NAMES = ["a", "b", "c", "d"]
DICTS = [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", [Perceptron("averaged"), PassiveAggressive(), LogisticRegression()], ids=str)
def test_contributions_add_up_to_the_score_of_the_class_that_is_predicted(model, n_classes):
    y = np.argmax(X[:, :n_classes], axis=1)
    model = type(model)(**model.get_params())
    model.learn_many(DICTS, y)
    for x in DICTS[:20]:
        scores, found = model.decision_function_one(x), model.explain_one(x)
        assert sum(part for _, part in found) == pytest.approx(scores[model.predict_one(x)], rel=1e-9, abs=1e-12)
        assert [abs(part) for _, part in found] == sorted((abs(part) for _, part in found), reverse=True)
        assert model.explain_one(x, most=2) == found[:2]
    weights = model.weights_by_name()
    assert list(weights) == list(range(n_classes)) and list(weights[0]) == [*NAMES, "(intercept)"]
    for label, by_name in weights.items():
        assert sum(by_name[name] * DICTS[0].get(name, 1.0) for name in by_name) == pytest.approx(
            model.decision_function_one(DICTS[0])[label], rel=1e-9, abs=1e-12
        )


def test_rows_have_the_names_of_their_columns_or_numbers():
    y = (X[:, 0] > 0).astype(int)
    framed = Perceptron(random_state=0).fit(pandas.DataFrame(X, columns=NAMES), y)
    plain = Perceptron(random_state=0).fit(X, y)
    assert list(framed.weights_by_name()[1]) == [*NAMES, "(intercept)"]
    assert list(plain.weights_by_name()[1]) == ["x0", "x1", "x2", "x3", "(intercept)"]
    assert dict(framed.explain_one(X[0]))["a"] == pytest.approx(dict(plain.explain_one(X[0]))["x0"])


def test_hashed_names_share_weights_but_an_example_can_be_explained():
    model = Perceptron(hash_features=16)
    model.learn_many(DICTS, (X[:, 0] > 0).tolist())
    assert {name for name, _ in model.explain_one(DICTS[3])} <= {*NAMES, "(intercept)"}
    with pytest.raises(ValueError, match=r"hash_features lets names share weights.*use explain_one"):
        model.weights_by_name()


def test_what_cannot_be_explained():
    with pytest.raises(AttributeError, match="not fitted yet"):
        Perceptron().explain_one({"a": 1.0})
    with pytest.raises(AttributeError, match="not fitted yet"):
        Perceptron().weights_by_name()
    voted = Perceptron("voted", max_iter=2).fit(X[:9], [0, 1, 0] * 3)
    with pytest.raises(AttributeError, match="voted answer is a committee"):
        voted.weights_by_name()
    model = Perceptron()
    model.learn_many(DICTS[:9], [0, 1, 0] * 3)
    with pytest.raises(ValueError, match="most must be"):
        model.explain_one(DICTS[0], most=0)
    with pytest.raises(ValueError, match="'a' must be finite"):
        model.explain_one({"a": float("nan")})
    assert model.explain_one({"never seen": 3.0}) == [("(intercept)", abs(float(model.intercept_[0])))]
