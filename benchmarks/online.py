"""One example at a time: predict, then learn, 30 features."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from river.linear_model import Perceptron as Peer

from benchmarks.measure import Row, faster, take_turns
from rosenblatt import Perceptron, progressive_error

EXAMPLES = 20_000


def rows() -> Iterator[Row]:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((EXAMPLES, 30))
    labels = [
        bool(label) for label in X @ generator.standard_normal(30) + 0.5 * generator.standard_normal(EXAMPLES) > 0
    ]
    names = [f"feature {j}" for j in range(30)]
    streams = {
        "row": list(zip(list(X), labels, strict=True)),
        "dict": [(dict(zip(names, row, strict=True)), label) for row, label in zip(X.tolist(), labels, strict=True)],
    }
    found = {}

    def work(model, stream):
        def run():
            found[stream, model] = progressive_error(model(), streams[stream]).error

        return run

    best = take_turns(
        {"peer": work(Peer, "dict"), "row": work(Perceptron, "row"), "dict": work(Perceptron, "dict")}, rounds=5
    )
    errors = f"progressive {found['row', Perceptron]:.2%}; peer {found['dict', Peer]:.2%}"
    for kind, at_least in (("row", 6), ("dict", 2)):
        name = {"row": "a numpy row", "dict": "a dict"}[kind]
        yield faster(
            f"predict, then learn, one example: {name}",
            best[kind] / EXAMPLES,
            best["peer"] / EXAMPLES,
            at_least,
            errors,
            "µs",
        )
