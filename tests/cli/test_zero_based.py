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
    shell("export", "m.safetensors", "--coefficients", "w.csv")
    assert "index 0" in Path("w.csv").read_text()


def test_the_other_way_of_counting_is_refused(shell, zero):
    shell("train", zero, "--zero-based", "-o", "zero.safetensors", "-l", "perceptron")
    shell("train", "one.libsvm", "-o", "one.safetensors", "-l", "perceptron")
    for verb in ("predict", "evaluate", "audit"):
        told = shell.refused(verb, "one.safetensors", zero, "--zero-based", code=2)
        assert told == (
            "Features must be counted as in training, where the first was number 1, but --zero-based came; leave it "
            "out, or write the file anew with rosenblatt convert --zero-based."
        )
        told = shell.refused(verb, "zero.safetensors", "one.libsvm", "--one-based", code=2)
        assert told.endswith("where the first was number 0, but --one-based came; leave it out.")
    shell("predict", "one.safetensors", "one.libsvm", "--one-based")
    explained = ("inspect", "one.safetensors", "--row", 1, "--data")
    for verb in (*((each, "one.safetensors") for each in ("predict", "evaluate", "audit")), explained):
        told = shell.refused(*verb, zero, code=3)
        assert told.endswith(
            "an index before 1, the first; write the file anew with rosenblatt convert --zero-based if they start at "
            "0, as the model counts from 1, or correct the file."
        )
    shell("convert", "--zero-based", zero, "anew.libsvm")
    shell("predict", "one.safetensors", "anew.libsvm")
    np.savez("rows.npz", X=np.eye(3), y=np.array([0, 1, 1]))
    shell("train", "rows.npz", "-o", "other.safetensors")  # by which features have no numbers
    assert "pass --zero-based if they start at 0" in shell.refused("predict", "other.safetensors", zero, code=3)


def test_in_passes_and_from_standard_input(shell, zero, monkeypatch):
    options = ("--zero-based", "-l", "perceptron", "--stream")
    found = shell.json("train", zero, *options, "--test", zero, "-o", "m.safetensors")
    assert found["summary"]["accuracy"]["value"] == 1.0
    assert found["summary"]["drivers"]["top"][0]["feature"] == "index 0"
    assert rosenblatt.describe("m.safetensors")["about"]["zero_based"] is True
    with open(zero) as file:
        monkeypatch.setattr("sys.stdin", file)
        assert shell.json("inspect", "-", "--zero-based")["zero_based"]


def test_other_files_have_no_numbers_of_features(shell, zero, iris):
    for verb in (["train", iris, "-t", "species"], ["inspect", iris], ["convert", iris, "i.parquet"]):
        for option in ("--zero-based", "--one-based"):
            told = shell.refused(*verb, option, code=2)
            assert told.startswith("Only LIBSVM files number their features, but") and f"leave {option} out" in told
    np.savez("rows.npz", X=np.eye(3), y=np.array([0, 1, 1]))
    shell("train", zero, "--zero-based", "-o", "m.safetensors")
    assert shell("predict", "m.safetensors", "rows.npz", "--only").count("\n") == 3  # its columns in their order
