"""Kernel machines on the CPU: MNIST with an RBF kernel beside scikit-learn's SVC, and the rate of matrix products.

SVC takes some minutes to train; it is run once.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from benchmarks.measure import Row, faster, take_turns
from rosenblatt import KernelPerceptron
from rosenblatt.engine.kernel.cpu import CpuBackend
from rosenblatt.engine.kernel.epochs import train
from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.kernels import RBF
from rosenblatt.sources import mnist

GAMMA, EPOCHS = 0.02, 10


def fastest_product() -> float:
    """Floating-point operations a second of one large matrix product, with all cores."""
    A, B = (np.random.default_rng(n).random((4096, 784), dtype=np.float32) for n in (0, 1))
    out = np.empty((4096, 4096), np.float32)
    return 2 * 4096 * 784 * 4096 / take_turns({"product": lambda: np.matmul(A, B.T, out=out)}, 10)["product"]


def product_rate(X, y) -> float:
    """Operations a second over a whole run of the engine, the median of three; no column is remembered.

    Only the dot products with what was learned count. Not the small ones within blocks, and not the products of kernel
    values with coefficients, though both take time.
    """
    from benchmarks.kernels_gpu import task_of

    task, rates = task_of(X, y, RBF(GAMMA), 1024), []
    for _ in range(3):
        with CpuBackend(task, 10, fresh=False) as backend:
            clock = time.perf_counter()
            train(task, Expansion(10, np.float32), backend, max_iter=EPOCHS)
            rates.append(2 * backend.products.values_summed * X.shape[1] / (time.perf_counter() - clock))
    return statistics.median(rates)


def rows() -> Iterator[Row]:
    data = mnist()
    X, X_test = ((part / 255).astype(np.float32) for part in (data.X_train, data.X_test))
    y, y_test = data.y_train, data.y_test
    KernelPerceptron(gamma=GAMMA, max_iter=2, shuffle=False).fit(X[:3000], y[:3000])  # compiled before the clock

    best = fastest_product()
    rate = product_rate(X, y)
    yield Row(
        work="matrix products of a run, MNIST, RBF 0.02, 10 epochs, float32",
        ours=f"{rate / 1e9:.0f} GFlop/s",
        peer=f"{best / 1e9:.0f} GFlop/s",
        ratio=f"{rate / best:.0%}",
        wanted="60%",
        met=rate / best >= 0.6,
    )

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
    said = f"averaged {errors['ours']:.2%}; SVC {errors['SVC']:.2%}"
    close = errors["ours"] <= errors["SVC"] + 0.002
    for work, times in (("10 epochs", fit), ("predict 10,000 rows", predict)):
        row = faster(f"MNIST, 10 classes, RBF 0.02, {work}; SVC(C=5)", times["ours"], times["SVC"], 8, said, "s")
        row.met &= close
        yield row
