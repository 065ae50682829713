"""Writes the table of verdicts on real sets, docs/certificates/verdicts_table.md.

    python -m docs.certificates.verdicts

The sets that come with scikit-learn are always there. The others are read from the folder that the environment variable
ROSENBLATT_DATA names: small/*.csv, small/*.keel.dat and libsvm/*.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from sklearn import datasets

from rosenblatt import separability
from rosenblatt.certificates.results import NotSeparable, Separable
from rosenblatt.certificates.table import SeparabilityTable
from rosenblatt.sources import a9a, mushrooms, reuters

TABLE = Path(__file__).with_name("verdicts_table.md")
SMALL = {  # file: name, columns at the left that are not features
    "sonar.csv": ("sonar", 0),
    "banknote_authentication.csv": ("banknote", 0),
    "pima-indians-diabetes.csv": ("pima", 0),
    "breast-cancer-wisconsin.csv": ("breast cancer (original), complete rows", 1),
    "wdbc.keel.dat": ("breast cancer (diagnostic), three decimals", 0),
    "banana.keel.dat": ("banana", 0),
    "titanic.keel.dat": ("titanic", 0),
}


@dataclass
class Line:
    """One line of the table: a question and what is proven about it."""

    data: str
    question: str
    shape: tuple[int, int]
    verdict: str
    refinement: str
    margin: float | None
    proven: bool  # whether the margin is the largest, to the tolerance that was asked for
    rows: int
    bound: int | None

    def cells(self) -> list[str]:
        margin = "" if self.margin is None else f"{self.margin:.3g}" if self.proven else f"at least {self.margin:.3g}"
        bound = "" if self.bound is None else f"{self.bound:,}" if self.bound < 10**9 else f"{self.bound:.3g}"
        verdict = self.verdict + (f", {self.refinement}" if self.refinement else "")
        size = f"{self.shape[0]:,} x {self.shape[1]:,}"
        return [self.data, self.question, size, verdict, margin, f"{self.rows:,}", bound]


def bundled() -> Iterator[tuple[str, Any, Any]]:
    """scikit-learn's sets, whole, in its order."""
    iris = datasets.load_iris()
    yield "iris", iris.data, iris.target_names[iris.target]
    wine = datasets.load_wine()
    yield "wine", wine.data, wine.target
    cancer = datasets.load_breast_cancer()
    yield "breast cancer (diagnostic)", cancer.data, cancer.target_names[cancer.target]
    digits = datasets.load_digits()
    yield "digits", digits.data.astype(np.uint8), digits.target


def from_folder(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    for file, (name, skipped) in SMALL.items():
        text = (folder / "small" / file).read_text(encoding="utf-8")
        lines = [line for line in csv.reader(text.splitlines()) if line]
        whole = [line for line in lines if "?" not in line]  # a missing number is written so
        yield name, np.array([line[skipped:-1] for line in whole], dtype=float), np.array([line[-1] for line in whole])
    both = mushrooms()
    yield (
        "mushrooms",
        scipy.sparse.vstack([both.X_train, both.X_test], format="csr"),
        np.r_[both.y_train, both.y_test],
    )
    for load in (a9a, reuters):
        split = load()
        yield f"{load.__name__}, training rows", split.X_train, split.y_train


def lines_of(data: str, X: Any, y: Any) -> list[Line]:
    """Every question about one set: one, or each pair and each class against the rest."""
    found = separability(X, y)
    checked = found.verify(X, y)
    assert checked, checked.reason
    if isinstance(found, SeparabilityTable):
        return [line_of(data, question, certificate) for question, certificate in found]
    negative, positive = found.about.classes
    return [line_of(data, f"{positive} against {negative}", found)]


def line_of(data: str, question: str, found: Any) -> Line:
    shape = found.about.shape
    if isinstance(found, Separable):
        return Line(
            data,
            question,
            shape,
            found.verdict,
            "",
            found.margin,
            found.gap < 0.0102,
            len(found.support_vectors),
            found.mistake_bound,
        )
    assert isinstance(found, NotSeparable), found
    return Line(data, question, shape, found.verdict, found.refine().verdict, None, True, len(found.rows), None)


def written(lines: list[Line]) -> str:
    titles = ["data", "question", "rows x features", "verdict", "margin", "rows of the proof", "mistake bound"]
    marks = ["---", "---", "---:", "---", "---:", "---:", "---:"]
    table = [titles, marks, *(line.cells() for line in lines)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in table) + "\n"


def shortened(lines: list[Line]) -> list[Line]:
    """Leave out the 45 pairs of digits: the page says in one sentence that all are separable."""
    pairs = [line for line in lines if line.data == "digits" and not line.question.endswith("the rest")]
    assert all(line.verdict == "separable" for line in pairs), "a pair of digits is not separable: change the page"
    return [line for line in lines if line not in pairs]


def main() -> None:
    lines = [line for name, X, y in bundled() for line in lines_of(name, X, y)]
    lines += [line for name, X, y in from_folder(Path(os.environ["ROSENBLATT_DATA"])) for line in lines_of(name, X, y)]
    TABLE.write_text(written(shortened(lines)), encoding="utf-8")
    print(TABLE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
