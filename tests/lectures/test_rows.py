"""The rows of the lectures that exist, one test each; docs/lectures.md refers to them by name."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt import (
    HalfSpace,
    PassiveAggressive,
    Perceptron,
    ThresholdNetwork,
    ThresholdUnit,
    as_threshold_unit,
    audit,
    from_rules,
    separability,
)
from rosenblatt.sources import digits, overlapping_blobs
from tests.reference.logic import credit

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND = np.array([-1, -1, -1, 1])
DIGITS = digits()


def parted(n_samples: int, n_features: int, margin: float, radius: float, seed: int) -> tuple[np.ndarray, ...]:
    """Rows in a ball, parted by a hyperplane through its centre with at least this margin."""
    random = np.random.default_rng(seed)
    normal = random.standard_normal(n_features)
    normal /= np.linalg.norm(normal)
    X = random.standard_normal((n_samples, n_features))
    X *= ((radius - margin) * random.uniform(size=n_samples) / np.linalg.norm(X, axis=1))[:, None]
    y = np.where(X @ normal >= 0, 1, -1)
    return X + margin * np.outer(y, normal), y, normal


def test_l1_gates() -> None:
    for unit, weights, bias, answers in (
        (ThresholdUnit.or_(), (1, 1), -0.5, [0, 1, 1, 1]),
        (ThresholdUnit.and_(), (1, 1), -1.5, [0, 0, 0, 1]),
    ):
        assert (unit.weights, unit.bias) == (weights, bias)
        assert unit(CORNERS).tolist() == answers == (CORNERS @ weights + bias >= 0).astype(int).tolist()
    assert (ThresholdUnit.not_().weights, ThresholdUnit.not_().bias) == ((-1,), 0.5)


def test_l24_two_layers_compute_xor() -> None:
    assert not as_threshold_unit("u ^ v") and as_threshold_unit("u ^ v").verify()
    network = ThresholdNetwork.from_function("u ^ v")
    assert network(CORNERS).tolist() == [0, 1, 1, 0]
    assert network.n_hidden == 2 and network.depth == 2


def test_l25_rules_and_units_agree() -> None:
    rules = from_rules(
        "if other > 2 and cycles > 1 then deny; if other = 0 and (income > 30000 or years > 3) then accept; "
        "otherwise refer"
    )
    random = np.random.default_rng(0)
    rows = [dict(zip(("other", "cycles", "income", "years"), row, strict=True)) for row in
            np.column_stack([random.integers(0, 5, 500), random.integers(0, 4, 500),
                             random.integers(29999, 30002, 500), random.integers(2, 5, 500)]).tolist()]  # fmt: skip
    wanted = [credit(**row) for row in rows]
    assert [rules.predict_one(row) for row in rows] == wanted and set(wanted) == {"deny", "accept", "refer"}


def test_l2_score_and_sign() -> None:
    model = Perceptron(shuffle=False).fit(CORNERS, AND)
    scores = CORNERS @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_array_equal(model.decision_function(CORNERS), scores)
    np.testing.assert_array_equal(model.predict(CORNERS), np.where(scores >= 0, 1, -1))


def test_l3_bias_is_a_coordinate() -> None:
    implied = Perceptron(random_state=0).fit(CORNERS, AND)
    stored = Perceptron(random_state=0, fit_intercept=False).fit(np.column_stack([CORNERS, np.ones(4)]), AND)
    np.testing.assert_array_equal(np.append(implied.coef_[0], implied.intercept_), stored.coef_[0])
    assert implied.mistakes_ == stored.mistakes_


def test_l4_is_the_lecture_in_ten_lines() -> None:
    rows = np.column_stack([CORNERS, np.ones(4)])
    w, changes = np.zeros(3), []
    while not changes or changes[-1]:
        changes.append(0)
        for x, y in zip(rows, AND, strict=True):
            if y * (w @ x) <= 0:
                w = w + y * x
                changes[-1] += 1
    model = Perceptron(shuffle=False).fit(CORNERS, AND)
    np.testing.assert_array_equal(model.trace_["updates"], changes)
    np.testing.assert_array_equal(np.append(model.coef_[0], model.intercept_), w)


def test_l4_table_of_digits() -> None:
    train, test = DIGITS.y_train <= 1, DIGITS.y_test <= 1
    model = Perceptron(shuffle=False)
    model.fit(
        DIGITS.X_train[train],
        DIGITS.y_train[train],
        eval_set=(DIGITS.X_test[test], DIGITS.y_test[test]),
        record="train_error",
    )
    assert model.stop_reason_ == "converged"
    assert model.trace_["updates"].tolist() == [6, 7, 0]
    assert (model.trace_["train_error"] * train.sum()).round(9).tolist() == [2, 0, 0]
    assert (model.trace_["test_error"] * test.sum()).round(9).tolist() == [1, 0, 0]


@pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="MNIST is not at hand; ROSENBLATT_DATA is not set")
def test_l4_table_of_mnist() -> None:
    """The program on the page, run as it stands, gives the right half of the page's table."""
    page = (Path(__file__).parents[2] / "docs" / "lectures.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(from rosenblatt import Perceptron\n.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(program, names)
    model = names["model"]
    assert model.stop_reason_ == "converged"
    table = [
        f"| {row.updates} | {100 * row.train_error:.2f} % | {100 * row.test_error:.2f} % |" for row in model.trace_
    ]
    assert table == re.findall(r"^\| \d \|.* % (\| \d+ \| [\d.]+ % \| [\d.]+ % \|)$", page, re.MULTILINE)


def test_l5_constant_rate_only_scales() -> None:
    one = Perceptron(random_state=0).fit(CORNERS, AND)
    eighth = Perceptron(learning_rate=0.125, random_state=0).fit(CORNERS, AND)
    assert one.mistakes_ == eighth.mistakes_
    np.testing.assert_array_equal(eighth.coef_, 0.125 * one.coef_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_l5_schedule() -> None:
    model = Perceptron("last", learning_rate=lambda t: 1.0 / t, shuffle=False, max_iter=1).fit([[1.0], [2.0]], [1, -1])
    # Example 1 (label 1, the second class): w = 1, b = 1. Example 2 scores 3 and is wrong: w -= 2/2, b -= 1/2.
    assert model.coef_.tolist() == [[0.0]] and model.intercept_.tolist() == [0.5]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_l6_one_by_one_is_one_epoch() -> None:
    stream = Perceptron()
    for x, y in zip(DIGITS.X_train, DIGITS.y_train, strict=True):
        stream.learn_one(x, int(y))
    epoch = Perceptron("last", shuffle=False, max_iter=1).fit(DIGITS.X_train, DIGITS.y_train)
    np.testing.assert_array_equal(stream.coef_, epoch.coef_)
    np.testing.assert_array_equal(stream.intercept_, epoch.intercept_)


@pytest.mark.parametrize("seed", range(5))
def test_l7_both_inequalities(seed: int) -> None:
    margin = 0.1
    X, y, normal = parted(200, 3, margin, 3.0, seed)
    radius = np.linalg.norm(X, axis=1).max()
    model = Perceptron(fit_intercept=False, max_iter=10_000, random_state=seed).fit(X, y, record="updates")
    log = model.trace_.updates
    weights = np.cumsum(log.steps[0][:, None] * X[log.rows[0]], axis=0)
    k = np.arange(1, len(weights) + 1)
    assert model.stop_reason_ == "converged"
    assert (weights @ normal >= k * margin * (1 - 1e-12)).all()
    assert ((weights**2).sum(axis=1) <= k * radius**2 * (1 + 1e-12)).all()
    assert model.mistakes_ <= (radius / margin) ** 2


def test_l7_rows_at_right_angles_meet_the_bound() -> None:
    n = 50
    model = Perceptron(fit_intercept=False).fit(np.eye(n), np.arange(n) % 2)
    assert model.mistakes_ == n  # R = 1 and the best margin is 1/sqrt(n)


@pytest.mark.parametrize("seed", range(3))
def test_l7_audited_exactly(seed: int) -> None:
    margin = 0.1
    X, y, normal = parted(200, 3, margin, 3.0, seed)
    model = Perceptron(fit_intercept=False, max_iter=10_000, random_state=seed).fit(X, y, record="updates")
    found, checked = separability(X, y, fit_intercept=False), audit(model, X, y)
    assert found.gamma >= (y * (X @ normal)).min() * (1 - 0.011)  # the largest margin, to the tolerance of 1 %
    assert checked.holds and checked.arithmetic == "exact rationals"
    assert model.mistakes_ == checked.mistakes <= checked.bound
    assert (checked.progress >= checked.progress_floor * (1 - 1e-12)).all()
    assert (checked.lengths <= checked.lengths_ceiling * (1 + 1e-12)).all()


@pytest.mark.parametrize("seed", range(3))
def test_l7_bound_for_any_order_and_rate(seed: int) -> None:
    bound = separability(CORNERS, AND).mistake_bound
    for rate in (1.0, 0.125, 3.0):
        model = Perceptron(learning_rate=rate, random_state=seed).fit(CORNERS, AND, record="updates")
        assert model.mistakes_ <= bound
        assert audit(model, CORNERS, AND).holds


def test_l7_scale_matters_only_with_an_appended_one() -> None:
    X = np.array([[3.0, 1.0], [-2.0, -1.0], [1.0, 3.0], [-1.0, -2.0]])
    y = [1, 0, 1, 0]
    without = [separability(scale * X, y, fit_intercept=False).mistake_bound for scale in (1.0, 0.25, 64.0)]
    assert len(set(without)) == 1
    with_one = [separability(scale * CORNERS, AND).mistake_bound for scale in (1.0, 10.0)]
    assert with_one == [3 * 17, int(201 * 9.08)]  # by hand: w = (2, 2)/scale, b = -3


def test_l8_two_definitions() -> None:
    yes, no = separability(CORNERS, AND), separability(CORNERS, [0, 1, 1, 0])
    assert yes and (AND * (CORNERS @ yes.normal + yes.offset) > 0).all()
    assert not no
    weights = np.array([float(weight) for weight in no.weights])
    rows, positive = np.array(no.rows), np.isin(no.rows, (1, 2))
    for side in (positive, ~positive):  # the same point as a weighted mean of either class
        assert weights[side].sum() == 1
        np.testing.assert_array_equal(weights[side] @ CORNERS[rows[side]], no.point)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_l8_never_both_and_never_neither() -> None:
    random, verdicts = np.random.default_rng(0), []
    for _ in range(60):
        X, y = random.integers(0, 4, (8, 2)), np.arange(8) % 2
        found = separability(X, y)
        assert found.verify(X, y)
        epochs = found.mistake_bound + 1 if found else 300  # one of so many epochs must be without a mistake
        converged = Perceptron(max_iter=epochs, random_state=0).fit(X, y).stop_reason_ == "converged"
        assert bool(found) == converged
        verdicts.append(converged)
    assert any(verdicts) and not all(verdicts)


def test_l9_pocket_and_time() -> None:
    toy = overlapping_blobs(400, flipped=0.1, twins=True, random_state=0)
    pocket = Perceptron(answer="pocket", max_iter=20, random_state=0).fit(toy.X, toy.y)
    errors = {name: round(400 * (1 - pocket.answers_[name].score(toy.X, toy.y))) for name in pocket.answers_}
    assert len(toy.flipped) <= errors["pocket"] <= errors["last"]
    timed = Perceptron(answer="pocket", time_limit=0.02, max_iter=10**9).fit(toy.X, toy.y)
    assert timed.stop_reason_ == "time_limit"


def test_beyond_margin_perceptron() -> None:
    model = HalfSpace("margin_perceptron", {"theta": 2.0}, shuffle=False).fit(CORNERS, AND)
    assert (AND * model.decision_function(CORNERS)).min() > 2.0


def test_beyond_passive_aggressive_lands_on_its_margin() -> None:
    model = PassiveAggressive(variant="PA")
    model.learn_one([0.3, 0.4], "no")
    model.learn_one([0.3, 0.4], "yes")
    assert model.decision_function([[0.3, 0.4]])[0] == pytest.approx(1.0, abs=1e-12)


def test_beyond_averaged_is_the_mean_of_the_weights() -> None:
    model, weights = Perceptron(), []
    for x, y in zip(np.tile(CORNERS, (5, 1)), np.tile(AND, 5), strict=True):
        model.learn_one(x, int(y))
        weights.append(model.answers_["last"].coef[0] if len(model.classes_) > 1 else np.zeros(2))
    np.testing.assert_allclose(model.answers_["averaged"].coef[0], np.mean(weights, axis=0), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_beyond_bytes_are_the_same_run() -> None:
    wide = Perceptron(max_iter=3, shuffle=False).fit(DIGITS.X_train, DIGITS.y_train)
    narrow = Perceptron(max_iter=3, shuffle=False).fit(DIGITS.X_train.astype(np.uint8), DIGITS.y_train)
    np.testing.assert_array_equal(wide.answers_["last"].coef, narrow.answers_["last"].coef)
    # The mean of the weights is rounded to the floats of its rows: float32 for bytes.
    np.testing.assert_array_equal(wide.coef_.astype(narrow.coef_.dtype), narrow.coef_)
    assert wide.trace_["mistakes"].tolist() == narrow.trace_["mistakes"].tolist()


def test_beyond_own_rule_is_the_built_in_one() -> None:
    def mine(m, sqnorm, t, params):  # type: ignore[no-untyped-def]
        return (1.0 if m <= 0 else 0.0), 1.0

    own = HalfSpace(rule=mine, random_state=0).fit(CORNERS, AND)
    np.testing.assert_array_equal(own.coef_, Perceptron(random_state=0).fit(CORNERS, AND).coef_)


def test_beyond_coupled_scores_part_on_a_mistake() -> None:
    model = Perceptron(multi_class="coupled")
    model.partial_fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["a", "b", "c"])
    # Whatever moves towards a row moves away from it elsewhere: the weights of all classes sum to zero.
    np.testing.assert_array_equal(model.coef_.sum(axis=0), 0.0)
