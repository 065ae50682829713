"""Every compiled path does what the references do, in the same order; on integers, to the last bit."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import perceptron as reference

from rosenblatt import HalfSpace, Perceptron
from rosenblatt.engine import threads
from rosenblatt.rules import RULES
from rosenblatt.rules.adaline import adaline
from rosenblatt.rules.contract import Rule
from rosenblatt.rules.logistic import logistic
from rosenblatt.rules.margin_perceptron import margin_perceptron
from rosenblatt.rules.passive_aggressive import passive_aggressive, passive_aggressive_1, passive_aggressive_2
from rosenblatt.rules.pegasos import pegasos as pegasos_rule
from rosenblatt.rules.perceptron import perceptron
from rosenblatt.rules.sigmoid_neuron import sigmoid_neuron

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The number of unique classes is greater"),  # short runs with many classes
]

EXACT = {"perceptron": {"learning_rate": 0.5}, "margin_perceptron": {"learning_rate": 2.0, "theta": 3.0}}
ROUNDED = {"passive_aggressive": {}, "passive_aggressive_1": {"C": 0.25}, "passive_aggressive_2": {"C": 0.5}}
LAYOUTS = ["uint8", "float32", "float64", "csr float32 32", "csr float64 64", "csr float64 32", "csr float32 64"]
MULTI = {"ovr": reference.one_against_rest, "coupled": reference.coupled}


def in_layout(X, layout):
    """The same numbers in another dtype or as CSR with 32- or 64-bit indices."""
    if not layout.startswith("csr"):
        return X.astype(layout)
    _, dtype, bits = layout.split()
    S = scipy.sparse.csr_array(X.astype(dtype))
    S.indices, S.indptr = S.indices.astype(f"int{bits}"), S.indptr.astype(f"int{bits}")
    return S


@st.composite
def problems(draw, weighted=None, real=False):
    """(X, codes, n_classes, weights): integers from 0 to 3, or -2 to 2; every sum of a short run is exact.

    `real` numbers are for rules that divide: there two equal scores of integers differ by their rounding.
    """
    n, d, k = draw(st.integers(2, 24)), draw(st.integers(1, 70)), draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, 4, (n, d)) * (rng.random((n, d)) < draw(st.sampled_from([0.1, 0.5, 1.0])))
    X = X * rng.normal(size=(n, d)) if real else X
    codes = rng.integers(0, k, n)
    codes[:2] = 0, 1
    codes = np.unique(codes, return_inverse=True)[1]
    use = draw(st.booleans()) if weighted is None else weighted
    weights = rng.integers(0, 3, n).astype(float) if use else None
    if use:
        weights[0] = 1.0
    return X, codes, int(codes.max()) + 1, weights


def signed(X, layout):
    """Integers of both signs where the layout can hold them."""
    return X if layout == "uint8" else np.where(X == 3, -2, X)


def run_both(problem, name, params, layout, multi, intercept=True, max_iter=4, **options):
    X, codes, n_classes, weights = problem
    X = signed(X, layout)
    rule = RULES[name]
    model = HalfSpace(name, params, shuffle=False, max_iter=max_iter, multi_class=multi, fit_intercept=intercept,
                      **options)  # fmt: skip
    model.fit(in_layout(X, layout), codes, weights, record="updates")
    spaces = MULTI[multi](
        X, codes, n_classes, rule.function, rule.values(params), model.n_iter_, weights, rule.weighted_index,
        float(intercept),
    )  # fmt: skip
    return model, spaces


def assert_same_updates(model, spaces):
    log = model.trace_.updates
    for k, space in enumerate(spaces):
        assert (
            list(zip(log.rows[k].tolist(), log.steps[k].tolist(), log.times[k].tolist(), strict=True)) == space.updates
        )


def weights_of(spaces, mean=False):
    pairs = [space.mean() if mean else (space.w, space.b) for space in spaces]
    return np.array([w for w, _ in pairs]), np.array([b for _, b in pairs])


def as_one(w, b, coupled):
    """Two coupled classes answer by the difference of their half-spaces."""
    return (w[1:] - w[:1], b[1:] - b[:1]) if coupled and len(b) == 2 else (w, b)


def assert_same_weights(model, spaces, coupled, **tolerance):
    for name in ("last", "averaged"):
        w, b = weights_of(spaces, name == "averaged")
        found = model.answers_[name]
        if tolerance:
            w, b = as_one(w, b, coupled)
            np.testing.assert_allclose(found.coef, w, **tolerance)
            np.testing.assert_allclose(found.intercept, b, **tolerance)
        else:  # each half-space is rounded to the dtype of the weights before two are made one
            w, b = as_one(w.astype(found.coef.dtype), b.astype(found.coef.dtype), coupled)
            np.testing.assert_array_equal(found.coef, w)
            np.testing.assert_array_equal(found.intercept, b)


# Each is a loop of its own to compile. Dense rows learn in both ways; of sparse ones every dtype with every width of
# indices, and both with either way.
LOOPS = [(layout, multi) for layout in LAYOUTS[:3] for multi in MULTI] + [
    ("csr float32 32", "ovr"), ("csr float32 64", "coupled"), ("csr float64 32", "coupled"), ("csr float64 64", "ovr"),
]  # fmt: skip


@pytest.mark.parametrize(("layout", "multi"), LOOPS)
@settings(max_examples=25)
@given(problem=problems(), intercept=st.booleans())
def test_perceptron_is_the_reference_bit_for_bit(layout, multi, problem, intercept):
    model, spaces = run_both(problem, "perceptron", EXACT["perceptron"], layout, multi, intercept)
    assert_same_updates(model, spaces)
    assert_same_weights(model, spaces, multi == "coupled")


@pytest.mark.parametrize(("layout", "multi"), [("uint8", "coupled"), ("csr float32 32", "ovr")])
@settings(max_examples=25)
@given(problem=problems(), intercept=st.booleans())
def test_margin_perceptron_is_the_reference_bit_for_bit(layout, multi, problem, intercept):
    model, spaces = run_both(problem, "margin_perceptron", EXACT["margin_perceptron"], layout, multi, intercept)
    assert_same_updates(model, spaces)
    assert_same_weights(model, spaces, multi == "coupled")


@pytest.mark.parametrize(
    ("name", "layout", "multi"),  # every two of them together
    [("passive_aggressive", "float64", "ovr"), ("passive_aggressive", "csr float64 32", "coupled"),
     ("passive_aggressive_1", "float64", "coupled"), ("passive_aggressive_1", "csr float64 32", "ovr"),
     ("passive_aggressive_2", "float64", "ovr"), ("passive_aggressive_2", "csr float64 32", "coupled")],
)  # fmt: skip
@settings(max_examples=15)
@given(problem=problems(real=True), intercept=st.booleans())
def test_passive_aggressive_is_the_reference_to_rounding(name, layout, multi, problem, intercept):
    """Steps are quotients, so a row that the last step put at margin 1 may ask for 1e-16 more: compare steps."""
    model, spaces = run_both(problem, name, ROUNDED[name], layout, multi, intercept)
    log = model.trace_.updates
    for k, space in enumerate(spaces):
        found = np.zeros(space.t + 1)
        expected = np.zeros(space.t + 1)
        found[log.times[k]] = log.steps[k]
        expected[[time for _, _, time in space.updates]] = [step for _, step, _ in space.updates]
        np.testing.assert_allclose(found, expected, atol=1e-9)
    assert_same_weights(model, spaces, multi == "coupled", rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("multi", MULTI)
@settings(max_examples=15)
@given(problem=problems())
def test_mistakes_of_an_epoch_are_the_references(multi, problem):
    X, codes, _, weights = problem
    model, spaces = run_both(problem, "perceptron", {}, "float64", multi)
    visits = [i for i in range(len(X)) if weights is None or weights[i] > 0]
    X, n = signed(X, "float64"), len(visits)
    for epoch, row in enumerate(model.trace_):
        wrong = [reference.was_wrong(spaces, epoch * n + r, X[i], codes[i]) for r, i in enumerate(visits)]
        assert row.mistakes == sum(wrong)
        taught = {
            (k, time) for k, space in enumerate(spaces) for _, step, time in space.updates
            if epoch * n < time <= (epoch + 1) * n and (multi == "ovr" or step > 0)
        }  # fmt: skip
        assert row.updates == len(taught)
        every = [np.append(*space.history[(epoch + 1) * n - 1]) for space in spaces]
        assert row.norm == pytest.approx(np.linalg.norm(every), rel=1e-12)
    assert model.mistakes_ == sum(row.mistakes for row in model.trace_)


AS_ROW = {
    "float32": lambda x: x.astype("float32"),
    "float64": lambda x: x.astype("float64"),
    "uint8": lambda x: x.astype("uint8"),
    "list": lambda x: x.tolist(),
    "dict": lambda x: {f"f{j}": float(value) for j, value in enumerate(x)},
}


@pytest.mark.parametrize("kind", AS_ROW)
@pytest.mark.parametrize("multi", MULTI)
@settings(max_examples=15)
@given(problem=problems(weighted=True), intercept=st.booleans())
def test_row_by_row_is_the_reference_bit_for_bit(multi, kind, problem, intercept):
    X, codes, _, weights = problem
    kept = weights > 0
    kept[:2], weights[:2] = True, 1.0
    codes = np.unique(np.where(kept, codes, 0), return_inverse=True)[1]  # a class that never weighs is not heard of
    X, n_classes = signed(X, kind), int(codes.max()) + 1
    model = Perceptron(multi_class=multi, fit_intercept=intercept, learning_rate=0.5)
    for x, code, weight in zip(X, codes, weights, strict=True):
        model.learn_one(AS_ROW[kind](x), int(code), float(weight))
    late = {"late": True} if multi == "coupled" else {}
    spaces = MULTI[multi](
        X, codes, n_classes, RULES["perceptron"].function, (0.5,), 1, weights, -1, float(intercept), **late
    )
    assert_same_weights(model, spaces, multi == "coupled")


@pytest.mark.parametrize("layout", ["float64", "float32", "csr float64 32", "csr float32 32"])
@pytest.mark.parametrize("seed", range(4))
def test_on_real_numbers_it_parts_only_at_a_margin_within_rounding_of_zero(layout, seed):
    """A dot product of d terms is off by at most (d + 2) eps (|w|·|x| + |b|), and w itself, after u updates, by
    u eps times the sum of the |x| that were added: the first update that differs must be at such a margin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 37)) * (rng.random((300, 37)) < 0.6)
    X = X.astype("float32").astype(float)
    codes = (X @ rng.normal(size=37) + rng.normal(size=300) > 0).astype(int)
    eps = np.finfo("float32" if "float32" in layout else "float64").eps
    model = Perceptron(shuffle=False, max_iter=8).fit(in_layout(X, layout), codes, record="updates")
    (space,) = reference.one_against_rest(X, codes, 2, RULES["perceptron"].function, (1.0,), model.n_iter_)
    log = model.trace_.updates
    found = list(zip(log.times[0].tolist(), log.rows[0].tolist(), log.steps[0].tolist(), strict=True))
    expected = [(time, i, step) for i, step, time in space.updates]
    assert len(expected) > 100
    if found == expected:
        return
    time, i, _ = min(set(found) ^ set(expected))
    before = [pair for pair in expected if pair[0] < time]
    added = sum(np.abs(X[row]) for _, row, _ in before)
    w, b = space.history[time - 2]
    bound = eps * ((37 + 2) * (np.abs(w) @ np.abs(X[i]) + abs(b)) + len(before) * (added @ np.abs(X[i])))
    assert abs(w @ X[i] + b) <= bound


# ---------------------------------------------------------------------- rules that shrink


def pegasos(m, sqnorm, t, params):
    eta = 1.0 / (params[0] * t)
    return (eta if m < 1.0 else 0.0), 1.0 - eta * params[0]


def halving(m, sqnorm, t, params):
    """Powers of two only: exact as long as few of them are multiplied."""
    return (params[0] if m <= 0.0 else 0.0), (0.5 if t % 3 == 0 else 1.0)


def always_halving(m, sqnorm, t, params):
    """The scale falls below what is kept apart, and is carried into the weights, every twenty examples."""
    return (1.0 if m <= 1.0 else 0.0), 0.5


@pytest.mark.parametrize("regularize_intercept", [False, True])
@pytest.mark.parametrize(
    ("rule", "params", "layout", "multi"),  # every two of them together
    [(pegasos, (0.125,), "float64", "ovr"), (pegasos, (0.125,), "csr float64 32", "coupled"),
     (always_halving, (1.0,), "float64", "coupled"), (always_halving, (1.0,), "csr float64 32", "ovr")],
)  # fmt: skip
@settings(max_examples=12)
@given(problem=problems(weighted=False, real=True))
def test_shrinking_rules_are_the_reference(rule, params, layout, multi, regularize_intercept, problem):
    X, codes, n_classes, _ = problem
    X = signed(X, layout)
    model = HalfSpace(rule, params, shuffle=False, max_iter=3, multi_class=multi,
                      regularize_intercept=regularize_intercept)  # fmt: skip
    model.fit(in_layout(X, layout), codes, record="updates")
    spaces = MULTI[multi](X, codes, n_classes, rule, params, model.n_iter_, shrink_intercept=regularize_intercept)
    log = model.trace_.updates
    for k, space in enumerate(spaces):
        steps = [(i, step) for i, step, _ in space.updates]
        assert log.rows[k].tolist() == [i for i, _ in steps]
        np.testing.assert_allclose(log.steps[k], [step for _, step in steps], rtol=1e-12)
    scale = max(1.0, *(float(np.abs(w).max()) for space in spaces for w, _ in space.history))
    assert_same_weights(model, spaces, multi == "coupled", rtol=1e-9, atol=1e-9 * scale)


@given(problem=problems(weighted=False))
@settings(max_examples=15)
def test_a_few_halvings_are_exact(problem):
    X, codes, _, _ = problem
    X, codes = X[:12], np.unique(codes[:12], return_inverse=True)[1]
    n_classes = int(codes.max()) + 1
    model = HalfSpace(halving, (8.0,), answer="last", shuffle=False, max_iter=2).fit(
        X.astype(float), codes, record="updates"
    )
    spaces = reference.one_against_rest(X, codes, n_classes, halving, (8.0,), model.n_iter_)
    assert_same_updates(model, spaces)
    w, b = weights_of(spaces)
    np.testing.assert_array_equal(model.coef_, w)
    np.testing.assert_array_equal(model.intercept_, b)


def test_a_shrink_of_zero_forgets_everything_before():
    def forget_at_five(m, sqnorm, t, params):
        return 1.0, (0.0 if t == 5 else 1.0)

    X, y = np.arange(1.0, 17.0).reshape(8, 2), np.array([0, 1] * 4)
    for rows in (X, scipy.sparse.csr_array(X)):
        model = HalfSpace(forget_at_five, answer="last", shuffle=False, max_iter=1, fit_intercept=False).fit(rows, y)
        sign = np.where(y == 1, 1.0, -1.0)
        np.testing.assert_array_equal(model.coef_[0], sign[4:] @ X[4:])


# ---------------------------------------------------------------------- laws


@given(problem=problems(weighted=False), seed=st.integers(0, 1000))
@settings(max_examples=15)
def test_a_permutation_of_features_changes_nothing(problem, seed):
    X, codes, _, _ = problem
    order = np.random.default_rng(seed).permutation(X.shape[1])
    for layout in ("float64", "csr float64 32"):
        models = [
            Perceptron(random_state=0, max_iter=3).fit(in_layout(part, layout), codes, keep="pocket")
            for part in (X, X[:, order])
        ]
        for name in ("last", "averaged", "pocket"):
            one, other = (model.answers_[name] for model in models)
            np.testing.assert_array_equal(one.coef[:, order], other.coef)
            np.testing.assert_array_equal(one.intercept, other.intercept)


@pytest.mark.parametrize("multi", MULTI)
@pytest.mark.parametrize("name", [*EXACT, *ROUNDED])
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_weight_of_zero_is_the_row_left_out(name, multi, seed):
    """Real numbers, shuffled: the same bits."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 9)), np.append(rng.integers(0, 3, 37), [0, 1, 2])
    weights = rng.integers(0, 2, 40).astype(float)
    weights[-3:] = 1.0
    kept = weights > 0
    model = HalfSpace(name, max_iter=4, random_state=3, multi_class=multi)
    with_zeros = model.fit(X, y, weights, keep="pocket").answers_
    model.fit(X[kept], y[kept], keep="pocket")
    for answer in ("last", "averaged", "pocket"):
        np.testing.assert_array_equal(with_zeros[answer].coef, model.answers_[answer].coef)
        np.testing.assert_array_equal(with_zeros[answer].intercept, model.answers_[answer].intercept)


def test_a_weight_multiplies_the_step_and_for_pa_its_c():
    X, y = np.array([[1.0, 2.0], [3.0, -1.0]]), [0, 1]
    model = Perceptron(shuffle=False, max_iter=1).fit(X, y, [4.0, 1.0], record="updates")
    assert model.trace_.updates.steps[0][0] == -4.0
    for name in ("passive_aggressive_1", "passive_aggressive_2"):
        weighted = HalfSpace(name, {"C": 0.01}, shuffle=False, max_iter=1).fit(X, y, [3.0, 3.0])
        plain = HalfSpace(name, {"C": 0.03}, shuffle=False, max_iter=1).fit(X, y)
        np.testing.assert_array_equal(weighted.coef_, plain.coef_)


@pytest.mark.parametrize("w", [0.25, 4.0])
def test_a_weight_below_one_multiplies_the_step_of_pa_which_has_no_c(w):
    """So it lands short of its margin. Above 1 it lands on the margin, as the heaviest weight cannot do better."""
    model = HalfSpace("passive_aggressive", shuffle=False, max_iter=1, fit_intercept=False)
    model.fit([[2.0], [2.0]], [0, 1], [1.0, w], record="updates")
    assert model.trace_.updates.steps[0].tolist() == [-0.25, min(w, 1.0) * 0.5]


@pytest.mark.parametrize("layout", ["float32", "float64", "csr float32 32", "csr float64 32"])
def test_a_half_space_alone_has_the_bits_it_has_among_others(layout):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 53)), np.arange(60) % 12
    together = Perceptron(shuffle=False, max_iter=3).fit(in_layout(X, layout), y)
    for k in range(12):
        alone = Perceptron(shuffle=False, max_iter=3).fit(in_layout(X, layout), y == k)
        for name in ("last", "averaged"):
            np.testing.assert_array_equal(alone.answers_[name].coef[0], together.answers_[name].coef[k])
            assert alone.answers_[name].intercept[0] == together.answers_[name].intercept[k]


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("d", [32, 64, 127, 784, 2100])
@pytest.mark.parametrize("layout", ["float32", "float64"])
def test_a_long_row_has_the_same_bits_however_it_is_fetched(layout, d, shuffle):
    """A half-space alone fetches coming rows in another way than five together, and keeps short sums near."""
    rng = np.random.default_rng(d)
    X, y = in_layout(rng.normal(size=(30, d)), layout), np.arange(30) % 6
    options = {"shuffle": shuffle, "random_state": 3, "max_iter": 3}
    together = Perceptron(**options).fit(X, y)
    for k in (0, 5):  # in the block of five, and beside it
        alone = Perceptron(**options).fit(X, y == k)
        for name in ("last", "averaged"):
            np.testing.assert_array_equal(alone.answers_[name].coef[0], together.answers_[name].coef[k])
            assert alone.answers_[name].intercept[0] == together.answers_[name].intercept[k]


@pytest.mark.parametrize("layout", ["float64", "csr float64 32", "uint8"])
def test_the_bits_do_not_depend_on_the_number_of_threads(layout, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    rng = np.random.default_rng(6)
    X, y = rng.integers(0, 99, (200, 45)), np.arange(200) % 20
    fits = [
        Perceptron(random_state=1, max_iter=3, n_jobs=n).fit(in_layout(X, layout), y, keep="pocket")
        for n in (1, 2, 3, 16)
    ]
    for other in fits[1:]:
        for name in ("last", "averaged", "pocket"):
            np.testing.assert_array_equal(fits[0].answers_[name].coef, other.answers_[name].coef)
            np.testing.assert_array_equal(fits[0].answers_[name].intercept, other.answers_[name].intercept)
        assert [(r.updates, r.mistakes, r.norm) for r in fits[0].trace_] == [
            (r.updates, r.mistakes, r.norm) for r in other.trace_
        ]


# ---------------------------------------------------------------------- any rule, any layout, either way of several


def any_rule(m, sqnorm, t, params):
    """The rule of that number in the table: one loop to compile for all of them. The last parameter is the weight."""
    number, a, b, c = params
    if number == 0.0:
        step, shrink = perceptron(m, sqnorm, t, (a,))
    elif number == 1.0:
        step, shrink = margin_perceptron(m, sqnorm, t, (a, b))
    elif number == 2.0:
        return passive_aggressive(m, sqnorm, t, (c,))
    elif number == 3.0:
        return passive_aggressive_1(m, sqnorm, t, (c * a,))
    elif number == 4.0:
        return passive_aggressive_2(m, sqnorm, t, (c * a,))
    elif number == 5.0:
        step, shrink = pegasos_rule(m, sqnorm, t, (a,))
    elif number == 6.0:
        step, shrink = logistic(m, sqnorm, t, (a, b))
    elif number == 7.0:
        return adaline(m, sqnorm, t, (a, b, c))
    else:
        return sigmoid_neuron(m, sqnorm, t, (a, b, c))
    return c * step, shrink


ANY = Rule("any", any_rule, {"number": 0.0, "a": 1.0, "b": 1.0, "c": 1.0}, weighted="c")


@pytest.mark.parametrize(
    ("layout", "multi"),  # each is a loop to compile, so one of them is for every day
    [("csr float32 32", "coupled"),
     *(pytest.param(*loop, marks=pytest.mark.slow) for loop in LOOPS if "64" not in loop[0])],
)  # fmt: skip
@settings(max_examples=60)
@given(
    number=st.integers(0, len(RULES) - 1),
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 6),
    d=st.integers(1, 40),
    weighted=st.booleans(),
    intercept=st.booleans(),
    shrink_intercept=st.booleans(),
)
def test_every_rule_in_every_loop(layout, multi, number, seed, k, d, weighted, intercept, shrink_intercept):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 256, (20, d)) if layout == "uint8" else rng.normal(size=(20, d)).astype(np.float32)
    X = X * (rng.random(X.shape) < 0.7)
    codes = np.append(rng.integers(0, k, 20 - k), range(k))
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], 20) if weighted else None
    if weighted:
        weights[:2] = 1.0
    rule = list(RULES.values())[number]
    scale = float(np.mean(np.einsum("ij,ij->i", X.astype(float), X.astype(float)))) + 1.0
    usual = {"learning_rate": 0.3 / scale, "lam": 0.05 * scale, "theta": 0.5, "C": 0.5 / scale}
    params = [usual[name] for name in rule.parameters if name != "weight"]
    chosen = {"number": number, **dict(zip("ab", params, strict=False))}
    model = HalfSpace(ANY, chosen, shuffle=False, max_iter=2, multi_class=multi, fit_intercept=intercept,
                      regularize_intercept=shrink_intercept)  # fmt: skip
    model.fit(in_layout(X, layout), codes, weights, record="updates")
    own = rule.values(dict(zip((name for name in rule.parameters if name != "weight"), params, strict=True)))
    spaces = MULTI[multi](
        X, codes, k, rule.function, own, model.n_iter_, weights, rule.weighted_index, float(intercept),
        shrink_intercept,
    )  # fmt: skip
    size = max(float(np.abs(w).max()) for space in spaces for w, _ in space.history)
    tallest = max(abs(b) for space in spaces for _, b in space.history)
    for name in ("last", "averaged"):
        w, b = as_one(*weights_of(spaces, name == "averaged"), multi == "coupled")
        np.testing.assert_allclose(model.answers_[name].coef, w, rtol=1e-3, atol=1e-4 * size)
        np.testing.assert_allclose(model.answers_[name].intercept, b, rtol=1e-3, atol=1e-4 * (tallest + 1e-30))


def test_the_table_of_rules_is_the_one_that_is_tried():
    functions = [perceptron, margin_perceptron, passive_aggressive, passive_aggressive_1, passive_aggressive_2,
                 pegasos_rule, logistic, adaline, sigmoid_neuron]  # fmt: skip
    assert [rule.function for rule in RULES.values()] == functions
