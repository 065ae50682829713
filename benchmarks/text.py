"""Sparse rows: 20 newsgroups as tf-idf."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import Perceptron as Peer

from benchmarks.images import error
from benchmarks.measure import Row, compare_epochs
from rosenblatt import Perceptron
from rosenblatt.sources import newsgroups_tfidf


def rows() -> Iterator[Row]:
    data = newsgroups_tfidf(dtype=np.float32)
    X, X_test = data.X_train, data.X_test
    for jobs in (2, 1):
        # Two classes are one half-space: scikit-learn takes n_jobs=2, and has nothing for a second thread to do.
        yield from compare(2, jobs, X, data.y_train == 3, X_test, data.y_test == 3, 1.5)
    for jobs in (2, 1):
        yield from compare(20, jobs, X, data.y_train, X_test, data.y_test, 5)


def compare(classes: int, jobs: int, X, y, X_test, y_test, at_least: float) -> list[Row]:
    ours = Perceptron("averaged", n_jobs=jobs, random_state=0)
    peer = Peer(tol=None, n_jobs=jobs, random_state=0)
    kinds = [X, X.astype(np.float64)]
    return compare_epochs(
        f"20 newsgroups, tf-idf, {classes} classes" + ("" if jobs > 1 else ", one thread"),
        lambda epochs: ours.set_params(max_iter=epochs).fit(X, y),
        [lambda epochs, rows=rows: peer.set_params(max_iter=epochs).fit(rows, y) for rows in kinds],
        at_least,
        lambda: (
            f"last {error(ours.answers_['last'], X_test, y_test)}, averaged {error(ours, X_test, y_test)}; "
            f"peer {error(peer, X_test, y_test)}"
        ),
    )
