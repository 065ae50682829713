"""What wrote protocol_2_tables/: models of tables, in protocol 2. Files that exist are never written again."""

import datetime
import json
import pathlib
import sys

import numpy as np
import polars
from sklearn.pipeline import make_pipeline

import rosenblatt
from rosenblatt import ColumnEncoder, Perceptron

SEEN, ASKED = 60, 20  # rows that were learned from, and rows that come later


def table():
    """Columns of every kind; the last rows have what the first have not."""
    random = np.random.default_rng(0)
    n = SEEN + ASKED
    words = ["free", "money", "Hello", "café", "noon", "later"]
    return {
        "age": [None if k % 9 == 4 else int(random.integers(18, 80)) for k in range(n)],
        "height": [float(value) for value in random.normal(170, 10, n)],
        "income": [f"{int(random.integers(900, 99_000)):,}" for _ in range(n)],
        "share": [f"{random.random():.1%}" for _ in range(n)],
        "smokes": [["yes", "no"][int(random.integers(2))] for _ in range(n)],
        "city": [["Rome", "Oslo", "Lima", None][int(random.integers(4))] if k < SEEN else "Quito" for k in range(n)],
        "code": [f"k{int(random.integers(40))}" for _ in range(n)],
        "note": [" ".join(random.choice(words, 5)) for _ in range(n)],
        "day": [
            (datetime.date(2024, 1, 1) + datetime.timedelta(int(random.integers(999)))).isoformat() for _ in range(n)
        ],
        "row": list(range(n)),
    }


def frame(columns):
    return polars.DataFrame(columns).with_columns(polars.col("day").str.to_date())


def averaged():
    return Perceptron("averaged", max_iter=5, random_state=0)


MODELS = {
    "indicator": make_pipeline(ColumnEncoder(missing="indicator", max_categories=8, hash_features=64), averaged()),
    "hashed_sparse": make_pipeline(ColumnEncoder(text="hashed", hash_features=128, sparse=True), averaged()),
    "plain": make_pipeline(ColumnEncoder(text="drop", scale=None, dtype="float32"), averaged()),
}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    assert not list(folder.iterdir()), "golden files are written once"
    columns = table()
    rows = frame(columns)
    y = np.array(["tall" if value > 170 else "short" for value in columns["height"]])
    expected = {"table": columns, "models": {}}
    for name, model in MODELS.items():
        model.fit(rows.head(SEEN), y[:SEEN])
        rosenblatt.save(model, folder / f"{name}.safetensors", about={"golden": True})
        expected["models"][name] = {
            "scores": [value.hex() for value in np.asarray(model.decision_function(rows), np.float64).tolist()],
            "labels": model.predict(rows).tolist(),
            "features": model[0].get_feature_names_out().tolist(),
            "kinds": [column.kind for column in model[0].columns_],
            "unknown": model[0].unknown_counts_,
        }
    (folder / "expected.json").write_text(json.dumps(expected))
