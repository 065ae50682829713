"""Columns whose names are whole questions: sentences and screens show their beginnings."""

import csv

import numpy as np
import pytest

QUESTION = "How satisfied are you with the service? " * 50
WIDE = 400  # letters of a line with two names in it


@pytest.fixture
def survey(tmp_path):
    random = np.random.default_rng(0)
    path = tmp_path / "survey.csv"
    with path.open("w") as file:
        writer = csv.writer(file)
        writer.writerow([f"{QUESTION}{n}" for n in range(8)])
        for n in range(120):
            number = "foo" if n == 50 else f"{random.random():.3f}"
            grade = "" if n % 9 == 0 else random.integers(5)
            row = [number, random.choice(list("abc")), 1, f"person{n} x{n}", grade, f"2024-01-{n % 28 + 1:02d}", n + 1]
            writer.writerow([*row, "yes" if n % 2 else "no"])
    return path


@pytest.mark.parametrize(
    "asked",
    [
        *("-t 9", "-t How", "-t 3", "-t 4", "", "-t 8 --drop 8", "-t 8 --weights 2", "-t 8 --weights 8"),
        *("-t 8 --keep 8", "-t 2 -l least-squares", "-t 8 --missing error"),
    ],
)
def test_refusals_are_short(shell, survey, asked):
    ours = ("-t 3", "-t 4", "-t 8 --weights 2", "-t 2 -l least-squares", "-t 8 --missing error")  # what is in the file
    told = shell.refused("train", survey, *asked.split(), code=3 if asked in ours else 2)
    assert len(told) < WIDE + 60 * 8 and QUESTION[:100] not in told


def test_notes_and_screens_are_short(shell, survey):
    for verb in (["inspect", survey], ["train", survey, "-t", 8, "-o", "m.safetensors", "--report", "r.html"]):
        shell(*verb)
        assert max(map(len, shell.err.splitlines()), default=0) < WIDE and QUESTION[:100] not in shell.out
    assert "--keep with its number keeps it." in shell.err
    for verb in (["inspect", "m.safetensors"], ["evaluate", "m.safetensors", survey]):
        shell(*verb)
        assert shell.out.count("\n") < 60 and QUESTION[:100] not in shell.out
    shell("separable", survey, "-t", 8, "--missing", "median", code=1)
    assert QUESTION[:100] not in shell.out and max(map(len, shell.err.splitlines()), default=0) < WIDE
    shell("train", survey, "-t", 8, "--keep", "4,7", "-o", "/dev/null")
    assert "left out: it numbers the rows" not in shell.err
