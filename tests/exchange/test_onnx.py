"""Models in onnxruntime decide as they do here."""

import lzma
import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import polars as pl
import pytest
import scipy.sparse
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    QuantileTransformer,
    StandardScaler,
)  # fmt: skip

from rosenblatt import (
    ColumnEncoder,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PairProducts,
    PassiveAggressive,
    Perceptron,
    SigmoidNeuron,
    ThresholdUnit,
    export_onnx,
)  # fmt: skip
from rosenblatt.kernels import Function, Polynomial
from rosenblatt.sources import mnist
from tests.exchange import models

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
REFUSED = {
    "voted coupled": "counts joint states",
    "precomputed": "or a matrix that is given",
    "one-hot rare": "puts rare categories together",
    "frequent words": "SimpleImputer on text has no ONNX form",
}
EXPORTED = [name for name in (*models.LEARNERS, *models.PIPELINES, "soft network") if name not in REFUSED]


def as_numbers(rows):
    """Rows in float64, in which the graph computes."""
    if scipy.sparse.issparse(rows):
        return rows.toarray()
    if isinstance(rows, np.ndarray) and rows.dtype.kind in "fiu":
        return rows.astype(np.float64)
    return rows


def fed(session, rows):
    """Rows as the inputs of a session."""
    inputs = session.get_inputs()
    if [one.name for one in inputs] == ["X"]:
        values = rows.to_numpy() if hasattr(rows, "to_numpy") else rows
        return {"X": values.astype(object) if inputs[0].type == "tensor(string)" else values}
    result = {}
    for one in inputs:
        column = rows[one.name]
        if one.type == "tensor(string)":
            texts = column.fill_null("") if isinstance(column, pl.Series) else column
            result[one.name] = np.array(list(texts), dtype=object)[:, None]
        else:
            result[one.name] = np.asarray(column, np.float64)[:, None]
    return result


def run(model, rows, folder, batch=None, **options):
    """Everything that onnxruntime says, by the name of the output."""
    path = folder / "model.onnx"
    export_onnx(model, path, **options)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    inputs = fed(session, rows)
    height = len(next(iter(inputs.values())))
    parts = [
        session.run(None, {name: values[start : start + (batch or height)] for name, values in inputs.items()})
        for start in range(0, height, batch or height)
    ]
    names = [one.name for one in session.get_outputs()]
    return {name: np.concatenate([part[n] for part in parts]) for n, name in enumerate(names)}


def check(model, rows, folder, **options):
    said = run(model, rows, folder, **options)
    if "prediction" in said:
        np.testing.assert_allclose(said["prediction"], model.predict(rows), rtol=1e-9, atol=1e-9)
        return said
    np.testing.assert_allclose(said["scores"], model.decision_function(rows), rtol=1e-9, atol=1e-9)
    assert said["label"].tolist() == model.predict(rows).tolist()
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(said["probabilities"], model.predict_proba(rows), rtol=1e-9, atol=1e-12)
    return said


@pytest.mark.parametrize("name", EXPORTED)
def test_the_same_decisions(name, tmp_path):
    model, rows = models.fitted(name)
    check(model, as_numbers(rows), tmp_path)


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_operators_is_refused(name, tmp_path):
    model, _ = models.fitted(name)
    with pytest.raises(TypeError, match=REFUSED[name]) as caught:
        export_onnx(model, tmp_path / "model.onnx")
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


@pytest.mark.parametrize("answer", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("labels", [models.BINARY, models.SEVERAL, models.BINARY == "yes"])
def test_every_answer(answer, labels, tmp_path):
    for model in (
        Perceptron(answer, max_iter=4, random_state=0),
        KernelPerceptron(Polynomial(5), answer=answer, max_iter=4, random_state=0),
    ):
        check(model.fit(models.X, labels), models.X, tmp_path)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf", "gaussian"])
def test_every_kernel(kernel, tmp_path):
    check(KernelPerceptron(kernel, max_iter=3, random_state=0).fit(models.X, models.SEVERAL), models.X, tmp_path)


@pytest.mark.parametrize(
    "model", [LogisticRegression(multi_class="ovr"), LogisticRegression(), SigmoidNeuron(random_state=0)]
)
def test_probabilities(model, tmp_path):
    for labels in (models.BINARY, models.SEVERAL):
        check(model.fit(models.X, labels), models.X, tmp_path)


def test_probabilities_where_no_class_has_any(tmp_path):
    model = LogisticRegression(multi_class="ovr").fit(models.X, models.SEVERAL)
    state = model._state
    state.set_weights(np.zeros((state.count, state.n_features)), np.full(state.count, -800.0))
    model._models = {}
    even = np.full((len(models.X), state.count), 1 / state.count)
    np.testing.assert_array_equal(model.predict_proba(models.X), even)
    np.testing.assert_array_equal(run(model, models.X, tmp_path)["probabilities"], even)


def test_rows_beyond_those_of_the_fit_are_clipped(tmp_path):
    model = make_pipeline(MinMaxScaler((-1, 2), clip=True), Perceptron("averaged", max_iter=3, random_state=0))
    model.fit(models.X, models.SEVERAL)
    far = 9 * models.X
    assert not np.array_equal(model[0].transform(far), model[0].set_params(clip=False).transform(far))
    model[0].set_params(clip=True)
    check(model, far, tmp_path)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_other_inputs(dtype, tmp_path):
    rows = (np.abs(models.X) * 50).astype(dtype)
    model = PassiveAggressive(max_iter=3, random_state=0).fit(rows, models.SEVERAL)
    said = run(model, rows, tmp_path, input_dtype=dtype)
    assert said["label"].tolist() == model.predict(rows.astype(np.float64)).tolist()


def test_a_single_factor_is_not_rounded_to_float32(tmp_path):
    """onnxruntime would pull a constant factor into the matrix product beside it."""
    rows = models.X[:, :1] * 1e6
    for scaler in (StandardScaler(with_mean=False), MaxAbsScaler(), MinMaxScaler(), PairProducts(0)):
        model = make_pipeline(scaler, Perceptron("averaged", max_iter=3, random_state=0)).fit(rows, models.BINARY)
        said = run(model, rows, tmp_path)
        np.testing.assert_allclose(said["scores"], model.decision_function(rows), rtol=1e-13)


TEXTS = [
    "Hello WORLD hello", "", "a", "naïve CAFÉ café", "日本語 テキスト", "x_1 y-2 z.3", "½ ²x Ⅷ ٣٤", "e\u0301a\u0308b",
    "\u200dzero\u200cwidth", "ДА да", "straße STRASSE", "🙂 emoji🙂text", "a b cd", "tab\tnew\nline",
    "under_score __", "Ǆ ǅ ǆ", "𐐀𐐁 𐐨𐐩",
]  # fmt: skip


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(), CountVectorizer(lowercase=False, token_pattern=r"(?u)\b\w+\b"),
        CountVectorizer(ngram_range=(1, 3)), CountVectorizer(ngram_range=(2, 2), binary=True),
        TfidfVectorizer(), TfidfVectorizer(sublinear_tf=True, norm="l1"), TfidfVectorizer(use_idf=False, norm=None),
        TfidfVectorizer(stop_words=["hello"]), HashingVectorizer(n_features=32),
        HashingVectorizer(n_features=32, alternate_sign=False, norm="l1", binary=True),
    ],
)  # fmt: skip
def test_text_of_all_sorts(vectorizer, tmp_path):
    texts = np.array(TEXTS * 2)
    labels = np.random.default_rng(0).integers(0, 3, len(texts))
    model = make_pipeline(vectorizer, Perceptron("averaged", max_iter=3, random_state=0)).fit(texts, labels)
    check(model, texts, tmp_path)


@pytest.mark.parametrize("text", ["tfidf", "hashed"])
@pytest.mark.parametrize("missing", ["median", "indicator"])
def test_tables(text, missing, tmp_path):
    random = np.random.default_rng(1)
    n = 150
    table = pl.DataFrame(
        {
            "age": [None if one > 75 else float(one) for one in random.integers(18, 80, n).tolist()],
            "smokes": random.choice(["Yes", "no", "YES", None], n).tolist(),
            "works": random.choice([True, False], n),
            "city": random.choice(["Rome", "Oslo", "Lima", None], n).tolist(),
            "number": [f"AB{one}" for one in random.integers(0, 120, n)],
            "note": [" ".join(random.choice([*TEXTS, "of course"], 4)) for _ in range(n)],
        }
    )
    encoder = ColumnEncoder(text=text, missing=missing, hash_features=64, max_categories=20, kinds={"number": "hashed"})
    model = make_pipeline(encoder, Perceptron("averaged", max_iter=3, random_state=0))
    model.fit(table, random.integers(0, 2, n))
    assert {column.kind for column in model[0].columns_} == {"number", "boolean", "category", "hashed", "text"}
    check(model, table, tmp_path)
    unseen = table.head(3).with_columns(pl.lit("Atlantis").alias("city"))
    check(model, unseen, tmp_path)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda: Perceptron(), "not fitted"),
        (lambda: ThresholdUnit([1], 0), "Cannot export "),
        (lambda: PairProducts(3).fit(models.X), "Cannot export "),
        (lambda: make_pipeline(QuantileTransformer(n_quantiles=5), Perceptron()).fit(models.X, models.BINARY),
         "QuantileTransformer has no ONNX form here"),
        (lambda: make_pipeline(FunctionTransformer(np.abs), Perceptron()).fit(models.X, models.BINARY),
         "runs a function of your own"),
        (lambda: make_pipeline(TfidfVectorizer(analyzer="char"), Perceptron()).fit(models.TEXTS, models.BINARY),
         "analyzer='char'"),
        (lambda: make_pipeline(TfidfVectorizer(token_pattern="[a-z]+"), Perceptron()).fit(models.TEXTS, models.BINARY),
         "has the pattern"),
        (lambda: KernelPerceptron(Function(lambda A, B: A @ B.T, known_valid=True)).fit(models.X, models.BINARY),
         "function of your own"),
    ],
)  # fmt: skip
def test_bad_input(model, message, tmp_path):
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        export_onnx(model(), tmp_path / "model.onnx")
    assert "\n" not in str(caught.value) and not list(tmp_path.iterdir())


def test_a_dtype_that_is_none(tmp_path):
    with pytest.raises(ValueError, match="input_dtype must be one of"):
        export_onnx(models.fitted("perceptron")[0], tmp_path / "model.onnx", input_dtype="int4")


def test_without_onnx_the_sentence_says_how_to_get_it():
    script = (
        "import sys; sys.modules['onnx'] = None\n"
        "import rosenblatt\n"
        "try: rosenblatt.export_onnx(rosenblatt.Perceptron(), 'x.onnx')\n"
        "except ImportError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert said.strip() == 'ONNX needs onnx, which is not installed; run: pip install "rosenblatt[onnx]"'


# ------------------------------------------------------------------------------------------ a hundred thousand rows

RANDOM = np.random.default_rng(7)
MANY = 100_000


def many_texts(n):
    """Texts of words with the frequencies of language."""
    ranks = RANDOM.zipf(1.3, (n, 12)).clip(max=3000)
    return np.array([" ".join(f"Word{rank}" for rank in row) for row in ranks])


LARGE = {
    "linear": lambda: (make_pipeline(StandardScaler(), LinearSVM(lam=1e-3, random_state=0)),
                       RANDOM.normal(size=(MANY, 20)), 2),
    "several": lambda: (Perceptron("averaged", max_iter=5, random_state=0), RANDOM.normal(size=(MANY, 20)), 5),
    "whole numbers": lambda: (Perceptron(max_iter=5, random_state=0),
                              RANDOM.integers(0, 4, (MANY, 10)).astype(float), 3),
    "kernel": lambda: (KernelPerceptron(max_iter=2, random_state=0), RANDOM.normal(size=(MANY, 8)), 3),
    "tfidf": lambda: (make_pipeline(TfidfVectorizer(), Perceptron("averaged", max_iter=5, random_state=0)),
                      many_texts(MANY), 3),
    "hashed": lambda: (make_pipeline(HashingVectorizer(n_features=1024), PassiveAggressive(max_iter=3, random_state=0)),
                       many_texts(MANY), 2),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_equal_decisions_on_a_hundred_thousand_rows(name, tmp_path):
    model, rows, n_classes = LARGE[name]()
    labels = RANDOM.integers(0, n_classes, 2000)
    model.fit(rows[:2000], labels)
    said = run(model, rows, tmp_path, batch=2000)
    assert len(said["label"]) == MANY
    assert (said["label"] == model.predict(rows)).all()


# ---------------------------------------------------------------------------------------------------------- real data

real = pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")


@real
@pytest.mark.slow
def test_seventy_thousand_digits_of_bytes(tmp_path):
    """The model adds up in float32, the graph in float64; on these rows no decision depends on it."""
    digits = mnist()
    model = Perceptron("averaged", max_iter=3, random_state=0).fit(digits.X_train, digits.y_train)
    rows = np.concatenate([digits.X_train, digits.X_test])
    said = run(model, rows, tmp_path, batch=10_000, input_dtype="uint8")
    assert (said["label"] == model.predict(rows)).all()


@real
@pytest.mark.slow
@pytest.mark.parametrize("text", ["tfidf", "hashed"])
def test_text_messages(text, tmp_path):
    with lzma.open(os.path.join(os.environ["ROSENBLATT_DATA"], "sms-spam", "SMSSpamCollection.xz"), "rt") as file:
        lines = [line.rstrip("\n").split("\t", 1) for line in file]
    table = pl.DataFrame({"message": [message for _, message in lines]})
    labels = np.array([label for label, _ in lines])
    encoder = ColumnEncoder(text=text, hash_features=2**12, kinds={"message": "text"})
    model = make_pipeline(encoder, Perceptron("averaged", max_iter=10, random_state=0)).fit(table[:2000], labels[:2000])
    said = run(model, table, tmp_path, batch=500)
    assert (said["label"] == model.predict(table)).all()
    assert (said["label"] == labels).mean() > 0.95


def test_inputs_of_a_table_say_what_they_take(tmp_path):
    """A date is a number of days; onnxruntime shows the words, and answers as the model does."""
    from datetime import date, datetime, timedelta

    random = np.random.default_rng(0)
    days = [date(2020, 1, 1) + timedelta(days=int(d)) for d in random.integers(0, 900, 200)]
    frame = pl.DataFrame(
        {
            "d": days,
            "t": [datetime(2021, 5, 1) + timedelta(hours=int(h)) for h in random.integers(0, 900, 200)],
            "n": random.normal(size=200),
            "c": ["a", "b"] * 100,
            "smokes": ["no", "yes", "yes", "no"] * 50,
        }
    )
    y = np.array([day > date(2021, 3, 1) for day in days])
    model = make_pipeline(ColumnEncoder(), Perceptron(random_state=0)).fit(frame, y)
    export_onnx(model, tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    told = session.get_modelmeta().custom_metadata_map
    assert told == {
        "d": "date or time, in days since 1970-01-01", "t": "date or time, in days since 1970-01-01", "n": "number",
        "c": "one of the categories, as text", "smokes": "no or yes",
    }  # fmt: skip
    stored = {one.name: one.doc_string for one in onnx.load(tmp_path / "m.onnx").graph.input}
    assert stored == told
    rows = {
        "d": np.array([(day - date(1970, 1, 1)).days for day in days], np.float64)[:, None],
        "t": (frame["t"].dt.epoch("s") / 86400).to_numpy()[:, None],
        "n": frame["n"].to_numpy()[:, None],
        "c": np.array(frame["c"].to_list(), dtype=object)[:, None],
        "smokes": np.array(frame["smokes"].to_list(), dtype=object)[:, None],
    }
    assert session.run(["label"], rows)[0].tolist() == model.predict(frame).tolist()


def test_a_date_column_says_its_unit():
    from datetime import date

    encoder = ColumnEncoder().fit({"d": [date(2020, 1, 1), date(2021, 1, 1), date(2022, 6, 1)]})
    assert encoder.columns_[0].kind == "number" and encoder.columns_[0].why == "in days since 1970-01-01"
    with pytest.raises(ValueError, match="holds dates, but row 1 has 'May'"):
        encoder.transform({"d": ["May", "June"]})


def test_ties_are_answered_alike(tmp_path):
    """A score of 0 is the second of two classes, a vote of 0 is positive, the first best of several answers."""
    line = [[1.0], [-1.0]]
    plain = Perceptron(fit_intercept=False, shuffle=False).fit(line, ["yes", "no"])
    voted = Perceptron("voted", fit_intercept=False, shuffle=False).fit(line, ["yes", "no"])
    coupled = Perceptron(fit_intercept=False, shuffle=False, multi_class="coupled").fit(line, ["yes", "no"])
    kernel = KernelPerceptron("linear", shuffle=False).fit(line, ["yes", "no"])
    several = Perceptron(fit_intercept=False, shuffle=False, max_iter=1)
    several.fit([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["a", "b", "c"])
    for model in (plain, voted, coupled, kernel, several):
        rows = np.zeros((1, model.n_features_in_))
        expected = model.predict(rows).tolist()
        assert expected == (["a"] if model is several else ["yes"])
        assert run(model, rows, tmp_path)["label"].tolist() == expected
