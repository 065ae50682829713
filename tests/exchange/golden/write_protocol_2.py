"""What wrote the files in protocol_2/, run when protocol 2 was new. Files that exist are never written again."""

import json
import pathlib
import sys
import warnings

import numpy as np
import scipy.sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler

import rosenblatt
from rosenblatt import GaussianDiscriminant, Layer, PairProducts, Perceptron, RadialFeatures, Streamed
from tests.exchange.golden.write_protocol_1 import MODELS as EARLIER
from tests.exchange.golden.write_protocol_1 import X, binary, several

TEXTS = [" ".join(np.random.default_rng(n).choice(["free", "money", "Hello", "café", "noon"], 5)) for n in range(60)]


def averaged():
    return Perceptron("averaged", max_iter=3, random_state=0)


MODELS = {
    **EARLIER,
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

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    folder = pathlib.Path(sys.argv[1])
    assert not list(folder.iterdir()), "golden files are written once"
    labels = {"binary": binary.tolist(), "several": several.tolist()}
    expected = {"X": [[value.hex() for value in row] for row in X.tolist()], "texts": TEXTS, "labels": labels}
    expected["models"] = {}
    for name, (model, rows, y) in MODELS.items():
        model.fit(rows, y)
        rosenblatt.save(model, folder / f"{name}.safetensors", about={"golden": True})
        kind = "texts" if rows is TEXTS else "csr" if scipy.sparse.issparse(rows) else rows.dtype.name
        scores = np.asarray(model.decision_function(rows), np.float64)
        case = {
            "rows": kind, "y": "binary" if y is binary else "several", "labels": model.predict(rows).tolist(),
            "scores": [value.hex() for value in scores.ravel().tolist()],
        }  # fmt: skip
        if hasattr(model, "partial_fit") and name != "half_space_own_rule":
            model.partial_fit(rows[:30], y[:30])
            scores = np.asarray(model.decision_function(rows), np.float64)
            case["scores_after_partial_fit"] = [value.hex() for value in scores.ravel().tolist()]
        expected["models"][name] = case
    (folder / "expected.json").write_text(json.dumps(expected))
