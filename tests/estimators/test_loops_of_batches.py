"""Ctrl-C while batches are learned: what was learned is kept, and the loop around them ends."""

import signal

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import KernelPerceptron, LogisticRegression, Perceptron
from rosenblatt.engine.kernel import epochs as dual_run
from rosenblatt.engine.online import epochs as run

X = np.random.default_rng(0).normal(size=(60, 3))
y = np.arange(60) % 3


@pytest.fixture
def ctrl_c(monkeypatch):
    """Ctrl-C comes in the n-th batch from now."""

    def in_batch(n, module=run):
        batches, flag = [], run.interrupt_flag

        def sometimes():
            batches.append(1)
            if len(batches) == n:
                signal.raise_signal(signal.SIGINT)

        class Flag:
            def __enter__(self):
                self.flag = flag()
                heard = self.flag.__enter__()
                sometimes()
                return heard

            def __exit__(self, *problem):
                return self.flag.__exit__(*problem)

        monkeypatch.setattr(module, "interrupt_flag", Flag)

    return in_batch


@pytest.mark.parametrize("learn", ["partial_fit", "learn_many"])
@pytest.mark.parametrize("model", [Perceptron(), LogisticRegression()], ids=str)
def test_a_loop_over_batches_ends(ctrl_c, model, learn):
    ctrl_c(3)
    getattr(model, learn)(X, y)
    getattr(model, learn)(X, y)
    with pytest.raises(KeyboardInterrupt):
        getattr(model, learn)(X, y)
    assert model.stop_reason_ == "interrupted" and model.predict(X).shape == (60,)
    model.learn_one(X[0], 1)  # it goes on from there
    model.partial_fit(X, y)
    assert model.stop_reason_ == ""


def test_a_kernel_perceptron_too(ctrl_c):
    model = KernelPerceptron().partial_fit(X, y)
    ctrl_c(1, dual_run)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    assert model.predict(X).shape == (60,)


def test_a_second_ctrl_c_soon_after_ends_more_than_one_fit():
    def interrupt(row):
        signal.raise_signal(signal.SIGINT)

    with pytest.warns(ConvergenceWarning, match="interrupted"):
        Perceptron(max_iter=5).fit(X, y, on_epoch=interrupt)
    with pytest.raises(KeyboardInterrupt), run.interrupt_flag():
        signal.raise_signal(signal.SIGINT)
