"""Writes the golden files: one model of each kind, and what each decides, for `tests/exchange/test_golden.py`.

`python -m tests.exchange.golden.write` replaces them. Before the first release a change of the format does that; after
it, the files of a released protocol stay as they are and a new protocol gets files of its own.
"""

import datetime
import json
import pathlib
import warnings

import numpy as np
import polars
import scipy.sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

import rosenblatt
from rosenblatt import (
    ColumnEncoder,
    GaussianDiscriminant,
    HalfSpace,
    KernelPerceptron,
    Layer,
    LinearSVM,
    LogisticRegression,
    PairProducts,
    PassiveAggressive,
    Perceptron,
    RadialFeatures,
    SigmoidNeuron,
    Streamed,
)  # fmt: skip
from rosenblatt.kernels import Gaussian, Polynomial
from tests.exchange.models import own_rule

FOLDER = pathlib.Path(__file__).parent / "files"
SEEN, NEW = 60, 20  # rows of the table that are learned from, and rows that come later

random = np.random.default_rng(0)
X = random.normal(size=(60, 4))
binary = np.where(X @ [1.0, -2.0, 0.5, 0.0] + random.normal(size=60) > 0, "yes", "no")
several = np.argmax(X[:, :3] + random.normal(size=(60, 3)), axis=1) * 10
CSR = scipy.sparse.csr_array(X)
TEXTS = [" ".join(np.random.default_rng(n).choice(["free", "money", "Hello", "café", "noon"], 5)) for n in range(60)]


def averaged():
    return Perceptron("averaged", max_iter=3, random_state=0)


MODELS = {
    "perceptron": (Perceptron(max_iter=5, random_state=0), X, binary),
    "perceptron_pocket_float32": (Perceptron("pocket", max_iter=5, random_state=0), X.astype(np.float32), several),
    "perceptron_voted": (Perceptron("voted", max_iter=3, random_state=0), X, several),
    "perceptron_voted_csr": (Perceptron("voted", max_iter=3, random_state=0), CSR, binary),
    "passive_aggressive_csr": (
        PassiveAggressive(variant="PA-II", multi_class="coupled", max_iter=3, random_state=0), CSR, several,
    ),
    "kernel_perceptron": (KernelPerceptron(max_iter=3, random_state=0), X, binary),
    "kernel_perceptron_voted": (
        KernelPerceptron(Gaussian(2.0), answer="voted", max_iter=3, random_state=0), X, several,
    ),
    "kernel_perceptron_csr": (
        KernelPerceptron(Polynomial(2), answer="averaged", max_iter=3, random_state=0), CSR, several,
    ),
    "linear_svm": (LinearSVM(lam=1e-2, random_state=0), X, several),
    "logistic_regression": (LogisticRegression(lam=1e-2), X, several),
    "sigmoid_neuron": (SigmoidNeuron(lam=1e-2, random_state=0), X, binary),
    "half_space_own_rule": (HalfSpace(rule=own_rule, params=[0.5], max_iter=3, random_state=0), X, binary),
    "gaussian_discriminant": (GaussianDiscriminant(), X, several),
    "layers": (Layer("sigmoid", below=Layer("tanh", units=2), max_iter=20, random_state=0), X, several),
    "streamed": (Streamed(PairProducts(6, random_state=0), averaged(), max_iter=2, random_state=0), X, binary),
    "pipeline": (make_pipeline(StandardScaler(), RadialFeatures(), PolynomialFeatures(2), averaged()), X, several),
    "pipeline_pca": (make_pipeline(PCA(2, whiten=True), averaged()), X, binary),
    "columns": (
        make_pipeline(
            ColumnTransformer([("n", StandardScaler(), slice(0, 2)), ("d", "drop", [2])], remainder=MinMaxScaler()),
            averaged(),
        ),
        X, binary,
    ),
    "tfidf": (make_pipeline(TfidfVectorizer(), averaged()), TEXTS, binary),
    "hashing": (make_pipeline(HashingVectorizer(n_features=64), averaged()), TEXTS, several),
}  # fmt: skip
TABLES = {
    "table_indicator": ColumnEncoder(missing="indicator", max_categories=8, hash_features=64),
    "table_hashed_sparse": ColumnEncoder(text="hashed", hash_features=128, sparse=True),
    "table_plain": ColumnEncoder(text="drop", scale=None, dtype="float32"),
}


def table():
    """Columns of every kind; the last rows hold categories that the first do not."""
    random, n = np.random.default_rng(0), SEEN + NEW
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
    }  # fmt: skip


def frame(columns):
    return polars.DataFrame(columns).with_columns(polars.col("day").str.to_date())


def scores(model, rows):
    return [value.hex() for value in np.asarray(model.decision_function(rows), np.float64).ravel().tolist()]


def main():
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    columns = table()
    expected = {"X": [[value.hex() for value in row] for row in X.tolist()], "texts": TEXTS, "table": columns,
                "models": {}, "tables": {}}  # fmt: skip
    for name, (model, rows, y) in MODELS.items():
        rosenblatt.save(model.fit(rows, y), FOLDER / f"{name}.safetensors", about={"golden": True})
        kind = "texts" if rows is TEXTS else "csr" if scipy.sparse.issparse(rows) else rows.dtype.name
        case = {"rows": kind, "y": y.tolist(), "labels": model.predict(rows).tolist(), "scores": scores(model, rows)}
        if hasattr(model, "partial_fit") and name != "half_space_own_rule":
            case["scores_after_partial_fit"] = scores(model.partial_fit(rows[:30], y[:30]), rows)
        expected["models"][name] = case
    rows = frame(columns)
    y = np.array(["tall" if value > 170 else "short" for value in columns["height"]])
    for name, encoder in TABLES.items():
        model = make_pipeline(encoder, averaged()).fit(rows.head(SEEN), y[:SEEN])
        rosenblatt.save(model, FOLDER / f"{name}.safetensors", about={"golden": True})
        expected["tables"][name] = {
            "scores": scores(model, rows), "labels": model.predict(rows).tolist(),
            "features": model[0].get_feature_names_out().tolist(), "kinds": [c.kind for c in model[0].columns_],
        }  # fmt: skip
    (FOLDER / "expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main()
