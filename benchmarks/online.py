"""One example at a time: predict, then learn; CPU time beside river's in the same process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from river import linear_model

from benchmarks.measure import Row, faster
from rosenblatt import LogisticRegression, Perceptron, progressive_error

EXAMPLES = 20_000
ROUNDS = 7
DICTS = (("nine fixed names", 9, 9, 1.5), ("20 of 200 names", 20, 200, 1.2), ("20 of 20,000 names", 20, 20_000, 1.0))


def _stream(per_example: int, names: int) -> list[tuple[dict[str, float], bool]]:
    generator = np.random.default_rng(0)
    known, weights = [f"feature {j}" for j in range(names)], generator.standard_normal(names)
    stream = []
    for _ in range(EXAMPLES):
        places = np.arange(names) if names == per_example else generator.choice(names, per_example, replace=False)
        values = generator.standard_normal(per_example)
        x = dict(zip([known[j] for j in places], values.tolist(), strict=True))
        stream.append((x, bool(values @ weights[places] + 0.5 * generator.standard_normal() > 0)))
    return stream


def _in_turns(works: dict[str, tuple[Callable[[], Any], list[Any]]]) -> dict[str, tuple[float, float]]:
    """(CPU seconds an example, progressive error) of each: the best of several rounds, in turns."""
    best: dict[str, tuple[float, float]] = {}
    for make, stream in works.values():
        progressive_error(make(), stream[:50])  # compiled before the clock starts
    for _ in range(ROUNDS):
        for name, (make, stream) in works.items():
            start = time.thread_time()
            error = progressive_error(make(), stream).error
            took = (time.thread_time() - start) / len(stream)
            best[name] = min(best.get(name, (took, error)), (took, error))
    return best


def rows() -> Iterator[Row]:
    for words, per_example, names, at_least in DICTS:
        stream = _stream(per_example, names)
        for learner in ("Perceptron", "LogisticRegression"):
            ours = {"Perceptron": Perceptron, "LogisticRegression": LogisticRegression}[learner]
            found = _in_turns({"ours": (ours, stream), "peer": (getattr(linear_model, learner), stream)})
            errors = f"progressive {found['ours'][1]:.2%}; peer {found['peer'][1]:.2%}"
            work = f"{learner}: predict, then learn, a dict of {words}"
            yield faster(work, found["ours"][0], found["peer"][0], at_least, errors, "µs")
    dicts = _stream(30, 30)
    arrays = [(np.array(list(x.values())), label) for x, label in dicts]
    found = _in_turns({"ours": (Perceptron, arrays), "peer": (linear_model.Perceptron, dicts)})
    errors = f"progressive {found['ours'][1]:.2%}; peer {found['peer'][1]:.2%}"
    work = "Perceptron: predict, then learn, a numpy row of 30 (peer: a dict)"
    yield faster(work, found["ours"][0], found["peer"][0], 6, errors, "µs")
