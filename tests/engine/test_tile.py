"""Half-spaces that learn side by side, many settings at once, have the bits of those that learn alone."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import HalfSpace
from rosenblatt.engine.grid import epochs as tile_run
from rosenblatt.engine.online import state, stopping
from rosenblatt.engine.online.state import weight_dtype
from rosenblatt.estimators.running import seed_of

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The number of unique classes is greater"),
]

LAYOUTS = ["uint8", "float32", "float64", "csr float32", "csr float64"]
GRIDS = {
    "passive_aggressive_1": [{"C": C} for C in (1e-4, 0.01, 0.3, 1.0)],
    "margin_perceptron": [{"learning_rate": 0.7, "theta": theta} for theta in (0.0, 1.0, 9.0)],
    "pegasos": [{"lam": lam} for lam in (1e-4, 1e-2, 1.0)],
    "logistic": [{"learning_rate": 0.1, "lam": lam} for lam in (0.0, 1e-3, 0.4)],
}


def together(model, params, X, y, weights=None):
    """The endings of the model with these parameters of its rule, by the tile."""
    model.classes_ = np.unique(y)
    task = model._task(X, y, weights, listening=False)
    values = np.array([model.rule_values(p) for p in params])
    return tile_run.train_together(
        task, X.shape[1], weight_dtype(X.dtype), values, max_iter=model.max_iter, seed=seed_of(model),
        tol=model.tol, averages=True,
    )  # fmt: skip


class Model(HalfSpace):
    def rule_values(self, params):
        return self.set_params(params=params)._learning_rule()[1]


def assert_same(rule, params, X, y, weights=None, **options):
    endings = together(Model(rule, **options), params, X, y, weights)
    for setting, ending in zip(params, endings, strict=True):
        alone = Model(rule, setting, **options).fit(X, y, weights)
        for mine, theirs in (
            (ending.state.last(), alone._state.last()),
            (ending.state.averaged(), alone._state.averaged()),
        ):
            np.testing.assert_array_equal(mine[0], theirs[0])
            np.testing.assert_array_equal(mine[1], theirs[1])
        assert ending.stop_reason == alone.stop_reason_
        assert list(ending.mistakes) == alone.trace_["mistakes"].tolist()
        assert ending.state.updates == alone._state.updates
        assert ending.state.seen == alone._state.seen
    return endings


@st.composite
def problems(draw):
    n, d, k = draw(st.integers(4, 40)), draw(st.integers(1, 90)), draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, 256, (n, d)) * (rng.random((n, d)) < draw(st.sampled_from([0.1, 0.5, 1.0])))
    y = rng.integers(0, k, n)
    y[:2] = 0, 1
    weights = rng.integers(0, 3, n).astype(float) if draw(st.booleans()) else None
    if weights is not None:
        weights[0] = 1.0
    options = dict(
        shuffle=draw(st.booleans()), fit_intercept=draw(st.booleans()), regularize_intercept=draw(st.booleans()),
        max_iter=draw(st.integers(1, 6)), random_state=draw(st.integers(0, 100)),
    )  # fmt: skip
    return X, y, weights, options


def in_layout(X, layout):
    rng = np.random.default_rng(0)
    if layout == "uint8":
        return X.astype(np.uint8)
    X = X * rng.normal(size=X.shape) / 100
    return X.astype(layout) if not layout.startswith("csr") else scipy.sparse.csr_array(X.astype(layout.split()[1]))


CASES = [(rule, layout) for rule in GRIDS for layout in LAYOUTS]
QUICK = {("passive_aggressive_1", "uint8"), ("pegasos", "csr float32")}


@pytest.mark.parametrize(
    ("rule", "layout"),
    [pytest.param(*case, marks=[] if case in QUICK else [pytest.mark.slow]) for case in CASES],
)
@given(problem=problems())
@settings(max_examples=25)
def test_the_bits_of_learning_alone(rule, layout, problem):
    X, y, weights, options = problem
    assert_same(rule, GRIDS[rule], in_layout(X, layout), y, weights, **options)


def blobs(n=900, d=7, k=3, far=1.0):
    rng = np.random.default_rng(1)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + far * np.eye(k, d)[y], y


def test_settings_end_when_they_would_alone():
    X, y = blobs(far=9.0)
    endings = assert_same("margin_perceptron", GRIDS["margin_perceptron"], X, y, max_iter=300, random_state=0)
    assert len({len(ending.mistakes) for ending in endings}) > 1
    assert {ending.stop_reason for ending in endings} == {"converged"}


def test_a_lack_of_progress_ends_one_setting_and_not_another(monkeypatch):
    monkeypatch.setattr(stopping, "FEW_ROWS", 1)
    monkeypatch.setattr(stopping, "EXAMPLES_WAITED", 1)
    X, y = blobs()
    endings = assert_same("passive_aggressive_1", GRIDS["passive_aggressive_1"], X, y, max_iter=60, tol=1e-3,
                          random_state=0)  # fmt: skip
    assert len({len(ending.mistakes) for ending in endings}) > 1


@pytest.mark.parametrize("rule", ["passive_aggressive_1", "pegasos"])
def test_sums_are_settled_at_the_same_examples(rule, monkeypatch):
    for module in (state, tile_run):
        monkeypatch.setattr(module, "SETTLE_AFTER", 300)
    X, y = blobs(n=1500)
    X = scipy.sparse.csr_array(X.astype(np.float32)) if rule == "pegasos" else (X * 16 + 99).astype(np.uint8)
    endings = assert_same(rule, GRIDS[rule], X, y, max_iter=7, random_state=0)
    assert rule == "pegasos" or all(ending.state.total is not None for ending in endings)


def test_numbers_that_grow_out_of_range_spoil_their_setting_alone():
    X, y = blobs()
    params = [{"learning_rate": eta, "theta": 1.0} for eta in (1.0, 1e307, 2.0)]
    endings = together(Model("margin_perceptron", max_iter=3, random_state=0), params, X, y)
    assert [ending.state is None for ending in endings] == [False, True, False]
    assert_same("margin_perceptron", [params[0], params[2]], X, y, max_iter=3, random_state=0)


def test_a_rule_of_ones_own():
    def half(m, sqnorm, t, params):
        (eta,) = params
        return (eta if m <= 0.5 else 0.0), 1.0

    X, y = blobs(n=300)
    model = Model(half, [1.0], max_iter=3, random_state=0)
    endings = together(model, [[0.5], [2.0]], X, y)
    for params, ending in zip([[0.5], [2.0]], endings, strict=True):
        alone = HalfSpace(half, params, answer="last", max_iter=3, random_state=0).fit(X, y)
        np.testing.assert_array_equal(ending.state.last()[0], alone.coef_)
