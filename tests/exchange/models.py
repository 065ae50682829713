"""One small fitted model of every kind that a model file may hold, with rows for it."""

import functools
import warnings

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)  # fmt: skip

from rosenblatt import (
    ColumnEncoder,
    GaussianDiscriminant,
    GradientDescent,
    HalfSpace,
    HOGFeatures,
    KernelPerceptron,
    Layer,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    PairProducts,
    PassiveAggressive,
    Perceptron,
    RadialFeatures,
    SigmoidNeuron,
    Streamed,
    ThresholdMachine,
    ThresholdNetwork,
    ThresholdUnit,
    from_rules,
    soften,
)  # fmt: skip
from rosenblatt.kernels import Gaussian, Polynomial, Sigmoid

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 4))
CSR = scipy.sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))
HOLES = np.where(RANDOM.random(X.shape) < 0.1, np.nan, X)
BINARY = np.where(X @ [1.0, -2.0, 0.5, 0.0] + RANDOM.normal(size=60) > 0, "yes", "no")
SEVERAL = np.argmax(X[:, :3] + RANDOM.normal(size=(60, 3)), axis=1) * 10
WORDS = np.array(["free", "money", "hello", "Straße", "meeting", "at", "noon", "call"])
TEXTS = np.array([" ".join(RANDOM.choice(WORDS, 6)) for _ in range(60)])
CATEGORIES = np.column_stack([RANDOM.choice(["red", "green", "blue"], 60), RANDOM.choice(["s", "m"], 60)]).astype(
    object
)
PANDAS = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "colour": CATEGORIES[:, 0], "note": TEXTS})
TABLE = pl.DataFrame(
    {
        "a": HOLES[:, 0], "b": X[:, 1], "colour": CATEGORIES[:, 0].tolist(), "ok": RANDOM.choice(["yes", "no"], 60),
        "note": TEXTS,
    }
)  # fmt: skip
IMAGES = RANDOM.random((6, 32, 16))


def own_rule(m, sqnorm, t, params):
    return (params[0] if m <= 0 else 0.0), 1.0 - 0.1 / t


def learned_one_by_one(model):
    for x, y in [({"a": 1.0, "b": 2.0}, "x"), ({"c": 1.0}, "y"), ({"a": 1.0, "word": "hello"}, "x"), ({"b": 3.0}, "z")]:
        model.learn_one(x, y)
    return model


def in_front(*steps, rows=X, labels=BINARY):
    return lambda: (make_pipeline(*steps, Perceptron("averaged", max_iter=3, random_state=0)).fit(rows, labels), rows)


LEARNERS = {
    "perceptron": lambda: (Perceptron(max_iter=5, random_state=0).fit(X, BINARY), X),
    "random state": lambda: (Perceptron(max_iter=5, random_state=np.random.RandomState(3)).fit(X, BINARY), X),
    "pocket float32": lambda: (
        Perceptron("pocket", max_iter=5, random_state=0).fit(X.astype("f"), SEVERAL), X.astype("f"),
    ),
    "bytes": lambda: (
        Perceptron("averaged", random_state=0).fit((X * 9 + 99).astype(np.uint8), BINARY),
        (X * 9 + 99).astype(np.uint8),
    ),
    "voted": lambda: (Perceptron("voted", max_iter=3, random_state=0).fit(X, SEVERAL), X),
    "voted csr": lambda: (Perceptron("voted", max_iter=3, random_state=0).fit(CSR, BINARY), CSR),
    "voted coupled": lambda: (
        Perceptron("voted", multi_class="coupled", max_iter=3, random_state=0).fit(X, SEVERAL), X,
    ),
    "csr": lambda: (Perceptron("averaged", max_iter=5, random_state=0).fit(CSR, SEVERAL), CSR),
    "class weight": lambda: (
        Perceptron(max_iter=5, class_weight={"yes": 2.0, "no": 1.0}, random_state=0).fit(X, BINARY), X,
    ),
    "coupled": lambda: (
        PassiveAggressive(variant="PA-II", multi_class="coupled", max_iter=3, random_state=0).fit(CSR, SEVERAL), CSR,
    ),
    "one class": lambda: (Perceptron().partial_fit(X[:3], ["a"] * 3), X),
    "own rule": lambda: (HalfSpace(rule=own_rule, params=[0.5], max_iter=3, random_state=0).fit(X, BINARY), X),
    "table rule": lambda: (
        HalfSpace("margin_perceptron", params={"theta": 0.5}, max_iter=3, random_state=0).fit(X, BINARY), X,
    ),
    "svm": lambda: (LinearSVM(lam=1e-2, warm_start=True, random_state=0).fit(X, SEVERAL), X),
    "pegasos": lambda: (
        HalfSpace("pegasos", params={"lam": 1e-2}, answer="averaged", max_iter=5, random_state=0).fit(X, BINARY), X,
    ),
    "logistic": lambda: (LogisticRegression(lam=1e-2).fit(X, SEVERAL), X),
    "logistic apart": lambda: (LogisticRegression(lam=1e-2, multi_class="ovr").fit(X, SEVERAL), X),
    "logistic early": lambda: (
        LogisticRegression(
            lam=1e-2, solver=GradientDescent(validation_fraction=0.2, n_iter_no_change=2), max_iter=20, random_state=0
        ).fit(X, SEVERAL),
        X,
    ),
    "sigmoid neuron": lambda: (SigmoidNeuron(lam=1e-2, random_state=0).fit(X, BINARY), X),
    "least squares": lambda: (LeastSquares().fit(X, X[:, 0] * 2 + 1), X),
    "least squares float32": lambda: (LeastSquares(lam=1e-3).fit(X.astype("f"), X[:, :2]), X.astype("f")),
    "discriminant": lambda: (GaussianDiscriminant().fit(X, SEVERAL), X),
    "layers": lambda: (
        Layer("sigmoid", below=Layer("tanh", units=2), max_iter=20, random_state=0).fit(X, SEVERAL), X,
    ),
    "threshold layer": lambda: (Layer("threshold", random_state=0).fit(X, BINARY), X),
    "sign layer": lambda: (Layer("sign", random_state=0).fit(X, SEVERAL), X),
    "multi-label layer": lambda: (Layer("linear").fit(X, X[:, :2] > 0), X),
    "streamed": lambda: (
        Streamed(PairProducts(6, random_state=0), Perceptron("averaged"), max_iter=2, random_state=0).fit(X, BINARY), X,
    ),
    "rbf": lambda: (KernelPerceptron(max_iter=3, random_state=0).fit(X, BINARY), X),
    "polynomial csr": lambda: (
        KernelPerceptron(Polynomial(2), answer="averaged", max_iter=3, random_state=0).fit(CSR, SEVERAL), CSR,
    ),
    "gaussian voted": lambda: (
        KernelPerceptron(Gaussian(2.0), answer="voted", max_iter=3, drop_after=3, random_state=0).fit(X, SEVERAL), X,
    ),
    "kernel pocket": lambda: (
        KernelPerceptron(Sigmoid(0.1), answer="pocket", max_iter=3, random_state=0).fit(X, SEVERAL), X,
    ),
    "budget": lambda: (
        KernelPerceptron(budget=9, max_iter=3, random_state=0).fit(X.astype("f"), BINARY), X.astype("f"),
    ),
    "precomputed": lambda: (
        KernelPerceptron("precomputed", max_iter=3, random_state=0).fit((1 + X @ X.T) ** 2, BINARY), (1 + X @ X.T) ** 2,
    ),
}  # fmt: skip
ONE_BY_ONE = {
    "names": lambda: learned_one_by_one(Perceptron("averaged")),
    "hashed names": lambda: learned_one_by_one(Perceptron(hash_features=16)),
    "kernel names": lambda: learned_one_by_one(KernelPerceptron()),
}
FEATURES = {
    "pair products": lambda: (PairProducts(5, random_state=0).fit(X), X),
    "radial": lambda: (RadialFeatures("gaussian", gamma=0.5).fit(X), X),
    "hog": lambda: (HOGFeatures().fit(IMAGES), IMAGES),
    "columns": lambda: (ColumnEncoder(missing="indicator").fit(TABLE), TABLE),
}
PIPELINES = {
    "standard": in_front(StandardScaler()),
    "standard with pandas": in_front(
        StandardScaler().set_output(transform="pandas"), rows=PANDAS[["a", "b"]], labels=SEVERAL
    ),
    "min max": in_front(MinMaxScaler(clip=True)),
    "max abs csr": in_front(MaxAbsScaler(), rows=CSR),
    "robust": in_front(RobustScaler()),
    "normalizer": in_front(Normalizer()),
    "binarizer": in_front(Binarizer(threshold=0.1)),
    "polynomial": in_front(PolynomialFeatures(2), "passthrough"),
    "pca": in_front(PCA(2, whiten=True)),
    "svd": in_front(TruncatedSVD(2, random_state=0), rows=CSR),
    "nystroem": in_front(Nystroem(n_components=5, random_state=0)),
    "rbf sampler": in_front(RBFSampler(n_components=5, random_state=0)),
    "nested": in_front(make_pipeline(RadialFeatures(), StandardScaler()), PairProducts(4, random_state=0)),
    "imputer": in_front(SimpleImputer(strategy="median", add_indicator=True), rows=HOLES),
    "one-hot": in_front(OneHotEncoder(handle_unknown="ignore"), rows=CATEGORIES),
    "one-hot dropped": in_front(OneHotEncoder(drop="if_binary"), rows=CATEGORIES),
    "one-hot rare": in_front(OneHotEncoder(min_frequency=21, handle_unknown="infrequent_if_exist"), rows=CATEGORIES),
    "ordinal": in_front(OrdinalEncoder(), rows=CATEGORIES),
    "frequent words": in_front(
        SimpleImputer(strategy="most_frequent", missing_values="red"), OneHotEncoder(), rows=CATEGORIES
    ),
    "count": in_front(CountVectorizer(ngram_range=(1, 2)), TfidfTransformer(), rows=TEXTS),
    "tfidf": in_front(TfidfVectorizer(sublinear_tf=True), rows=TEXTS, labels=SEVERAL),
    "hashing": in_front(HashingVectorizer(n_features=64), rows=TEXTS),
    "column transformer": in_front(
        ColumnTransformer(
            [("n", StandardScaler(), ["a"]), ("c", OneHotEncoder(), ["colour"]), ("t", TfidfVectorizer(), "note")],
            remainder="passthrough",
        ),
        rows=PANDAS,
    ),
    "column numbers": in_front(
        ColumnTransformer([("n", StandardScaler(), slice(0, 2)), ("d", "drop", [2])], remainder=MinMaxScaler())
    ),
    "column encoder": in_front(ColumnEncoder(), rows=TABLE),
    "column encoder hashed": in_front(ColumnEncoder(text="hashed", hash_features=64), rows=TABLE, labels=SEVERAL),
}
BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
LOGIC = {
    "unit": lambda: (ThresholdUnit([1, 0.5], -1.25, ("a", "b")), BITS),
    "network": lambda: (ThresholdNetwork.from_function("a ^ b"), BITS),
    "soft network": lambda: (soften(ThresholdNetwork.from_function("a ^ b")), BITS.astype(float)),
}
RULES = "if a > 2 and b > 1.5 then deny; if a = 0 and (c > 30000 or d < 0.25) then accept; otherwise refer"
EVERYTHING = {**LEARNERS, **FEATURES, **PIPELINES, **LOGIC}


@functools.cache
def fitted(name):
    """(model, rows) by name."""
    return fresh(name)


def fresh(name):
    """The same, fitted anew."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EVERYTHING[name]()


def machine():
    result = ThresholdMachine.from_units(["x"], {"lit": ThresholdUnit([1, 1], -0.5, ("x", "lit"))})
    result.step(1)
    return result


def rules():
    return from_rules(RULES)


def answers(model, rows):
    """What the model says about rows, as an array: its scores, its answers, or its features."""
    for name in ("decision_function", "predict", "transform", "__call__"):
        if hasattr(model, name):
            result = getattr(model, name)(rows)
            return np.asarray(result.toarray() if scipy.sparse.issparse(result) else result)
    raise AssertionError(f"{type(model).__name__} says nothing")


def answer_twice(model, rows):
    """What a model says in each of its manners."""
    return [answers(model, rows), *([model.predict(rows)] if hasattr(model, "predict") else [])]
