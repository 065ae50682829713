"""LIBSVM files whose first feature is number 0."""

from pathlib import Path

import numpy as np
import pytest

import rosenblatt


def rows(first, count=40):
    """Lines whose first and third feature tell the class, the one that is there from `first` on."""
    return "".join(
        f"{1 if n % 2 else -1} {first}:{1 if n % 2 else -1} {first + 2}:{n % 7 / 10}\n" for n in range(count)
    )


@pytest.fixture
def zero(shell):
    Path("zero.libsvm").write_text(rows(0))
    Path("one.libsvm").write_text(rows(1))
    return "zero.libsvm"


def test_every_verb_reads_it(shell, zero):
    told = shell("inspect", zero, "--zero-based")
    assert "3 features" in told and "rosenblatt train zero.libsvm --zero-based\n" in told
    found = shell.json("train", zero, "--zero-based", "-o", "zero.safetensors", "-l", "perceptron", "--test", zero)
    assert found["summary"]["drivers"]["top"][0]["feature"] == "index 0"
    assert rosenblatt.describe("zero.safetensors")["about"]["zero_based"] is True
    assert shell.json("separable", zero, "--zero-based")["hyperplane"]["weights"].keys() == {"x0", "x1", "x2"}
    shell("convert", zero, "zero.csv", "--zero-based")
    assert Path("zero.csv").read_text().startswith("x0,x1,x2,target\n")
    shell("convert", zero, "anew.libsvm", "--zero-based")
    assert np.array_equal(
        rosenblatt.sources.read_libsvm("anew.libsvm")[0].toarray(),
        rosenblatt.sources.read_libsvm("one.libsvm")[0].toarray(),
    )


def test_the_model_knows_how_features_are_counted(shell, zero):
    shell("train", zero, "--zero-based", "-o", "m.safetensors", "-l", "perceptron")
    for option in ([], ["--zero-based"]):
        assert shell.json("evaluate", "m.safetensors", zero, *option)["summary"]["accuracy"]["value"] == 1.0
        assert shell("predict", "m.safetensors", zero, "--only", *option).split() == ["-1", "1"] * 20
        assert shell.json("audit", "m.safetensors", zero, *option)["holds"]
        told = shell("inspect", "m.safetensors", "--data", zero, "--row", 2, *option)
        assert "index 0" in told and "index 3" not in told
    assert "index 0" in shell("evaluate", "m.safetensors", zero)
    assert "index 0" in shell("inspect", "m.safetensors")


def test_in_passes_and_from_standard_input(shell, zero, monkeypatch):
    options = ("--zero-based", "-l", "perceptron", "--stream")
    found = shell.json("train", zero, *options, "--test", zero, "-o", "m.safetensors")
    assert found["summary"]["accuracy"]["value"] == 1.0
    assert found["summary"]["drivers"]["top"][0]["feature"] == "index 0"
    assert rosenblatt.describe("m.safetensors")["about"]["zero_based"] is True
    with open(zero) as file:
        monkeypatch.setattr("sys.stdin", file)
        assert shell.json("inspect", "-", "--zero-based")["zero_based"]
