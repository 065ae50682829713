"""Kernel machines on the CPU: MNIST with an RBF kernel beside scikit-learn's SVC.

SVC takes some minutes to train; it is run once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from benchmarks.measure import Row, faster
from rosenblatt import KernelPerceptron
from rosenblatt.sources import mnist

GAMMA, EPOCHS = 0.02, 10


def rows() -> Iterator[Row]:
    data = mnist()
    X, X_test = ((part / 255).astype(np.float32) for part in (data.X_train, data.X_test))
    y, y_test = data.y_train, data.y_test
    KernelPerceptron(gamma=GAMMA, max_iter=2, shuffle=False).fit(X[:3000], y[:3000])  # compiled before the clock

    ours = KernelPerceptron(gamma=GAMMA, answer="averaged", max_iter=EPOCHS, shuffle=False)
    fit, predict, errors = {}, {}, {}
    for name, model in (("ours", ours), ("SVC", SVC(C=5, gamma=GAMMA))):
        clock = time.perf_counter()
        model.fit(X, y)
        fit[name] = time.perf_counter() - clock
        clock = time.perf_counter()
        errors[name] = float(np.mean(model.predict(X_test) != y_test))
        predict[name] = time.perf_counter() - clock
        print(
            f"{name}: fit {fit[name]:.1f} s, predict {predict[name]:.2f} s, test error {errors[name]:.2%}", flush=True
        )
    detail = f"averaged {errors['ours']:.2%}; SVC {errors['SVC']:.2%}"
    close = errors["ours"] <= errors["SVC"] + 0.002
    for work, times in (("10 epochs", fit), ("predict 10,000 rows", predict)):
        row = faster(f"MNIST, 10 classes, RBF 0.02, {work}; SVC(C=5)", times["ours"], times["SVC"], 8, detail, "s")
        row.met &= close
        yield row
