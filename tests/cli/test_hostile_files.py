"""Files that nobody would write on purpose: one sentence that is true of them, or an answer."""

import os

import numpy as np
import pytest

ROWS = "".join(f"{a},{b},{'yes' if a + b > 9 else 'no'}\n" for a in range(10) for b in range(10))


@pytest.fixture
def model(shell, tmp_path):
    (tmp_path / "good.csv").write_text("a,b,t\n" + ROWS)
    shell("train", "good.csv", "-t", "t", "-o", "m.safetensors", "-q")
    return "m.safetensors"


def test_names_of_columns_that_are_no_text(shell, tmp_path):
    (tmp_path / "head.csv").write_bytes(("größe,b,t\n" + ROWS).encode("latin-1"))
    (tmp_path / "head.dat").write_bytes("@relation r\n@attribute größe real\n@data\n1\n2\n".encode("latin-1"))
    told = shell.refused("inspect", "head.csv", code=3)
    assert told.startswith("head.csv is not text in utf-8: byte 0xF6 in line 1; if") and "latin-1" in told
    assert "byte 0xF6 in line 2" in shell.refused("inspect", "head.dat", code=3)
    assert "größe" in shell("inspect", "head.csv", "--encoding", "latin-1")
    (tmp_path / "sign.csv").write_text(
        "\ufffd,b,t\n" + ROWS, encoding="utf-8"
    )  # the sign itself is a letter like others
    assert "\ufffd" in shell("inspect", "sign.csv")


def test_a_model_may_be_judged_by_rows_of_one_class(shell, tmp_path, model):
    (tmp_path / "one.csv").write_text("a,b,t\n9,9,yes\n8,9,yes\n")
    assert shell.json("evaluate", model, "one.csv")["summary"]["accuracy"]["total"] == 2
    assert "a single value" in shell.refused("train", "one.csv", "-t", "t", code=3)


def test_every_verb_names_the_line(shell, tmp_path, model):
    (tmp_path / "inf.csv").write_text("a,b,t\n" + ROWS + "inf,3,no\n")
    for verb in (["evaluate", model], ["predict", model], ["inspect"]):
        assert "in line 102" in shell.refused(*verb, "inf.csv", code=3)


def test_the_target_alone_is_no_file_without_a_header(shell, tmp_path, model):
    (tmp_path / "alone.csv").write_text("t\n" + "1\n2\n" * 20)
    assert shell.refused("predict", model, "alone.csv", code=3).startswith("alone.csv lacks the columns a, b")
    (tmp_path / "other.csv").write_text("A,B\n1,2\n")
    told = shell.refused("predict", model, "other.csv", code=3)
    assert told == "other.csv lacks the columns a, b that the model was trained on."
    (tmp_path / "more.csv").write_text("a,b,c\n1,2,3\n")
    shell("predict", model, "more.csv")
    assert "Columns that the model does not know are ignored: c." in shell.err


def test_what_stands_in_a_line_is_shown_as_it_stands(shell, tmp_path):
    (tmp_path / "list.jsonl").write_text('{"a": 1}\n[1]\n')
    assert "Line 2 of list.jsonl is [1]" in shell.refused("inspect", "list.jsonl", code=3)
    (tmp_path / "zero.libsvm").write_text("1 0:2\n-1 1:3\n")
    told = shell.refused("inspect", "zero.libsvm", code=3)
    assert "--zero-based" in told


def test_rows_without_numbers_and_labels(shell, tmp_path):
    np.save(tmp_path / "wide.npy", np.zeros((3, 0)))
    assert "wide.npy has no numbers" in shell.refused("convert", "wide.npy", "w.csv", code=3)
    assert not (tmp_path / "w.csv").exists()


def test_names_of_files_that_lead_nowhere(shell, tmp_path):
    assert "is empty" in shell.refused("inspect", "", code=3)
    os.symlink("gone.csv", tmp_path / "link.csv")
    assert "link.csv is a link to a file that does not exist" in shell.refused("inspect", "link.csv", code=3)


def test_inspect_shows_a_table_that_nothing_can_be_learned_from(shell, tmp_path):
    (tmp_path / "one.csv").write_text("name,age,born,member\nAda,36,1815-12-10,true\n")
    shown = shell("inspect", "one.csv")
    assert "Ada" in shown and "1815-12-10" in shown and "Train with" not in shown
    found = shell.json("inspect", "one.csv")
    assert (found["rows"], found["features"]) == (1, 0)
    (tmp_path / "same.csv").write_text("a,b\n1,x\n1,x\n1,x\n")
    assert [column["kind"] for column in shell.json("inspect", "same.csv")["columns"]] == ["dropped", "dropped"]
    told = shell.refused("train", "one.csv", "--target", "member", code=3)  # as before
    assert "member" in told
