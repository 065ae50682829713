"""Labels that stand in a file of their own."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz

LABELS = np.arange(60) % 2


@pytest.fixture
def rows(shell):
    """Images in an IDX file and sparse rows, without labels."""
    X = np.random.default_rng(0).integers(0, 99, (60, 4)).astype(np.uint8)
    X[:, 0] = 150 * LABELS
    Path("pics.idx").write_bytes(b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (60, 2, 2)) + X.tobytes())
    save_npz("rows.npz", csr_array(X.astype(np.float64)))
    return X


def label_files():
    Path("lab.idx").write_bytes(b"\0\0\x08\x01" + (60).to_bytes(4, "big") + LABELS.astype(np.uint8).tobytes())
    np.save("flat.npy", LABELS)
    np.save("column.npy", LABELS[:, None])
    np.savez("y.npz", y=LABELS)
    np.savez("other.npz", my_labels=LABELS)
    Path("lab.csv").write_text("kind\n" + "\n".join(map(str, LABELS)) + "\n")
    return ["lab.idx", "flat.npy", "column.npy", "y.npz", "other.npz", "lab.csv"]


@pytest.mark.parametrize("data", ["pics.idx", "rows.npz"])
def test_every_format_of_labels(shell, rows, data):
    figures = [
        shell.json("train", data, "-t", labels, "--no-save", "-l", "svm")["summary"]["accuracy"]
        for labels in label_files()
    ]
    assert figures[0]["value"] == 1.0 and all(each == figures[0] for each in figures)


def test_text_as_labels(shell, rows):
    np.save("words.npy", np.where(LABELS == 1, "yes", "no"))
    shell("train", "rows.npz", "-t", "words.npy", "-o", "m.safetensors", "-l", "svm", "-q")
    assert shell("predict", "m.safetensors", "rows.npz", "--only").split() == ["no", "yes"] * 30


@pytest.mark.parametrize(
    ("name", "labels", "told"),
    [
        ("wide.npy", np.zeros((60, 2)), "wide.npy has float64 of shape (60, 2); save one label per row."),
        ("one.npy", np.array(3), "one.npy has int64 of shape ();"),
        ("dates.npy", np.zeros(60, "datetime64[D]"), "dates.npy has datetime64[D];"),
        ("objects.npy", np.array([None] * 60), "must hold a whole array, but objects.npy does not"),
    ],
)
def test_what_is_no_file_of_labels(shell, rows, name, labels, told):
    np.save(name, labels)
    assert told in shell.refused("train", "rows.npz", "-t", name, code=3)


def test_an_archive_must_say_which_array(shell, rows):
    np.savez("two.npz", a=LABELS, b=LABELS)
    told = shell.refused("train", "rows.npz", "-t", "two.npz", code=3)
    assert told == ("A file of labels must hold them as 'y', but two.npz has a, b; save it with np.savez(path, y=...).")


def test_sparse_rows_have_no_column_of_labels(shell, rows):
    told = shell.refused("train", "rows.npz", "-t", "3", code=2)
    assert told == "The target of sparse rows must be a file of labels, but got '3'; pass --target with one."
    for data in ("rows.npz", "pics.idx"):
        assert f"rosenblatt train {data} --target FILE-OF-LABELS\n" in shell("inspect", data)
    np.save("dense.npy", rows)
    assert "rosenblatt train dense.npy --target COLUMN\n" in shell("inspect", "dense.npy")


@pytest.mark.parametrize("data", ["pics.idx", "rows.npz"])
def test_rows_without_labels_are_converted_to_numpy(shell, rows, data):
    shell("convert", data, "again.npz")
    with np.load("again.npz") as found:
        assert "y" not in found
    shell("convert", "again.npz", "again.csv")
    assert Path("again.csv").read_text().splitlines()[0] == "x1,x2,x3,x4"
    assert "has no labels of its own" in shell.refused("convert", data, "again.libsvm", code=2)
