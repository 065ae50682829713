"""`python -m benchmarks.mnist_certificates`: decide all 55 questions of MNIST and write the proofs into the docs."""

from __future__ import annotations

import time
from pathlib import Path

from rosenblatt import separability
from rosenblatt.certificates.results import NotSeparable, Separable
from rosenblatt.sources import mnist

FOLDER = Path(__file__).parent.parent / "docs" / "certificates"


def main() -> None:
    data = mnist()
    X, labels = data.X_train, data.y_train
    begun = time.perf_counter()
    table = separability(X, labels, verbose=1)
    taken = time.perf_counter() - begun
    print(table)
    print(f"{len(table)} questions in {taken:.0f} s")
    FOLDER.mkdir(exist_ok=True)
    table.save(FOLDER / "mnist.json")
    lines = ["| question | verdict | margin | at most mistakes | rows of the proof |", "|---|---|---:|---:|---:|"]
    for name, found in table:
        if isinstance(found, Separable):
            margin, bound, rows = f"{found.margin:.4g}", f"{found.mistake_bound:,}", len(found.support_vectors)
        else:
            assert isinstance(found, NotSeparable)
            margin, bound, rows = "", "", len(found.rows)
        lines.append(f"| {name} | {found.verdict} | {margin} | {bound} | {rows} |")
    (FOLDER / "mnist_table.md").write_text("\n".join(lines) + "\n")
    begun = time.perf_counter()
    print(table.verify(X, labels), f"{time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
