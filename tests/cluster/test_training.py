"""`rosenblatt train --cluster`: from Parquet files to a model that needs no Dask."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Perceptron, load
from rosenblatt.cli.main import main
from rosenblatt.verbs.errors import InputError, UsageError
from rosenblatt.verbs.options import TrainOptions, read_options

pytest.importorskip("dask.dataframe", reason="pip install 'rosenblatt[cluster]'")
pytest.importorskip("pyarrow", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster
from rosenblatt.cluster.training import train

ROWS = 900
WITHOUT_DASK = """
import sys
for name in ("dask", "distributed"):
    sys.modules[name] = None
from rosenblatt.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def table() -> pd.DataFrame:
    random = np.random.default_rng(0)
    city = np.array(["Rome", "Oslo", "Lima", "Bonn"])[random.integers(0, 4, ROWS)]
    age = random.normal(40.0, 12.0, ROWS)
    frame = pd.DataFrame({
        "row": np.arange(ROWS), "age": age, "city": pd.Categorical(city), "weight": random.integers(1, 4, ROWS),
        "visits": np.where(random.random(ROWS) < 0.1, np.nan, random.integers(0, 9, ROWS)),
        "spent": 3.0 * age + 10.0 * (city == "Rome"),
    })  # fmt: skip
    frame["kind"] = np.array(["low", "mid", "high"])[(age > 45.0).astype(int) + (city == "Rome")]
    frame.loc[5:8, "kind"] = None
    frame.loc[600:, "kind"] = frame.loc[600:, "kind"].where(frame.loc[600:, "kind"] != "high")  # missing in a partition
    return frame


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Three partitions, and the same as a CSV file."""
    frame = table()
    for start in range(0, ROWS, 300):
        frame[start : start + 300].to_parquet(tmp_path / f"part-{start}.parquet")
    frame.to_csv(tmp_path / "all.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return frame


@pytest.fixture
def address(client) -> str:
    return client.scheduler.address


def test_from_the_command_line_to_answers_without_dask(files, address, capsys) -> None:
    assert main(["train", "part-*.parquet", "--target", "kind", "--cluster", address, "--drop", "spent"]) == 0
    shown = capsys.readouterr()
    labelled = int(files["kind"].notna().sum())
    assert f"a random {round(0.2 * labelled)} of {labelled} rows" in shown.out and "Accuracy" in shown.out
    assert "Learned on a cluster by ring" in shown.err and "without a value of 'kind' are left out" in shown.err
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_DASK, "predict", "model.safetensors", "all.csv", "--out", "answers.csv"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    answers = pd.read_csv("answers.csv")
    known = answers["kind"].notna()
    assert (answers["prediction"] == answers["kind"])[known].mean() > 0.9
    model = load("model.safetensors")
    assert [column.kind for column in model[0].columns_] == ["dropped", "number", "category", "number", "number"]


@pytest.mark.slow
def test_workers_on_this_machine(files) -> None:
    command = [sys.executable, "-m", "rosenblatt", "train", "part-*.parquet", "--target", "kind", "--cluster", "local"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "Learned on a cluster by ring" in found.stderr and "Accuracy" in found.stdout


def test_rows_held_out_do_not_depend_on_the_partitions(files, address) -> None:
    settings = {"drop": ["spent"], "learner": "logistic", "holdout": 0.3}
    one = train("part-*.parquet", "kind", TrainOptions(**settings), cluster=address)
    files.to_parquet("whole.parquet")
    other = train(["whole.parquet"], "kind", TrainOptions(**settings), cluster=address)
    assert one.summary.accuracy == other.summary.accuracy and one.about["held_out"] == other.about["held_out"]
    assert np.abs(one.model[-1].coef_ - other.model[-1].coef_).max() < 1e-6
    assert one.learner == "logistic" and one.about["learned_rows"] < one.about["rows"]


def test_weights_a_test_file_and_a_binary_learner(files, address) -> None:
    files[files["kind"] != "high"][:200].to_csv("test.csv", index=False)
    options = TrainOptions(learner="pa", weights="weight", test="test.csv", drop=["spent"], keep=["row"])
    found = train("part-*.parquet", "kind", options, cluster=address)
    assert found.about["held_out"] == "the rows of test.csv" and found.about["weighted"]
    assert found.summary.accuracy.value > 0.8 and "row" not in found.model[0].dropped_


def test_numbers_are_predicted_by_least_squares(files, address) -> None:
    found = train("part-*.parquet", "spent", TrainOptions(learner="least-squares", drop=["kind"]), cluster=address)
    assert found.summary.regression.r2 > 0.999 and found.about["learned_rows"] == 720


@pytest.mark.parametrize(
    ("paths", "target", "settings", "words"),
    [
        ("all.csv", "kind", {}, "rosenblatt convert all.csv"),
        ("part-*.parquet", "kind", {"search": True, "learner": "pa"}, "--search does not go with --cluster"),
        ("part-*.parquet", "kid", {}, "did you mean 'kind'"),
        ("part-*.parquet", None, {}, "--target"),
        ("part-*.parquet", "kind", {"learner": "kernel"}, "use Perceptron on RadialFeatures"),
        ("part-*.parquet", "kind", {"learner": "svm"}, "squared_hinge"),
        ("part-*.parquet", "age", {}, "like a quantity"),
        ("none-*.parquet", "kind", {}, "none-"),
    ],
)
def test_refusals_are_sentences(files, address, paths, target, settings, words) -> None:
    with pytest.raises((UsageError, InputError), match=words):
        train(paths, target, TrainOptions(**settings), cluster=address)


def test_options_about_text_and_schedulers_that_do_not_answer(files, address, monkeypatch) -> None:
    with pytest.raises(UsageError, match="reads Parquet; leave"):
        train("part-*.parquet", "kind", None, read_options(separator="tab"), cluster=address)
    monkeypatch.setattr("rosenblatt.cluster.training.CONNECTING", 0.2)
    with pytest.raises(UsageError, match=r"No Dask scheduler answers at .tcp.*--cluster local"):
        train("part-*.parquet", "kind", cluster="tcp://127.0.0.1:9")


def test_few_columns_of_many_have_the_partitions_of_the_others(client, tmp_path) -> None:
    """Dask would read several files as one partition where it needs one of forty columns."""
    import dask.dataframe as dd

    X = np.random.default_rng(0).normal(size=(400, 40))
    for start in range(0, 400, 50):
        frame = pd.DataFrame(X[start : start + 50], columns=[f"x{j}" for j in range(40)])
        frame.assign(y=(frame["x0"] > 0).astype(int)).to_parquet(tmp_path / f"{start}.parquet")
    table = dd.read_parquet(str(tmp_path))
    rows, labels = table.drop(columns="y"), table["y"]
    assert labels.optimize().npartitions < rows.npartitions == 8
    found = cluster.fit(Perceptron("averaged"), rows, labels, client=client, method="relay", rounds=5)
    assert "(8 partitions)" in found.trace_.note and found.score(rows.compute(), labels.compute()) > 0.9
