"""The kernel perceptron makes the sequential algorithm's updates, whatever the blocks; one fit, four answers."""

import pickle
import warnings
from datetime import date

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import kernel_perceptron as reference
from reference.blocks import blocks
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import KernelPerceptron, Perceptron, load, save
from rosenblatt.estimators.kernel_perceptron import KernelWarning
from rosenblatt.kernels import RBF, Function, Gaussian, Linear, Polynomial, Sigmoid
from rosenblatt.sources import circles, spirals, xor

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
digits = load_digits()
PIXELS, DIGITS = digits.data[:900] / 16, digits.target[:900]
TEST_PIXELS, TEST_DIGITS = digits.data[900:] / 16, digits.target[900:]


def integers(seed, n_classes, n=40, d=4):
    generator = np.random.default_rng(seed)
    X, y = generator.integers(-3, 4, (n, d)).astype(float), generator.integers(0, n_classes, n)
    y[:n_classes] = range(n_classes)
    return X, y


def fitted(X, y, **parameters):
    return KernelPerceptron(**{"kernel": Polynomial(2), "shuffle": False, "answer": "last", **parameters}).fit(X, y)


def counters(run):
    return run.alpha[:, 0] if run.alpha.shape[1] == 1 else run.alpha


# ---------------------------------------------------------------------- the sequential algorithm's own updates


@quiet
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.sampled_from([2, 3, 5]),
    block=st.sampled_from([1, 2, 3, 7, 16, 39, 40, 1000]),
    degree=st.integers(1, 4),
    coupled=st.booleans(),
)
@settings(max_examples=60)
def test_counters_are_the_references_for_every_block_size(seed, n_classes, block, degree, coupled):
    X, y = integers(seed, n_classes)
    run = reference.train((1 + X @ X.T) ** degree, y, n_classes, 4, coupled)
    with blocks(block):
        model = fitted(X, y, kernel=Polynomial(degree), max_iter=4, multi_class="coupled" if coupled else "ovr")
    if coupled and n_classes == 2:
        np.testing.assert_array_equal(model.mistake_counts_, run.alpha)
    else:
        np.testing.assert_array_equal(model.mistake_counts_, counters(run))
        np.testing.assert_array_equal(model.dual_coef_, run.a[model.support_].T)
    assert model.trace_["mistakes"].tolist() == run.mistakes


@quiet
@given(seed=st.integers(0, 10**6), n_classes=st.sampled_from([2, 3]), block=st.sampled_from([3, 16, 100]))
@settings(max_examples=20)
def test_the_four_answers_are_the_references(seed, n_classes, block):
    X, y = integers(seed, n_classes)
    X_new = integers(seed + 1, n_classes)[0]
    K, K_new = (1 + X @ X.T) ** 2, (1 + X @ X_new.T) ** 2
    with blocks(block):
        model = fitted(X, y, max_iter=3)
    run = reference.train(K, y, n_classes, model.n_iter_)

    def shaped(scores):
        return scores[:, 0] if n_classes == 2 else scores

    scores = {name: answer.decision_function(X_new) for name, answer in model.answers_.items()}
    np.testing.assert_array_equal(scores["last"], shaped(K_new.T @ run.a))
    np.testing.assert_allclose(scores["averaged"], shaped(K_new.T @ reference.averaged(run)), rtol=1e-12, atol=1e-9)
    np.testing.assert_array_equal(scores["voted"], shaped(reference.voted(run, K_new)))
    ends = np.cumsum([len(X)] * model.n_iter_) - 1
    errors = [np.mean(answers(K.T @ run.history[end], n_classes) != y) for end in ends]
    assert 1 - model.answers_["pocket"].score(X, y) == pytest.approx(min(errors))


def answers(scores, n_classes):
    return (scores[:, 0] >= 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)


@quiet
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.sampled_from([2, 4]),
    limit=st.integers(1, 3),
    block=st.sampled_from([1, 5, 64]),
    coupled=st.booleans(),
)
@settings(max_examples=30)
def test_rows_that_err_too_often_leave_the_data(seed, n_classes, limit, block, coupled):
    X, y = integers(seed, n_classes)
    multi = "coupled" if coupled else "ovr"
    with blocks(block):
        model = fitted(X, y, max_iter=4, drop_after=limit, multi_class=multi)
    run = reference.train((1 + X @ X.T) ** 2, y, n_classes, model.n_iter_, coupled, drop_after=limit)
    assert model.dropped_.tolist() == run.dropped
    if not (coupled and n_classes == 2):
        np.testing.assert_array_equal(model.mistake_counts_, counters(run))
    assert model.mistake_counts_.max() < limit
    assert not set(model.support_) & set(run.dropped)
    if not coupled:
        mean = reference.averaged(run)
        model.set_params(answer="averaged")
        np.testing.assert_allclose(model.dual_coef_, mean[model.support_].T, rtol=1e-12, atol=1e-12)


@quiet
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.sampled_from([2, 3]),
    budget=st.sampled_from([1, 3, 10]),
    block=st.sampled_from([1, 7, 64]),
    online=st.booleans(),
)
@settings(max_examples=40)
def test_a_budget_forgets_the_row_whose_last_lesson_is_longest_ago(seed, n_classes, budget, block, online):
    X, y = integers(seed, n_classes, n=60)
    model = KernelPerceptron(Polynomial(2), shuffle=False, max_iter=3, budget=budget, answer="last")
    if online:
        run = reference.train((1 + X @ X.T) ** 2, y, n_classes, 1, budget=budget)
        for start in range(0, 60, 13):
            model.partial_fit(X[start : start + 13], y[start : start + 13], classes=range(n_classes))
        assert len(model.support_) <= budget and model.mistakes_ == run.mistakes[0]
    else:
        model.fit(X, y)
        run = reference.train((1 + X @ X.T) ** 2, y, n_classes, model.n_iter_, budget=budget)
        assert model.trace_["mistakes"].tolist() == run.mistakes
    np.testing.assert_array_equal(model.mistake_counts_, counters(run))
    held = np.flatnonzero(run.a.any(axis=1))
    np.testing.assert_array_equal(model.support_, held)
    np.testing.assert_array_equal(model.dual_coef_, run.a[held].T)
    assert "voted" not in model.answers_


@quiet
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.sampled_from([2, 3, 4]),
    budget=st.sampled_from([1, 2, 5]),
    limit=st.sampled_from([None, 3]),
    coupled=st.booleans(),
)
@settings(max_examples=25)
def test_law_under_a_budget_any_block_size_is_the_reference(seed, n_classes, budget, limit, coupled):
    """With a kernel whose values are rounded: what leaves the support leaves nothing of it behind."""
    X, y = integers(seed, n_classes, n=30, d=2)
    K = RBF(0.3)(X)
    run = reference.train(K, y, n_classes, 3, coupled, drop_after=limit, budget=budget)
    for block in (1, 2, 7, None):
        model = KernelPerceptron("rbf", gamma=0.3, shuffle=False, max_iter=3, tol=None, budget=budget)
        with blocks(block):
            model.set_params(drop_after=limit, multi_class="coupled" if coupled else "ovr").fit(X, y)
        np.testing.assert_array_equal(model.mistake_counts_, counters(run))
        assert model.trace_["mistakes"].tolist() == run.mistakes and model.dropped_.tolist() == run.dropped


@quiet
@pytest.mark.parametrize("block", [1, 2, None])
def test_a_support_that_was_left_by_all_scores_0(block):
    with blocks(block):
        model = KernelPerceptron("rbf", gamma=0.3, shuffle=False, max_iter=2, budget=1, answer="last")
        model.fit([[5.0], [1.0], [0.0]], [2, 0, 1])
    assert model.dual_coef_.tolist() == [[-1.0], [1.0], [0.0]]


@quiet
@given(data=st.data(), seed=st.integers(0, 10**6), n_classes=st.sampled_from([2, 3, 4]), coupled=st.booleans())
@settings(max_examples=60)
def test_everything_at_once_is_the_reference(data, seed, n_classes, coupled):
    X, y = integers(seed, n_classes, d=3)
    limit, budget = data.draw(st.sampled_from([None, 2, 3])), data.draw(st.sampled_from([None, 2, 6]))
    block = data.draw(st.sampled_from([1, 4, 13, 100]))
    weights = np.random.default_rng(seed).integers(0, 3, 40).astype(float) if data.draw(st.booleans()) else None
    if weights is not None:
        weights[:n_classes] = 1
    model = KernelPerceptron(Polynomial(2), shuffle=False, max_iter=4, drop_after=limit)
    with blocks(block):
        model.set_params(budget=budget, multi_class="coupled" if coupled else "ovr").fit(X, y, weights)
    run = reference.train((1 + X @ X.T) ** 2, y, n_classes, 4, coupled, weights, limit, budget)
    np.testing.assert_array_equal(model.mistake_counts_, counters(run))
    assert model.dropped_.tolist() == run.dropped and model.trace_["mistakes"].tolist() == run.mistakes


@quiet
@pytest.mark.parametrize("multi", ["ovr", "coupled"])
@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "uint8"])
def test_with_a_linear_kernel_it_is_the_perceptron(multi, shuffle, kind):
    X = digits.data[:300]  # whole numbers: every sum is exact
    rows = {"dense": X, "sparse": scipy.sparse.csr_array(X), "uint8": X.astype(np.uint8)}[kind]
    same = {"answer": "last", "max_iter": 5, "shuffle": shuffle, "random_state": 3, "multi_class": multi}
    for intercept in (False, True):
        primal = Perceptron(fit_intercept=intercept, **same).fit(rows, DIGITS[:300])
        with blocks(64):
            dual = KernelPerceptron(Polynomial(1) if intercept else "linear", **same).fit(rows, DIGITS[:300])
        assert dual.trace_["updates"].tolist() == primal.trace_["updates"].tolist()
        assert dual.trace_["mistakes"].tolist() == primal.trace_["mistakes"].tolist()
        np.testing.assert_array_equal(dual.dual_coef_ @ X[dual.support_], primal.coef_)
        np.testing.assert_allclose(dual.trace_["norm"], primal.trace_["norm"], rtol=1e-6)
        for name in ("last", "averaged"):
            scores = [model.answers_[name].decision_function(rows) for model in (dual, primal)]
            np.testing.assert_allclose(*scores, rtol=1e-5, atol=0.02 if kind == "uint8" else 1e-6)


@quiet
def test_the_norm_is_that_of_the_expansion():
    X, y = integers(5, 3)
    model = fitted(X, y, max_iter=6, drop_after=4)
    K = (1 + X @ X.T) ** 2
    a = model.dual_coef_ @ np.eye(40)[model.support_]
    assert model.trace_["norm"][-1] == pytest.approx(np.sqrt(np.einsum("ki,kj,ij->", a, a, K)))
    budget = fitted(X, y, max_iter=6, budget=7)
    a = budget.dual_coef_ @ np.eye(40)[budget.support_]
    assert budget.trace_["norm"][-1] == pytest.approx(np.sqrt(np.einsum("ki,kj,ij->", a, a, K)))


@quiet
@pytest.mark.parametrize("kernel", [RBF(0.05), Gaussian(3.0), Sigmoid(0.01, 0.0), Polynomial(3), Linear()])
def test_every_kernel_on_digits(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelWarning)
        model = KernelPerceptron(kernel, max_iter=5, random_state=0).fit(PIXELS, DIGITS)
    values = kernel(model.support_vectors_, TEST_PIXELS)
    np.testing.assert_allclose(
        model.decision_function(TEST_PIXELS), (model.dual_coef_ @ values).T, rtol=1e-9, atol=1e-9
    )
    assert model.answers_["averaged"].score(TEST_PIXELS, TEST_DIGITS) > (0.9 if kernel.valid else 0.5)


@quiet
@pytest.mark.parametrize("seed", range(6))
def test_float32_parts_from_float64_only_where_a_margin_is_within_rounding_of_0(seed):
    """The bound of docs/kernels.md: 2⁻²⁴ (p (d + 8) + m) sum_j |a_j K(x_j, x)|, for m support rows and degree p."""
    generator = np.random.default_rng(seed)
    n, d, p = 500, 12, 3
    X, y = generator.normal(size=(n, d)).astype(np.float32), generator.integers(0, 2, n)
    X[::50] = X[1::50]  # twins with labels of their own: margins that are close to 0 for long
    model = KernelPerceptron(Polynomial(p), shuffle=False, max_iter=12)
    runs = []
    for rows in (X.astype(np.float64), X):
        log = model.fit(rows, y, record="updates").trace_.updates
        runs.append(list(zip(log.times[0].tolist(), log.rows[0].tolist(), log.steps[0].tolist(), strict=True)))
    parted = next((t for t, pair in enumerate(zip(*runs, strict=False)) if pair[0] != pair[1]), None)
    if parted is None:
        assert len(runs[0]) == len(runs[1])
        return
    _, row, _ = min(run[parted] for run in runs)  # one of the two took this row for a mistake, the other did not
    rows, steps = (np.array([update[column] for update in runs[0][:parted]]) for column in (1, 2))
    values = (1 + X[rows].astype(float) @ X[row].astype(float)) ** p
    sizes = (1 + np.abs(X[rows].astype(float)) @ np.abs(X[row].astype(float))) ** p
    assert abs(steps @ values) <= 2.0**-24 * (p * (d + 8) + parted) * (np.abs(steps) @ sizes)


@pytest.mark.parametrize("power", [13, 15, 20])
def test_float32_parts_where_it_must_and_within_the_bound(power):
    """Two rows that float32 cannot tell apart by their dot products: a margin of 2⁻²ᵖ is 0 there, and a mistake."""
    small = 2.0**-power
    X, y = np.array([[1, small], [1, 0], [1, small]]), np.array([1, 0, 1])
    model = KernelPerceptron("linear", shuffle=False, max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        exact = model.fit(X, y).mistake_counts_.tolist()
        rounded = model.fit(X.astype(np.float32), y).mistake_counts_.tolist()
    assert exact == [1, 1, 0] and rounded == [1, 1, 1]  # they part at row 2, whose margin is x_0·x_2 - x_1·x_2
    margin, sizes = small**2, 2 + small**2
    assert 0 < margin <= 2.0**-24 * (1 * (2 + 8) + 2) * sizes


@quiet
@pytest.mark.parametrize("kernel", ["rbf", "gaussian"])
@pytest.mark.parametrize(("dtype", "offset"), [(np.float32, 1e4), (np.float64, 1e9)])
def test_radial_kernels_far_from_the_origin_lose_no_digits(kernel, dtype, offset):
    generator = np.random.default_rng(0)
    far = (generator.integers(-64, 64, (300, 3)) / 16 + offset).astype(dtype)  # whole steps of the dtype out there
    near, y = far.astype(np.float64) - offset, generator.integers(0, 2, 300)
    numbers = {"gamma": 1.0, "shuffle": False, "max_iter": 20}
    models = [KernelPerceptron(kernel, **numbers).fit(X, y) for X in (near, far)]
    assert np.array_equal(models[0].mistake_counts_, models[1].mistake_counts_)
    scores = [model.decision_function(X) for model, X in zip(models, (near, far), strict=True)]
    np.testing.assert_allclose(scores[1], scores[0], atol=1e-4 if dtype == np.float32 else 1e-12)
    streams = [KernelPerceptron(kernel, **numbers).partial_fit(X, y) for X in (near, far)]
    assert np.array_equal(streams[0].mistake_counts_, streams[1].mistake_counts_)
    assert np.array_equal(streams[1].support_vectors_, far[streams[1].support_])  # the rows as they came


@quiet
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("parameters", [{"gamma": 1e200}, {"gamma": 1e308}, {"kernel": Gaussian(1e-200)}])
def test_the_narrowest_kernels_know_every_row_by_itself(parameters, dtype):
    X, y = np.random.default_rng(0).normal(size=(60, 3)).astype(dtype), np.arange(60) % 2
    model = KernelPerceptron(**parameters).fit(X, y)
    assert model.stop_reason_ == "converged" and model.score(X, y) == 1.0
    assert model.mistake_counts_.tolist() == [1] * 60


@quiet
@pytest.mark.parametrize("parameters", [{"gamma": 1e-200}, {"kernel": Gaussian(1e200)}])
def test_the_widest_kernels_are_constant(parameters):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    model = KernelPerceptron(max_iter=3, **parameters).fit(X, y)
    assert len(set(model.decision_function(X).tolist())) == 1


@quiet
def test_kernels_given_as_classes_are_those_of_that_name():
    X, y = integers(0, 2)
    for kind, name in ((RBF, "rbf"), (Polynomial, "polynomial")):
        models = [KernelPerceptron(kernel, random_state=0, max_iter=5).fit(X, y) for kernel in (kind, name)]
        assert models[0].kernel_ == models[1].kernel_
        assert np.array_equal(models[0].dual_coef_, models[1].dual_coef_)


@quiet
def test_what_the_fit_used_stays_when_parameters_change(tmp_path):
    X, y = integers(0, 3)
    model = fitted(X, y, max_iter=3, multi_class="coupled")
    before = {name: answer.predict(X) for name, answer in model.answers_.items()}
    model.set_params(multi_class="ovr", kernel="precomputed")
    model._models = {}
    for fit in (model, pickle.loads(pickle.dumps(model)), load(save(model, tmp_path / "model") or tmp_path / "model")):
        for name, answer in fit.answers_.items():
            assert np.array_equal(answer.predict(X), before[name])
        assert fit.mistake_counts_.shape == (len(X), 3) and len(fit.support_vectors_) == len(fit.support_)


def test_a_sparse_precomputed_matrix_is_that_matrix():
    K = RBF(1.0)(PIXELS[:80])
    dense = KernelPerceptron("precomputed", random_state=0).fit(K, DIGITS[:80])
    sparse = KernelPerceptron("precomputed", random_state=0).fit(scipy.sparse.csr_array(K), DIGITS[:80])
    assert np.array_equal(dense.dual_coef_, sparse.dual_coef_)
    assert np.array_equal(dense.decision_function(K), dense.decision_function(scipy.sparse.csr_array(K)))


@quiet
def test_a_given_matrix_is_spoken_of_only_where_it_is_no_inner_product():
    K, y = RBF(1.0)(PIXELS[:80]), DIGITS[:80] % 2
    KernelPerceptron("precomputed").fit(K, y)  # a warning would be an error
    with pytest.warns(KernelWarning, match="is no inner product .* among 80 rows the most") as caught:
        KernelPerceptron("precomputed", max_iter=2).fit(K - 1.5 * np.eye(80), y)
    assert len([one for one in caught if one.category is KernelWarning]) == 1


@quiet
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("answer", ["averaged", "voted"])
def test_law_the_same_bits_for_any_number_of_threads(kind, answer):
    X = np.random.default_rng(0).random((1600, 120), dtype=np.float32)
    y = (X[:, 0] * X[:, 1] > 0.25).astype(int) + (X[:, 2] > 0.8)
    X = scipy.sparse.csr_array(np.where(X > 0.8, X, 0)) if kind == "sparse" else X
    same = {"answer": answer, "gamma": 0.05, "max_iter": 3, "random_state": 0}
    with blocks(150):
        models = [KernelPerceptron("rbf", n_jobs=n, **same).fit(X, y, eval_set=(X[:300], y[:300])) for n in (1, 2, 16)]
    for other in models[1:]:
        assert other.mistake_counts_.tobytes() == models[0].mistake_counts_.tobytes()
        assert other.decision_function(X).tobytes() == models[0].decision_function(X).tobytes()
        for column in ("norm", "test_error"):
            assert other.trace_[column].tobytes() == models[0].trace_[column].tobytes()


# ---------------------------------------------------------------------- shapes that no line separates


@pytest.mark.parametrize(
    ("toy", "kernel"), [(xor(), Polynomial(2)), (circles(200, random_state=0), Polynomial(2)),
                        (spirals(200, random_state=0), RBF(2.0))], ids=["xor", "circles", "spirals"]
)  # fmt: skip
def test_shapes_are_separated_by_the_right_kernel(toy, kernel):
    model = KernelPerceptron(kernel, max_iter=1000, random_state=0).fit(toy.X, toy.y)
    assert model.stop_reason_ == "converged" and model.score(toy.X, toy.y) == 1.0


# ---------------------------------------------------------------------- weights, classes, online


@quiet
def test_a_weight_of_0_is_the_row_left_out_and_others_multiply_the_step():
    X, y = integers(8, 3)
    weights = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    weights[:3] = 1
    model = KernelPerceptron(Polynomial(2), shuffle=False, max_iter=3, answer="last").fit(X, y, weights)
    run = reference.train((1 + X @ X.T) ** 2, y, 3, model.n_iter_, weights=weights)
    np.testing.assert_array_equal(model.mistake_counts_, run.alpha)
    np.testing.assert_array_equal(model.dual_coef_, run.a[model.support_].T)
    kept = np.flatnonzero(weights)
    without = KernelPerceptron(Polynomial(2), shuffle=False, max_iter=3).fit(X[kept], y[kept], weights[kept])
    np.testing.assert_array_equal(without.mistake_counts_, model.mistake_counts_[kept])
    by_class = KernelPerceptron(Polynomial(2), shuffle=False, max_iter=2, class_weight={0: 2.0, 1: 1.0, 2: 3.0})
    by_row = KernelPerceptron(Polynomial(2), shuffle=False, max_iter=2)
    factors = np.array([2.0, 1.0, 3.0])[y]
    np.testing.assert_array_equal(by_class.fit(X, y).dual_coef_, by_row.fit(X, y, factors).dual_coef_)


@quiet
@pytest.mark.parametrize("answer", ["last", "averaged"])
@pytest.mark.parametrize("multi", ["ovr", "coupled"])
def test_batches_and_single_examples_are_one_epoch(answer, multi):
    X, y = integers(3, 3, n=90)
    same = {"kernel": Polynomial(2), "answer": answer, "multi_class": multi}
    whole = KernelPerceptron(shuffle=False, max_iter=1, **same).fit(X, y)
    batches, singles, mixed = (KernelPerceptron(**same) for _ in range(3))
    for start in range(0, 90, 25):
        batches.partial_fit(X[start : start + 25], y[start : start + 25], classes=[0, 1, 2])
    for x, label in zip(X, y, strict=True):
        singles.learn_one(x, int(label))
    mixed.partial_fit(X[:30], y[:30])
    for x, label in zip(X[30:], y[30:], strict=True):
        mixed.learn_one(x, int(label))
    X_new = integers(4, 3)[0]
    others = (
        (batches,) if multi == "coupled" else (batches, singles, mixed)
    )  # coupled classes that come late start at 0
    for other in others:
        np.testing.assert_array_equal(other.decision_function(X_new), whole.decision_function(X_new))
        np.testing.assert_array_equal(other.mistake_counts_, whole.mistake_counts_)
        np.testing.assert_array_equal(other.support_, whole.support_)
    assert batches.mistakes_ == whole.mistakes_


def test_a_class_that_comes_late_is_as_if_it_had_been_declared():
    X, y = integers(11, 4, n=80)
    y = np.sort(y)
    late, declared = KernelPerceptron(Polynomial(2)), KernelPerceptron(Polynomial(2))
    for start in range(0, 80, 10):
        late.partial_fit(X[start : start + 10], y[start : start + 10])
        declared.partial_fit(X[start : start + 10], y[start : start + 10], classes=[0, 1, 2, 3])
        assert late.predict(X).shape == (80,)
    assert late.decision_function(X).tobytes() == declared.decision_function(X).tobytes()
    np.testing.assert_array_equal(late.mistake_counts_, declared.mistake_counts_)


@quiet
def test_learning_goes_on_after_a_fit():
    X, y = integers(12, 2, n=60)
    model = fitted(X[:40], y[:40], max_iter=2)
    model.partial_fit(X[40:], y[40:])
    run = reference.train((1 + X @ X.T) ** 2, y, 2, 3, orders=[range(40), range(40), range(40, 60)])
    np.testing.assert_array_equal(model.mistake_counts_, counters(run))
    model.partial_fit([[9.0, 9.0, 9.0, 9.0]], [7])
    assert model.classes_.tolist() == [0, 1, 7] and model.predict(X).shape == (60,)


def test_a_wider_batch_widens_the_rows():
    X, y = integers(13, 2)
    model = KernelPerceptron("rbf", gamma=0.1)
    model.partial_fit(X.astype(np.float32), y)
    assert model.support_vectors_.dtype == np.float32
    model.partial_fit(X, y)
    assert model.support_vectors_.dtype == np.float64 and model.decision_function(X).shape == (40,)


def test_predict_one_and_single_class_streams():
    model = KernelPerceptron("rbf", gamma=0.5)
    assert model.predict_one([0.0, 1.0]) is None
    model.learn_one([0.0, 1.0], "a")
    assert model.predict_one([5.0, 5.0]) == "a"
    model.learn_one([3.0, 3.0], "b")
    assert model.predict_one([3.0, 3.1]) == "b" and model.predict_one([0.1, 1.0]) == "a"


def test_dicts_of_named_features_are_rows(tmp_path):
    X, y = integers(21, 3, n=60)
    by_row, by_name = (KernelPerceptron(Polynomial(2)) for _ in range(2))
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        names = {name: value for name, value in zip("abcd", x, strict=True) if value or t < 3}  # zeros may be left out
        assert by_name.predict_one(names) == by_row.predict_one(x)
        by_row.learn_one(x, int(label))
        by_name.learn_one(names, int(label))
    np.testing.assert_array_equal(by_name.mistake_counts_, by_row.mistake_counts_)
    np.testing.assert_array_equal(by_name.support_vectors_.toarray(), by_row.support_vectors_)
    save(by_name, tmp_path / "named.safetensors")
    again = load(tmp_path / "named.safetensors")
    for model in (by_name, again):
        model.learn_one({"e": 2.0, "kind": "text"}, 1)
        assert model.n_features_in_ == 6
    assert again.predict_one({"a": 1.0, "e": 1.0}) == by_name.predict_one({"a": 1.0, "e": 1.0, "unknown": 9.0})
    with pytest.raises(ValueError, match="dicts of named features, but got rows"):
        by_name.predict(X)
    with pytest.raises(ValueError, match="dicts of named features, but got rows"):
        by_name.learn_one(X[0], 1)
    by_name.set_params(answer="averaged", max_iter=2).fit(X, y)
    assert by_name.predict(X).shape == (60,)


# ---------------------------------------------------------------------- the run


@quiet
def test_the_trace_the_test_error_and_the_updates():
    model = KernelPerceptron("rbf", answer="last", gamma=0.05, max_iter=4, random_state=0)
    with blocks(100):
        model.fit(PIXELS, DIGITS, eval_set=(TEST_PIXELS, TEST_DIGITS), record=("updates", "train_error"))
    assert model.trace_.columns[-2:] == ("train_error", "test_error")
    assert model.trace_["test_error"][-1] == pytest.approx(1 - model.score(TEST_PIXELS, TEST_DIGITS))
    assert model.trace_["train_error"][-1] == pytest.approx(1 - model.score(PIXELS, DIGITS))
    log = model.trace_.updates
    assert len(log) == model.trace_["updates"].sum() == model.mistake_counts_.sum()
    a = np.zeros((900, 10))
    for k in range(10):
        np.add.at(a[:, k], log.rows[k], log.steps[k])
    np.testing.assert_array_equal(a[model.support_].T, model.dual_coef_)


def test_auto_is_the_last_weights_after_a_clean_pass_and_the_average_otherwise():
    X, y = integers(2, 2)
    clean = KernelPerceptron("rbf", gamma=5.0, random_state=0).fit(
        np.unique(X, axis=0), np.arange(len(np.unique(X, axis=0))) % 2
    )
    assert clean.stop_reason_ == "converged"
    np.testing.assert_array_equal(clean.decision_function(X), clean.answers_["last"].decision_function(X))
    X[1], y[:2] = X[0], [0, 1]  # the same row with both labels: never clean
    rough = KernelPerceptron("rbf", gamma=5.0, random_state=0).fit(X, y)
    assert rough.stop_reason_ == "max_iter" and rough.n_iter_ == 20
    np.testing.assert_array_equal(rough.decision_function(X), rough.answers_["averaged"].decision_function(X))
    np.testing.assert_array_equal(rough.dual_coef_, rough.set_params(answer="averaged").dual_coef_)
    online = rough.set_params(answer="auto").partial_fit(X, y)
    np.testing.assert_array_equal(online.decision_function(X), online.answers_["last"].decision_function(X))


def test_the_defaults_are_not_behind_the_average_of_100_epochs():
    """Rows that overlap, with 15 % of the labels flipped, and digits: at most a point, the mean of three runs."""
    behind = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(4600, 2))
        y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(4600) < 0.15)
        for train, test in (((X[:600], y[:600]), (X[600:], y[600:])), ((PIXELS, DIGITS), (TEST_PIXELS, TEST_DIGITS))):
            default = KernelPerceptron(random_state=seed).fit(*train)
            long = KernelPerceptron(random_state=seed, max_iter=100, tol=None, answer="averaged").fit(*train)
            assert default.n_iter_ <= 20
            behind.append(long.score(*test) - default.score(*test))
    assert np.mean(behind[::2]) < 0.01 and np.mean(behind[1::2]) < 0.01


def test_every_reason_to_stop():
    X, y = integers(2, 2)
    y[:2] = [0, 1]
    X[1] = X[0]  # the same row with both labels: never clean
    with pytest.warns(ConvergenceWarning, match="max_iter=3") as caught:
        model = fitted(X, y, max_iter=3)
    assert model.stop_reason_ == "max_iter" and caught[0].filename == __file__
    assert fitted(X, y, max_iter=10**6, time_limit=0.05).stop_reason_ == "time_limit"
    many = np.tile(X, (60, 1)), np.tile(y, 60)  # a few rows are given all of max_iter
    assert fitted(*many, max_iter=10**6, answer="auto").stop_reason_ == "no_improvement"
    stopped = KernelPerceptron(Polynomial(2), random_state=0).fit(X, y, on_epoch=lambda row: row.epoch == 2)
    assert stopped.stop_reason_ == "callback" and stopped.n_iter_ == 2
    with pytest.warns(ConvergenceWarning, match="diverged"):
        wild = fitted((X * 1e10).astype(np.float32), y, kernel=Polynomial(4))
    assert wild.stop_reason_ == "diverged" and np.isfinite(wild.dual_coef_).all()


@quiet
def test_pickle_keeps_the_answers_and_goes_on_learning():
    X, y = integers(6, 3, n=60)
    model = fitted(X[:40], y[:40], max_iter=3)
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(X[40:], y[40:])
    assert model.decision_function(X).tobytes() == again.decision_function(X).tobytes()


# ---------------------------------------------------------------------- kernels given by the user


@quiet
def test_precomputed_and_callable_are_the_named_kernel():
    named = KernelPerceptron(Polynomial(3), max_iter=4, random_state=0).fit(PIXELS, DIGITS)

    def cubic(A, B):
        return (1 + A @ B.T) ** 3

    own = KernelPerceptron(Function(cubic, known_valid=True), max_iter=4, random_state=0).fit(PIXELS, DIGITS)
    given_ = KernelPerceptron("precomputed", max_iter=4, random_state=0).fit(cubic(PIXELS, PIXELS), DIGITS)
    expected = named.decision_function(TEST_PIXELS)
    for name in ("last", "averaged", "voted", "pocket"):
        expected = named.answers_[name].decision_function(TEST_PIXELS)
        for model, rows in ((own, TEST_PIXELS), (given_, cubic(TEST_PIXELS, PIXELS))):
            np.testing.assert_allclose(model.answers_[name].decision_function(rows), expected, rtol=1e-9, atol=1e-6)
    np.testing.assert_array_equal(given_.mistake_counts_, named.mistake_counts_)
    np.testing.assert_array_equal(own.mistake_counts_, named.mistake_counts_)


def test_fit_warns_once_for_a_kernel_that_is_not_known_to_be_valid():
    X, y = integers(0, 2)
    for kernel in ("sigmoid", lambda A, B: A @ B.T):
        with pytest.warns(KernelWarning, match="not known to be an inner product") as caught:
            KernelPerceptron(kernel, answer="averaged", max_iter=2).fit(X, y)
        assert len(caught) == 1 and caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        for name in ("linear", "polynomial", "rbf", "gaussian", "poly"):
            KernelPerceptron(name, answer="averaged", max_iter=2).fit(X, y)


@quiet
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda A, B: A @ B.T * np.nan, "finite numbers, but returned NaN"),
        (lambda A, B: (A @ B.T)[:, :1], r"must return a matrix of shape"),
        (lambda A, B: "nonsense", "returned str"),
        (lambda A, B: (A @ B.T).astype(complex), "real numbers"),
        (lambda A, B: A @ B.T + np.arange(len(A))[:, None], "symmetric"),
    ],
)
def test_a_kernel_that_returns_nonsense_is_refused_and_the_earlier_fit_stays(function, message):
    X, y = integers(1, 2)
    model = fitted(X, y, max_iter=3)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=message):
        model.set_params(kernel=function).fit(X, y)
    model.set_params(kernel="polynomial")
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_a_kernel_that_fails_in_the_middle_of_a_batch_leaves_the_model_as_it_was():
    X, y = integers(1, 2, n=60)
    calls = []

    def moody(A, B):
        calls.append(len(A))
        if len(calls) > 12:
            return np.full((len(A), len(B)), np.nan)
        return (1 + A @ B.T) ** 2

    model = KernelPerceptron(Function(moody, known_valid=True))
    with blocks(4):
        model.partial_fit(X[:8], y[:8])
    state = pickle.dumps((model.dual_coef_, model.support_, model.mistakes_, model.n_iter_))
    with blocks(4), pytest.raises(ValueError, match="finite numbers"):
        model.partial_fit(X[8:], y[8:])
    assert pickle.dumps((model.dual_coef_, model.support_, model.mistakes_, model.n_iter_)) == state


def test_precomputed_matrices_that_cannot_be():
    y = [0, 1, 0, 1]
    with pytest.raises(ValueError, match="square matrix"):
        KernelPerceptron("precomputed").fit(np.ones((4, 3)), y)
    lopsided = np.eye(4)
    lopsided[1, 3] = 0.5
    with pytest.raises(ValueError, match=r"symmetric matrix, but X\[1, 3\]"):
        KernelPerceptron("precomputed").fit(lopsided, y)
    model = KernelPerceptron("precomputed").fit(np.eye(4), y)
    with pytest.raises(ValueError, match="cannot learn from rows that come later"):
        model.partial_fit(np.eye(4), y)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "cosine"}, "kernel must be one of"),
        ({"kernel": 3}, "kernel must be a name"),
        ({"kernel": "rbf", "gamma": -1.0}, "gamma must be a finite number above 0"),
        ({"kernel": "rbf", "gamma": "wide"}, "gamma must be a number above 0, 'scale' or None"),
        ({"drop_after": 0}, "drop_after must be a whole number above 0"),
        ({"budget": 1.5}, "budget must be a whole number above 0"),
        ({"device": "tpu"}, "device must be one of"),
        ({"answer": "voted", "budget": 3}, "voted' needs every update"),
        ({"answer": "best"}, "answer must be one of"),
        ({"multi_class": "all"}, "multi_class must be one of"),
        ({"max_iter": 0}, "max_iter must be a whole number above 0"),
        ({"kernel": dict}, "kernel must be a name, a kernel object or a function"),
        ({"kernel": Function}, "kernel must be a name, a kernel object or a function"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0"),
        ({"n_jobs": 1.5}, "n_jobs must be a whole number other than 0"),
    ],
)
def test_bad_parameters(parameters, message):
    X, y = integers(1, 2)
    with pytest.raises(ValueError, match=message):
        KernelPerceptron(**parameters).fit(X, y)


def test_bad_input():
    X, y = integers(1, 2)
    model = fitted(X, y, answer="averaged", max_iter=2)
    with pytest.raises(ValueError, match="at least 2 classes"):
        KernelPerceptron().fit(X, np.zeros(40))
    with pytest.raises(ValueError, match="numbers or text, but got date objects"):
        KernelPerceptron().fit(X, [date(2026, 1, 1 + label) for label in y])
    with pytest.raises(ValueError, match="numbers or text, but has bytes"):
        KernelPerceptron().fit(X, y.astype("S1"))
    with pytest.raises(ValueError, match=r"weighs 0|non-zero"):
        KernelPerceptron().fit(X, y, np.zeros(40))
    with pytest.raises(ValueError, match="3 features, but KernelPerceptron is expecting 4"):
        model.predict(X[:, :3])
    with pytest.raises(ValueError, match="one row"):
        model.learn_one(X, 1)
    with pytest.raises(ValueError, match="must be finite"):
        model.learn_one([1.0, np.nan, 0.0, 0.0], 1)
    with pytest.raises(ValueError, match="labels of one kind"):
        model.learn_one(X[0], "text")
    with pytest.raises(ValueError, match="weight of at least 0"):
        model.learn_one(X[0], 1, w=-1)
    with pytest.raises(ValueError, match="learned from rows, but got dicts"):
        model.learn_one({"a": 1.0}, 1)
    with pytest.raises(ValueError, match="on_epoch must be a function"):
        KernelPerceptron().fit(X, y, on_epoch=3)
    with pytest.raises(ValueError, match="eval_set must be a pair"):
        KernelPerceptron().fit(X, y, eval_set=X)
    with pytest.raises(AttributeError, match="not fitted yet"):
        KernelPerceptron().support_  # noqa: B018
    with pytest.raises(AttributeError, match="committee"):
        model.set_params(answer="voted").dual_coef_  # noqa: B018


def test_set_params_speaks_about_the_next_fit():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 0] * X[:, 1] > 0
    model = KernelPerceptron("rbf", gamma=1.0, random_state=0).fit(X, y)
    before = model.decision_function(X)
    assert np.array_equal(model.set_params(kernel="linear").decision_function(X), before)


def test_repeated_entries_of_a_sparse_matrix_are_added_up():
    X, y = integers(3, 2)
    once = scipy.sparse.csr_array(X)
    halves = scipy.sparse.csr_array(
        (np.repeat(once.data / 2, 2), np.repeat(once.indices, 2), 2 * once.indptr), shape=X.shape
    )
    models = [KernelPerceptron("rbf", max_iter=3, shuffle=False).fit(rows, y) for rows in (X, once, halves)]
    assert models[1].kernel_ == models[2].kernel_ and halves.nnz == 2 * once.nnz
    assert models[2].kernel_.gamma == pytest.approx(models[0].kernel_.gamma)
    assert models[1].decision_function(once).tobytes() == models[2].decision_function(halves).tobytes()


def test_gamma_scale_far_from_the_origin():
    X = np.random.default_rng(0).normal(size=(60, 3)) + 1e7
    model = KernelPerceptron("rbf", max_iter=1, shuffle=False).fit(X, np.arange(60) % 2)
    assert model.kernel_.gamma == pytest.approx(1 / (3 * X.var()), rel=1e-6)


def test_gamma_of_a_stream_does_not_depend_on_its_first_batch():
    rows = np.arange(12.0).reshape(3, 4)
    batch, single = KernelPerceptron("rbf").partial_fit(rows, [0, 1, 0]), KernelPerceptron("rbf")
    single.learn_one(rows[0], 0)
    assert batch.kernel_.gamma == single.kernel_.gamma == 0.25
    assert KernelPerceptron("rbf", shuffle=False).fit(rows, [0, 1, 0]).kernel_.gamma == 1 / (4 * rows.var())


@pytest.mark.parametrize("kind", ["rows", "list", "dicts", "pandas", "polars", "sparse"])
@pytest.mark.parametrize("answer", ["last", "averaged"])
def test_law_learn_many_is_learn_one_again_and_again(kind, answer):
    X, y, w = PIXELS[:90, 20:30], DIGITS[:90], np.arange(90) % 3 / 2
    names = [f"p{j}" for j in range(10)]
    dicts = [dict(zip(names, row, strict=True)) for row in X.tolist()]
    given = {
        "rows": X, "list": X.tolist(), "dicts": dicts, "sparse": scipy.sparse.csr_array(X),
        "pandas": lambda: pytest.importorskip("pandas", reason="pandas is not installed").DataFrame(X, columns=names),
        "polars": lambda: pytest.importorskip("polars", reason="polars is not installed").DataFrame(X, schema=names),
    }[kind]  # fmt: skip
    given = given() if callable(given) else given
    singles = dicts if kind in ("dicts", "pandas", "polars") else X
    many, one = (KernelPerceptron("rbf", gamma=0.3, answer=answer) for _ in range(2))
    many.learn_many(given[:40], y[:40].tolist(), w[:40])
    many.learn_many(given[40:], y[40:].tolist(), w[40:])
    for x, label, weight in zip(singles, y.tolist(), w.tolist(), strict=True):
        one.learn_one(x, label, weight)
    assert many.predict_many(given).tolist() == [one.predict_one(x) for x in singles]
    assert many.classes_.tolist() == one.classes_.tolist()
    assert many.mistakes_ == one.mistakes_ + 1  # a single first example has no other class to be mistaken for
    assert many.dual_coef_.tobytes() == one.dual_coef_.tobytes()


def test_learn_many_looks_at_all_before_it_learns_from_the_first():
    model = KernelPerceptron("rbf", gamma=1.0)
    model.learn_many([[0.0, 1.0], [2.0, 1.0]], ["a", "b"])
    before = model.dual_coef_.copy()
    for X, y, w, words in [
        ([[0.0, 1.0], [2.0]], ["a", "b"], None, "inhomogeneous"),
        ([[0.0, 1.0], [2.0, np.nan]], ["a", "b"], None, "NaN"),
        ([[0.0, 1.0]], ["a", "b"], None, "same number of rows, but got 1 and 2"),
        ([[0.0, 1.0]], [3], None, "one kind"),
        ([[0.0, 1.0], [1.0, 1.0]], ["a", "b"], [1.0, -1.0], "Negative values"),
        ([{"p": 1.0}], ["a"], None, "learned from rows"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.learn_many(X, y, w)
        assert (model.dual_coef_ == before).all()
    with pytest.raises(ValueError, match="inhomogeneous"):
        KernelPerceptron(gamma=1.0).learn_many([[0.0, 1.0], [2.0]], ["a", "b"])


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (None, None), (None, [0, 1]), (5, 6), ([[0.0], [1.0]], None), ("ab", [0, 1]), (object(), [0, 1]),
        (np.array(5.0), [0, 1]), (np.array([1.0, 2.0]), [0, 1]), ({1.0, 2.0}, [0, 1]),
    ],
)  # fmt: skip
def test_what_is_no_examples_is_refused_in_the_words_of_the_perceptron(X, y, learned):
    said = []
    for kind in (Perceptron, KernelPerceptron):
        model = kind()
        if learned:
            model.partial_fit([[0.0], [1.0]], [0, 1])
        with pytest.raises((TypeError, ValueError)) as refused:
            model.learn_many(X, y)
        said.append(str(refused.value).replace(kind.__name__, "It"))
        if learned and not isinstance(X, list):
            with pytest.raises((TypeError, ValueError)):
                model.predict_many(X)
    assert said[0] == said[1]
