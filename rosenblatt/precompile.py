"""Compile the loops that most programs need, so that no user waits for them: `python -m rosenblatt.precompile`.

A loop is compiled when it is first used, which takes one to three seconds, and its machine code is cached on disk
beside the package (or in NUMBA_CACHE_DIR). Run this once when an image or an environment is built, as the user and on
the kind of processor that will run it: the cache is for the very processor.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse


def _work() -> Iterator[tuple[str, Callable[[], object]]]:
    """(what, a call that compiles it), for every learner, dtype and layout that is common."""
    from rosenblatt import KernelPerceptron, LinearSVM, LogisticRegression, PassiveAggressive, Perceptron

    rows = np.random.default_rng(0).integers(0, 9, (24, 5))
    layouts: dict[str, Any] = {
        "float64": rows.astype(np.float64),
        "float32": rows.astype(np.float32),
        "uint8": rows.astype(np.uint8),
        "sparse float64": scipy.sparse.csr_array(rows.astype(np.float64)),
        "sparse float32": scipy.sparse.csr_array(rows.astype(np.float32)),
    }
    learners = (Perceptron, PassiveAggressive, LinearSVM, LogisticRegression, KernelPerceptron)
    for layout, X in layouts.items():
        for learner in learners:
            for n_classes in (2, 3):
                y = np.arange(24) % n_classes

                def fit(learner: Any = learner, X: Any = X, y: Any = y) -> object:
                    return learner(max_iter=2).fit(X, y, eval_set=(X, y)).predict(X)

                yield f"{learner.__name__}, {layout}, {n_classes} classes", fit
    for learner in learners[:4]:

        def stream(learner: Any = learner) -> None:
            by_row, by_name = learner(), learner()
            for x, label in ((rows[0].astype(float), "a"), (rows[1].astype(float), "b"), (rows[2].astype(float), "a")):
                by_row.learn_one(x, label)
                by_row.predict_one(x)
                by_name.learn_one(dict(zip("vwxyz", x.tolist(), strict=True)), label)
                by_name.predict_one({"v": 1.0})

        yield f"{learner.__name__}, one example at a time", stream


def precompile() -> float:
    """Compile what most programs need, and print what takes time; returns the seconds that it took."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for what, call in _work():
            clock = time.perf_counter()
            call()
            seconds = time.perf_counter() - clock
            if seconds > 0.5:
                print(f"{seconds:5.1f} s  {what}", flush=True)
    took = time.perf_counter() - began
    print(f"{took:5.1f} s  in all; what was compiled is cached")
    return took


if __name__ == "__main__":
    precompile()
