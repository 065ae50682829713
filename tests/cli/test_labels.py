"""Labels of rows of numbers."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz

from rosenblatt import Perceptron

LABELS = np.arange(60) % 2


@pytest.fixture
def rows(shell):
    """Images in an IDX file and sparse rows, without labels."""
    X = np.random.default_rng(0).integers(0, 99, (60, 4)).astype(np.uint8)
    X[:, 0] = 150 * LABELS
    Path("pics.idx").write_bytes(b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (60, 2, 2)) + X.tobytes())
    save_npz("rows.npz", csr_array(X.astype(np.float64)))
    return X


@pytest.mark.parametrize("data", ["pics.idx", "rows.npz"])
def test_rows_without_labels_are_converted_to_numpy(shell, rows, data):
    shell("convert", data, "again.npz")
    with np.load("again.npz") as found:
        assert "y" not in found
    shell("convert", "again.npz", "again.csv")
    assert Path("again.csv").read_text().splitlines()[0] == "x1,x2,x3,x4"
    assert "has no labels" in shell.refused("convert", data, "again.libsvm", code=2)


def with_own_labels(X):
    """The same rows with labels that are none of `LABELS`, in three formats."""
    other = 1 - LABELS
    np.savez("own.npz", X=X, y=other)
    lines = [f"{y} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row)) for row, y in zip(X, other, strict=True)]
    Path("own.libsvm").write_text("\n".join(lines) + "\n")
    images = b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (60, 2, 2)) + X.tobytes()
    Path("own-images-idx3-ubyte").write_bytes(images)
    head = b"\0\0\x08\x01" + (60).to_bytes(4, "big")
    Path("own-labels-idx1-ubyte").write_bytes(head + other.astype(np.uint8).tobytes())
    return ["own.npz", "own.libsvm", "own-images-idx3-ubyte"]


@pytest.mark.parametrize("target", ["-1", "2", "y"])
@pytest.mark.parametrize("place", range(3))
def test_a_column_is_no_target_beside_labels(shell, rows, place, target):
    data = with_own_labels(rows)[place]
    told = f"{data} has labels of its own; leave --target out."
    for verb in (["train", data, "-o", "m.safetensors"], ["separable", data], ["convert", data, "again.csv"]):
        assert shell.refused(*verb, "-t", target, code=2) == told
    if data == "own.npz" and target != "y":
        assert shell.refused("train", data, "-t", target, "--stream", "-o", "m.safetensors", code=2) == told
    assert not Path("m.safetensors").exists() and not Path("again.csv").exists()


@pytest.mark.parametrize("target", ["0", "9", "--9"])
def test_passes_count_columns_from_1_too(shell, rows, target):
    np.save("all.npy", np.column_stack([rows, LABELS]))
    told = [
        shell.refused("train", "all.npy", f"--target={target}", *more, "-o", "m.safetensors", code=2)
        for more in ([], ["--stream"])
    ]
    assert target == "--9" or (told[0] == told[1] and "has no column number" in told[0])
    assert not Path("m.safetensors").exists()


def test_no_column_of_sparse_rows_is_a_target(shell, rows):
    told = [shell.refused("train", "rows.npz", "-t", "3", *more, code=2) for more in ([], ["--stream"])]
    assert told[0] == told[1] and "save rows and labels in one file" in told[0]
    assert not Path("m.safetensors").exists()


def test_rows_to_test_on_have_their_own_labels(shell, rows):
    with_own_labels(rows)
    np.save("dense.npy", rows)
    told = shell.refused("train", "own.npz", "--test", "dense.npy", code=2)
    assert told.startswith("dense.npy has no labels; name their column with --target, or save rows and labels in one")
    np.save("all.npy", np.column_stack([rows, LABELS]))
    for more in ([], ["--stream"]):
        tested = shell.json("train", "all.npy", "-t", "-1", "--test", "own.npz", "-o", "/dev/null", *more)
        assert tested["summary"]["rows_test"] == 60
        assert shell.json("train", "all.npy", "-t", "-1", "--test", "all.npy", "-o", "/dev/null", *more)


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
@pytest.mark.parametrize(
    ("labels", "shown"), [(LABELS + 7, "7"), (np.where(LABELS == 1, "yes", "no"), "'no'"), (LABELS.astype(str), "'0'")]
)
def test_labels_to_test_on_that_training_never_had(shell, rows, labels, shown, stream, monkeypatch):
    def learn(*_, **__):
        raise AssertionError("nothing is learned before the labels are looked at")

    np.savez("learned.npz", X=rows, y=LABELS)
    np.savez("tested.npz", X=rows, y=labels)
    expected = f"None of the labels of tested.npz was in training: it has {shown} for one, and training had 0, 1."
    arguments = "train", "learned.npz", "--test", "tested.npz", stream, "-o", "m.safetensors", "--report", "r.html"
    with monkeypatch.context() as patched:
        patched.setattr(Perceptron, "fit", learn)
        patched.setattr(Perceptron, "partial_fit", learn)
        assert shell.refused(*arguments, code=3) == expected
    assert not Path("m.safetensors").exists() and not Path("r.html").exists()
    shell("train", "learned.npz", "-o", "m.safetensors", "-q")
    assert shell.refused("evaluate", "m.safetensors", "tested.npz", code=3) == expected
