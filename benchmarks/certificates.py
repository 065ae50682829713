"""Certificates: seconds of CPU time to a statement with its proof, and to its verification. No peer proves."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Row
from rosenblatt import Perceptron, certify, fewest_errors, separability
from rosenblatt.certificates import verify
from rosenblatt.sources import mnist


def seconds(work: Callable[[], Any]) -> float:
    """CPU time, which other processes of the machine disturb less."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _row(work: str, taken: float, limit: float, found: str, errors: str = "") -> Row:
    return Row(work, f"{taken:.2f} s", found, "", f"{limit:g} s", taken <= limit, errors)


def narrow_million() -> tuple[Any, Any]:
    """1,000,000 x 20 with gamma'/R' close to 1e-3: rows on both sides of a thin empty slab through the origin."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(1_000_000, 20))
    normal = random.normal(size=20)
    normal /= np.linalg.norm(normal)
    rows *= (4.0 / np.linalg.norm(rows, axis=1))[:, None]
    score = rows @ normal
    rows += (np.where(score >= 0, 1, -1) * 0.004)[:, None] * normal
    return rows, (score >= 0).astype(int)


def small_sets() -> Iterator[Row]:
    """The fewest errors on the small sets, in at most 10 s each."""
    from docs.certificates.fewest import questions

    if not (Path(os.environ.get("ROSENBLATT_DATA", "")) / "small").is_dir():
        return
    for name, X, y in questions():
        begun = time.perf_counter()
        found = fewest_errors(X, y)
        taken = time.perf_counter() - begun
        interval = f"{found.lower}" if found.closed else f"{found.lower} to {found.upper}"
        yield _row(f"fewest errors: {name}", taken, 10.0, interval)
        yield _row(f"fewest errors: {name}, verify", seconds(lambda f=found, p=X, n=y: f.verify(p, n)), taken, "")  # type: ignore[misc]


def rows() -> Iterator[Row]:
    data = mnist()
    X, labels = data.X_train, data.y_train
    for a, b, limit in ((3, 5, 3.5), (0, 1, 2.0)):
        chosen = np.flatnonzero((labels == a) | (labels == b))
        part, names = X[chosen], labels[chosen]
        separability(part[:2000], names[:2000])  # compiles
        found: Any = None

        def decide(part: Any = part, names: Any = names) -> None:
            nonlocal found
            found = separability(part, names)

        taken = min(seconds(decide) for _ in range(2))
        told = f"{found.verdict}, {len(found.rows)} rows" if not found else f"margin within {100 * found.gap:.2g} %"
        yield _row(f"MNIST {a} against {b}: verdict and proof", taken, limit, told)
        checked = seconds(lambda f=found, p=part, n=names: f.verify(p, n))  # type: ignore[misc]
        yield _row(f"MNIST {a} against {b}: verify", checked, taken, "")
    plane = verify.Plane(np.random.default_rng(0).normal(size=784), 0.5)
    signs = np.where(X.astype(np.float64) @ np.array(plane.normal, dtype=float) / plane.denominator + 0.5 > 0, 1, -1)
    taken = seconds(lambda: verify.check_sides(X, signs, plane, strictly=True))
    yield _row("verify a hyperplane on 60,000 x 784 uint8", taken, 1.0, "")
    for kind, y in (("two", labels > 4), ("ten", labels)):
        model = Perceptron(max_iter=2, tol=None, random_state=0).fit(X, y)
        states: Any = None

        def count(model: Any = model, y: Any = y) -> None:
            nonlocal states
            states = certify(model, X, y)

        taken = min(seconds(count) for _ in range(3))
        yield _row(f"certify {kind} classes on 60,000 x 784 uint8", taken, 0.5, f"{states.errors:,} errors")
    yield from small_sets()
    wide, sides = narrow_million()

    def decide_and_verify() -> None:
        nonlocal found
        found = separability(wide, sides)
        assert found.verify(wide, sides)

    taken = seconds(decide_and_verify)
    ratio = found.gamma / found.radius
    yield _row("1,000,000 x 20, verdict, margins and verification", taken, 10.0, f"gamma'/R' {ratio:.1e}")
