"""Options that make no sense: refused before the work, in one sentence about the option."""

import os

import pytest

ROWS = "".join(f"{a},{b},{'yes' if a + b > 9 else 'no'}\n" for a in range(10) for b in range(10))
HUGE = "9" * 50


@pytest.fixture
def train(shell, tmp_path):
    (tmp_path / "good.csv").write_text("a,b,t\n" + ROWS)
    return "train", "good.csv", "-t", "t", "-o", "m.safetensors", "-q"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--set", f"max_iter={HUGE}"],
            "max_iter must be a whole number above 0, at most 9,223,372,036,854,775,807, but",
        ),
        (["--seed", "9" * 400], "--seed must be a finite number of at least 0, at most 4294967295, but got 999"),
        (["--time-limit", "inf"], "--time-limit must be a finite number above 0, but got inf."),
        (["--learner", ""], "There is no learner ''"),
        (["--out", ""], "'' is not the name of a file"),
        (["--report", ""], "'' is not the name of a file"),
        (["--report", "a\0b"], r"'a\x00b' is not the name of a file"),
        (["--report", "good.csv"], "The report cannot be written to good.csv"),
        (["--answer", "pocket"], "No such option: --answer"),
        (["--epochs", "3"], "No such option: --epochs"),
        (["--learning-rate=1"], "No such option: --learning-rate"),
        (["--C", "1"], "No such option: --C"),
        (["--taget", "1"], "No such option: --taget (Possible options: --target"),
    ],
)
def test_options_of_train(options, said, shell, train, tmp_path):
    assert shell.refused(*train, *options, code=2).startswith(said)
    assert os.listdir(tmp_path) == ["good.csv"]


def test_a_model_may_be_tested_on_rows_of_one_class(shell, train, tmp_path):
    (tmp_path / "one.csv").write_text("a,b,t\n9,9,yes\n8,9,yes\n")
    for way in ((), ("--stream",)):
        shell(*train, "--test", "one.csv", *way)
        assert "of 2 rows" in shell.out


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_needs_room_not_rights(shell, train):
    told = shell.refused(*train, "--out", "/dev/full", code=4)
    assert told.endswith("(No space left on device); make room, or choose another folder.")


def test_a_format_that_is_not_written(shell, train):
    for arguments in (("datasets", "export", "iris"), ("convert", "good.csv")):
        assert shell.refused(*arguments, "i.xlsx", code=2).endswith(".npz.")


def test_the_format_of_the_row_that_is_explained(shell, train, tmp_path):
    shell(*train)
    (tmp_path / "good.csv").rename(tmp_path / "good.libsvm")
    assert "Row 2" in shell("inspect", "m.safetensors", "--data", "good.libsvm", "--row", "2", "--format", "csv")


def test_files_in_the_wrong_place(shell, train, tmp_path):
    shell(*train)
    (tmp_path / "folder").mkdir()
    assert "m.safetensors is a model file" in shell.refused("convert", "m.safetensors", "o.csv", code=3)
    told = shell.refused("separable", "good.csv", "-t", "t", "--verify", "folder", code=3)
    assert told == "folder must be a certificate, but it is a folder; name the file in it."
    told = shell.refused(*train, "--format", "npy", code=3)
    assert told.endswith("good.csv cannot be read as a NumPy file (This file contains pickled (object) data).")
    (tmp_path / "words.csv").write_text("a,b\n1,2\n3,x\n")
    told = shell.refused("inspect", "m.safetensors", "--data", "words.csv", "--row", "2", code=3)
    assert "line 3 has 'x'" in told
