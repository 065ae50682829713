"""Epochs: the pocket, the same bits in every process, and a diverging run."""

import hashlib
import signal
import subprocess
import sys
import threading
import warnings
from collections import Counter

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import perceptron as reference
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import HalfSpace, PassiveAggressive, Perceptron, load, save
from rosenblatt.engine import threads
from rosenblatt.engine.online import epochs, state
from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.rules import RULES

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RULE = RULES["perceptron"].function


def problem(seed, n_classes, n=40, d=5):
    generator = np.random.default_rng(seed)
    X, y = generator.integers(-4, 5, (n, d)).astype(float), generator.integers(0, n_classes, n)
    y[:n_classes] = range(n_classes)
    return X, y


@quiet
@given(seed=st.integers(0, 10**6), n_classes=st.sampled_from([2, 3, 5]), coupled=st.booleans())
@settings(max_examples=40)
def test_the_pocket_is_gallants_with_ratchet(seed, n_classes, coupled):
    X, y = problem(seed, n_classes)
    multi = "coupled" if coupled else "ovr"
    model = Perceptron("pocket", shuffle=False, max_iter=9, multi_class=multi).fit(X, y)
    learn = reference.coupled if coupled else reference.one_against_rest
    spaces = learn(X, y, n_classes, RULE, (1.0,), model.n_iter_)
    errors, held = reference.pocket(spaces, X, y, model.n_iter_)
    kept = model.answers_["pocket"]
    assert np.sum(kept.predict(X) != y) == errors
    w, b = np.array([w for w, _ in held]), np.array([b for _, b in held])
    if coupled and n_classes == 2:
        w, b = w[1:] - w[:1], b[1:] - b[:1]
    np.testing.assert_array_equal(kept.coef, w)
    np.testing.assert_array_equal(kept.intercept, b)


@quiet
@given(seed=st.integers(0, 10**6), n_classes=st.sampled_from([2, 4]))
@settings(max_examples=15)
def test_pocket_check_update_finds_the_best_weights_there_ever_were(seed, n_classes):
    X, y = problem(seed, n_classes)
    model = Perceptron(answer="pocket", shuffle=False, max_iter=4).fit(X, y, pocket_check="update")
    spaces = reference.one_against_rest(X, y, n_classes, RULE, (1.0,), model.n_iter_)
    assert np.sum(model.predict(X) != y) == reference.pocket_after_every_update(spaces, X, y)


@quiet
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_pocket_is_never_worse_than_the_last(seed, n_jobs):
    X, y = problem(seed, 3, n=700)
    model = Perceptron(answer="pocket", max_iter=8, random_state=seed, n_jobs=n_jobs).fit(X, y)
    answers = model.answers_
    assert answers["pocket"].score(X, y) >= answers["last"].score(X, y)


@quiet
def test_the_pocket_counts_errors_by_their_weight():
    X, y = np.array([[1.0], [1.0], [1.0], [-1.0]]), np.array([0, 1, 1, 0])
    model = Perceptron(answer="pocket", max_iter=10, shuffle=False, fit_intercept=False)
    assert model.fit(X, y).predict([[1.0]]).tolist() == [1]
    assert model.fit(X, y, [5.0, 1.0, 1.0, 1.0]).predict([[1.0]]).tolist() == [0]


@quiet
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_long_runs_are_cut_into_segments_that_change_nothing(monkeypatch, layout):
    X, y = problem(3, 4, n=900, d=7)
    rows = X if layout == "rows" else scipy.sparse.csr_array(X)
    whole = Perceptron(random_state=0, max_iter=3).fit(rows, y, record="updates")
    monkeypatch.setattr(epochs, "segment_length", lambda *_: 37)
    cut = Perceptron(random_state=0, max_iter=3).fit(rows, y, record="updates")
    for name in ("last", "averaged"):
        np.testing.assert_array_equal(whole.answers_[name].coef, cut.answers_[name].coef)
    for k in range(4):
        np.testing.assert_array_equal(whole.trace_.updates.rows[k], cut.trace_.updates.rows[k])
        np.testing.assert_array_equal(whole.trace_.updates.times[k], cut.trace_.updates.times[k])
    assert whole.trace_["mistakes"].tolist() == cut.trace_["mistakes"].tolist()


DIGEST = """
import hashlib, warnings
import numpy as np, scipy.sparse
from rosenblatt import Perceptron, PassiveAggressive
from rosenblatt.engine import threads
threads.WORTH_A_THREAD = 1  # so that small rows use them
warnings.simplefilter("ignore")
rng = np.random.default_rng(9)
X, y = rng.normal(size=(300, 33)), rng.integers(0, 7, 300)
for n in (1, 2, 16):
    digest = hashlib.sha256()
    for kind in (Perceptron, PassiveAggressive):
        model = kind(random_state=4, max_iter=3, n_jobs=n)
        for rows in (X, X.astype("float32"), scipy.sparse.csr_array(X)):
            for answer in model.fit(rows, y).answers_.values():
                digest.update(answer.coef.tobytes() + answer.intercept.tobytes())
    print(digest.hexdigest())
"""


def test_the_same_bits_in_every_process_for_any_number_of_threads():
    command = [sys.executable, "-c", DIGEST]
    digests = [
        digest
        for _ in range(2)
        for digest in subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    ]
    assert len(digests) == 6 and len(set(digests)) == 1 and len(digests[0]) == 2 * hashlib.sha256().digest_size


@quiet
def test_another_seed_is_another_order():
    X, y = problem(1, 3, n=200)
    one, same, other = (Perceptron(random_state=s, max_iter=2).fit(X, y, record="updates") for s in (0, 0, 1))
    assert np.array_equal(one.trace_.updates.rows[0], same.trace_.updates.rows[0])
    assert not np.array_equal(one.trace_.updates.rows[0], other.trace_.updates.rows[0])


def test_every_order_is_as_likely_as_any_other():
    shuffler, counts = Shuffler(np.arange(4, dtype=np.int32), 1), Counter()
    for _ in range(4800):
        counts[tuple(shuffler().tolist())] += 1
    assert len(counts) == 24
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 50  # chi-square, 23 degrees: 1 in 1,000


@quiet
def test_every_epoch_visits_every_row_once_in_a_new_order():
    X = np.eye(300)
    y = np.arange(300) % 2

    def always(m, sqnorm, t, params):
        return 1.0, 1.0

    model = HalfSpace(always, max_iter=3, random_state=0).fit(X, y, record="updates")
    epochs = model.trace_.updates.rows[0].reshape(3, 300)
    for order in epochs:
        assert sorted(order) == list(range(300))
        assert abs(np.corrcoef(order, np.arange(300))[0, 1]) < 0.25
    assert not np.array_equal(epochs[0], epochs[1])


# ---------------------------------------------------------------------- overflow


@quiet
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_diverging_run_records_what_it_did(n_classes):
    X = np.array([[1e25, 0], [0, 1e25], [1e25, 1e25], [-1e25, 1e24]], np.float32)
    y = np.array([0, 1, 0, n_classes - 1])
    model = Perceptron(shuffle=False).fit(X, y, keep="voted", record="updates")
    assert model.stop_reason_ == "diverged" and model.mistakes_ > 0
    assert len(model.trace_.updates) == model.trace_["updates"].sum() > 0


def test_a_row_whose_score_is_not_finite_is_not_counted_as_seen():
    model = Perceptron(answer="averaged")
    for x, label in [([1.0, 0.0], "a"), ([0.0, 1.0], "b"), ([1.0, 1.0], "c")] * 2:
        model.learn_one(np.array(x), label)
    before = model.coef_.copy()
    for _ in range(5):
        with pytest.warns(ConvergenceWarning, match="did not learn"):
            model.learn_one(np.array([1e308, 1e308]), "a")
    np.testing.assert_array_equal(model.coef_, before)


GROWING = [
    pytest.param("float32", 1e30, id="float32"),
    pytest.param("float64", 1e250, id="float64"),
]


def diverging(dtype, size):
    """Few rows that no half-space can tell apart, so large that a product overflows."""
    X = np.array([[1.0, 0.0], [1.0, 0.5], [1.0, 1.0]], dtype) * np.dtype(dtype).type(size)
    return X, np.array([0, 1, 0])


@pytest.mark.parametrize("options", [{}, {"answer": "averaged"}, {"answer": "pocket"}, {"n_jobs": 2}], ids=str)
@pytest.mark.parametrize(("dtype", "size"), GROWING)
@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_a_diverging_run_stops_with_a_sentence_and_finite_weights(dtype, size, layout, options):
    X, y = diverging(dtype, size)
    rows = X if layout == "rows" else scipy.sparse.csr_array(X)
    model = Perceptron(shuffle=False, **options)
    with pytest.warns(ConvergenceWarning, match="diverged") as caught:
        model.fit(rows, y)
    assert "\n" not in str(caught[0].message)
    assert model.stop_reason_ == "diverged"
    for answer in model.answers_.values():
        assert np.isfinite(answer.coef).all() and np.isfinite(answer.intercept).all()
    assert np.abs(model.answers_["last"].coef).max() > 0


@pytest.mark.parametrize(("rule", "dtype"), [("logistic", "float32"), ("adaline", "float64")])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_that_every_row_multiplies_stay_finite(rule, dtype, n_classes):
    """A step so long that shrinking turns the weights around and lengthens them."""
    X, y = problem(0, n_classes, n=300)
    model = HalfSpace(rule, {"learning_rate": 1.0, "lam": 5.0}, random_state=0)
    with pytest.warns(ConvergenceWarning, match="diverged"):
        model.fit(X.astype(dtype), y)
    for answer in model.answers_.values():
        assert np.isfinite(answer.coef).all() and np.isfinite(answer.intercept).all()
    assert np.abs(model.coef_).max() > 1e30


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_a_rule_that_blows_up_is_stopped(layout):
    def doubling(m, sqnorm, t, params):
        return 1.0, 2.0

    X, y = problem(0, 3, n=3000)
    rows = X if layout == "rows" else scipy.sparse.csr_array(X)
    model = HalfSpace(doubling, max_iter=5, random_state=0)
    with pytest.warns(ConvergenceWarning, match="diverged"):
        model.fit(rows, y)
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize(
    ("layout", "multi_class"),  # the layouts add rows, and the two ways of several classes refuse them
    [("rows", "ovr"), ("columns", "coupled"), pytest.param("rows", "coupled", marks=pytest.mark.slow),
     pytest.param("columns", "ovr", marks=pytest.mark.slow)],
)  # fmt: skip
def test_a_half_space_learns_a_whole_row_or_nothing(layout, multi_class):
    """A feature that is always 1 has the intercept's weight, also when the row that was too much was refused."""

    def always(m, sqnorm, t, params):
        return 1.0, 1.0

    refused = 0
    for seed in range(12):
        random = np.random.default_rng(seed)
        X = np.ones((60, 2), np.float32)
        X[:, 0] = np.float32(2.0**62) * random.choice([-1, 1, 1, 1], 60)
        rows = X if layout == "rows" else scipy.sparse.csr_array(X)
        model = HalfSpace(always, answer="last", max_iter=300, multi_class=multi_class, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(rows, np.where(random.random(60) < 0.3, 4, np.arange(60) % 5))
        refused += model.stop_reason_ == "diverged"
        assert np.array_equal(model.coef_[:, 1], model.intercept_)
        averaged = model.answers_["averaged"]
        np.testing.assert_allclose(averaged.coef[:, 1], averaged.intercept, rtol=1e-4)  # sums in float32
    assert refused


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_a_diverging_batch_leaves_finite_weights(layout):
    X, y = diverging("float32", 1e30)
    convert = np.asarray if layout == "rows" else scipy.sparse.csr_array
    model = Perceptron()
    with pytest.warns(ConvergenceWarning, match="diverged"):
        model.partial_fit(convert(np.tile(X, (5, 1))), np.tile(y, 5))
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("d", [255, 256, 287, 300, 784])
def test_a_step_beyond_float32_is_refused_wherever_it_stands_in_a_long_row(d, shuffle):
    """The largest number of a long row is noted while the row is read: in turns of four, two, one, and one by one."""
    y = np.array([0, 1])
    for place in {0, 17, 33, 49, d // 2, d - 33, d - 17, d - 2, d - 1}:
        X = np.zeros((2, d), np.float32)
        X[:, place] = -3e38, 3e38
        model = Perceptron(learning_rate=2.0, shuffle=shuffle, random_state=0)
        with pytest.warns(ConvergenceWarning, match="diverged"):
            model.fit(X, y)
        assert not model.answers_["last"].coef.any() and not model.answers_["averaged"].coef.any()


def test_one_example_that_overflows_teaches_no_class_anything():
    """Of three half-spaces only one has a score beyond float32; the others must not learn half of the row."""
    model = Perceptron()
    for x, label in [([1, 0], 0), ([1, 0], 1), ([1, 0], 2), ([0, 1], 0), ([1, 0], 0), ([1, 0], 1)]:
        model.learn_one(np.array(x, "float32"), label)
    model.learn_one(np.array([0, 3e30], "float32"), 1)
    before = model.answers_["last"].coef.copy(), model.answers_["last"].intercept.copy(), model._state.seen
    with pytest.warns(ConvergenceWarning, match="did not learn"):
        model.learn_one(np.array([0, 3e30], "float32"), 2)
    np.testing.assert_array_equal(model.answers_["last"].coef, before[0])
    np.testing.assert_array_equal(model.answers_["last"].intercept, before[1])
    assert model._state.seen == before[2]


def test_an_averaged_float32_run_stays_close_to_float64():
    """The sum of hundreds of thousands of weight vectors, before any of it is settled."""
    generator = np.random.default_rng(2)
    X = generator.integers(0, 9, (5000, 12))
    y = (X @ generator.normal(size=12) + 4 * generator.normal(size=5000) > 0).astype(int)
    single = Perceptron(answer="averaged", max_iter=60, random_state=0).fit(X.astype("float32"), y)
    double = Perceptron(answer="averaged", max_iter=60, random_state=0).fit(X.astype("float64"), y)
    np.testing.assert_array_equal(single.answers_["last"].coef, double.answers_["last"].coef)
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=2e-6)


@quiet
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
def test_settled_sums_are_the_mean_of_the_reference(monkeypatch, layout):
    """With so few examples as it takes here: what was settled is counted once."""
    X, y = problem(3, 3, n=600)
    monkeypatch.setattr(state, "SETTLE_AFTER", 500)
    model = Perceptron("averaged", shuffle=False, max_iter=4).fit(layout(X.astype("float32")), y)
    assert model._state.total is not None
    spaces = reference.one_against_rest(X, y, 3, RULE, (1.0,), epochs=4)
    np.testing.assert_allclose(model.coef_, [space.mean()[0] for space in spaces], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, [space.mean()[1] for space in spaces], rtol=1e-5, atol=1e-5)


@quiet
def test_settled_sums_go_along_when_classes_layouts_and_dtypes_change(monkeypatch, tmp_path):
    X, y = problem(4, 2, n=400)
    later = np.arange(400) % 3
    answers = []
    for limit in (2**20, 100):
        monkeypatch.setattr(state, "SETTLE_AFTER", limit)
        model = Perceptron("averaged", shuffle=False, max_iter=1).fit(X.astype("float32"), y)
        model.partial_fit(X.astype("float32"), later)  # a shadow joins, then a third class
        model.partial_fit(scipy.sparse.csr_array(X.astype("float32")), later)
        save(model, tmp_path / "model.safetensors")
        model = load(tmp_path / "model.safetensors")
        assert (model._state.total is None) == (limit == 2**20)
        model.partial_fit(X, later)  # float64
        answers.append(model.answers_["averaged"])
    np.testing.assert_allclose(answers[1].coef, answers[0].coef, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(answers[1].intercept, answers[0].intercept, rtol=1e-5, atol=1e-5)


@quiet
def test_five_epochs_without_improvement_are_enough():
    X, y = np.ones((4000, 1)), np.arange(4000) % 2
    model = Perceptron(shuffle=False).fit(X, y)
    assert model.trace_["mistakes"].tolist() == [4000] * 6 and model.stop_reason_ == "no_improvement"
    assert Perceptron(shuffle=False, max_iter=9, tol=None).fit(X, y).stop_reason_ == "max_iter"


def test_few_rows_are_never_given_up():
    """Ten thousand epochs make two mistakes each, and the next one none."""
    model = Perceptron(shuffle=False, max_iter=100_000).fit([[100.0], [102.0]], [1, -1])
    assert model.stop_reason_ == "converged" and model.mistakes_ == 20_303


@quiet
def test_after_one_pa_step_with_huge_c_the_margin_is_one():
    X, y = np.array([[0.3, 0.4], [9.0, -7.0]]), ["no", "yes"]
    for variant in ("PA", "PA-I", "PA-II"):
        for multi in ("ovr", "coupled"):
            model = PassiveAggressive(
                answer="last", C=1e12, variant=variant, multi_class=multi, shuffle=False, max_iter=1
            ).fit(X, y)
            assert model.decision_function(X)[1] == pytest.approx(1.0, abs=1e-9)


@quiet
@pytest.mark.parametrize("multi_class", ["ovr", "coupled"])
def test_the_pocket_of_a_converged_run_is_the_last_weights_and_learning_on_does_not_change_them(multi_class):
    y = np.arange(40) % 3
    X = np.random.default_rng(0).normal(size=(40, 5)) + 9 * np.eye(5)[y]
    model = Perceptron(answer="pocket", random_state=0, multi_class=multi_class).fit(X, y)
    assert model.stop_reason_ == "converged"
    pocket = model._pocket.kept
    weights = model._state.last()[0].copy()
    np.testing.assert_array_equal(model.coef_, weights)
    model.set_params(answer="auto").partial_fit(-X, y)
    np.testing.assert_array_equal(pocket.last()[0], weights)


WATCHED = {
    "eval_set": lambda X, y: {"eval_set": (X, y)},
    "callback": lambda X, y: {"on_epoch": lambda row: False},
    "updates": lambda X, y: {"record": "updates"},
    "train error": lambda X, y: {"record": "train_error"},
    "kept": lambda X, y: {"keep": ("pocket", "voted")},
}


@quiet
@pytest.mark.parametrize("layout", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 20])
@pytest.mark.parametrize("watch", [*WATCHED, "verbose", "time limit", "threads"])
def test_watching_a_run_never_changes_its_result(layout, n_classes, watch, capsys, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    X, y = problem(7, n_classes, n=400, d=60)
    rows = layout(X)
    options = {"verbose": {"verbose": 1}, "time limit": {"time_limit": 60.0}, "threads": {"n_jobs": 16}}.get(watch, {})
    plain = Perceptron(max_iter=6, random_state=0, n_jobs=1).fit(rows, y, keep="pocket")
    watched = Perceptron(max_iter=6, random_state=0, **{"n_jobs": 1} | options)
    watched.fit(rows, y, **({"keep": "pocket"} | WATCHED.get(watch, lambda X, y: {})(rows, y)))
    assert watched.trace_["mistakes"].tolist() == plain.trace_["mistakes"].tolist()
    for name, answer in plain.answers_.items():
        np.testing.assert_array_equal(watched.answers_[name].coef, answer.coef)
        np.testing.assert_array_equal(watched.answers_[name].intercept, answer.intercept)


@quiet
def test_the_pocket_does_not_depend_on_threads_with_fractional_weights():
    for seed in (0, 1, 35):  # of 35 the pocket once did
        random = np.random.default_rng(seed)
        X = random.normal(size=(300, 2)).round(1)
        y = (X[:, 0] + random.normal(size=300) > 0).astype(int)
        weights = random.choice([0.1, 0.2, 0.3, 0.7], 300)
        one, two = (
            Perceptron("pocket", max_iter=30, random_state=0, n_jobs=jobs).fit(X, y, sample_weight=weights)
            for jobs in (1, 2)
        )
        assert (one.coef_ == two.coef_).all()
        assert (one.intercept_ == two.intercept_).all()


def test_a_first_ctrl_c_is_noted_and_a_second_one_interrupts():
    before = signal.getsignal(signal.SIGINT)
    with epochs.interrupt_flag() as interrupted:
        assert not interrupted()
        signal.raise_signal(signal.SIGINT)
        assert interrupted()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_threads_end_with_the_run(monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    running = threading.active_count()
    X, y = problem(0, 3)
    Perceptron(max_iter=2, random_state=0, n_jobs=3).fit(X, y)
    assert threading.active_count() == running


def test_what_a_program_leaves_to_the_collector_is_ended_as_without_us(tmp_path):
    code = f"""
import sys
from rosenblatt import Perceptron
Perceptron(max_iter=9).fit([[0.0], [1.0]], [0, 1])
class Log:
    def __init__(self):
        self.file, self.itself = open({str(tmp_path / "log.txt")!r}, "w"), self
log = Log()
log.file.write("not lost")
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)
    assert (tmp_path / "log.txt").read_text() == "not lost"
