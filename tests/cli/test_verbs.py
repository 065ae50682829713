"""Every verb on small files: what it prints, what it writes, its exit code, and how it refuses bad input."""

import html
import io
import json
import os
import re
import shlex
import shutil
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest

import rosenblatt
from rosenblatt import Perceptron, save
from rosenblatt.verbs import predict, testing
from rosenblatt.verbs import train as learn
from rosenblatt.verbs.learners import LEARNERS, make_learner

# ------------------------------------------------------------------------------------------------ train


def test_train_with_no_option_but_the_target(shell, iris):
    shown = shell("train", iris, "--target", "species")
    for text in (
        "Accuracy",
        "Largest class",
        "Confusion",
        "Most important features",
        "Separable",
        "rosenblatt predict",
    ):
        assert text in shown
    assert os.path.exists("iris.safetensors")
    assert shell.err == ""


def test_train_as_json_says_the_same(shell, iris):
    found = shell.json("train", iris, "-t", "species", "--out", "m.safetensors")
    assert found["model"] == "m.safetensors" and found["learner"] == "averaged"
    summary = found["summary"]
    assert summary["accuracy"]["total"] == summary["rows_test"] == 30 and summary["rows_train"] == 120
    assert summary["accuracy"]["value"] > 0.8 > summary["baseline"]["accuracy"]["value"]
    assert found["data"]["target"] == "species" and len(found["data"]["digest"]) == 64


def test_the_target_by_name_by_number_and_from_the_end(shell, iris):
    found = [shell.json("train", iris, "-t", target, "-o", "/dev/null")["summary"] for target in ("species", "5", "-1")]
    for key in ("target", "accuracy", "confusion", "drivers"):
        assert found[0][key] == found[1][key] == found[2][key]
    assert not os.path.exists("iris.safetensors")


def test_the_same_seed_gives_the_same_bits(shell, iris):
    weights = []
    for seed in (3, 3, 4):
        shell("train", iris, "-t", "species", "-o", "m.safetensors", "--seed", seed)
        weights.append(rosenblatt.load("m.safetensors").steps[-1][1].coef_)
    assert np.array_equal(weights[0], weights[1]) and not np.array_equal(weights[0], weights[2])


def test_columns_of_every_kind(shell, people):
    found = shell.json("train", people, "-t", "answer", "--drop", "id")
    kinds = {column["name"]: column["kind"] for column in found["columns"]}
    assert kinds == {"age": "number", "city": "category", "member": "boolean", "note": "text"}
    assert found["summary"]["accuracy"]["value"] > 0.7
    assert any("age" in note and "median" in note for note in found["notes"])


@pytest.mark.parametrize("learner", sorted(set(LEARNERS) - {"least-squares"}))
def test_every_learner_trains_saves_and_predicts(learner, shell, iris):
    more = [] if learner == "discriminant" else ["--set", "max_iter=50"]
    found = shell.json("train", iris, "-t", "species", "-l", learner, "-o", "m.safetensors", *more)
    assert found["learner"] == learner and found["summary"]["accuracy"]["value"] >= 0.6
    judged = shell.json("evaluate", "m.safetensors", iris)
    assert judged["summary"]["accuracy"]["total"] == 150 and judged["same_data"]


def test_numbers_by_least_squares(shell, iris):
    found = shell.json("train", iris, "-t", "petal_width", "-l", "least-squares", "-o", "m.safetensors")["summary"]
    assert found["kind"] == "regression" and found["regression"]["r2"] > 0.9
    assert "Mean error" in shell("evaluate", "m.safetensors", iris)
    assert shell("predict", "m.safetensors", iris, "--only").count("\n") == 150


def test_settings_are_read_by_their_kind(shell, iris):
    done = learn(str(iris), "species", learner="pa", settings=["C=0.5", "shuffle=no", "max_iter=7"])
    learner = done.model.steps[-1][1]
    assert (learner.C, learner.shuffle, learner.max_iter) == (0.5, False, 7)


def test_ways_to_test(shell, iris, tmp_path):
    shell("datasets", "export", "iris", "test.csv", "--part", "test")
    assert shell.json("train", iris, "-t", "species", "--test", "test.csv")["summary"]["rows_test"] == 38
    assert shell.json("train", iris, "-t", "species", "--holdout", 0.5)["summary"]["rows_test"] == 75
    assert shell.json("train", iris, "-t", "species", "--cv", 5)["summary"]["rows_test"] == 150
    flattered = shell.json("train", iris, "-t", "species", "--holdout", 0)["summary"]
    assert flattered["rows_test"] == flattered["rows_train"] == 150 and "flatters" in flattered["held_out"]
    assert "--test and --cv" in shell.refused("train", iris, "-t", "species", "--test", "test.csv", "--cv", 5, code=2)


def test_cross_validation_is_by_models_that_have_not_seen_the_row(shell, iris):
    """The answers are those of separate fits, fold by fold."""
    from rosenblatt.verbs.examples import open_data, read_examples
    from rosenblatt.verbs.splits import folds

    found = learn(str(iris), "species", cv=3, seed=1)
    whole = read_examples(open_data(str(iris)), "species")
    right = 0
    for kept, tested in folds(whole.labels(), 3, 1):
        part = whole.take(kept)
        encoder = rosenblatt.ColumnEncoder().fit(part.rows)
        model = rosenblatt.Perceptron(answer="averaged", tol=1e-3, multi_class="coupled", random_state=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge
            model.fit(encoder.transform(part.rows), part.labels())
        right += int((model.predict(encoder.transform(whole.rows[tested])) == whole.labels()[tested]).sum())
    assert found.summary.accuracy.count == right


def test_weights_of_rows(shell, tmp_path):
    path = tmp_path / "weighted.csv"
    rows = [f"{n % 7},{n % 5},{'a' if n % 7 > 3 else 'b'},{0 if n % 3 else 1}" for n in range(90)]
    path.write_text("\n".join(["x,y,label,w", *rows]) + "\n")
    done = learn(str(path), "label", weights="w", holdout=0)
    assert done.summary.n_features == 2  # neither target nor weights
    assert "must be numbers" in shell.refused("train", path, "-t", "x", "--weights", "label", code=3)


def test_rows_that_weigh_nothing_teach_nothing(tmp_path):
    """Most labels are wrong, and have no weight."""
    path = tmp_path / "weighted.csv"
    x = np.random.default_rng(0).normal(size=300).round(4)
    right, weigh = np.where(x > 0, "up", "down"), np.arange(300) % 3 == 0
    label = np.where(weigh, right, np.where(x > 0, "down", "up"))
    polars.DataFrame({"x": x, "label": label, "w": weigh.astype(int)}).write_csv(path)
    for learner in ("averaged", "logistic", "svm"):
        done = learn(str(path), "label", learner=learner, weights="w", holdout=0)
        assert (done.model.predict(polars.DataFrame({"x": x})) == right).mean() > 0.95


def test_a_seed_that_is_set_wins_over_the_usual_one():
    assert make_learner("averaged", {"random_state": 5}, random_state=0).random_state == 5
    assert make_learner("averaged", {}, random_state=7).random_state == 7


def test_columns_go_by_their_names_for_a_model_without_an_encoder(tmp_path):
    """A model that was fitted in Python on a frame of numbers, asked about a file with its columns turned around."""
    rows = pandas.DataFrame({"a": [0.0, 1.0, 5.0, 6.0], "b": [100.0, 0.0, 50.0, 20.0]})
    save(Perceptron(max_iter=500, random_state=0).fit(rows, ["low", "low", "high", "high"]), tmp_path / "m.safetensors")
    rows[["b", "a"]].to_csv(tmp_path / "turned.csv", index=False)
    done = predict(str(tmp_path / "m.safetensors"), str(tmp_path / "turned.csv"), only=True)
    assert done.table["prediction"].to_list() == ["low", "low", "high", "high"]


def test_positive_class(shell, people):
    found = shell.json("train", people, "-t", "answer", "--positive", "no", "-o", "/dev/null")["summary"]
    assert found["positive"] == "no"
    message = shell.refused("train", people, "-t", "answer", "--positive", "nope", code=2)
    assert message.startswith("There is no class 'nope'; there are ")


def test_numbers_whose_squares_vanish(shell):
    lines = [f"{0.7 * i + 1:.1f}e-300,{'ab'[i > 19]}" for i in range(40)]
    Path("tiny.csv").write_text("x,y\n" + "\n".join(lines) + "\n")
    shown = " ".join(shell("train", "tiny.csv", "-t", "y", "-o", "/dev/null").split())
    assert "8 of 8 right" in shown and "encountered" not in shell.err
    shown = " ".join(shell("train", "tiny.csv", "-t", "y", "-o", "/dev/null", "--no-scale", "--positive", "a").split())
    assert "For a: precision" in shown
    assert "encountered" not in shown + shell.err


def test_a_model_that_does_not_beat_the_largest_class_says_so_and_what_would(shell, monkeypatch):
    monkeypatch.setattr(testing, "ADVISING", 30.0)  # whatever else the machine does
    random = np.random.default_rng(1)
    X = random.normal(size=(600, 2))
    y = np.where((X**2).sum(axis=1) < 1.4, "in", "out")
    polars.DataFrame({"x": X[:, 0], "y": X[:, 1], "where": y}).write_csv("disc.csv")
    shown = shell("train", "disc.csv", "-t", "where", "--advise", "-o", "/dev/null")
    assert "The model is not" in " ".join(shown.split())
    assert "--learner kernel" in shown


def test_search_takes_the_best_and_leaves_the_tested_rows_alone(shell, iris):
    found = shell.json("train", iris, "-t", "species", "--search", "-o", "/dev/null")
    assert found["learner"] == "passive-aggressive" and len(found["searched"]) == 6
    best = max(found["searched"], key=lambda setting: setting["mean"])
    assert found["summary"]["settings"].get("C", 1.0) == best["C"]
    assert found["summary"]["rows_train"] == 120
    assert "Settings tried" in shell("train", iris, "-t", "species", "--search", "-o", "/dev/null", "-l", "svm")


def test_learning_in_passes(shell, people):
    found = shell.json("train", people, "-t", "answer", "--drop", "id", "--stream", "-o", "m.safetensors")
    assert found["summary"]["rows_train"] + found["summary"]["rows_test"] == 200 and "in passes" in found["notes"][0]
    assert found["summary"]["accuracy"]["value"] > 0.6
    assert shell.json("evaluate", "m.safetensors", people)["summary"]["rows_test"] == 200
    assert "--no-stream" in shell.refused("train", people, "-t", "answer", "--stream", "--cv", 3, code=2)
    assert "use one of averaged" in shell.refused("train", people, "-t", "answer", "--stream", "-l", "lda", code=2)
    assert "did you mean 'answer'?" in shell.refused("train", people, "-t", "anser", "--stream", code=2)


def test_a_file_that_might_not_fit_is_learned_from_in_passes(shell, people, monkeypatch):
    from rosenblatt.verbs import memory

    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    assert "in passes" in shell.json("train", people, "-t", "answer", "-o", "/dev/null")["notes"][0]
    assert "in passes" not in "".join(
        shell.json("train", people, "-t", "answer", "-o", "/dev/null", "--no-stream")["notes"]
    )


def test_features_of_a_matrix_have_the_numbers_of_its_file(shell):
    Path("two.libsvm").write_text("".join(f"{1 if n % 2 else -1} 7:{n % 2} 9:1\n" for n in range(40)))
    found = shell.json("train", "two.libsvm", "-o", "/dev/null")["summary"]
    assert found["drivers"]["top"][0]["feature"] == "index 7"


def test_standard_input_and_output(shell, iris, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(iris.read_bytes())))
    shell("train", "-", "-t", "species", "-o", "m.safetensors")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(iris.read_bytes())))
    answers = shell("predict", "m.safetensors", "-")
    assert answers.startswith("sepal_length") and answers.count("\n") == 151


def test_ctrl_c_keeps_the_model_so_far(shell, iris, monkeypatch):
    fit = rosenblatt.Perceptron.fit

    def stop(row):
        if row.epoch == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(rosenblatt.Perceptron, "fit", lambda *given, **options: fit(*given, **options, on_epoch=stop))
    shell("train", iris, "-t", "species", "-o", "m.safetensors", code=130)
    assert rosenblatt.describe("m.safetensors")["stop_reason"] == "interrupted"
    assert len(rosenblatt.load("m.safetensors").predict(polars.read_csv(iris))) == 150


def test_ctrl_c_while_a_model_is_judged_keeps_it(shell, iris, monkeypatch):
    from rosenblatt.report import advice

    def interrupted(judge):
        raise KeyboardInterrupt

    monkeypatch.setattr(advice.Advisor, "advice", interrupted)
    said = shell("train", iris, "-t", "species", "--advise", "-o", "m.safetensors", code=130)
    assert "Ctrl-C ended the test" in shell.err and "Confusion" in said
    assert rosenblatt.describe("m.safetensors")["stop_reason"] != "interrupted"
    assert len(rosenblatt.load("m.safetensors").predict(polars.read_csv(iris))) == 150


def test_dates_are_shown_as_dates(shell, tmp_path):
    days = [f"{n % 28 + 1:02d}.{n % 12 + 1:02d}.20{19 + n % 5}" for n in range(80)]
    lines = [f"{day};{n % 7};{'old' if day[-1] in '90' else 'new'}" for n, day in enumerate(days)]
    lines[5] = ";3;old"
    (tmp_path / "d.csv").write_text("joined;n;kind\n" + "\n".join(lines) + "\n")
    assert re.search(r"joined +date ", shell("inspect", "d.csv"))
    said = shell("train", "d.csv", "-t", "kind", "--holdout", 0, "-o", "m.safetensors", "--report", "r.html")
    assert "joined (per day)" in said and re.search(r"filled with the median, 20\d\d-\d\d-\d\d", shell.err)
    assert "joined (per day)" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert re.search(r"Dates +joined", shell("inspect", "m.safetensors"))
    (tmp_path / "bad.csv").write_text("joined;n\nsoon;1\n01.02.2020;2\n")
    shell("predict", "m.safetensors", "bad.csv", code=3)
    assert "'joined' holds dates, but line 2 has 'soon'; write it as 2024-12-31 or leave it empty." in shell.err


def test_a_quantity_that_is_written_as_money(shell, tmp_path):
    rows = [f"{1.5 * n};{n} {100 + n},50 €" for n in range(1, 80)]
    (tmp_path / "price.csv").write_text("size;price\n" + "\n".join(rows) + "\n", encoding="utf-8")
    found = shell.json("train", "price.csv", "-t", "price", "--learner", "least-squares", "-o", "m.safetensors")
    assert found["summary"]["regression"]["r2"] > 0.99
    assert any("'price' is read as numbers: '1 101.50 €' is 1101.5." in note for note in found["notes"])
    assert shell.json("evaluate", "m.safetensors", "price.csv")["summary"]["regression"]["r2"] > 0.99
    searched = shell("train", "price.csv", "-t", "price", "--learner", "least-squares", "--search", "-o", "/dev/null")
    assert re.search(r"lam +R² +±", searched) and "accuracy" not in searched
    told = shell.refused("train", "price.csv", "-t", "price", code=3)
    assert "has 79 different values in 79 rows, too many for classes" in told and "--learner least-squares" in told


def test_a_row_for_each_class_leaves_none_to_test_on(shell):
    Path("three.csv").write_text("k,b\nu,2\nv,3\nw,4\n")
    told = shell.refused("train", "three.csv", "-t", "k", code=3)
    assert told == (
        "There are too few rows of each class, 3 rows of 3 classes, to hold some out; add rows, or use --holdout 0 or "
        "--test."
    )
    shell("train", "three.csv", "-t", "k", "--holdout", "0")


# ------------------------------------------------------------------------------------------------ bad input to train


def test_bad_targets(shell, iris, tmp_path):
    assert "did you mean 'species'?" in shell.refused("train", iris, "-t", "specis", code=2)
    missing = shell.refused("train", iris, code=2)
    assert "--target" in missing and "sepal_length" in missing and "species" in missing
    assert "has no column number 6; it has 5: sepal_length" in shell.refused("train", iris, "-t", "6", code=2)
    assert "has no column number 0; it has 5: sepal_length" in shell.refused("train", iris, "-t", "0", code=2)
    (tmp_path / "one.csv").write_text("x,label\n1,a\n2,a\n")
    assert "a single value, 'a'; add rows of another class" in shell.refused("train", "one.csv", "-t", "label", code=3)
    (tmp_path / "gaps.csv").write_text(
        "x,label\n" + "".join(f"{n},{'' if n == 3 else 'ab'[n > 9]}\n" for n in range(20))
    )
    shell("train", "gaps.csv", "-t", "label")
    assert "1 row without a value of 'label' is left out" in shell.err


def test_a_quantity_is_no_class(shell, tmp_path):
    (tmp_path / "prices.csv").write_text("x,price\n" + "".join(f"{n},{n * 1.37 + 0.1:.3f}\n" for n in range(60)))
    assert "--learner least-squares" in shell.refused("train", "prices.csv", "-t", "price", code=3)


def test_bad_learners_and_settings(shell, iris):
    wrong = shell.refused("train", iris, "-t", "species", "-l", "perceptrn", code=2)
    assert "did you mean 'perceptron'?" in wrong and "logistic" in wrong
    assert "did you mean 'max_iter'?" in shell.refused("train", iris, "-t", "species", "-s", "maxiter=3", code=2)
    assert "whole number" in shell.refused("train", iris, "-t", "species", "-s", "max_iter=x", code=2)
    assert "name=value" in shell.refused("train", iris, "-t", "species", "-s", "max_iter", code=2)
    assert "no parameter 'max_iter'" in shell.refused(
        "train", iris, "-t", "species", "-l", "lda", "--set", "max_iter=5", code=2
    )
    assert "nothing to search for" in shell.refused("train", iris, "-t", "species", "-l", "pocket", "--search", code=2)
    assert "C must be" in shell.refused("train", iris, "-t", "species", "-l", "pa", "-s", "C=-1", code=2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--missing", "foo"], "--missing must be one of error, median, indicator, but got 'foo'"),
        (["--text", "tfdif"], "did you mean 'tfidf'?"),
        (["--encoding", "klingon"], "--encoding must be one that Python knows"),
        (["--separator", "::"], "--separator must be one character, or one of comma, semicolon, tab"),
        (["--format", "cvs"], "did you mean 'csv'?"),
        (["--set", "max_iter=-5"], "max_iter"),
        (["--learner", "kernel", "--set", "kernel=rbfx"], "rbfx"),
        (["--learner", "svm", "--search", "--set", "max_iter=-5"], "max_iter"),
        (["--stream", "--set", "max_iter=-5"], "max_iter"),
        (["--cv", "500"], "needs at least 500 rows"),
        (["--seed", "-1"], "--seed must be a finite number of at least 0, at most 4294967295, but got -1."),
        (
            ["--seed", "4294967296"],
            "--seed must be a finite number of at least 0, at most 4294967295, but got 4294967296.",
        ),
        (["--top", "0"], "--top must be a finite number of at least 1, but got 0."),
        (["--time-limit", "0"], "--time-limit must be a finite number above 0, but got 0."),
        (["--time-limit", "nan"], "--time-limit must be a finite number above 0, but got nan."),
        (["--holdout", "1.5"], "--holdout must be a finite number of at least 0, at most 0.95, but got 1.5"),
        (["--cv", "1"], "--cv must be a finite number of at least 2, but got 1."),
    ],
)
def test_wrong_usage_has_its_own_code(options, told, shell, iris):
    assert told in shell.refused("train", iris, "-t", "species", *options, code=2)


@pytest.mark.parametrize(
    ("verb", "options", "told"),
    [
        ("separable", ["--time-limit", "0"], "--time-limit must be a finite number above 0, but got 0"),
        ("separable", ["--time-limit", "nan"], "--time-limit must be a finite number above 0, but got nan"),
        ("separable", ["--tolerance", "0"], "--tolerance must be a finite number above 0, at most 1, but got 0"),
        ("separable", ["--tolerance", "2"], "--tolerance must be a finite number above 0, at most 1, but got 2"),
        ("audit", ["--time-limit", "-1"], "--time-limit must be a finite number above 0, but got -1"),
        ("evaluate", ["--top", "0"], "--top must be a finite number of at least 1, but got 0"),
        ("evaluate", ["--at-least", "90"], "--at-least must be a finite number of at least 0, at most 1, but got 90"),
        ("inspect", ["--top", "-1"], "--top must be a finite number of at least 0, but got -1"),
    ],
)
def test_numbers_that_an_option_does_not_take(verb, options, told, shell, iris):
    data = {"separable": [iris, "-t", "species"], "inspect": ["m.safetensors"]}.get(verb, ["m.safetensors", iris])
    assert told in shell.refused(verb, *data, *options, code=2)


def test_least_squares_needs_numbers(shell, iris):
    message = shell.refused("train", iris, "-t", "species", "-l", "least-squares", code=3)
    assert "holds text." in message


def test_a_proof_says_what_it_is_not_about_even_when_quiet(shell, tmp_path):
    rows = [f"p{n * 7919 % 1000},{n % 7},{n % 3 > 0}" for n in range(60)]
    (tmp_path / "named.csv").write_text("\n".join(["name,z,y", *rows]) + "\n")
    printed = " ".join(shell("separable", "named.csv", "-t", "y", "--quiet", code=1).split())
    assert "Not separable" in printed and "Left out name (nearly every value is different" in printed
    assert "--keep name keeps it" in printed and "about the other columns" in printed and shell.err == ""
    assert "Left out" not in shell("separable", "named.csv", "-t", "y", "--keep", "name")


def test_failures_speak_of_options_and_not_of_python(shell, people, tmp_path):
    message = shell.refused("train", people, "-t", "answer", "--missing", "error", code=3)
    assert "median" in message and "missing=" not in message
    (tmp_path / "latin.csv").write_bytes("name,label\nJosé María,a\nX Y,b\n".encode("latin-1") * 5)
    message = shell.refused("train", "latin.csv", "-t", "label", code=3)
    assert message.count("--encoding latin-1") == 1 and "encoding=" not in message


def test_a_failure_as_json(shell, iris):
    shell("train", iris, "-t", "specis", "--json", code=2)
    found = json.loads(shell.out)
    assert found["code"] == 2 and "did you mean 'species'?" in found["error"] and found["error"] in shell.err


def test_quiet_training_prints_one_line(shell, iris):
    told = "ccuracy 96.7%, 29 of 30 rows\n"
    assert shell("train", iris, "-t", "species", "-o", "m.safetensors", "-q") == f"m.safetensors: a{told}"
    assert shell("train", iris, "-t", "species", "-o", "/dev/null", "-q") == f"A{told}"
    assert shell("train", iris, "-t", "petal_width", "-l", "least-squares", "-o", "/dev/null", "-q").startswith(
        "Mean error"
    )


def test_a_search_says_which_learner_it_takes(shell, iris):
    shell("train", iris, "-t", "species", "--search", "-o", "/dev/null")
    assert "The learner is passive-aggressive" in shell.err
    shell("train", iris, "-t", "species", "--search", "-o", "/dev/null", "-l", "pa")
    assert "the learner is" not in shell.err


def test_bad_files(shell, tmp_path):
    assert "nowhere.csv" in shell.refused("train", "nowhere.csv", "-t", "x", code=3)
    (tmp_path / "empty.csv").write_text("")
    shell.refused("train", "empty.csv", "-t", "x", code=3)
    (tmp_path / "ragged.csv").write_text("a,b,c\n1,2,x\n1,2\n3,4,y\n")
    ragged = shell.refused("train", "ragged.csv", "-t", "c", code=3)
    assert "ragged.csv" in ragged and "Line 3" in ragged
    (tmp_path / "folder").mkdir()
    assert "folder" in shell.refused("train", "folder", "-t", "x", code=3)
    (tmp_path / "latin.csv").write_bytes("name,label\nJosé María,a\nX Y,b\n".encode("latin-1") * 5)
    assert "--encoding" in shell.refused("train", "latin.csv", "-t", "label", code=3) or "latin-1" in shell.err


def test_a_place_that_cannot_be_written_to(shell, iris):
    assert "no/such" in shell.refused("train", iris, "-t", "species", "-o", "no/such/m.safetensors", code=4)


@pytest.mark.parametrize("name", ["{}", "./{}", "link", "hard"])
def test_no_result_replaces_what_it_is_made_from(name, shell, iris):
    shell("train", iris, "-t", "species", "-o", "m.safetensors", "-q")
    Path("a.csv").write_bytes(iris.read_bytes())

    def other(path):
        Path("link").unlink(missing_ok=True)
        Path("hard").unlink(missing_ok=True)
        Path("link").symlink_to(path)
        os.link(path, "hard")
        return name.format(path)

    kept = {path: Path(path).read_bytes() for path in ("a.csv", "m.safetensors", iris)}
    a, m = "a.csv", "m.safetensors"
    for arguments in (
        ["train", a, "-t", "species", "-o", other(a)],
        ["train", "a.*", "-t", "species", "-o", other(a)],
        ["train", a, "-t", "species", "-o", "/dev/null", "--report", other(a)],
        ["train", iris, "-t", "species", "--test", a, "-o", other(a)],
        ["convert", a, other(a), "--drop", "petal_width", "--to", "csv"],
        ["predict", m, a, "-o", other(a), "--to", "csv"],
        ["separable", a, "-t", "species", "--certificate", other(a)],
    ):
        assert "cannot be written to" in shell.refused(*arguments, code=2)
    for arguments in (["export", m, "--onnx", other(m)], ["predict", m, a, "-o", other(m), "--to", "csv"]):
        assert "cannot be written to" in shell.refused(*arguments, code=2)
    assert all(Path(path).read_bytes() == content for path, content in kept.items())


def test_results_have_files_of_their_own(shell, iris):
    assert "cannot be written to" in shell.refused("train", iris, "-t", "species", "-o", "x", "--report", "x", code=2)
    assert not Path("x").exists() and not Path("m.csv").exists()
    shell("train", iris, "-t", "species", "-o", os.devnull, "--report", os.devnull)
    assert not Path(os.devnull).is_file()


# ------------------------------------------------------------------------------------------------ predict and evaluate


@pytest.fixture
def model(shell, people):
    shell("train", people, "-t", "answer", "-l", "logistic", "-o", "m.safetensors", "--drop", "id")
    return "m.safetensors"


def test_predictions_keep_the_order_of_the_rows(shell, people, model):
    shell("predict", model, people, "-o", "out.csv", "--scores", "--probabilities")
    frame, given = polars.read_csv("out.csv"), polars.read_csv(people)
    assert frame["id"].to_list() == given["id"].to_list()
    assert set(frame.columns) >= {*given.columns, "prediction", "score_yes", "probability_no", "probability_yes"}
    assert np.allclose(frame["probability_no"] + frame["probability_yes"], 1)
    assert ((frame["score_yes"] >= 0) == (frame["prediction"] == "yes")).all()
    expected = rosenblatt.load(model).predict(given)
    assert frame["prediction"].to_list() == expected.tolist()


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow", "jsonl", "csv.gz"])
def test_predictions_in_every_format_are_read_back(ending, shell, people, model):
    shell("predict", model, people, "-o", f"out.{ending}", "--only")
    again = rosenblatt.sources.open_source(f"out.{ending}").read()
    assert again["prediction"].to_list() == rosenblatt.load(model).predict(polars.read_csv(people)).tolist()


def test_reordered_extra_and_missing_columns(shell, people, model):
    given = polars.read_csv(people)
    given.select(reversed(given.columns)).write_csv("reordered.csv")
    assert shell("predict", model, "reordered.csv", "--only") == shell("predict", model, people, "--only")
    given.with_columns(polars.lit(1).alias("zzz")).write_csv("extra.csv")
    shell("predict", model, "extra.csv", "--only")
    assert "zzz" in shell.err and "ignored" in shell.err
    given.drop("age", "note").write_csv("missing.csv")
    message = shell.refused("predict", model, "missing.csv", code=3)
    assert "lacks the columns age, note" in message
    given.drop("id", "answer").write_csv("plain.csv")
    shell("predict", model, "plain.csv", "--only")
    assert shell.err == ""


def test_predictions_keep_every_column_in_its_place(shell):
    for name, high in (("full.csv", "yes"), ("gaps.csv", "")):
        lines = [f"{high if n % 10 > 4 else 'no'},{n % 10},{n % 3}" for n in range(40)]
        Path(name).write_text("\n".join(["y,b,a", *lines]) + "\n")
    shell("train", "full.csv", "-t", "y", "-o", "m.safetensors")
    for name in ("gaps.csv", "full.csv"):
        shown = shell("predict", "m.safetensors", name).splitlines()
        given = Path(name).read_text().splitlines()
        assert shown[0] == "y,b,a,prediction" and [line.rsplit(",", 1)[0] for line in shown] == given


def test_a_column_called_prediction_stays(shell, iris, tmp_path):
    shell("train", iris, "-t", "species", "-o", "m.safetensors")
    polars.read_csv(iris).with_columns(prediction=polars.lit("mine")).write_csv("mine.csv")
    shell("predict", "m.safetensors", "mine.csv", "-o", "out.csv")
    found = polars.read_csv("out.csv")
    assert set(found["prediction"]) == {"mine"} and "setosa" in found["prediction_"].to_list()
    shell("predict", "m.safetensors", iris, "-o", "out.csv")
    assert "of its own" not in shell.err


def test_a_model_of_a_file_without_a_header_goes_by_position(shell):
    lines = [f"{['ham', 'spam'][n % 2]}\t{['see you', 'win money'][n % 2]} {n}\t{n % 7}" for n in range(60)]
    Path("all.tsv").write_text("\n".join(lines) + "\n")
    shell("train", "all.tsv", "-t", "1", "-o", "m.safetensors")
    expected = shell("predict", "m.safetensors", "all.tsv", "--only")
    assert expected.count("\n") == 60 and {"ham", "spam"} == set(expected.split())
    Path("rest.tsv").write_text("\n".join(line.split("\t", 1)[1] for line in lines) + "\n")
    assert shell("predict", "m.safetensors", "rest.tsv", "--only") == expected
    assert shell("predict", "m.safetensors", "rest.tsv").startswith("column_2,column_3,prediction\n")
    Path("two.tsv").write_text("hello win money there\t5\nsee you again\t3\n")  # the first line looks like a header
    assert shell("predict", "m.safetensors", "two.tsv", "--only") == "spam\nham\n"
    Path("one.tsv").write_text("see you again\t3\n")
    assert shell("predict", "m.safetensors", "one.tsv", "--only") == "ham\n"
    Path("again.tsv").write_text("column_3\tcolumn_2\n" + "3\tsee you again\n")  # its own names, in another order
    assert shell("predict", "m.safetensors", "again.tsv", "--only") == "ham\n"
    shell("predict", "m.safetensors", "all.tsv", "-o", "answered.tsv")
    assert shell("predict", "m.safetensors", "answered.tsv", "--only") == expected
    assert shell.json("evaluate", "m.safetensors", "all.tsv")["summary"]["rows_test"] == 60
    Path("narrow.tsv").write_text("see you\nwin money\n")
    message = shell.refused("predict", "m.safetensors", "narrow.tsv", code=3)
    assert message == "narrow.tsv has 1 column, but the file that the model was trained on has 3."


def test_unknown_categories_are_counted(shell, people, model):
    given = polars.read_csv(people)
    given.with_columns(polars.lit("Paris").alias("city")).write_csv("paris.csv")
    shell("predict", model, "paris.csv", "--only")
    assert "200 rows have a value of 'city'" in shell.err
    shell("predict", model, "paris.csv", "--only", "--quiet")
    assert shell.err == ""


def test_probabilities_need_a_learner_that_has_them(shell, iris):
    shell("train", iris, "-t", "species", "-o", "p.safetensors")
    assert "logistic" in shell.refused("predict", "p.safetensors", iris, "--probabilities", code=2)


def test_predict_as_json(shell, people, model):
    found = shell.json("predict", model, people)
    assert found["rows"] == len(found["predictions"]) == sum(found["counts"].values()) == 200


def test_evaluate_for_scripts(shell, people, model):
    shell("evaluate", model, people, "--at-least", 0.5)
    shell("evaluate", model, people, "--at-least", 1.0, code=1)
    assert "trained on, which flatters" in shell.err
    given = polars.read_csv(people)
    given.rename({"answer": "truth"}).write_csv("renamed.csv")
    assert "has no column 'answer'" in shell.refused("evaluate", model, "renamed.csv", code=2)
    assert "Accuracy" in shell("evaluate", model, "renamed.csv", "-t", "truth")


@pytest.mark.parametrize("damage", ["cut", "altered", "text", "folder", "absent"])
def test_a_model_file_that_is_none(damage, shell, people, model, tmp_path):
    content = Path(model).read_bytes()
    if damage == "cut":
        (tmp_path / "bad.safetensors").write_bytes(content[: len(content) // 2])
    elif damage == "altered":
        (tmp_path / "bad.safetensors").write_bytes(content[:40] + b"!" + content[41:])
    elif damage == "text":
        (tmp_path / "bad.safetensors").write_text("hello")
    elif damage == "folder":
        (tmp_path / "bad.safetensors").mkdir()
    assert "bad.safetensors" in shell.refused("predict", "bad.safetensors", people, code=3)


def test_model_and_data_cannot_both_be_standard_input(shell):
    assert "cannot both" in shell.refused("predict", "-", "-", code=2)


# ------------------------------------------------------------------------------------------------ inspect and export


def test_inspect_a_model(shell, people, model):
    shown = shell("inspect", model)
    for text in ("ColumnEncoder", "LogisticRegression", "answer", "no, yes", "people.csv", "Most important features"):
        assert text in shown
    found = shell.json("inspect", model)
    assert found["kind"] == "model" and found["description"]["about"]["target"] == "answer"


def test_an_explanation_adds_up(shell, people, model):
    found = shell.json("inspect", model, "--data", people, "--row", 5, "--top", 3)["explained"]
    total = sum(part["adds"] for part in found["parts"]) + found["rest"] + found["intercept"]
    loaded = rosenblatt.load(model)
    score = float(loaded.decision_function(polars.read_csv(people)[4:5])[0])
    assert found["answer"] == ("yes" if score >= 0 else "no")
    assert total == pytest.approx(found["score"]) == pytest.approx(abs(score))
    assert "Row 5" in shell("inspect", model, "--data", people, "--row", 5)
    assert "from 1 to 200" in shell.refused("inspect", model, "--data", people, "--row", 201, code=2)
    assert "--data FILE and --row N" in shell.refused("inspect", model, "--row", 1, code=2)


def test_inspect_data(shell, people):
    found = shell.json("inspect", people)
    assert found["rows"] == 200 and [column["kind"] for column in found["columns"]][1:3] == ["number", "category"]
    assert "rosenblatt train" in shell("inspect", people)
    assert "Left out      id (nearly every value is different: it names the rows; --keep keeps it)\n" in shell.out


def test_the_command_that_inspect_shows_is_one_line(shell, tmp_path):
    folder = tmp_path / ("deep" * 30)
    folder.mkdir()
    (folder / "t.csv").write_text("a,b\n" + "".join(f"{n % 5},{n % 3}\n" for n in range(50)))
    assert f"Train with  rosenblatt train {folder / 't.csv'} --target COLUMN\n" in shell("inspect", folder / "t.csv")


def test_inspect_says_why_columns_are_left_out(shell):
    names = ["n", "one", "empty", "other", "x" * 500]
    Path("t.csv").write_text(",".join(names) + "\n" + "".join(f"{n % 5},1,,2,3\n" for n in range(50)))
    told = shell("inspect", "t.csv")
    assert f"Left out      {'x' * 27}… (it is constant)\n" in told
    assert "Left out      empty (every value is missing)\n" in told
    Path("u.csv").write_text("a,b\n" + "".join(f"{n % 5},{n % 3}\n" for n in range(50)))
    assert "Left out" not in shell("inspect", "u.csv")


def test_export_to_onnx_answers_the_same(shell, people, model):
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    shell("export", model, "--onnx", "m.onnx")
    assert "m.onnx" in shell.out
    session = onnxruntime.InferenceSession("m.onnx")
    assert {given.name for given in session.get_inputs()} >= {"age", "city"}


def test_a_date_is_called_one(shell):
    import datetime

    days = [datetime.date(2026, 1, 1) + datetime.timedelta(n) for n in range(40)]
    polars.DataFrame({"day": days, "y": ["a", "b"] * 20}).write_parquet("days.parquet")
    assert [column["kind"] for column in shell.json("inspect", "days.parquet")["columns"]] == ["date", "category"]


# ------------------------------------------------------------------------------------------------ proofs


@pytest.fixture
def gate(tmp_path):
    path = tmp_path / "and.csv"
    path.write_text("a,b,both\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n")
    return path


def test_separable_yes_no_and_undecided(shell, gate, tmp_path):
    found = shell.json("separable", gate, "-t", "both")
    assert found["verdict"] == "separable" and found["mistake_bound"] == 51
    assert found["margin"] == pytest.approx(0.125**0.5)
    assert "at most 51 mistakes" in shell("separable", gate, "-t", "both")
    (tmp_path / "xor.csv").write_text("a,b,one\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n")
    assert shell.json("separable", "xor.csv", "-t", "one", code=1)["witness_rows"] == [1, 2, 3, 4]
    shell("datasets", "export", "digits", "digits.npz")
    assert shell.json("separable", "digits.npz", "--time-limit", 1e-6, code=5)["verdict"] == "undecided"


def test_certificates_are_written_and_verified(shell, gate, tmp_path):
    shell("separable", gate, "-t", "both", "--certificate", "proof.json")
    assert shell.json("separable", gate, "-t", "both", "--verify", "proof.json")["verified"] is True
    proof = json.loads((tmp_path / "proof.json").read_text())
    proof["margin"][0] = 1.0
    (tmp_path / "forged.json").write_text(json.dumps(proof))
    assert shell.json("separable", gate, "-t", "both", "--verify", "forged.json", code=1)["verified"] is False
    gate.write_text(gate.read_text().replace("1,0,no", "1,0.25,no"))
    shown = shell("separable", gate, "-t", "both", "--verify", "proof.json", code=1)
    assert "Not verified" in shown and "digests differ" in shown
    assert "no.json" in shell.refused("separable", gate, "-t", "both", "--verify", "no.json", code=3)


def test_several_classes(shell, iris):
    found = shell.json("separable", iris, "-t", "species", code=1)
    assert len(found["questions"]) == 6 and found["verdict"] == "not separable"
    assert "3 separable, 3 not separable" in shell("separable", iris, "-t", "species", code=1)


def test_audit(shell, gate, iris):
    shell("train", gate, "-t", "both", "-l", "perceptron", "--holdout", 0, "-o", "and.safetensors")
    found = shell.json("audit", "and.safetensors", gate)
    (audit,) = found["audits"].values()
    assert found["holds"] is True and 0 < audit["mistakes"] <= audit["bound"]
    assert "holds at every update" in shell("audit", "and.safetensors", gate)
    gate.write_text(gate.read_text().replace("1,0,no", "1,0.5,no"))
    assert "differs from what the model was trained on" in shell.refused("audit", "and.safetensors", gate, code=3)


def test_audit_with_rows_kept_aside(shell, iris):
    shell("train", iris, "-t", "species", "-l", "perceptron", "-o", "p.safetensors", "--seed", 4)
    found = shell.json("audit", "p.safetensors", iris, code=5)  # two of three classes are not separable from the rest
    assert found["audits"]["setosa"]["holds"] is True and found["audits"]["virginica"]["holds"] is None
    shell("train", iris, "-t", "species", "-l", "svm", "-o", "s.safetensors")
    assert "about perceptrons" in shell.refused("audit", "s.safetensors", iris, code=2)


# ------------------------------------------------------------------------------------------------ convert


def test_convert_round_trips(shell, iris):
    for ending in ("parquet", "tsv", "jsonl", "arrow", "csv.gz"):
        shell("convert", iris, f"iris.{ending}")
        shell("convert", f"iris.{ending}", "back.csv")
        assert Path("back.csv").read_text() == iris.read_text()


def test_convert_to_numbers(shell, people):
    found = shell.json("convert", people, "p.libsvm", "-t", "answer", "--drop", "id")
    assert found["classes"] == ["no", "yes"]
    X, y = rosenblatt.sources.read_libsvm("p.libsvm", found["columns"])
    encoder = rosenblatt.ColumnEncoder(scale=None)
    rows = encoder.fit_transform(polars.read_csv(people).drop("id", "answer"))
    assert np.array_equal(X.toarray(), rows.toarray() if hasattr(rows, "toarray") else rows)
    assert y.tolist() == [float(label == "yes") for label in polars.read_csv(people)["answer"]]
    assert "--target" in shell.refused("convert", people, "p.npz", code=2)
    shell("convert", "p.libsvm", "p.npz")
    shell("convert", "p.npz", "again.libsvm")
    assert Path("again.libsvm").read_bytes() == Path("p.libsvm").read_bytes()
    shell("train", "p.libsvm", "-o", "m.safetensors")
    assert shell("predict", "m.safetensors", "p.libsvm", "--only").count("\n") == 200


def test_convert_to_standard_output(shell, gate):
    lines = shell("convert", gate, "-", "--to", "jsonl").splitlines()
    assert json.loads(lines[0]) == {"a": 0, "b": 0, "both": "no"}


def test_the_lab_is_called_with_what_was_asked_for(shell, monkeypatch):
    import rosenblatt.lab

    called = {}
    monkeypatch.setattr(rosenblatt.lab, "serve", lambda **options: called.update(options))
    shell("lab", "--host", "0.0.0.0", "--port", 8000, "--no-browser")
    assert called == {"host": "0.0.0.0", "port": 8000, "open_browser": False, "link": ""}
    shell("lab", "https://example.org/#s=abc")
    assert called == {"host": "127.0.0.1", "port": None, "open_browser": True, "link": "https://example.org/#s=abc"}


def test_the_lab_is_exported_as_files(shell, tmp_path):
    printed = shell("lab", "--export", tmp_path / "site")
    assert (tmp_path / "site" / "index.html").exists() and "lab.js" in printed


def test_a_missing_extra_is_one_sentence(shell, monkeypatch):
    import rosenblatt.lab

    def serve(**options):
        raise ImportError('The lab needs x, which is not installed; run: pip install "rosenblatt[x]".')

    monkeypatch.setattr(rosenblatt.lab, "serve", serve)
    assert 'pip install "rosenblatt[x]"' in shell.refused("lab", code=2)


def test_report(shell, iris):
    shell("train", iris, "-t", "species", "--report", "report.html")
    page = Path("report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>") and "species" in page
    command = shlex.join(["rosenblatt", "train", str(iris), "-t", "species", "--report", "report.html", "--force"])
    assert f"<pre>{html.escape(command)}</pre>" in page
    assert "no/such" in shell.refused(
        "train", iris, "-t", "species", "-o", "/dev/null", "--report", "no/such/r.html", code=4
    )


def test_a_separator_that_nobody_would_guess(shell, people):
    text = people.read_text().replace(",", "^")
    (people.parent / "odd.txt").write_text(text)
    assert "it has one" in shell.refused("train", "odd.txt", "-t", "answer", code=2)
    shell("train", "odd.txt", "-t", "answer", "--separator", "^", "-q")
    shell("predict", "odd.safetensors", "odd.txt", "--separator", "^", "-o", "answers.csv")
    assert polars.read_csv("answers.csv").height == 200
    shell("convert", "odd.txt", "even.csv", "--separator", "^")
    assert polars.read_csv("even.csv").equals(polars.read_csv(people))
    assert shell.json("inspect", "odd.txt", "--separator", "^")["columns"][1]["name"] == "age"
    assert shell.json("evaluate", "odd.safetensors", "odd.txt", "--separator", "^")["summary"]["accuracy"]
    shell("separable", "odd.txt", "-t", "answer", "--separator", "^", "--drop", "note,age", code=1)


def test_a_run_in_passes_is_not_audited(shell, people):
    shell("train", people, "-t", "answer", "-l", "perceptron", "--stream", "-q", "-o", "m.safetensors")
    assert "--no-stream" in shell.refused("audit", "m.safetensors", people, code=2)


@pytest.mark.parametrize("way", ["--no-stream", "--stream"])
def test_a_test_file_need_not_have_what_training_leaves_out(way, shell, people):
    given = polars.read_csv(people)
    given.drop("id").reverse().write_csv("test.csv")  # identifiers are left out
    assert shell.json("train", people, "-t", "answer", "--test", "test.csv", way)["summary"]["rows_test"] == 200
    given.drop("age").write_csv("test.csv")
    message = shell.refused("train", people, "-t", "answer", "--test", "test.csv", way, code=3)
    assert "test.csv lacks the column age" in message


def test_rows_of_a_proof_are_counted_from_1(shell, tmp_path):
    (tmp_path / "t.csv").write_text("a,kind\n0,\n0,x\n7,y\n3,x\n3,y\n9,y\n")
    found = shell.json("separable", "t.csv", "-t", "kind", code=1)
    assert found["witness_rows"] == [4, 5]
    assert "4, 5 (counted from 1)" in shell("separable", "t.csv", "-t", "kind", code=1)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["lab", "--port", "70000"], "--port must be a finite number of at least 0, at most 65535, but got 70000"),
        (["lab", "--port", "abc"], "Invalid value for '--port'"),
        (["train", "t.csv", "--time-limit=soon"], "Invalid value for '--time-limit'"),
        (["inspect", "m.safetensors", "--row", "1.5"], "Invalid value for '--row'"),
    ],
)
def test_numbers_that_are_none(shell, arguments, told):
    assert told in shell.refused(*arguments, code=2)


def test_only_a_near_name_is_suggested(shell, iris):
    assert shell.refused("inspect", "nothere.csv", code=3) == "No such file: nothere.csv."
    for near in ("irys.csv", "iris", "iris.parquet", "irs.cvs"):
        assert shell.refused("inspect", near, code=3) == f"No such file: {near} (did you mean iris.csv?)"


@pytest.mark.parametrize("name", ["model", "iris.model", "iris.v2"])
def test_a_model_of_any_name_is_inspected_as_a_model(shell, iris, name):
    shell("train", iris, "-t", "species", "-o", name)
    assert "species" in shell("inspect", name)
    assert "setosa" in shell("inspect", name)


def test_a_model_is_inspected_alone(shell, iris):
    shell("train", iris, "-t", "species", "-o", "m.safetensors")
    shell("train", iris, "-t", "species", "-o", "m.model")
    one = "One model is inspected at a time, but 2 files were given"
    for model in ("m.safetensors", "m.model"):
        told = shell.refused("inspect", model, "iris.csv", code=2)
        assert told == f"{one}."
    assert shell.refused("inspect", "m.safetensors", "m.model", code=2) == f"{one}."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes without names only")
def test_a_pipe_that_has_a_name_is_read_once(shell, iris):
    """As /dev/stdin is, and what a shell makes of <(command)."""
    shell("train", iris, "-t", "species", "-o", "m.safetensors")
    told = shell("predict", "m.safetensors", iris)
    for name, content in (("model", "m.safetensors"), ("rows", iris)):
        os.mkfifo(name)
        writer = threading.Thread(target=poured, args=(content, name))
        writer.start()
        assert told == shell("predict", *(["model", iris] if name == "model" else ["m.safetensors", "rows"]))
        writer.join()


def poured(content, pipe):
    with open(content, "rb") as source, open(pipe, "wb") as stream:
        shutil.copyfileobj(source, stream)
