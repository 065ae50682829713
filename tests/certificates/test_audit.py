"""A run beside the theorem: both inequalities at every update, and a plain word where the theorem does not reach."""

import os
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certificates.problems import separable_integers, small_problems
from rosenblatt import HalfSpace, PassiveAggressive, Perceptron, audit, separability
from rosenblatt.certificates.direction import Direction
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.replay import LinearRun, replay
from rosenblatt.certificates.terms import Terms
from rosenblatt.certificates.watching import Watcher
from rosenblatt.sources import blobs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


def replayed(model, X, signs, intercept):
    """‖w_k‖² and the weights after every recorded update, in fractions."""
    log = model.trace_.updates
    rows, steps = log.rows[0].tolist(), log.steps[0].tolist()
    lifted = [[*map(Fraction, row), *[Fraction(1)] * intercept] for row in X.tolist()]
    weights, lengths = [Fraction(0)] * len(lifted[0]), []
    for row, step in zip(rows, steps, strict=True):
        assert Fraction(step) * int(signs[row]) > 0
        weights = [w + Fraction(step) * x for w, x in zip(weights, lifted[row], strict=True)]
        lengths.append(sum(w * w for w in weights))
    return lengths, weights


@given(
    small_problems(dtypes=["int64", "float64", "csr"]),
    st.sampled_from([1.0, 0.5, 0.1, 3.0]),
    st.booleans(),
    st.integers(0, 9),
)
@settings(max_examples=60)
def test_both_inequalities_for_any_order_and_rate(problem, rate, shuffle, seed):
    X, signs, intercept = problem
    assume(separability(X, signs, intercept).verdict == "separable")
    settings = {"learning_rate": rate, "shuffle": shuffle, "random_state": seed, "fit_intercept": intercept}
    model = Perceptron(max_iter=5000, **settings).fit(X, signs, record="updates")
    found = audit(model, X, signs)
    assert found.applies and found.arithmetic == "exact rationals"
    assert found.mistakes == sum(model.trace_["updates"]) == len(found.lengths) == len(found.progress) <= found.bound
    dense = X.toarray() if scipy.sparse.issparse(X) else X
    lengths, weights = replayed(model, dense, signs, intercept)
    np.testing.assert_allclose(found.lengths, [float(value) for value in lengths], rtol=1e-6)
    counts = np.arange(1, found.mistakes + 1)
    np.testing.assert_allclose(found.lengths_ceiling, counts * rate**2 * found.radius**2, rtol=1e-6)
    np.testing.assert_allclose(found.progress_floor, counts * rate * found.gamma, rtol=1e-6)
    if rate in (1.0, 0.5, 3.0):  # no rounding in the run: what it called a mistake was one
        assert found.holds is True and bool(found) and "rounding" not in found.note
        assert (found.lengths <= found.lengths_ceiling * (1 + 1e-12)).all()
        assert (found.progress >= found.progress_floor * (1 - 1e-12)).all()
        last = model.answers_["last"]
        assert [float(w) for w in weights[: dense.shape[1]]] == last.coef.ravel().tolist()
    assert (found.progress**2 <= found.lengths * (1 + 1e-6)).all()  # Cauchy and Schwarz
    assert f"{found.mistakes:,}" in str(found)


@given(small_problems(dtypes=["int64"]), st.sampled_from([0.0, 0.5, 1.0, 7.0]), st.sampled_from([1.0, 0.5, 2.0]))
@settings(max_examples=40)
def test_the_margin_perceptron_has_a_bound_of_its_own(problem, theta, rate):
    X, signs, intercept = problem
    certificate = separability(X, signs, intercept)
    assume(certificate.verdict == "separable")
    params = {"learning_rate": rate, "theta": theta}
    model = HalfSpace("margin_perceptron", params=params, max_iter=20_000, fit_intercept=intercept, random_state=0)
    model.fit(X, signs, record="updates")
    found = audit(model, X, signs)
    assert found.applies and found.holds is True and found.mistakes <= found.bound
    assert model.stop_reason_ == "converged"
    looser = (Fraction(found.radius) ** 2 + 2 * Fraction(theta) / Fraction(rate)) / Fraction(found.gamma) ** 2
    assert found.bound <= looser
    if theta:
        assert found.bound >= certificate.mistake_bound and "theta" in found.note
    else:
        assert found.bound == certificate.mistake_bound


@pytest.mark.parametrize(("theta", "rate", "bound"), [(0.0, 1.0, 4), (1.0, 1.0, 6), (3.0, 2.0, 7), (0.5, 0.25, 8)])
def test_the_margin_perceptrons_bound_by_hand(theta, rate, bound):
    """R = 2 and gamma = 1 through the origin: (R² + 2 theta / eta) / gamma² updates at most."""
    X, y = [[1.0], [-2.0]], [1, -1]
    params = {"learning_rate": rate, "theta": theta}
    model = HalfSpace("margin_perceptron", params=params, fit_intercept=False, shuffle=False)
    assert audit(model.fit(X, y, record="updates"), X, y).bound == bound


def test_params_of_the_margin_perceptron_in_any_form():
    X, signs = separable_integers(40, 3, 2, seed=0)
    bounds = []
    for params in (None, {"theta": 1.0}, {"learning_rate": 1.0, "theta": 1.0}):
        model = HalfSpace("margin_perceptron", params=params, max_iter=20_000, random_state=0)
        bounds.append(audit(model.fit(X, signs, record="updates"), X, signs).bound)
    assert len(set(bounds)) == 1


def test_a_perceptron_by_name():
    model = HalfSpace("perceptron", max_iter=1000, random_state=0).fit(CORNERS, AND, record="updates")
    assert audit(model, CORNERS, AND).holds is True


def test_any_answer_any_layout_any_dtype():
    X, signs = separable_integers(300, 6, 3, seed=1)
    for rows in (X.astype(np.float32), scipy.sparse.csr_array(X.astype(np.float64)), X.astype(np.int16), X.tolist()):
        for answer in ("last", "averaged", "pocket", "voted"):
            model = Perceptron(answer, max_iter=2000, random_state=0).fit(rows, signs, record="updates")
            assert audit(model, rows, signs).holds is True


def test_several_classes():
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 2)) + 10 * np.repeat(np.array([[0, 1], [1, -1], [-1, -1]]), 30, axis=0)
    y = np.repeat(["a", "b", "c"], 30)
    model = Perceptron(max_iter=1000, random_state=0).fit(X, y, record="updates")
    found = audit(model, X, y)
    assert len(found) == 3 and list(found) == ["a", "b", "c"] and bool(found)
    assert sum(found[name].mistakes for name in found) == sum(model.trace_["updates"])
    assert "'b' against the rest" in str(found)


# --------------------------------------------------------------------------------------------- outside the theorem


def outside(found, words):
    assert not found.applies and found.holds is None and found.bound is None and not found
    assert found.note.startswith("outside the theorem") and words in found.note, found.note
    assert len(found.lengths) == len(found.progress) == 0
    assert "does not apply" in str(found)


def slower(t):
    return 1.0 / (1.0 + 0.1 * t)


def test_a_schedule():
    model = Perceptron(learning_rate=slower, max_iter=100).fit(CORNERS, AND, record="updates")
    outside(audit(model, CORNERS, AND), "steps differ (a schedule or sample weights)")


def test_sample_weights():
    model = Perceptron(max_iter=100, random_state=0).fit(CORNERS, AND, [1, 2, 3, 4], record="updates")
    outside(audit(model, CORNERS, AND), "steps differ (a schedule or sample weights)")
    model = Perceptron(max_iter=100, class_weight={0: 1, 1: 3}).fit(CORNERS, AND, record="updates")
    outside(audit(model, CORNERS, AND), "steps differ (a schedule or sample weights)")


def test_equal_sample_weights_are_a_constant_rate():
    model = Perceptron(max_iter=100, random_state=0).fit(CORNERS, AND, [2, 2, 2, 2], record="updates")
    found = audit(model, CORNERS, AND)
    assert found.holds is True and "rate 2" in found.note


def test_another_rule():
    model = PassiveAggressive(max_iter=100).fit(CORNERS, AND, record="updates")
    outside(audit(model, CORNERS, AND), "PassiveAggressive")

    def own(m, sqnorm, t, params):
        return (1.0 if m <= 0 else 0.0), 1.0

    model = HalfSpace(rule=own, max_iter=100).fit(CORNERS, AND, record="updates")
    outside(audit(model, CORNERS, AND), "is not the perceptron's")


def test_coupled_classes():
    y = np.array(["a", "b", "b", "c"])
    model = Perceptron(multi_class="coupled", max_iter=100).fit(CORNERS, y, record="updates")
    found = audit(model, CORNERS, y)
    for name in found:
        outside(found[name], "coupled")


@pytest.mark.parametrize("labels", [AND, np.array([0, 1, 1, 2])])
def test_a_warm_start(labels):
    X, y = CORNERS * 3.0 + 1.0, labels
    model = Perceptron(warm_start=True, max_iter=3, random_state=0).fit(X, y)
    assert model.stop_reason_ == "max_iter"
    model.set_params(max_iter=1000).fit(X, y, record="updates")
    found = audit(model, X, y)
    for each in [found] if hasattr(found, "mistakes") else [found[name] for name in found]:
        if each.mistakes:
            outside(each, "a start other than zero")


def test_a_warm_start_from_nothing_is_a_start_from_zero():
    model = Perceptron(warm_start=True, max_iter=1000, random_state=0).fit(CORNERS, AND, record="updates")
    assert audit(model, CORNERS, AND).holds is True


def test_more_learned_after_the_record():
    """partial_fit goes on without a record: the updates are no longer those of the weights."""
    model = Perceptron(max_iter=1000, random_state=0).fit(CORNERS, AND, record="updates")
    model.partial_fit(CORNERS, XOR)
    try:
        found = audit(model, CORNERS, AND)
    except ValueError:
        return
    assert not found.applies or found.mistakes == len(model.trace_.updates.rows[0])


# -------------------------------------------------------------------------------------------- where there is no bound


def test_rows_that_are_not_separable():
    model = Perceptron(max_iter=20, random_state=0).fit(CORNERS, XOR, record="updates")
    found = audit(model, CORNERS, XOR)
    assert found.bound is None and found.gamma == 0.0 and found.holds is None and not found.applies
    assert "no bound" in str(found) and "no bound" in found.note
    assert len(found.lengths) == found.mistakes > 20 and len(found.progress) == 0
    assert (found.lengths <= found.lengths_ceiling).all()  # the ceiling needs no hyperplane
    assert found.certificate.verdict == "not separable" and found.certificate.verify(CORNERS, XOR)


def test_no_time_to_find_gamma():
    toy = blobs(3000, 20, margin=0.5, random_state=0)
    model = Perceptron(max_iter=200, random_state=0).fit(toy.X, toy.y, record="updates")
    found = audit(model, toy.X, toy.y, time_limit=1e-9)
    assert found.bound is None and "not shown to be separable" in found.note
    assert audit(model, toy.X, toy.y).holds in (True, False)


def test_a_run_without_a_mistake_is_not_possible_but_an_interrupted_search_is(monkeypatch):
    toy = blobs(3000, 20, margin=0.5, random_state=0)
    model = Perceptron(max_iter=200, random_state=0).fit(toy.X, toy.y, record="updates")

    def bounds(self, lower, upper):
        raise KeyboardInterrupt

    monkeypatch.setattr(Watcher, "bounds", bounds)
    assert audit(model, toy.X, toy.y).bound is None


# ------------------------------------------------------------------------------------------------- what is refused


@pytest.fixture(scope="module")
def fitted():
    return Perceptron(max_iter=1000, random_state=0).fit(CORNERS, AND, record="updates")


@pytest.mark.parametrize(
    "model", [None, Perceptron(), Perceptron().fit(CORNERS, AND), Perceptron().partial_fit(CORNERS, AND)], ids=str
)
def test_a_run_that_was_not_recorded(model):
    with pytest.raises(ValueError, match='record="updates"'):
        audit(model, CORNERS, AND)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (CORNERS[:2], [0, 1]),
        (np.hstack([CORNERS, CORNERS]), AND),
        (CORNERS[:, :1], AND),
        (CORNERS * 2, AND),
        (CORNERS[::-1], AND),
        (CORNERS[[0, 2, 1, 3]] + [[0, 0], [1, 0], [0, 1], [0, 0]], AND),
        (CORNERS, AND + 1),
        (CORNERS, ["a", "a", "a", "b"]),
        (CORNERS, [0, 1, 2, 1]),
        (CORNERS, 1 - AND),
    ],
)
def test_other_rows_or_labels(fitted, X, y):
    """Refused, or said to be outside the theorem: never that it holds."""
    try:
        found = audit(fitted, X, y)
    except ValueError as error:
        found, message = None, str(error)
    if found is None:
        assert message.endswith(".") and "fit" in message
    else:
        outside(found, "the fit")


# ------------------------------------------------------------------------------------------------------------ MNIST


@pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")
def test_mnist_0_against_1():
    from rosenblatt.sources import mnist_pair

    split = mnist_pair(0, 1)
    model = Perceptron(shuffle=False, tol=None).fit(split.X_train, split.y_train, record="updates")
    assert model.stop_reason_ == "converged"
    found = audit(model, split.X_train, split.y_train)
    assert found.holds is True and found.arithmetic == "exact rationals"
    assert 0 < found.mistakes <= found.bound
    assert (found.lengths <= found.lengths_ceiling).all() and (found.progress >= found.progress_floor).all()
    assert found.certificate.verify(split.X_train, split.y_train)


def test_an_audit_compares_both_sides_itself():
    """A direction that promises more than its scores, and a radius that is too small, are found out."""
    problem = Problem(np.array([[1.0], [-2.0]]), np.array([1, -1], dtype=np.int8), (-1, 1), False)
    rows, terms = np.array([0, 1, 0]), Terms(True, "")

    def holds(least, square):
        direction = Direction({0: Fraction(1), 1: Fraction(2)}, Fraction(least), Fraction(1))
        return replay(LinearRun(problem, rows), rows, direction, Fraction(square), terms).both

    assert holds(1, 16) is True  # 1, 3, 4 against 1, 2, 3; 1, 9, 16 against 16, 32, 48
    assert holds("1.5", 16) is False
    assert holds("1.34", 16) is False  # 4 < 3 · 1.34, in the last update alone
    assert holds(1, 5) is False  # 16 > 3 · 5, in the last update alone
