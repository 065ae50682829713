"""The loop for a single half-space does what the general loop does, bit for bit."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.same_fits import assert_same_fits
from rosenblatt import HalfSpace, Perceptron
from rosenblatt.engine.online import loop
from rosenblatt.engine.online.threads import Workers

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

LAYOUTS = ["uint8", "float32", "float64", "csr float32", "csr float64"]
EVERY_DAY = {  # the others are compiled for this alone
    ("perceptron", "uint8"), ("perceptron", "float64"), ("perceptron", "csr float32"),
    ("shrinking", "csr float64"),
}  # fmt: skip


def fading(m, sqnorm, t, params):
    return (1.0 / t, 1.0) if m <= 0.0 else (0.0, 1.0)


def shrinking(m, sqnorm, t, params):
    return (1.0, 0.9) if m <= 0.5 else (0.0, 1.0 - 1.0 / (t + 9.0))


def problem(seed, layout, n=60, d=21):
    generator = np.random.default_rng(seed)
    X = generator.integers(0, 9, (n, d)) * (generator.random((n, d)) < 0.5)
    y = np.where(X @ generator.normal(size=d) + generator.normal(size=n) > 0, "yes", "no")
    y[:2] = "no", "yes"
    kind = np.dtype(layout.split()[-1])
    if kind == np.uint8:
        return X.astype(kind), y
    X = (X / 7).astype(kind)
    return (X if layout == layout.split()[-1] else scipy.sparse.csr_array(X)), y


def with_each_loop(make, X, y, **fit):
    """The same fit in the loop for one half-space, and in the general one."""
    binary = make().fit(X, y, **fit)
    start = Workers.__init__

    def start_general(self, task, count, **options):
        start(self, task, count, **options)
        self.binary = False
        self.loop = loop.visit_rows(task.rule, task.params.shape[1], task.weighted, task.layout, False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workers, "__init__", start_general)
        return binary, make().fit(X, y, **fit)


def assert_same(one, other):
    assert_same_fits(one, other)
    np.testing.assert_array_equal(one._state.ledger, other._state.ledger)


RULES = {name: name for name in ("perceptron", "passive_aggressive_1")} | {"fading": fading, "shrinking": shrinking}
CASES = [
    pytest.param(layout, name, marks=[] if (name, layout) in EVERY_DAY else [pytest.mark.slow])
    for name in RULES
    for layout in LAYOUTS
]


@quiet
@pytest.mark.parametrize(("layout", "name"), CASES)
@given(seed=st.integers(0, 10**6), shuffle=st.booleans(), weighted=st.booleans(), intercept=st.booleans())
@settings(max_examples=12)
def test_the_bits_are_those_of_the_general_loop(layout, name, seed, shuffle, weighted, intercept):
    X, y = problem(seed, layout)
    weights = np.random.default_rng(seed).integers(0, 4, len(y)) / 2 if weighted else None
    one, other = with_each_loop(
        lambda: HalfSpace(RULES[name], max_iter=7, shuffle=shuffle, random_state=seed, fit_intercept=intercept),
        X, y, sample_weight=weights, keep="pocket",
    )  # fmt: skip
    assert_same(one, other)


@quiet
@pytest.mark.parametrize("layout", ["float64", "csr float64"])
def test_so_are_the_recorded_updates_and_the_votes(layout):
    X, y = problem(1, layout)
    one, other = with_each_loop(
        lambda: Perceptron("voted", max_iter=6, random_state=0), X, y, record="updates"
    )  # fmt: skip
    assert_same(one, other)
    for name in ("rows", "steps", "times"):
        for mine, theirs in zip(getattr(one.trace_.updates, name), getattr(other.trace_.updates, name), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


@quiet
@pytest.mark.parametrize("layout", ["float32", "csr float32"])
def test_a_run_that_diverges_ends_at_the_same_row(layout):
    X, y = problem(2, layout)
    X = X * np.float32(1e37)
    one, other = with_each_loop(lambda: Perceptron(learning_rate=10.0, max_iter=50, random_state=0), X, y)
    assert one.stop_reason_ == "diverged"
    assert_same(one, other)


@quiet
@pytest.mark.parametrize("layout", ["float64", "csr float64"])
def test_labels_that_were_never_seen_are_errors_of_an_eval_set(layout):
    X, y = problem(3, layout)
    one, other = with_each_loop(
        lambda: Perceptron(max_iter=3, random_state=0), X, y, eval_set=(X, np.where(y == "no", "never", y))
    )  # fmt: skip
    np.testing.assert_array_equal(one.trace_["test_error"], other.trace_["test_error"])
    assert min(one.trace_["test_error"]) >= np.mean(y == "no")


def lazy(m, sqnorm, t, params):
    if m <= 0.0 and np.random.random() < 0.5:
        return 1.0, 1.0
    return 0.0, 1.0


@quiet
def test_a_rule_is_asked_once_about_a_row():
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(4000, 5)), generator.integers(0, 2, 4000)
    epoch = HalfSpace(lazy, max_iter=1, shuffle=False).fit(X, y).trace_.epochs[0]
    assert 0.4 < epoch.updates / epoch.mistakes < 0.6


STARTS = """
import warnings
import numpy as np
import scipy.sparse
from rosenblatt import Perceptron
from rosenblatt.engine.online.binary_loop import visit_rows
from rosenblatt.rules import RULES
warnings.simplefilter("ignore")
X = np.random.default_rng(0).normal(size=(30, 4))
Perceptron(max_iter=2).fit(scipy.sparse.csr_array(X), X[:, 0] > 0)
stats = visit_rows(RULES["perceptron"].function, 1, -1, "columns").stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_a_second_process_compiles_nothing(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run([sys.executable, "-c", STARTS], env=environment, capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert first.stdout.split() == ["0", "1"]
    assert second.stdout.split() == ["1", "0"]
