"""Where the lectures slip: each line of docs/errata.md about a part that exists, shown by running both ways."""

from __future__ import annotations

import re
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from rosenblatt import (
    GradientDescent,
    HalfSpace,
    KernelPerceptron,
    LeastSquares,
    Perceptron,
    SigmoidNeuron,
    ThresholdUnit,
    audit,
    from_rules,
    is_mercer,
    margin,
    separability,
)
from rosenblatt.certificates.verify import CertificateError, Plane, check_sides
from rosenblatt.kernels import RBF, Polynomial, Sigmoid
from rosenblatt.models import LinearModel
from rosenblatt.rules import RULES
from rosenblatt.sources import digits, two_points

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
AND = np.array([-1, -1, -1, 1])


def minus(m, sqnorm, t, params):  # type: ignore[no-untyped-def]
    return (-1.0 if m <= 0 else 0.0), 1.0


def strict(m, sqnorm, t, params):  # type: ignore[no-untyped-def]
    return (1.0 if m < 0 else 0.0), 1.0


def test_minus_sign() -> None:
    x = np.array([[2.0, 1.0]])
    models = {}
    for name, rule in (("plus", "perceptron"), ("minus", minus)):
        models[name] = HalfSpace(rule=rule).partial_fit(x, [1], classes=[0, 1])
    sqnorm = 6.0  # the bias coordinate counted in
    assert models["plus"].decision_function(x)[0] == sqnorm
    assert models["minus"].decision_function(x)[0] == -sqnorm  # it was 0 before: worse than nothing
    assert HalfSpace(rule=minus, max_iter=50).fit(CORNERS, AND).stop_reason_ == "max_iter"
    assert Perceptron(max_iter=50).fit(CORNERS, AND).stop_reason_ == "converged"


def test_strict_test_never_learns() -> None:
    never = HalfSpace(rule=strict, max_iter=20).fit(CORNERS, AND)
    assert never.trace_["updates"].sum() == 0 and not never.coef_.any()
    assert never.stop_reason_ == "max_iter"  # all margins are 0, which is a mistake: not a clean epoch
    assert Perceptron(max_iter=20).fit(CORNERS, AND).stop_reason_ == "converged"


def test_score_of_zero() -> None:
    model = LinearModel(np.array([[1.0]]), np.zeros(1), np.array([-1, 1]))
    assert model.predict(np.array([[0.0]])).tolist() == [1]
    for label in (-1, 1):  # in training a margin of 0 is a mistake for either class
        learner = Perceptron().partial_fit([[3.0]], [label], classes=[-1, 1])
        assert learner.coef_.tolist() == [[3.0 * label]] and learner.mistakes_ == 1


def test_two_gammas_one_bound() -> None:
    X, y = np.array([[3.0, 4.0], [-3.0, -4.0], [0.0, 5.0], [0.0, -5.0]]), [1, -1, 1, -1]
    half_gap, radius = 15 / 10**0.5, 5.0  # with the normal (1, 3)
    whole_gap = 2 * half_gap
    assert margin(X, y, fit_intercept=False) == pytest.approx((half_gap, half_gap), rel=1e-12)
    assert 4 * radius**2 / whole_gap**2 == radius**2 / half_gap**2
    proven = separability(X, y, fit_intercept=False).mistake_bound
    assert Perceptron(fit_intercept=False).fit(X, y).mistakes_ <= proven == int(radius**2 / half_gap**2)


def test_not_is_a_threshold() -> None:
    inputs = np.array([[0.0], [1.0]])
    assert set((-inputs[:, 0]).tolist()) != {0.0, 1.0}
    unit = LinearModel(np.array([[-1.0]]), np.array([0.5]), np.array([0, 1]))
    assert unit.predict(inputs).tolist() == [1, 0]
    assert ThresholdUnit.not_()(inputs).tolist() == [1, 0]


def test_credit_rule_needs_brackets() -> None:
    bracketed, bare = (
        from_rules(f"if accounts = 0 and {rest} then accept; otherwise refer")
        for rest in ("(income > 30000 or years > 3)", "income > 30000 or years > 3")
    )
    customer = {"accounts": 4, "income": 0, "years": 5}
    assert bracketed.predict_one(customer) == "refer"
    assert bare.predict_one(customer) == "accept"  # four delinquent accounts, and still accepted


def train_as_printed(x: np.ndarray, y: np.ndarray, epochs: int) -> tuple[np.ndarray, int]:
    """The printed program: the count of changes is compared, never raised."""
    w, passes = np.zeros(x.shape[1]), 0
    for _ in range(epochs):
        passes += 1
        nb_changes = 0
        for i in range(len(x)):
            if x[i] @ w * y[i] <= 0:
                w = w + y[i] * x[i]
                nb_changes == nb_changes + 1  # noqa: B015
        if nb_changes == 0:
            break
    return w, passes


def test_changes_must_be_counted() -> None:
    rows = np.column_stack([CORNERS, np.ones(4)])
    w, epochs = train_as_printed(rows, AND, 100)
    assert epochs == 1 and (AND * (rows @ w) <= 0).any()
    model = Perceptron(shuffle=False).fit(CORNERS, AND)
    assert model.n_iter_ > 1 and (AND * model.decision_function(CORNERS) > 0).all()


def test_table_has_its_order() -> None:
    split = digits()
    train, test = split.y_train <= 1, split.y_test <= 1
    X, y = split.X_train[train], split.y_train[train]
    tables = []
    for order in (np.arange(len(y)), np.arange(len(y))[::-1]):
        model = Perceptron(shuffle=False)
        model.fit(X[order], y[order], eval_set=(split.X_test[test], split.y_test[test]))
        tables.append(model.trace_)
    assert tables[0]["updates"].tolist() == [6, 7, 0]  # the order of the split: our recorded table
    assert tables[1]["updates"].tolist() != tables[0]["updates"].tolist()


def test_or_threshold() -> None:
    scores = CORNERS.sum(axis=1)
    assert (scores - 1.0 == 0).sum() == 2  # two corners on the line itself
    signs = np.array([-1, 1, 1, 1])
    with pytest.raises(CertificateError, match="row 1 lies on the hyperplane"):
        check_sides(CORNERS, signs, Plane([1, 1], -1), strictly=True)
    check_sides(CORNERS, signs, Plane([1, 1], -0.5), strictly=True)
    widest = separability(CORNERS, signs)
    assert widest.normal.tolist() == [1.0, 1.0] and widest.offset == -0.5
    unit = LinearModel(np.array([[1.0, 1.0]]), np.array([-0.5]), np.array([0, 1]))
    assert unit.predict(CORNERS).tolist() == [0, 1, 1, 1]
    assert np.abs(unit.decision_function(CORNERS)).min() == 0.5
    assert (ThresholdUnit.or_().weights, ThresholdUnit.or_().bias) == ((1, 1), -0.5)


def test_radius_is_from_the_origin() -> None:
    toy = two_points()  # 100 positive, 102 negative: a sphere of radius 1 holds both, and the margin is 1
    model = Perceptron(max_iter=100_000, shuffle=False).fit(toy.X, toy.y)
    assert model.stop_reason_ == "converged"
    assert model.mistakes_ > 20_000  # where the sphere that holds all points would promise 1
    found = separability(toy.X, toy.y)
    assert found.radius == pytest.approx(np.hypot(102.0, 1.0))
    assert found.mistake_bound >= model.mistakes_ > (found.radius / found.margin) ** 2  # nor does the margin do


def test_cross_term_is_zero_at_the_start() -> None:
    model = Perceptron(shuffle=False).fit(CORNERS, AND, record="updates")
    log, rows = model.trace_.updates, np.column_stack([CORNERS, np.ones(4)])
    w, cross = np.zeros(3), []
    for row, step in zip(log.rows[0], log.steps[0], strict=True):
        cross.append(2 * step * (w @ rows[row]))
        w = w + step * rows[row]
    assert cross[0] == 0.0
    assert max(cross) <= 0.0 and min(cross) < 0.0
    checked = audit(model, CORNERS, AND)
    assert checked.holds
    np.testing.assert_array_equal(checked.lengths, np.cumsum((rows[log.rows[0]] ** 2).sum(axis=1) + cross))


def test_scale_changes_the_bound_with_a_bias() -> None:
    for bias, same in ((True, False), (False, True)):
        X = CORNERS if bias else np.array([[3.0, 1.0], [-2.0, -1.0], [1.0, 3.0], [-1.0, -2.0]])
        y = AND if bias else np.array([1, -1, 1, -1])
        one, ten = (separability(scale * X, y, fit_intercept=bias).mistake_bound for scale in (1.0, 10.0))
        assert (one == ten) is same


def test_rows_of_length_one_are_another_problem() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 2)) * random.uniform(0.1, 10, (40, 1))
    y = np.where(X @ [1.0, 2.0] > 0, 1, -1)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    runs = [Perceptron(fit_intercept=False, shuffle=False, max_iter=10_000).fit(rows, y) for rows in (X, unit)]
    assert [run.stop_reason_ for run in runs] == ["converged", "converged"]
    assert runs[0].mistakes_ != runs[1].mistakes_
    bounds = [separability(rows, y, fit_intercept=False).mistake_bound for rows in (X, unit)]
    assert bounds[0] != bounds[1]
    assert all(run.mistakes_ <= bound for run, bound in zip(runs, bounds, strict=True))


def test_cauchy_schwarz_is_an_inequality() -> None:
    model = Perceptron(shuffle=False).fit(CORNERS, AND)
    w = np.append(model.coef_[0], model.intercept_)
    best = np.array([2.0, 2.0, -3.0]) / 17**0.5  # the widest in the run's own coordinates: gamma' is 1/sqrt(17)
    assert separability(CORNERS, AND).gamma == pytest.approx(1 / 17**0.5)
    assert (AND * (np.column_stack([CORNERS, np.ones(4)]) @ best)).min() == pytest.approx(1 / 17**0.5)
    assert 0 < w @ best < 0.999 * np.linalg.norm(w)


def test_first_pass_always_runs() -> None:
    update, passes = False, 0  # nothing has set `update` when the printed loop first looks at it
    while update:
        passes += 1
    assert passes == 0
    model = Perceptron(shuffle=False, max_iter=1).fit(CORNERS, AND)
    assert model.n_iter_ == 1 and model.mistakes_ > 0


def test_perceptron_loss_is_not_the_hinge() -> None:
    loss, params = RULES["perceptron"].loss, (1.0,)
    assert loss is not None
    for m in (-1.0, -0.25, 0.0, 0.5, 2.0):
        assert loss(m, 1.0, params) == max(0.0, -m)
    assert loss(0.5, 1.0, params) != max(0.0, 1.0 - 0.5)


@pytest.mark.parametrize("s", [1, 2, 3])
def test_dropped_at_s(s: int) -> None:
    """At s mistakes, as in K's code, and not only above s, as in K's words."""
    rows, y = [[1.0], [2.0], [-1.0], [-2.0], [1.5]], [1, 1, 0, 0, 0]
    log = KernelPerceptron("linear", drop_after=s + 1, shuffle=False, answer="averaged", max_iter=s)
    log.fit(rows, y)
    assert log.mistake_counts_[4] == s and log.dropped_.tolist() == []
    assert 4 in KernelPerceptron("linear", drop_after=s, shuffle=False).fit(rows, y).dropped_


def test_one_sigmoid() -> None:
    """-log sigma(y f) with f already a probability never falls below log(1 + 1/e): no row can be right enough."""
    loss, params = RULES["logistic"].loss, (1.0, 0.0)
    assert loss is not None
    far = 50.0
    assert loss(far, 1.0, params) < 1e-20
    assert loss(1.0 / (1.0 + np.exp(-far)), 1.0, params) > 0.3


def test_bias_is_squared() -> None:
    guesses, truth = np.array([1.0, 2.0, 4.0]), 5.0
    bias, error = guesses.mean() - truth, np.mean((guesses - truth) ** 2)
    assert np.isclose(error, bias**2 + guesses.var())
    assert not np.isclose(error, bias + guesses.var())


def test_no_second_division_by_n() -> None:
    """One step with all rows moves w by eta times the mean slope; divided by n once more it would depend on n."""
    X, y = np.array([[1.0], [2.0]]), np.array([1.0, 2.0])
    settings = {"solver": GradientDescent(batch_size=None, learning_rate=0.1), "max_iter": 1, "fit_intercept": False}
    once = LeastSquares(**settings).fit(X, y).coef_[0]
    assert once == pytest.approx(0.1 * np.mean(X[:, 0] * y))
    assert LeastSquares(**settings).fit(np.tile(X, (10, 1)), np.tile(y, 10)).coef_[0] == pytest.approx(once)


def test_stochastic_descent_may_end_in_the_worse_minimum() -> None:
    """Two minima and a barrier at 0.245: batch stays on the side where it starts, drawn rows cross it both ways."""
    x, y = np.array([[-20.0], [1.0], [1.2], [1.4], [1.6]]), np.array([1, 1, 1, 1, 0])
    settings = {"lam": 0, "tol": 0, "fit_intercept": False, "max_iter": 400}
    for start, ends_left in ((-0.5, True), (0.7, False)):  # on the side of the deep and of the shallow minimum
        batch = SigmoidNeuron(solver=GradientDescent(batch_size=None, learning_rate=0.2), **settings).fit(
            x, y, coef_init=[[start]]
        )
        assert (batch.coef_[0, 0] < 0.245) == ends_left and batch.stop_reason_ == "max_iter"
        drawn = [
            SigmoidNeuron(
                solver=GradientDescent(learning_rate=0.2, shuffle="replacement"), random_state=seed, **settings
            )
            .fit(x, y, coef_init=[[start]])
            .coef_[0, 0]
            < 0.245
            for seed in range(8)
        ]
        assert any(drawn) and not all(drawn)


def test_constant_feature_is_zero() -> None:
    X, y = np.column_stack([np.arange(4.0), np.full(4, 7.0)]), [0, 0, 1, 1]
    scaled = MinMaxScaler().fit_transform(X)
    assert (scaled[:, 1] == 0).all()
    assert Perceptron(max_iter=100).fit(scaled, y).coef_[0, 1] == 0


def test_sigmoid_kernel_is_not_an_inner_product() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 2))
    assert not Sigmoid(1.0, -1.0).valid and all(kernel.valid for kernel in (Polynomial(3), RBF(0.5)))
    for kernel, inner in ((Polynomial(3), True), (RBF(0.5), True), (Sigmoid(1.0, -1.0), False)):
        values = np.linalg.eigvalsh(kernel(rows))
        assert bool(values.min() > -1e-9 * values.max()) is inner
    report = is_mercer(Sigmoid(1.0, -1.0), rows)
    assert report.violation and report.verify(rows)
    c, few = np.array(report.witness, float), rows[list(report.witness_rows)]
    assert c @ Sigmoid(1.0, -1.0)(few) @ c < 0


def test_two_definitions_differ_for_infinite_sets() -> None:
    """(0, 1] and [-1, 0]: the hulls are disjoint, but no w and k have w x > k on the one and w x < k on the other."""
    for w in (-1.0, 0.0, 1.0):
        for k in np.linspace(-2, 2, 401):
            x = min(1.0, k / 2) if w > 0 and k > 0 else 1e-3  # a point of (0, 1] that should be above k
            assert not (w * x > k and w * 0.0 < k and w * -1.0 < k)
    bounds = []
    for n in (2, 4, 8, 16):  # finite samples are separable, with a margin that has no lower bound
        right, left = np.arange(1, n + 1) / n, -np.arange(n + 1) / n
        found = separability(np.concatenate([right, left])[:, None], np.repeat([1, -1], [n, n + 1]))
        assert found.verdict == "separable" and Fraction(found.margin) == Fraction(1, 2 * n)
        bounds.append(found.mistake_bound)
    assert bounds == sorted(bounds) and bounds[-1] > 50 * bounds[0]


def test_recap_counts_one_mistake_too_many() -> None:
    rows = np.column_stack([CORNERS, np.ones(4)])[::-1]  # the longest row first
    w, after = np.zeros(3), [0.0]
    for _ in range(100):
        for x, y in zip(rows, AND[::-1], strict=True):
            if y * (w @ x) <= 0:
                w = w + y * x
                after.append(float(w @ w))
    radius = float((rows**2).sum(axis=1).max())
    assert all(after[t] <= t * radius for t in range(len(after)))  # w_t after t mistakes
    assert any(after[t + 1] > t * radius for t in range(len(after) - 1))  # w_{T+1} after T mistakes, as printed


def test_dates_of_the_lectures() -> None:
    """What the notebooks say, read again: dates cannot be run, but they can contradict each other."""
    folder = Path(__file__).parents[2] / "docs" / "lectures"
    pages = {page.stem: " ".join(page.read_text(encoding="utf-8").split()) for page in folder.glob("*_*.md")}
    found = re.search(r"born on (\d+ \w+ \d{4}) and died on (\d+ \w+ \d{4})", pages["liang_perceptron_sgd"])
    assert found is not None
    born, died = (datetime.strptime(date, "%d %B %Y") for date in found.groups())
    assert (born.day, born.month) == (died.day, died.month) and died.year - born.year == 43  # on his birthday
    assert died.year == 1971
    for name, page in pages.items():  # wherever the report, the thesis and the book are named, they have one year
        years = re.findall(r"F\. Rosenblatt \((\d{4})\)\. \*The perceptron: a perceiving", page)
        assert set(years) <= {"1957"}, name
    assert "P. J. Werbos (1974)" in pages["crowley_gradient_descent"]
    assert "S. Grossberg (1973)" in pages["crowley_gradient_descent"]
    assert "M. Minsky, S. Papert (1969)" in pages["crowley_gradient_descent"]
