"""What a stranger met on files that we had not seen; each was a defect once."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import rosenblatt
from rosenblatt.verbs import learning, testing, train

RANDOM = np.random.default_rng(0)
A, B = RANDOM.normal(size=(2, 300))


def write(path, header, rows):
    path.write_text("\n".join([header, *rows]) + "\n" if header else "\n".join(rows) + "\n")
    return path.name


def plain(path, header="a,b,y"):
    return write(path, header, [f"{a:.3f},{b:.3f},{'p' if a > b else 'n'}" for a, b in zip(A, B, strict=True)])


def test_a_model_without_a_header_does_not_answer_the_header_as_a_row(shell, tmp_path):
    shell("train", plain(tmp_path / "t.csv", ""), "-t", "-1", "-o", "m.safetensors")
    plain(tmp_path / "named.csv", "length,width,kind")
    assert shell("predict", "m.safetensors", "named.csv", "--only").count("\n") == 300
    assert "by their position" in shell.err
    assert shell("predict", "m.safetensors", "t.csv", "--only").count("\n") == 300


@pytest.mark.parametrize("header", ["2019,2020,y", "0,1,target"])
def test_a_header_of_numbers_is_no_row(shell, tmp_path, header):
    found = shell.json("train", plain(tmp_path / "t.csv", header), "-t", header.split(",")[-1], "-o", "m.safetensors")
    assert found["data"]["rows"] == 300 and found["summary"]["classes"] == ["n", "p"]


def test_a_target_that_stands_in_the_first_line_makes_it_a_header(shell, tmp_path):
    rows = [f"{a:.3f},{b:.3f},{'p' if a > b else 'n'}" for a, b in zip(A, B, strict=True)]
    name = write(tmp_path / "t.csv", "7,9,y", rows)
    assert shell.json("train", name, "-t", "y", "-o", "m.safetensors")["data"]["rows"] == 300
    assert "--header" in shell.refused("train", name, "-t", "z", code=2)


def test_a_class_called_none_stays_a_class(shell, tmp_path):
    kinds = np.where(A > 0.7, "severe", np.where(A > -0.3, "mild", "None"))
    name = write(tmp_path / "t.csv", "a,b,y", [f"{a},{b},{k}" for a, b, k in zip(A, B, kinds, strict=True)])
    found = shell.json("train", name, "-t", "y", "-o", "m.safetensors")
    assert found["data"]["rows"] == 300 and found["summary"]["classes"] == ["None", "mild", "severe"]
    assert any("None is a class of 'y'" in note for note in found["notes"])
    fewer = shell.json("train", name, "-t", "y", "--na-values", "None", "-o", "m.safetensors")
    assert fewer["summary"]["classes"] == ["mild", "severe"]
    assert any("without a value of 'y'" in note for note in fewer["notes"])


def test_numbers_that_mean_missing_can_be_named_and_are_remembered(shell, tmp_path):
    gaps = [-999 if n % 9 == 0 else round(a, 3) for n, a in enumerate(A)]
    rows = [f"{gap},{b},{'p' if b > 0 else 'n'}" for gap, b in zip(gaps, B, strict=True)]
    name = write(tmp_path / "t.csv", "a,b,y", rows)
    found = shell.json("train", name, "-t", "y", "--na-values", "-999", "-o", "m.safetensors")
    assert any("34 missing" in note or "missing values of 'a'" in note for note in found["notes"])
    column = rosenblatt.load("m.safetensors").steps[0][1].columns_[0]
    assert column.missing > 20 and abs(column.median) < 1
    assert rosenblatt.describe("m.safetensors")["about"]["na_values"] == ["-999"]


def test_a_model_is_not_replaced_without_being_told(shell, tmp_path):
    name = plain(tmp_path / "t.csv")
    shell("train", name, "-t", "y", "-q", force=False)
    before = (tmp_path / "t.safetensors").read_bytes()
    assert "--force" in shell("train", name, "-t", "y", code=2, force=False) + shell.err
    assert (tmp_path / "t.safetensors").read_bytes() == before
    shell("train", name, "-t", "y", "-q", force=True)
    assert (tmp_path / "t.safetensors").read_bytes() == before  # nothing of the clock is in it


def test_a_misspelt_target_is_found_in_the_header(shell, tmp_path, monkeypatch):
    from rosenblatt.sources import Source

    name = plain(tmp_path / "t.csv")
    monkeypatch.setattr(Source, "read", lambda self: pytest.fail("rows were read"))
    assert shell.refused("train", name, "-t", "yy", code=2) == "t.csv has no column 'yy' (did you mean 'y'?)."


def test_the_model_is_there_before_it_is_tested(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = plain(tmp_path / "t.csv")

    def killed(*_):
        raise SystemExit("killed")

    monkeypatch.setattr(learning, "summary_of", killed)
    with pytest.raises(SystemExit):
        train(name, "y", out="m.safetensors")
    assert rosenblatt.load("m.safetensors").predict({"a": [1.0], "b": [0.0]}).tolist() == ["p"]


def test_a_slow_model_is_tested_on_what_there_is_time_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(testing, "FEW", 8)
    predict = rosenblatt.Perceptron.predict

    def slowly(self, rows):
        time.sleep(0.02)
        return predict(self, rows)

    monkeypatch.setattr(rosenblatt.Perceptron, "predict", slowly)
    done = train(plain(tmp_path / "t.csv"), "y", time_limit=0.05)
    assert done.summary.rows_test < 60 and any("drawn at random" in note for note in done.notes)


def test_the_discriminant_takes_sparse_rows_and_tables_with_many_categories(shell, tmp_path):
    lines = [f"{'1' if a > b else '0'} 1:{a:.3f} 2:{b:.3f}" for a, b in zip(A, B, strict=True)]
    write(tmp_path / "t.libsvm", "", lines)
    shell("train", "t.libsvm", "-l", "discriminant", "-o", "m.safetensors")
    assert shell("predict", "m.safetensors", "t.libsvm", "--only").count("\n") == 300
    rows = [f"{a},c{n % 60},{'p' if a > 0 else 'n'}" for n, a in enumerate(A)]
    shell("train", write(tmp_path / "t.csv", "a,c,y", rows), "-t", "y", "-l", "discriminant", "-o", "n.safetensors")


def test_a_column_of_lists_can_be_dropped(shell, tmp_path):
    lines = [json.dumps({"a": float(a), "l": [1, 2], "y": "p" if a > 0 else "n"}) for a in A]
    write(tmp_path / "t.jsonl", "", lines)
    assert "--drop" in shell.refused("train", "t.jsonl", "-t", "y", code=3)
    shell("train", "t.jsonl", "-t", "y", "--drop", "l", "-o", "m.safetensors")


@pytest.mark.parametrize(
    ("options", "told"), [(["--time", "when"], "latest 20%"), (["--group", "who"], "other groups")]
)
def test_rows_are_held_out_by_time_or_group(shell, tmp_path, options, told):
    rows = [f"{a},{n:03d},g{n % 7},{'p' if a > 0 else 'n'}" for n, a in enumerate(A)]
    name = write(tmp_path / "t.csv", "a,when,who,y", rows)
    found = shell.json("train", name, "-t", "y", *options, "-o", "m.safetensors")
    assert told in found["summary"]["held_out"] and 40 <= found["summary"]["rows_test"] <= 90


def test_a_threshold_moves_the_answers(shell, tmp_path):
    shell("train", plain(tmp_path / "t.csv"), "-t", "y", "-l", "logistic", "-o", "m.safetensors")
    counts = [
        shell("predict", "m.safetensors", "t.csv", "--only", "--threshold", value).count("p\n")
        for value in ("0.01", "0.5", "0.99")
    ]
    assert counts[0] > counts[1] > counts[2]
    assert "of at least 0, at most 1" in shell.refused("predict", "m.safetensors", "t.csv", "--threshold", "7", code=2)


def test_a_pipe_without_a_reader_and_a_full_device(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = f"{sys.executable} -m rosenblatt predict nofile x --json"
    done = subprocess.run(
        ["bash", "-c", f"{command} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, env=environment
    )
    assert done.stdout == "3\n" and "Traceback" not in done.stderr
    done = subprocess.run(["bash", "-c", f"{command} > /dev/full"], capture_output=True, text=True, env=environment)
    assert done.returncode == 3 and "Traceback" not in done.stderr


def test_sigterm_leaves_no_part_of_a_file(shell, tmp_path, monkeypatch):
    from rosenblatt.verbs import prediction

    shell("train", plain(tmp_path / "t.csv"), "-t", "y", "-o", "m.safetensors")

    def killed(*_, **__):
        signal.raise_signal(signal.SIGTERM)

    before = sorted(os.listdir(tmp_path))
    monkeypatch.setattr(prediction._Asked, "_table", killed)
    shell("predict", "m.safetensors", "t.csv", "-o", "out.csv", code=143)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_model_that_may_not_be_read(shell, tmp_path, monkeypatch):
    shell("train", plain(tmp_path / "t.csv"), "-t", "y", "-o", "m.safetensors")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    assert shell.refused("predict", "m.safetensors", "t.csv", code=3) == "No permission to read m.safetensors."


def test_json_beside_a_model_on_standard_output(tmp_path):
    plain(tmp_path / "t.csv")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "rosenblatt", "train", "t.csv", "-t", "y", "--json", "-o", "-"],
        capture_output=True, cwd=tmp_path, env=environment,
    )  # fmt: skip
    assert done.stdout[8:9] == b"{" and json.loads(done.stderr)["learner"] == "averaged"


def test_a_number_as_target_does_not_make_a_row_a_header(shell, tmp_path):
    name = write(tmp_path / "h.csv", "", ["5.1,3.5,0", "4.9,3.0,1", "4.7,3.2,0", "4.6,3.1,1", "5.0,3.6,0", "5.2,1.6,1"])
    assert "no column number 0" in shell.refused("separable", name, "--target", "0", code=2)


def test_classes_with_fractions_are_refused_in_memory_and_in_passes(shell, tmp_path):
    name = write(tmp_path / "t.csv", "a,y", [f"{a},{1.5 if a > 0 else 2.5}" for a in A])
    told = [shell.refused("train", name, "-t", "y", *more, code=3) for more in ([], ["--stream"])]
    assert told[0] == told[1] and "with fractions" in told[0] and "--learner least-squares" in told[0]


def test_many_whole_numbers_as_classes_are_noted(shell, tmp_path):
    name = write(tmp_path / "t.csv", "a,b,y", [f"{a},{b},{int(8 * a) % 30}" for a, b in zip(A, B, strict=True)])
    for more in ([], ["--stream"]):
        notes = shell.json("train", name, "-t", "y", *more)["notes"]
        assert any("taken as classes" in note for note in notes)


def test_truth_values_are_called_as_files_call_them(shell, tmp_path):
    name = write(tmp_path / "t.csv", "a,y", [f"{a},{'TRUE' if a > 0 else 'FALSE'}" for a in A])
    shell("train", name, "-t", "y", "-o", "m.safetensors")
    assert set(shell("predict", "m.safetensors", name, "--only").split()) == {"TRUE", "FALSE"}
    shown = shell("evaluate", "m.safetensors", name)
    assert "TRUE" in shown and "True" not in shown and "true" not in shown
    assert shell("evaluate", "m.safetensors", name, "--quiet").count("\n") == 1
