"""A grid on folds: MNIST, 5 folds of 20 values of PA-I's C, ten classes, five epochs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV

from benchmarks.measure import Row, faster, seconds
from rosenblatt import PassiveAggressive, search
from rosenblatt.sources import mnist

FOLDS, EPOCHS = 5, 5
VALUES = np.logspace(-5, 0, 20)  # for pixels from 0 to 1


def rows() -> Iterator[Row]:
    data = mnist()
    pixels, y = data.X_train, data.y_train
    scaled = (pixels / 255).astype(np.float32)
    learner = PassiveAggressive(max_iter=EPOCHS, random_state=0)
    peer = SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", max_iter=EPOCHS, tol=None, random_state=0)
    grid = {"C": VALUES / 255**2}  # the same steps on pixels from 0 to 255
    theirs = GridSearchCV(peer, {"eta0": VALUES}, cv=FOLDS, n_jobs=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search(pixels[:200], y[:200], learner, grid, FOLDS)  # what is compiled is so before the clock starts
        found = [search(pixels, y, learner, grid, FOLDS, n_jobs=2) for _ in range(3)]
        peer_seconds = seconds(lambda: theirs.fit(scaled, y))
    yield faster(
        f"search: {FOLDS} folds x {len(VALUES)} values of PA-I's C, MNIST, 10 classes, {EPOCHS} epochs",
        min(one.seconds_ for one in found),
        peer_seconds,
        20,
        f"accuracy on the folds {found[0].best_score_:.2%}; peer {theirs.best_score_:.2%}",
        "s",
    )
