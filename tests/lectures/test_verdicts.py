"""The table of verdicts on real sets in the documentation is what the library proves today."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rosenblatt.sources import mnist

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))  # the script that writes the table lives beside it, outside the package
verdicts = importlib.import_module("docs.certificates.verdicts")
BUNDLED = {name: (X, y) for name, X, y in verdicts.bundled()}


def as_printed() -> dict[tuple[str, str], list[str]]:
    """The lines of the page, by set and question."""
    lines = [line.strip("| \n").split(" | ") for line in verdicts.TABLE.read_text(encoding="utf-8").splitlines()[2:]]
    return {(line[0], line[1]): line for line in lines}


def check(name: str, X: Any, y: Any) -> None:
    """Decide again, and compare what does not depend on the machine: verdicts, sizes, and figures to a few per cent."""
    page = as_printed()
    lines = verdicts.shortened(verdicts.lines_of(name, X, y))
    assert {key for key in page if key[0] == name} == {(name, line.question) for line in lines}
    for line in lines:
        printed, now = page[name, line.question], line.cells()
        assert printed[2:4] == now[2:4]
        if line.margin is None:
            assert line.rows <= line.shape[1] + 2
        else:
            assert float(printed[4].removeprefix("at least ")) == pytest.approx(line.margin, rel=0.03)
            assert float(printed[6].replace(",", "")) == pytest.approx(line.bound, rel=0.05)


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sets(name: str) -> None:
    check(name, *BUNDLED[name])


@pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="these sets are in the folder ROSENBLATT_DATA names")
def test_sets_of_the_data_folder() -> None:
    for name, X, y in verdicts.from_folder(Path(os.environ["ROSENBLATT_DATA"])):
        check(name, X, y)


# What the page says about MNIST in words.
MNIST_PAIRS = {"2–3", "2–8", "3–5", "3–8", "4–9", "5–8", "7–9"}
FEWEST_PIXELS = 47


def mnist_lines() -> dict[str, str]:
    text = (ROOT / "docs" / "certificates" / "mnist_table.md").read_text(encoding="utf-8")
    return {cells[1].strip(): cells[2].strip() for cells in (line.split("|") for line in text.splitlines()[2:])}


def test_words_about_mnist_are_those_of_its_table() -> None:
    table = mnist_lines()
    assert len(table) == 55 and set(table.values()) == {"separable", "not separable"}
    refused = {name for name, verdict in table.items() if verdict == "not separable"}
    pairs = {name.replace(" against ", "–") for name in refused if not name.endswith("the rest")}
    assert pairs == MNIST_PAIRS and len(refused) == 7 + 10
    page = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    assert all(pair in page for pair in pairs) and f"at least {FEWEST_PIXELS} pixels" in " ".join(page.split())


@pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="MNIST is not at hand; ROSENBLATT_DATA is not set")
def test_mnist_has_pixels_that_only_one_side_inks() -> None:
    split = mnist()
    inked = np.array([split.X_train[split.y_train == digit].max(axis=0) > 0 for digit in range(10)])
    counts = []
    for name in (name for name, verdict in mnist_lines().items() if verdict == "not separable"):
        one, _, other = name.partition(" against ")
        others = np.delete(inked, int(one), axis=0) if other == "the rest" else inked[[int(other)]]
        counts.append(int((inked[int(one)] != others.any(axis=0)).sum()))
    assert len(counts) == 17 and min(counts) == FEWEST_PIXELS
