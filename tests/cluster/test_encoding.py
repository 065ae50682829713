"""Columns of tables on a cluster: merged figures say what `fit_batches` says."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import ColumnEncoder, LogisticRegression, Perceptron, load, save
from rosenblatt.features.column_figures import ColumnFigures

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
dd = pytest.importorskip("dask.dataframe", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402
from rosenblatt.cluster.encoding import merged  # noqa: E402

ROWS = 600


def table(seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    city = np.array(["Rome", "Oslo", "Lima", "Bonn"])[random.integers(0, 4, ROWS)]
    age, income = random.normal(40.0, 12.0, ROWS), np.exp(random.normal(10.0, 1.0, ROWS))
    frame = pd.DataFrame({
        "row": np.arange(ROWS), "age": age, "income": income, "city": pd.Categorical(city),
        "smokes": np.array(["no", "yes"])[random.integers(0, 2, ROWS)], "member": random.random(ROWS) < 0.3,
        "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, ROWS), "D"),
        "price": [f"{value:.2f} €" for value in random.normal(20.0, 5.0, ROWS)], "same": "x",
        "code": [f"c{value}" for value in random.integers(0, 250, ROWS)], "empty": None,
        "visits": np.where(random.random(ROWS) < 0.1, np.nan, random.integers(0, 9, ROWS)),
    })  # fmt: skip
    frame.loc[:150, "price"] = None
    kinds = (age > 45.0).astype(int) + (city == "Rome")
    return frame.assign(kind=np.array(["low", "mid", "high"])[kinds])


def pieces(frame: pl.DataFrame, edges: list[int]) -> list[pl.DataFrame]:
    return [frame[start:stop] for start, stop in zip([0, *edges], [*edges, frame.height], strict=True)]


@pytest.mark.parametrize("edges", [[300], [7, 8, 150, 599], [1], [100, 200, 300, 400, 500]])
def test_merged_figures_are_those_of_batches(edges) -> None:
    frame = pl.from_pandas(table().drop(columns="kind"))
    for name in frame.columns:
        whole, parts = ColumnFigures(name, 100, False), []
        for piece in pieces(frame, edges):
            whole.add(piece[name])
            parts.append(ColumnFigures(name, 100, False))
            parts[-1].add(piece[name])
        found = parts[0]
        for part in parts[1:]:
            found = merged(found, part)
        assert whole.numbers is None or found.strange == whole.strange
        for one, other in ((found, whole), (found.numbers, whole.numbers)):
            if other is None or other.present == 0:
                assert one is None or one.present == 0
                continue
            for field in ("missing", "numeric", "boolean", "measure", "zeros", "low", "high", "counts"):
                assert getattr(one, field) == getattr(other, field), (name, field)
            assert one.present == other.present and one.numbers_the_rows == other.numbers_the_rows
            assert one.mean == pytest.approx(other.mean, rel=1e-12)
            assert one.squares == pytest.approx(other.squares, rel=1e-9, abs=1e-12)
            assert one.median == other.median and one.first_missing == other.first_missing


def test_the_median_of_many_values_is_that_of_a_sample() -> None:
    random = np.random.default_rng(0)
    parts = []
    for _ in range(5):
        parts.append(ColumnFigures("x", 100, False))
        parts[-1].add(pl.Series("x", random.normal(size=30_000)))
    found = parts[0]
    for part in parts[1:]:
        found = merged(found, part)
    assert found.present == 150_000 and sum(map(len, found.sample)) <= 40_000
    assert abs(found.median) < 0.05 and parts[0].present == 30_000


def test_a_table_with_categories_from_end_to_end(client, tmp_path) -> None:
    frame = table()
    X, y = dd.from_pandas(frame.drop(columns="kind"), npartitions=5), dd.from_pandas(frame["kind"], npartitions=5)
    model = cluster.fit(make_pipeline(ColumnEncoder(), Perceptron("averaged")), X, y, client=client)
    encoder, alone = model[0], ColumnEncoder().fit_batches([pl.from_pandas(frame.drop(columns="kind"))])
    assert [column.kind for column in encoder.columns_] == [column.kind for column in alone.columns_]
    assert encoder.get_feature_names_out().tolist() == alone.get_feature_names_out().tolist()
    assert encoder.n_rows_ == ROWS and {"row", "same", "empty"} == set(encoder.dropped_)
    assert model.score(frame.drop(columns="kind"), frame["kind"]) > 0.9
    answers = cluster.predict(model, X).compute()
    assert answers.tolist() == model.predict(frame.drop(columns="kind")).tolist()
    save(model, tmp_path / "model")
    assert load(tmp_path / "model").predict(frame).tolist() == answers.tolist()


def test_the_encoder_of_a_cluster_is_that_of_one_machine(client) -> None:
    frame = table()[["age", "city", "member", "kind"]]
    pipeline = make_pipeline(ColumnEncoder(), LogisticRegression(lam=0.01, tol=1e-6))
    X, y = dd.from_pandas(frame.drop(columns="kind"), npartitions=4), dd.from_pandas(frame["kind"], npartitions=4)
    found = cluster.fit(pipeline, X, y, client=client, rounds=30)
    expected = pipeline.fit(frame.drop(columns="kind"), frame["kind"])
    assert np.abs(found[-1].coef_ - expected[-1].coef_).max() < 1e-2
    assert found[-1].objective_ == pytest.approx(expected[-1].objective_, rel=1e-4)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (make_pipeline(StandardScaler(), Perceptron()), "a ColumnEncoder and a learner, but has StandardScaler"),
        (make_pipeline(ColumnEncoder(text="tfidf"), Perceptron()), "use text='hashed'"),
        (make_pipeline(ColumnEncoder(kinds={"x": "text"}), Perceptron()), "does not have"),
        (ColumnEncoder(), "put a learner behind it"),
        (Perceptron(), "X must hold numbers.*put a ColumnEncoder before"),
    ],
)
def test_refusals_say_what_to_do(client, estimator, words) -> None:
    X = dd.from_pandas(table()[["city", "age"]], npartitions=2)
    with pytest.raises(ValueError, match=words):
        cluster.fit(estimator, X, dd.from_pandas(table()["member"], npartitions=2), client=client)


def test_partitions_with_other_columns_are_refused(client) -> None:
    frame = table()[["age", "city"]]
    X = [dask.delayed(frame[:300]), dask.delayed(frame[300:].rename(columns={"city": "town"}))]
    y = [dask.delayed(np.arange(300) % 2), dask.delayed(np.arange(300) % 2)]
    with pytest.raises(ValueError, match=r"same columns in the same order, but differ in 'city'.*'town'"):
        cluster.fit(make_pipeline(ColumnEncoder(), Perceptron()), X, y, client=client)
