"""Writes the table of the fewest errors on small sets, docs/certificates/fewest_table.md.

    python -m docs.certificates.fewest

The sets are those of `verdicts`, two classes each.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from docs.certificates.verdicts import SMALL, bundled, from_folder
from rosenblatt import fewest_errors

TABLE = Path(__file__).with_name("fewest_table.md")


def questions() -> Iterator[tuple[str, Any, Any]]:
    for name, X, y in bundled():
        if name == "iris":
            chosen = y != "setosa"
            yield "iris, versicolor and virginica", X[chosen], y[chosen]
    for name, X, y in from_folder(Path(os.environ["ROSENBLATT_DATA"])):
        if name in {title for title, _ in SMALL.values()}:
            yield name, X, y


def main() -> None:
    lines = [
        "| data | rows x features | fewest errors | rows of the smaller class | witnesses |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, X, y in questions():
        found = fewest_errors(X, y)
        checked = found.verify(X, y)
        assert checked, checked.reason
        interval = f"{found.lower:,}" if found.closed else f"{found.lower:,} to {found.upper:,}"
        smaller = int(np.unique(y, return_counts=True)[1].min())
        size = f"{X.shape[0]:,} x {X.shape[1]:,}"
        lines.append(f"| {name} | {size} | {interval} | {smaller:,} | {len(found.witnesses):,} |")
        print(lines[-1], flush=True)
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
