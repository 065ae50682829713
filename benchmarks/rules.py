"""What averaging and counting mistakes cost over the bare rule, and a user's own rule beside a built-in one."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np

from benchmarks.measure import Row, take_turns
from rosenblatt import HalfSpace
from rosenblatt.sources import mnist

EPOCHS = 5


def own_rule(m, sqnorm, t, params):
    return (1.0 if m <= 0.0 else 0.0), 1.0


@numba.njit(fastmath={"reassoc", "contract", "nsz", "arcp"}, nogil=True)
def bare_epochs(X, y, w, order, epochs):
    """Nothing but the rule: no bias, no average, no count of mistakes, no check of anything."""
    d = X.shape[1]
    for _ in range(epochs):
        for i in order:
            score = np.float32(0)
            for j in range(d):
                score += X[i, j] * w[j]
            if score * y[i] <= 0:
                for j in range(d):
                    w[j] += y[i] * X[i, j]


def rows() -> Iterator[Row]:
    data = mnist()
    X, eight = (data.X_train / 255).astype(np.float32), data.y_train == 8
    y = np.where(eight, 1, -1).astype(np.float32)
    order = np.arange(len(X))
    models = {
        "built in": HalfSpace("perceptron", max_iter=EPOCHS, shuffle=False),
        "own": HalfSpace(own_rule, max_iter=EPOCHS, shuffle=False),
    }
    works = {name: lambda model=model: model.fit(X, eight) for name, model in models.items()}
    epochs: dict[str, list[float]] = {name: [] for name in works}

    def note(name):
        def run():
            works[name]()
            epochs[name].append(min(models[name].trace_["seconds"]))

        return run

    best = take_turns(
        {
            "bare": lambda: bare_epochs(X, y, np.zeros(784, np.float32), order, EPOCHS),
            "built in": note("built in"),
            "own": note("own"),
        },
        rounds=7,
    )
    bare, built_in, own = best["bare"] / EPOCHS, min(epochs["built in"]), min(epochs["own"])
    for work, ours, peer, at_most in (
        ("averages and mistakes, over the bare rule, an epoch", built_in, bare, 1.3),
        ("a user's own rule, beside the built-in one, an epoch", own, built_in, 1.1),
    ):
        yield Row(
            work=work,
            ours=f"{ours * 1e3:.2f} ms",
            peer=f"{peer * 1e3:.2f} ms",
            ratio=f"{ours / peer:.2f}",
            wanted=f"{at_most:g}",
            met=ours / peer <= at_most,
        )
