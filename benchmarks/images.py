"""Dense rows: MNIST, ten classes and two."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np
from sklearn.linear_model import Perceptron as Peer

from benchmarks.measure import Row, faster, take_turns
from rosenblatt import Perceptron
from rosenblatt.sources import mnist

EPOCHS = 10


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
    scaled = {kind: (pixels / 255).astype(kind) for kind in ("float32", "float64")}
    scaled_test = (pixels_test / 255).astype(np.float32)

    peers = {kind: Peer(max_iter=EPOCHS, tol=None, n_jobs=2, random_state=0) for kind in scaled}
    one, two = (Perceptron("averaged", max_iter=EPOCHS, n_jobs=n, random_state=0) for n in (1, 2))
    works = {f"peer {kind}": lambda kind=kind: peers[kind].fit(scaled[kind], y) for kind in scaled}
    works |= {"one": lambda: one.fit(pixels, y), "two": lambda: two.fit(pixels, y)}
    best = take_turns(works, rounds=3)
    peer = min(best[name] for name in works if name.startswith("peer")) / EPOCHS
    answers = two.answers_
    errors = (
        f"last {error(answers['last'], pixels_test, y_test)}, averaged "
        f"{error(answers['averaged'], pixels_test, y_test)}; "
        f"peer {error(peers['float32'], scaled_test, y_test)}"
    )
    name = "MNIST, 10 classes, uint8 rows, an epoch"
    yield faster(f"{name}, one thread", best["one"] / EPOCHS, peer, 15, errors)
    yield faster(f"{name}, two threads", best["two"] / EPOCHS, peer, 15, errors)

    X, eight, eight_test = scaled["float32"], y == 8, y_test == 8
    flat = X.ravel()
    for shuffle, name in ((False, "in file order"), (True, "shuffled")):
        peer = Peer(max_iter=EPOCHS, tol=None, random_state=0, shuffle=shuffle)
        ours = Perceptron(max_iter=EPOCHS, random_state=0, shuffle=shuffle)
        best = take_turns(
            {
                "peer": lambda peer=peer: peer.fit(X, eight),
                "ours": lambda ours=ours: ours.fit(X, eight),
                "sum": lambda: add_up(flat),
            }
        )
        errors = f"last {error(ours, scaled_test, eight_test)}; peer {error(peer, scaled_test, eight_test)}"
        work = f"60,000 x 784 float32, 2 classes, {name}, an epoch"
        yield faster(work, best["ours"] / EPOCHS, best["peer"] / EPOCHS, 6 if not shuffle else 4, errors)
        if not shuffle:
            epoch = min(ours.trace_["seconds"])
            share = best["sum"] / epoch
            yield Row(
                work="the same, against a plain sum of the array",
                ours=f"{X.nbytes / epoch / 1e9:.1f} GB/s",
                peer=f"{X.nbytes / best['sum'] / 1e9:.1f} GB/s",
                ratio=f"{share:.0%}",
                wanted="80%",
                met=share >= 0.8,
            )
