"""Certificates: seconds to a verdict with its proof, and to its verification. There is no peer that proves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Row, seconds
from rosenblatt import separability
from rosenblatt.certificates import verify
from rosenblatt.sources import mnist


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


def rows() -> Iterator[Row]:
    data = mnist()
    X, labels = data.X_train, data.y_train
    for a, b, limit in ((3, 5, 15.0), (0, 1, 2.0)):
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
        yield _row(f"MNIST {a} against {b}: verify", seconds(lambda f=found, p=part, n=names: f.verify(p, n)), 1.0, "")  # type: ignore[misc]
    plane = verify.Plane(np.random.default_rng(0).normal(size=784), 0.5)
    signs = np.where(X.astype(np.float64) @ np.array(plane.normal, dtype=float) / plane.denominator + 0.5 > 0, 1, -1)
    taken = seconds(lambda: verify.check_sides(X, signs, plane, strictly=True))
    yield _row("verify a hyperplane on 60,000 x 784 uint8", taken, 1.0, "")
    wide, sides = narrow_million()

    def decide_and_verify() -> None:
        nonlocal found
        found = separability(wide, sides)
        assert found.verify(wide, sides)

    taken = seconds(decide_and_verify)
    ratio = found.gamma / found.radius
    yield _row("1,000,000 x 20, verdict, margins and verification", taken, 10.0, f"gamma'/R' {ratio:.1e}")
