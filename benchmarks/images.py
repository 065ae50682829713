"""Dense rows: MNIST, ten classes and two."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np
from sklearn.linear_model import Perceptron as Peer

from benchmarks.measure import Row, compare_epochs, compare_ways, take_turns
from rosenblatt import Perceptron
from rosenblatt.sources import mnist


@numba.njit(fastmath={"reassoc", "contract"})
def add_up(numbers):
    """Reads every number once: what one core can take in."""
    total = numbers.dtype.type(0)
    for i in range(len(numbers)):
        total += numbers[i]
    return total


def error(model, X, y) -> str:
    return f"{1 - model.score(X, y):.2%}"


def rows() -> Iterator[Row]:
    data = mnist()
    y, y_test = data.y_train, data.y_test
    pixels, pixels_test = data.X_train, data.X_test
    scaled = [(pixels / 255).astype(kind) for kind in ("float32", "float64")]
    scaled_test = (pixels_test / 255).astype(np.float32)

    peer = Peer(tol=None, n_jobs=2, random_state=0)
    ours = {
        f"MNIST, 10 classes, uint8 rows, {threads}": Perceptron("averaged", n_jobs=jobs, random_state=0)
        for jobs, threads in ((1, "one thread"), (2, "two threads"))
    }
    yield from compare_ways(
        {name: lambda epochs, way=way: way.set_params(max_iter=epochs).fit(pixels, y) for name, way in ours.items()},
        [lambda epochs, rows=rows: peer.set_params(max_iter=epochs).fit(rows, y) for rows in scaled],
        15,
        lambda name: (
            f"last {error(ours[name].answers_['last'], pixels_test, y_test)}, averaged "
            f"{error(ours[name], pixels_test, y_test)}; peer {error(peer, scaled_test, y_test)}"
        ),
    )

    X, eight, eight_test = scaled[0], y == 8, y_test == 8
    for shuffle, name in ((False, "in file order"), (True, "shuffled")):
        alone = Perceptron(shuffle=shuffle, random_state=0)
        peer = Peer(shuffle=shuffle, tol=None, random_state=0)
        yield from compare_epochs(
            f"60,000 x 784 float32, 2 classes, {name}",
            lambda epochs, alone=alone: alone.set_params(max_iter=epochs).fit(X, eight),
            [lambda epochs, peer=peer: peer.set_params(max_iter=epochs).fit(X, eight)],
            6,
            lambda alone=alone, peer=peer: (
                f"last {error(alone, scaled_test, eight_test)}; peer {error(peer, scaled_test, eight_test)}"
            ),
        )
        if not shuffle:
            yield beside_a_sum(X, eight, alone)


def beside_a_sum(X, y, model) -> Row:
    """An epoch in file order against a plain sum of the same array by one core."""
    flat, epochs = X.ravel(), []

    def fit():
        model.fit(X, y)
        epochs.append(min(model.trace_["seconds"]))

    best = take_turns({"sum": lambda: add_up(flat), "fit": fit})
    epoch = min(epochs)
    return Row(
        work="the same, against a plain sum of the array by one core",
        ours=f"{X.nbytes / epoch / 1e9:.1f} GB/s",
        peer=f"{X.nbytes / best['sum'] / 1e9:.1f} GB/s",
        ratio=f"{best['sum'] / epoch:.0%}",
        wanted="80%",
        met=best["sum"] / epoch >= 0.8,
    )
