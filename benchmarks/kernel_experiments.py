"""The experiments of docs/kernels.md that take longer than a doctest.

`python -m benchmarks.kernel_experiments [name …]`. Names: outliers (flipped labels found by `drop_after`), budget (a
stream with at most 1,000 support vectors), approximations (random Fourier features and Nyström with a linear learner,
beside the kernel itself).
"""

from __future__ import annotations

import os
import sys
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import make_pipeline

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.sources import mnist, mnist_pair

GAMMA = 0.02


def scaled(rows):
    return (rows / 255).astype(np.float32)


def memory() -> float:
    """Megabytes that this process holds now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def outliers() -> None:
    """5 % of the labels of MNIST 3 against 5 are flipped."""
    pair = mnist_pair(3, 5)
    X, X_test = scaled(pair.X_train), scaled(pair.X_test)
    print("| seed | dropped | precision | recall | last | last, dropping | last, fitted again without the dropped |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for seed in range(3):
        y = pair.y_train.copy()
        flipped = np.random.default_rng(seed).choice(len(y), len(y) // 20, replace=False)
        y[flipped] = 8 - y[flipped]
        model = KernelPerceptron(gamma=GAMMA, max_iter=6, random_state=0)
        errors = [1 - model.fit(X, y).score(X_test, pair.y_test)]
        model.set_params(drop_after=4)
        errors += [1 - model.fit(X, y).score(X_test, pair.y_test)]
        dropped = model.dropped_
        kept = np.setdiff1d(np.arange(len(y)), dropped)
        model.set_params(drop_after=None)
        errors += [1 - model.fit(X[kept], y[kept]).score(X_test, pair.y_test)]
        found = len(np.intersect1d(dropped, flipped))
        shown = " | ".join(f"{error:.2%}" for error in errors)
        print(f"| {seed} | {len(dropped)} | {found / len(dropped):.0%} | {found / len(flipped):.0%} | {shown} |")


def budget() -> None:
    """MNIST's 60,000 training rows as a stream of ten classes, each row predicted before it is learned."""
    data = mnist()
    X, y = scaled(data.X_train), data.y_train
    X_test = scaled(data.X_test)
    heads = (
        "budget",
        "error on the way",
        "of the last 10,000",
        "test error",
        "support vectors",
        "memory from row 30,000",
    )
    print(f"| {' | '.join(heads)} | s |\n|---|{'---:|' * len(heads)}")
    for limit in (100, 300, 1000, 3000, None):
        model = KernelPerceptron(gamma=GAMMA, budget=limit)
        held, made, clock = [], [], time.perf_counter()
        for start in range(0, len(X), 500):
            model.partial_fit(X[start : start + 500], y[start : start + 500], classes=range(10))
            held.append(memory())
            made.append(model.mistakes_)
        seconds = time.perf_counter() - clock
        late = (made[-1] - made[-21]) / 10_000
        print(
            f"| {limit} | {made[-1] / len(X):.2%} | {late:.2%} | {1 - model.score(X_test, data.y_test):.2%} | "
            f"{len(model.support_):,} | {held[59]:.0f} to {held[-1]:.0f} MB | {seconds:.0f} |",
            flush=True,
        )


def approximations() -> None:
    """The RBF kernel on MNIST, exactly and through features."""
    data = mnist()
    X, X_test = scaled(data.X_train), scaled(data.X_test)
    linear = Perceptron("averaged", max_iter=10, random_state=0, n_jobs=2)
    models = {"kernel, 10 epochs": KernelPerceptron(gamma=GAMMA, answer="averaged", max_iter=10, random_state=0)}
    for size in (500, 2000, 4000):
        fourier = RBFSampler(gamma=GAMMA, n_components=size, random_state=0)
        models[f"{size:,} random Fourier features"] = make_pipeline(fourier, linear)
    for size in (250, 500, 1000):
        nystrom = Nystroem(gamma=GAMMA, n_components=size, random_state=0)
        models[f"Nyström, {size:,} rows"] = make_pipeline(nystrom, linear)
    models["no features: the pixels"] = linear
    print("| model | test error | fit, s | predict 10,000 rows, s |\n|---|---:|---:|---:|")
    for name, model in models.items():
        clock = time.perf_counter()
        model.fit(X, data.y_train)
        fit = time.perf_counter() - clock
        clock = time.perf_counter()
        error = 1 - model.score(X_test, data.y_test)
        print(f"| {name} | {error:.2%} | {fit:.1f} | {time.perf_counter() - clock:.2f} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    for name in sys.argv[1:] or ("outliers", "budget", "approximations"):
        globals()[name]()
