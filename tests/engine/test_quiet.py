"""Rows that are left out: everything that is learned is the same, bit for bit, as if they had been visited."""

import contextlib

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.same_fits import assert_same_fits
from rosenblatt import HalfSpace, Perceptron
from rosenblatt.engine import lessons, noted_state, quiet, quiet_loops
from rosenblatt.engine.lessons import Lessons
from rosenblatt.engine.online import epochs as run
from rosenblatt.engine.online import state
from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.engine.online.state import HalfSpaces

calm = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LAYOUTS = {  # how many weights may be copied before every stretch; beyond how many lessons are noted down
    "noted": (-1, -1), "columns": (2**16, 2**16), "columns, no runs followed": (-1, 2**16),
}  # fmt: skip


def own(m, sqnorm, t, params):
    return (params[0] if m < params[1] else 0.0), 1.0


def fading(m, sqnorm, t, params):
    return (1.0 / t, 1.0) if m <= 0.0 else (0.0, 1.0)


RULES = {
    "perceptron": ("perceptron", None), "margin": ("margin_perceptron", {"theta": 0.3}),
    "passive-aggressive": ("passive_aggressive_1", {"C": 0.1}), "own": (own, [0.5, 0.2]), "fading": (fading, None),
}  # fmt: skip


class Seen:
    """What windows did."""

    def __init__(self):
        self.windows = self.left_out = self.taken_back = self.doubts = self.cleared = 0


@contextlib.contextmanager
def windows(layout="noted", used=True, **changed):
    """Windows for sets of any size, in a layout; what they did."""
    seen, window, prove, back = Seen(), quiet.QuietRows.window, quiet.QuietRows._prove, quiet.QuietRows._take_back

    def watched_window(self, *arguments):
        epochs = window(self, *arguments)
        seen.windows += 1
        seen.left_out += self.task.n_rows * len(epochs) - int(self.counts[quiet_loops.VISITS])
        return epochs

    def watched_proof(self):
        doubts, stands = prove(self)
        seen.doubts += doubts
        seen.cleared += stands and doubts > 0
        return doubts, stands

    def watched_return(self, *arguments):
        seen.taken_back += 1
        back(self, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        retraced, noted = LAYOUTS[layout]
        patch.setattr(run, "RETRACED", retraced)
        patch.setattr(run, "NOTED", noted)
        patch.setattr(run, "epochs_between_passes", lambda price: 16)
        patch.setattr(quiet, "WORTH_IT", 0 if used else np.inf)
        patch.setattr(quiet.QuietRows, "window", watched_window)
        patch.setattr(quiet.QuietRows, "_prove", watched_proof)
        patch.setattr(quiet.QuietRows, "_take_back", watched_return)
        for name, value in changed.items():
            for module in (quiet, lessons, noted_state, state):
                if hasattr(module, name):
                    patch.setattr(module, name, value)
        yield seen


def problem(seed, dtype=np.float32, n=150, d=900, noise=0.2, repeated=False):
    """Sparse rows in which some features are frequent and most are rare, as in text."""
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 20, n)
    often = 1.0 / (1.0 + np.arange(d)) ** generator.uniform(0.2, 1.2)
    indices = generator.choice(d, size=sizes.sum(), p=often / often.sum()).astype(np.int32)
    values = np.abs(generator.normal(size=len(indices))).astype(dtype)
    X = scipy.sparse.csr_array((values, indices, np.append(0, np.cumsum(sizes))), shape=(n, d))
    if not repeated:
        X.sum_duplicates()
    scores = X @ generator.normal(size=d)
    scores += noise * scores.std() * generator.normal(size=n)
    return X, scores > np.quantile(scores, generator.choice([0.5, 0.85]))


def lasting(seed=0, n=2000, d=9000, contradictions=4, **others):
    """A problem with little left to learn after a few epochs, but that for ever: some rows have both labels."""
    X, y = problem(seed, n=n, d=d, **others)
    some = np.random.default_rng(seed).choice(n, contradictions, replace=False)
    return scipy.sparse.csr_array(scipy.sparse.vstack([X, X[some]])), np.append(y, ~y[some])


def assert_same(one, other):
    assert_same_fits(one, other)
    assert one._state.seen == other._state.seen


EVERY_DAY = {("perceptron", "noted"), ("perceptron", "columns"), ("own", "noted")}
CASES = [
    pytest.param(rule, layout, marks=[] if (rule, layout) in EVERY_DAY else [pytest.mark.slow])
    for rule in RULES
    for layout in LAYOUTS
]


@calm
@pytest.mark.parametrize(("rule", "layout"), CASES)
@given(
    seed=st.integers(0, 10**6), shuffle=st.booleans(), weighted=st.booleans(), intercept=st.booleans(),
    jobs=st.sampled_from([1, 2]), trust=st.sampled_from([1e-3, 0.1, 0.5]), few=st.sampled_from([1, 32]),
    room=st.sampled_from([1, 5]), repeated=st.booleans(), epochs=st.integers(5, 40),
    contradictions=st.sampled_from([0, 2, 4]), settled=st.sampled_from([700, 2000, 2**20]),
    notes=st.sampled_from([60, 300, 1024]),
)  # fmt: skip
@settings(max_examples=25)
def test_the_bits_are_those_of_all_visits(
    rule,
    layout,
    seed,
    shuffle,
    weighted,
    intercept,
    jobs,
    trust,
    few,
    room,
    repeated,
    epochs,
    contradictions,
    settled,
    notes,
):
    dtype = np.float64 if layout == "columns, no runs followed" else np.float32
    X, y = lasting(seed, 150, 900, contradictions, dtype=dtype, repeated=repeated)
    weights = np.random.default_rng(seed).integers(0, 4, len(y)) / 2 if weighted else None
    name, params = RULES[rule]
    models = []
    for used in (True, False):
        room_for = {"WEIGHTS": room, "SETTLE_AFTER": settled, "FEWEST_NOTES": notes}
        with windows(layout, used, FIRST_REACH=trust, FEW_DOUBTS=few, PAYS=100.0, **room_for):
            model = HalfSpace(
                name, params, max_iter=epochs, shuffle=shuffle, random_state=seed, fit_intercept=intercept, n_jobs=jobs
            )
            models.append(model.fit(X, y, sample_weight=weights))
    assert_same(*models)


@calm
@pytest.mark.parametrize("layout", LAYOUTS)
def test_most_visits_are_not_made(layout):
    X, y = lasting()
    with windows(layout) as seen:
        model = Perceptron(max_iter=40, random_state=0).fit(X, y)
    assert seen.windows > 2
    assert seen.left_out > 0.4 * len(y) * model.n_iter_
    with windows(layout, used=False) as seen:
        assert_same(model, Perceptron(max_iter=40, random_state=0).fit(X, y))
    assert seen.windows == 0


@calm
def test_trust_that_was_not_deserved_is_found_out():
    """Rows are left out on a tenth of a thousandth of their margin; without the proof, other weights come out."""
    X, y = lasting(n=600, d=3000)
    make = lambda: Perceptron(max_iter=30, random_state=0)  # noqa: E731
    with windows(used=False):
        expected = make().fit(X, y)
    with windows(FIRST_REACH=1e-4, PAYS=100.0) as seen:
        assert_same(make().fit(X, y), expected)
    assert seen.taken_back > 0 and seen.doubts > 0
    with windows(FIRST_REACH=1e-4, PAYS=100.0), pytest.MonkeyPatch.context() as patch:
        prove = quiet.QuietRows._prove
        patch.setattr(quiet.QuietRows, "_prove", lambda self: (prove(self)[0], True))
        credulous = make().fit(X, y)
    assert not np.array_equal(credulous.coef_, expected.coef_)


@calm
def test_some_doubts_are_cleared_by_looking_back():
    cleared = 0
    for seed in range(12):
        X, y = lasting(seed, n=400, d=3000)
        with windows(FIRST_REACH=0.2, PAYS=100.0) as seen:
            model = Perceptron(max_iter=30, random_state=0).fit(X, y)
        with windows(used=False):
            assert_same(model, Perceptron(max_iter=30, random_state=0).fit(X, y))
        cleared += seen.cleared
    assert cleared > 0


def growing(m, sqnorm, t, params):
    return (params[0] * t * t * t * t if m <= 0.0 else 0.0), 1.0


@calm
def test_a_row_whose_score_might_leave_the_range_of_floats_is_visited(monkeypatch):
    """Far on its side it is quiet, but one day its score is infinite, and then a visit ends the run."""
    prove, huge = quiet.QuietRows._prove, []

    def watched(self):
        doubts, stands = prove(self)
        weights, (data, indices, starts) = self.state.vectors.reshape(-1).astype(float), self.task.rows
        rows = scipy.sparse.csr_array((data.astype(float), indices, starts), shape=(len(starts) - 1, len(weights)))
        may_leave = np.abs(rows @ weights) > np.finfo(np.float32).max / 16
        assert np.all(self.margins[may_leave] == -np.inf)
        huge.append(np.sum(may_leave))
        return doubts, stands

    monkeypatch.setattr(quiet.QuietRows, "_prove", watched)
    monkeypatch.setattr(lessons, "_room", lambda state: (1024, 2**16))
    reasons = set()
    for seed in range(6):
        X, y = lasting(seed, 150, 300, 2)
        for i in range(4):
            X.data[X.indptr[i] : X.indptr[i + 1]] *= 1e3
        models = []
        for used in (True, False):
            with windows("columns", used, PAYS=100.0, FEW_LESSONS=-1.0):
                models.append(HalfSpace(growing, [3e16], max_iter=60, random_state=seed).fit(X, y))
        assert_same(*models)
        reasons.add(models[0].stop_reason_)
    assert max(huge) > 0 and "diverged" in reasons


@calm
def test_a_margin_that_float32_takes_for_0_is_a_mistake(monkeypatch):
    """Rows without numbers have the bias for a score, which may be too small for a float32."""
    monkeypatch.setattr(lessons, "_room", lambda state: (1024, 2**16))
    X, y = lasting(0, 150, 300, 2)
    X, y = scipy.sparse.csr_array(scipy.sparse.vstack([X, X[:0], X[:5] * 0.0])), np.append(y, [True] * 4 + [False])
    X.eliminate_zeros()
    mistakes = []
    for used in (True, False):
        with windows("columns", used, FIRST_REACH=0.1, PAYS=100.0, FEW_LESSONS=-1.0) as seen:
            model = Perceptron(learning_rate=2e-46, max_iter=60, shuffle=False).fit(X, y)
        mistakes.append(model.trace_["mistakes"])
        assert used == (seen.windows > 0)
    np.testing.assert_array_equal(*mistakes)


@given(seed=st.integers(0, 10**6), repeated=st.booleans(), sorted_=st.booleans())
@settings(max_examples=30)
def test_how_often_a_row_names_a_feature_is_not_more_than_said(seed, repeated, sorted_):
    X, _ = problem(seed, n=20, d=30, repeated=repeated)
    if sorted_:
        X.sort_indices()
    found = quiet_loops.most_times((X.data, X.indices, X.indptr))
    rows = [X.indices[X.indptr[i] : X.indptr[i + 1]] for i in range(X.shape[0])]
    assert found >= max(np.bincount(row).max(initial=1) for row in rows)
    assert found == 1 or found == max(map(len, rows))
    assert found > 1 or all(np.all(np.diff(row) > 0) for row in rows)


@calm
@pytest.mark.parametrize("calls", [7, 9, 12])
def test_ctrl_c_in_a_window_leaves_what_was_learned_till_then(calls, monkeypatch):
    X, y = lasting()
    within, heard = run.Watch.within_epoch, []

    def pressed(self, done):
        heard.append(done)
        if len(heard) >= calls:
            self.interrupted = lambda: True
        return within(self, done)

    with windows() as seen:
        monkeypatch.setattr(run.Watch, "within_epoch", pressed)
        model = Perceptron(max_iter=40, random_state=0).fit(X, y)
        monkeypatch.undo()
    assert model.stop_reason_ == "interrupted" and seen.windows > 0
    with windows(used=False):
        same = Perceptron(max_iter=model.n_iter_, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.coef_, same.coef_)
    np.testing.assert_array_equal(model.trace_["updates"], same.trace_["updates"])


@calm
@pytest.mark.parametrize(
    ("model", "fit"),
    [
        ({}, {"on_epoch": lambda epoch: None}), ({}, {"record": "updates"}), ({}, {"record": "train_error"}),
        ({"tol": 1e-3}, {}), ({"time_limit": 60.0}, {}), ({"answer": "voted"}, {}), ({"pocket_check": "update"}, {}),
    ],
)  # fmt: skip
def test_every_visit_is_made_where_somebody_looks(model, fit):
    X, y = lasting()
    with windows("columns") as seen:
        Perceptron(max_iter=12, random_state=0, **model).fit(X, y, **fit)
    assert seen.windows == 0


@calm
def test_every_visit_is_made_where_nothing_can_be_proven():
    X, y = lasting()
    negative = X.copy()
    negative.data[0] = -1.0
    with windows() as seen:
        Perceptron(max_iter=20, random_state=0).fit(negative, y)
        HalfSpace("logistic", max_iter=20, random_state=0).fit(X, y)
        Perceptron(max_iter=20, random_state=0).fit(X, np.arange(len(y)) % 3)  # several half-spaces
    assert seen.windows == 0


@calm
def test_reports_come_late_but_all_of_them(capsys):
    X, y = lasting()
    with windows() as seen:
        model = Perceptron(max_iter=20, random_state=0, verbose=1).fit(X, y)
    assert seen.windows > 1
    assert model.trace_["epoch"].tolist() == list(range(1, model.n_iter_ + 1))
    assert capsys.readouterr()


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 50), times=st.integers(1, 4))
def test_a_shuffle_can_be_undone(seed, n, times):
    shuffler = Shuffler(np.arange(n, dtype=np.int32), seed)
    orders = [(shuffler.order.copy(), int(shuffler.state))]
    for _ in range(times):
        shuffler()
        orders.append((shuffler.order.copy(), int(shuffler.state)))
    for order, numbers in reversed(orders[:-1]):
        shuffler.back()
        np.testing.assert_array_equal(shuffler.order, order)
        assert int(shuffler.state) == numbers
    for order, numbers in orders[1:]:
        np.testing.assert_array_equal(shuffler(), order)
        assert int(shuffler.state) == numbers


class ByHand:
    """A half-space that is taught rows one by one, with its lessons kept."""

    def __init__(self, X):
        self.X = X
        self.state = HalfSpaces(1, X.shape[1], X.dtype, "columns")
        self.state.vectors[...] = np.random.default_rng(1).normal(size=self.state.vectors.shape)
        self.lessons = Lessons((X.data, X.indices, X.indptr), self.state)
        self.passed = [self.weights()]

    def weights(self):
        return self.state.vectors.ravel().copy()

    def learn(self, i, step):
        """As the loop does: keep what was, then change it."""
        counts, taught, met, old, sums = self.lessons.arrays
        span = slice(*self.X.indptr[i : i + 2])
        features = self.X.indices[span]
        place = slice(counts[1], counts[1] + len(features))
        taught[counts[0]], met[counts[0]] = i, step
        old[place], sums[place] = self.weights()[features], self.state.lag.ravel()[features]
        counts[0], counts[1] = counts[0] + 1, place.stop
        np.add.at(self.state.vectors.reshape(-1), features, step * self.X.data[span])
        np.add.at(self.state.lag.reshape(-1), features, self.X.data[span])
        self.passed.append(self.weights())


@given(seed=st.integers(0, 10**6), repeated=st.booleans(), count=st.integers(0, 12))
@settings(max_examples=40)
def test_lessons_can_be_walked_through_and_taken_back(seed, repeated, count):
    X, _ = problem(seed, np.float64, n=30, d=1500, repeated=repeated)
    half_space, generator = ByHand(X), np.random.default_rng(seed)
    for _ in range(count):
        half_space.learn(int(generator.integers(30)), float(generator.normal()))
    kept, passed = half_space.lessons, np.array(half_space.passed)
    for side, extreme in ((1.0, passed.min(axis=0)), (-1.0, passed.max(axis=0))):
        grown = kept.spread(side)
        np.testing.assert_array_equal(half_space.weights(), extreme)
        assert grown == pytest.approx(np.sum(extreme**2) - np.sum(passed[-1] ** 2), abs=1e-9)
        kept.gather()
        np.testing.assert_array_equal(half_space.weights(), passed[-1])
    here, place = count, int(kept.counts[1])
    for there in generator.integers(0, count + 1, 5).tolist():
        place = kept.walk(here, there, place)
        np.testing.assert_array_equal(half_space.weights(), passed[there])
        here = there
    kept.walk(here, count, place)
    kept.take_back()
    np.testing.assert_array_equal(half_space.weights(), passed[0])
    assert not half_space.state.lag.any()
