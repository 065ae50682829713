"""Short rows and one half-space: what the loop itself costs. No mark is set for these."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import Perceptron as Peer

from benchmarks.images import error
from benchmarks.measure import Row, compare_epochs
from rosenblatt import Perceptron
from rosenblatt.sources import Split, a9a, reuters


def rows() -> Iterator[Row]:
    sets = {
        "a9a, 14 numbers a row": a9a(),
        "Reuters money-fx, 44 numbers a row": reuters(),
        "1,000,000 x 20 float32": noisy(1_000_000, 20),
    }
    for name, data in sets.items():
        ours, peer = Perceptron("averaged", random_state=0), Peer(tol=None, random_state=0)
        yield from compare_epochs(
            f"{name}, 2 classes",
            lambda epochs, ours=ours, data=data: ours.set_params(max_iter=epochs).fit(data.X_train, data.y_train),
            [lambda epochs, peer=peer, data=data: peer.set_params(max_iter=epochs).fit(data.X_train, data.y_train)],
            None,
            lambda ours=ours, peer=peer, data=data: (
                f"last {error(ours.answers_['last'], data.X_test, data.y_test)}, averaged "
                f"{error(ours, data.X_test, data.y_test)}; peer {error(peer, data.X_test, data.y_test)}"
            ),
        )


def noisy(n: int, d: int) -> Split[np.ndarray]:
    """Normal rows and labels that a hyperplane gets mostly right."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(n + 10_000, d)).astype(np.float32)
    y = X @ generator.normal(size=d) + generator.normal(size=len(X)) > 0
    return Split(X[:n], y[:n], X[n:], y[n:])
