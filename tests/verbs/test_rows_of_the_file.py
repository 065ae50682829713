"""A complaint about a row gives the number that the row has in the file, whatever was kept aside for testing."""

import numpy as np
import pytest

from rosenblatt.verbs import train


def written(path, spoiled: int, cell: str, unlabelled: int = 0) -> str:
    random = np.random.default_rng(0)
    lines = ["a,b,y"]
    for row, (a, b) in enumerate(random.normal(size=(120, 2)).tolist(), 1):
        label = "" if row <= unlabelled else "yes" if a > b else "no"
        lines.append(f"{cell if row == spoiled else a},{b},{label}")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.mark.parametrize("spoiled", [41, 52, 63, 74, 85, 96])
@pytest.mark.parametrize("unlabelled", [0, 7])
def test_infinite_numbers(tmp_path, spoiled, unlabelled):
    path = written(tmp_path / "t.csv", spoiled, "inf", unlabelled)
    with pytest.raises(ValueError, match=rf"'a' has an infinite one in row {spoiled};"):
        train(path, "y")


@pytest.mark.parametrize("cell", ["", "unknown"])
def test_cells_that_must_not_be_missing(tmp_path, cell):
    for spoiled in (41, 52, 63):
        with pytest.raises(ValueError, match=rf"in row {spoiled};|row {spoiled} has"):
            train(written(tmp_path / "t.csv", spoiled, cell), "y", missing="error")
