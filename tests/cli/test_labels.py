"""Labels that stand in a file of their own."""

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
        shell.json("train", data, "-t", labels, "-o", "/dev/null", "-l", "svm")["summary"]["accuracy"]
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
        ("wide.npy", np.zeros((60, 2)), "wide.npy holds no labels, one for each row, but float64 of shape (60, 2)."),
        ("one.npy", np.array(3), "one.npy holds no labels, one for each row, but int64 of shape ()."),
        (
            "dates.npy",
            np.zeros(60, "datetime64[D]"),
            "holds no labels, one for each row, but datetime64[D] of shape (60,).",
        ),
        ("objects.npy", np.array([None] * 60), "objects.npy cannot be read as a NumPy file"),
    ],
)
def test_what_is_no_file_of_labels(shell, rows, name, labels, told):
    np.save(name, labels)
    assert told in shell.refused("train", "rows.npz", "-t", name, code=3)


def test_an_archive_must_say_which_array(shell, rows):
    np.savez("two.npz", a=LABELS, b=LABELS)
    told = shell.refused("train", "rows.npz", "-t", "two.npz", code=3)
    assert told == "two.npz cannot be read as a NumPy file (it has a, b; save the labels as 'y')."


def test_sparse_rows_have_no_column_of_labels(shell, rows):
    told = shell.refused("train", "rows.npz", "-t", "3", code=2)
    assert told == "The target of sparse rows must be a file of labels, but got '3'."
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


@pytest.mark.parametrize("place", range(3))
def test_a_file_of_labels_comes_before_labels_of_their_own(shell, rows, place):
    data = with_own_labels(rows)[place]
    np.save("y.npy", LABELS)
    told = f"The labels are those of y.npy, not the ones that {data} comes with."
    found = shell.json("train", data, "-t", "y.npy", "-o", "m.safetensors", "-l", "svm")
    assert told in found["notes"]
    assert shell("predict", "m.safetensors", data, "--only").split() == ["0", "1"] * 30
    found = shell.json("evaluate", "m.safetensors", data, "-t", "y.npy")
    assert found["summary"]["accuracy"]["value"] == 1.0 and told in found["notes"]
    assert shell.json("evaluate", "m.safetensors", data)["summary"]["accuracy"]["value"] == 0.0
    shell("convert", data, "again.npz", "-t", "y.npy")
    with np.load("again.npz") as stored:
        assert stored["y"].tolist() == LABELS.tolist()


def test_the_same_labels_named_and_found(shell, rows):
    *_, images = with_own_labels(rows)
    notes = shell.json("train", images, "-t", "own-labels-idx1-ubyte", "-o", "/dev/null")["notes"]
    assert not any("the labels are those" in note for note in notes)


@pytest.mark.parametrize("target", ["-1", "2", "no-such-file.npy"])
@pytest.mark.parametrize("place", range(3))
def test_a_column_is_no_target_beside_labels(shell, rows, place, target):
    data = with_own_labels(rows)[place]
    told = f"{data} has labels of its own; leave --target out, or pass a file of other labels, not '{target}'."
    for verb in (["train", data, "-o", "m.safetensors"], ["separable", data], ["convert", data, "again.csv"]):
        assert shell.refused(*verb, "-t", target, code=2) == told
    if data == "own.npz" and target != "no-such-file.npy":
        assert shell.refused("train", data, "-t", target, "--stream", "-o", "m.safetensors", code=2) == told
    assert not Path("m.safetensors").exists() and not Path("again.csv").exists()


def test_labels_are_not_written_over(shell, rows):
    np.savez("y.npz", y=LABELS)
    assert "y.npz" in shell.refused("convert", "rows.npz", "y.npz", "-t", "y.npz", code=2)
    with np.load("y.npz") as stored:
        assert list(stored) == ["y"]


@pytest.mark.parametrize("data", ["pics.idx", "rows.npz", "own.npz", "own.libsvm"])
def test_passes_take_no_file_of_labels(shell, rows, data):
    with_own_labels(rows)
    np.save("y.npy", LABELS)
    told = shell.refused("train", data, "-t", "y.npy", "--stream", "-o", "m.safetensors", "--report", "r.html", code=2)
    assert told == (
        f"A file of labels needs all rows in memory; use --no-stream, or write "
        f"both into one file (rosenblatt convert {data} FILE.npz --target y.npy)."
    )
    assert not Path("m.safetensors").exists() and not Path("r.html").exists()
    shell("convert", data, "both.npz", "--target", "y.npy")
    assert shell.json("train", "both.npz", "--stream", "-o", "/dev/null")["summary"]["accuracy"]


@pytest.mark.parametrize("target", ["0", "9", "--9"])
def test_passes_count_columns_from_1_too(shell, rows, target):
    np.save("all.npy", np.column_stack([rows, LABELS]))
    told = [
        shell.refused("train", "all.npy", f"--target={target}", *more, "-o", "m.safetensors", code=2)
        for more in ([], ["--stream"])
    ]
    assert target == "--9" or (told[0] == told[1] and "has no column number" in told[0])
    assert not Path("m.safetensors").exists()


def test_passes_take_no_column_of_sparse_rows(shell, rows):
    told = shell.refused("train", "rows.npz", "-t", "3", "--stream", "-o", "m.safetensors", code=2)
    assert told == "The target of sparse rows must be a file of labels, but got '3'."
    assert not Path("m.safetensors").exists()


def test_rows_to_test_on_have_their_own_labels(shell, rows):
    """A file of labels is about the rows that are learned from."""
    with_own_labels(rows)
    np.save("y.npy", LABELS)
    np.save("dense.npy", rows)
    tested = shell.json("train", "dense.npy", "-t", "y.npy", "--test", "own.npz", "-o", "/dev/null", "-l", "svm")
    assert tested["summary"]["accuracy"]["value"] == 0.0
    told = shell.refused("train", "own.npz", "-t", "y.npy", "--test", "dense.npy", code=2)
    assert told == (
        "dense.npy has no labels; write both into one file (rosenblatt convert dense.npy test.npz --target LABELS)."
    )
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
