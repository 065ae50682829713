"""Sparse rows: 20 newsgroups as tf-idf."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import Perceptron as Peer

from benchmarks.images import error
from benchmarks.measure import Row, faster, take_turns
from rosenblatt import Perceptron
from rosenblatt.sources import newsgroups_tfidf

EPOCHS = 10


def rows() -> Iterator[Row]:
    data = newsgroups_tfidf(dtype=np.float32)
    X, X_test = data.X_train, data.X_test
    yield compare(2, X, data.y_train == 3, X_test, data.y_test == 3, 1.8)
    yield compare(20, X, data.y_train, X_test, data.y_test, 5)


def compare(classes: int, X, y, X_test, y_test, at_least: float) -> Row:
    jobs = 2 if classes > 2 else None
    peers = {kind: Peer(max_iter=EPOCHS, tol=None, n_jobs=jobs, random_state=0) for kind in ("float32", "float64")}
    kinds = {kind: X.astype(kind) for kind in peers}
    ours = Perceptron("averaged", max_iter=EPOCHS, n_jobs=jobs, random_state=0)
    works = {kind: lambda kind=kind: peers[kind].fit(kinds[kind], y) for kind in peers}
    works["ours"] = lambda: ours.fit(X, y)
    best = take_turns(works, rounds=5)
    errors = (
        f"last {error(ours.answers_['last'], X_test, y_test)}, averaged {error(ours, X_test, y_test)}; "
        f"peer {error(peers['float32'], X_test, y_test)}"
    )
    peer = min(best[kind] for kind in peers)
    work = f"20 newsgroups, tf-idf, {classes} classes, an epoch"
    return faster(work, best["ours"] / ours.n_iter_, peer / EPOCHS, at_least, errors)
