"""Training from files in passes: what it learns, what it keeps aside, and how much memory it takes."""

import gzip
import sys

import numpy as np
import polars as pl
import pytest
from peak_memory import peak_within

from rosenblatt import ColumnEncoder, Perceptron, open_source
from rosenblatt.sources import Matrix, ReadOptions
from rosenblatt.sources import source as source_module
from rosenblatt.verbs import separable, streaming, train
from rosenblatt.verbs.errors import InputError, UsageError
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.streaming import learn_in_passes, prefetched


def table(n=4000, seed=0):
    random = np.random.default_rng(seed)
    a, b = random.normal(5, 2, n), random.normal(0, 30, n)
    city = random.choice(["Rome", "Oslo", "Bonn"], n)
    good = (a - 5) / 2 + b / 30 + (city == "Rome") > 0
    return pl.DataFrame({"a": a, "city": city, "good": np.where(good, "yes", "no"), "b": b})


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(source_module, "STREAMED_BYTES", 4096)


@pytest.fixture
def keep_aside(monkeypatch):
    return lambda count: monkeypatch.setattr(streaming, "TESTED_ROWS", count)


def learn(path, target=None, **options):
    return learn_in_passes(open_source(path), target, TrainOptions(**options), digest=False)


def accuracy(done):
    return float((done.model.predict(done.tested.rows) == done.tested.y).mean())


@pytest.fixture
def spied(monkeypatch):
    """What the perceptron is given: each block of rows, with its weights."""
    met, partial_fit = [], Perceptron.partial_fit

    def spy(self, X, y, classes=None, sample_weight=None):
        met.append((X, sample_weight))
        return partial_fit(self, X, y, classes, sample_weight)

    monkeypatch.setattr(Perceptron, "partial_fit", spy)
    return met


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "jsonl"])
def test_every_format_is_learned(tmp_path, small_blocks, keep_aside, ending):
    keep_aside(500)
    path = tmp_path / f"t.{ending}"
    {
        "csv": lambda: table().write_csv(path),
        "csv.gz": lambda: path.write_bytes(gzip.compress(table().write_csv().encode())),
        "parquet": lambda: table().write_parquet(path),
        "jsonl": lambda: table().write_ndjson(path),
    }[ending]()
    done = learn(path, "good")
    assert (done.total, done.count, len(done.tested), len(done.rows)) == (4000, 3500, 500, 500)
    learner = done.model[-1]
    assert accuracy(done) > 0.97 and done.rows.target == "good"
    assert done.tested.rows.columns == ["a", "city", "b"] and len(learner.trace_) == 5
    assert learner.stop_reason_ == "max_iter"


def test_the_same_file_and_seed_give_the_same_bits(tmp_path, small_blocks, keep_aside):
    keep_aside(300)
    path = tmp_path / "t.csv"
    table().write_csv(path)
    one, two = (learn(path, "good") for _ in range(2))
    assert np.array_equal(one.model[-1].coef_, two.model[-1].coef_) and one.tested.rows.equals(two.tested.rows)
    other = learn(path, "good", seed=1)
    assert not one.tested.rows.equals(other.tested.rows)


def test_what_is_kept_aside_is_not_learned_from(tmp_path, small_blocks, keep_aside, spied):
    keep_aside(400)
    path = tmp_path / "t.csv"
    pl.DataFrame({"x": np.arange(3000) * 7, "y": np.arange(3000) % 2}).write_csv(path)
    done = learn(path, "y", scale=False, settings={"max_iter": 2}, keep=["x"])
    seen = np.concatenate([X[:, 0] for X, _ in spied]).tolist()
    kept = set(done.tested.rows["x"].to_list())
    assert len(kept) == 400 and not kept & set(seen)
    assert sorted(seen) == sorted(2 * [row for row in range(0, 21000, 7) if row not in kept])
    assert kept.isdisjoint(done.rows.rows["x"].to_list())


def test_a_sorted_file_does_no_harm(tmp_path, small_blocks, keep_aside):
    keep_aside(500)
    table().sort("good").write_csv(tmp_path / "t.csv")
    assert accuracy(learn(tmp_path / "t.csv", "good")) > 0.97


def test_whole_and_streamed_agree(tmp_path, keep_aside):
    """One epoch without shuffling over one block is one pass of partial_fit over the encoded rows."""
    keep_aside(200)
    table().write_csv(tmp_path / "t.csv")
    done = learn(tmp_path / "t.csv", "good", settings={"max_iter": 1, "shuffle": False})
    frame = open_source(tmp_path / "t.csv").read()
    kept = set(done.tested.rows["a"].to_list())
    learned = frame.filter(~pl.col("a").is_in(kept))
    encoder = ColumnEncoder(text="hashed").fit(frame.drop("good"))
    X = encoder.transform(learned.drop("good"))
    plain = Perceptron("averaged").partial_fit(X, learned["good"].to_numpy().astype(str))
    assert np.allclose(done.model[-1].coef_, plain.coef_)


def test_libsvm_and_weights(tmp_path, keep_aside):
    keep_aside(200)
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 5)).round(3)
    y = np.where(X[:, 0] + X[:, 3] > 0, 1, -1)
    lines = [f"{t} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) for x, t in zip(X, y, strict=True)]
    (tmp_path / "t.svm").write_text("\n".join(lines))
    done = learn(tmp_path / "t.svm", learner="passive-aggressive")
    assert accuracy(done) > 0.95 and len(done.model.steps) == 1
    weighted = pl.DataFrame({"x": X[:, 0], "y": X[:, 0] > 0, "w": (X[:, 0] > -0.5).astype(float), "z": X[:, 1]})
    weighted.write_csv(tmp_path / "w.csv")
    done = learn(tmp_path / "w.csv", "y", weights="w", drop=["z"])
    assert done.tested.rows.columns == ["x"] and set(done.tested.y) == {"true", "false"} and accuracy(done) > 0.95


def test_text_is_hashed_and_types_may_widen(tmp_path, small_blocks, monkeypatch):
    monkeypatch.setattr("rosenblatt.sources.dialect.SAMPLE_BYTES", 500)
    rows = [(i, "win money now today" if i % 3 == 0 else "see you at home later", i % 3 == 0) for i in range(1500)]
    rows[1200] = ("x7", *rows[1200][1:])
    pl.DataFrame({"n": [str(r[0]) for r in rows], "t": [r[1] + f" w{r[0]}" for r in rows], "y": [r[2] for r in rows]}
                 ).write_csv(tmp_path / "t.csv")  # fmt: skip
    done = learn(tmp_path / "t.csv", "y")
    kinds = {column.name: column.kind for column in done.model[0].columns_}
    assert kinds["t"] == "text" and done.model[0].sparse_ and accuracy(done) > 0.99


def test_missing_targets_are_left_out(tmp_path):
    frame = table(500).with_columns(pl.when(pl.col("a") > 7).then(None).otherwise(pl.col("good")).alias("good"))
    frame.write_csv(tmp_path / "t.csv")
    done = learn(tmp_path / "t.csv", "good")
    lost = frame["good"].null_count()
    assert done.total == 500 - lost and any(f"{lost} rows without a value of 'good'" in note for note in done.notes)


def test_reasons_to_stop(tmp_path, small_blocks):
    path = tmp_path / "t.csv"
    pl.DataFrame({"x": np.arange(2000) / 100 - 10, "y": np.arange(2000) > 999}).write_csv(path)

    def reason(**options):
        learner = learn(path, "y", learner="perceptron", keep=["x"], **options).model[-1]
        return learner.stop_reason_, len(learner.trace_)

    assert reason(settings={"max_iter": 200})[0] == "converged"
    assert reason(time_limit=1e-9) == ("time_limit", 1)


def test_ctrl_c_keeps_what_was_learned(tmp_path, small_blocks, keep_aside, monkeypatch):
    keep_aside(500)
    path = tmp_path / "t.csv"
    table().write_csv(path)
    partial_fit, passed = Perceptron.partial_fit, []

    def interrupted(self, X, y, classes=None, sample_weight=None):
        if len(passed) > 3:
            raise KeyboardInterrupt
        passed.append(len(y))
        return partial_fit(self, X, y, classes, sample_weight)

    monkeypatch.setattr(Perceptron, "partial_fit", interrupted)
    done = learn(path, "good")
    assert done.model[-1].stop_reason_ == "interrupted" and accuracy(done) > 0.8


@pytest.mark.parametrize(
    ("target", "learner", "error"),
    [
        ("god", "averaged", UsageError),
        (None, "averaged", UsageError),
        ("good", "discriminant", UsageError),
        ("same", "averaged", InputError),
        (9, "averaged", UsageError),
    ],
)
def test_refusals(tmp_path, target, learner, error):
    table(100).with_columns(pl.lit(1).alias("same")).write_csv(tmp_path / "t.csv")
    with pytest.raises(error):
        learn(tmp_path / "t.csv", target, learner=learner)


def test_a_bad_line_in_a_later_block_ends_the_run_with_a_sentence(tmp_path, small_blocks):
    text = table().write_csv() + "1,2\n"
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError, match=r"Line 4002 .* has 2"):
        learn(tmp_path / "t.csv", "good")


def test_prefetching_hands_errors_on_and_ends():
    def items():
        yield 1
        raise RuntimeError("broken")

    made = prefetched(items())
    assert next(made) == 1
    with pytest.raises(RuntimeError, match="broken"):
        next(made)
    endless = prefetched(iter(range(10**9)))
    assert next(endless) == 0
    endless.close()


PEAK = """
import sys
from rosenblatt import open_source
from rosenblatt.sources import source
from rosenblatt.verbs import streaming
from rosenblatt.verbs.options import TrainOptions
source.STREAMED_BYTES = 2**19
streaming.TESTED_ROWS = 1000
def peak():
    return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
def run(path):
    options = TrainOptions(settings={"max_iter": 2})
    return streaming.learn_in_passes(open_source(path), "y", options, digest=False)
run(sys.argv[1])
before = peak()
done = run(sys.argv[2])
print(done.total, (peak() - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    """A file of 190 MB, thirty times the first one, needs less than 60 MB more at its peak; its numbers are 80 MB."""
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 20))
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(20)} | {"y": X[:, 0] > 0})
    frame[:17_000].write_csv(tmp_path / "small.csv")
    with (tmp_path / "large.csv").open("wb") as file:
        for part in range(24):
            frame.write_csv(file, include_header=part == 0)
    assert (tmp_path / "large.csv").stat().st_size > 180e6
    (rows,), more = peak_within(60, PEAK, tmp_path / "small.csv", tmp_path / "large.csv")
    assert rows == 480_000 and more < 60


def test_a_matrix_is_scaled_and_its_target_is_a_column(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal([1000.0, 0.0], [1.0, 0.001], size=(2000, 2))
    np.save(tmp_path / "t.npy", np.column_stack([X, X[:, 0] - 1000 + 1000 * X[:, 1] > 0]))
    done = train(str(tmp_path / "t.npy"), -1, stream=True)
    steps = [name for name, _ in done.model.steps]
    assert done.summary.accuracy.value > 0.97 and steps == ["imputer", "scaler", "learner"]
    with pytest.raises(UsageError, match="by its number"):
        train(str(tmp_path / "t.npy"), "last", stream=True)
    X[1500, 1] = np.inf
    np.save(tmp_path / "t.npy", np.column_stack([X, X[:, 0] > 1000]))
    with pytest.raises(InputError, match=r"has inf in row 1,501, column 2,"):
        train(str(tmp_path / "t.npy"), 3, stream=True)


def test_the_test_file_is_read_like_the_other(tmp_path):
    text = table(400).write_csv(separator="~")
    (tmp_path / "t.txt").write_bytes(text.replace("Rome", "Zürich").encode("latin-1"))
    path = str(tmp_path / "t.txt")
    done = train(path, "good", stream=True, test=path, reading=ReadOptions(separator="~", encoding="latin-1"))
    assert done.summary.rows_test == 400 and done.summary.accuracy.value > 0.9


def test_what_is_at_fault(tmp_path):
    """What a learner refuses is wrong usage where it was given settings."""
    path = tmp_path / "t.csv"
    frame = table(200).with_columns(c=pl.col("a") * 2)
    frame.write_csv(path)
    for settings in ({"learning_rate": -1.0}, {"answer": "best"}):
        for stream in (False, True):
            with pytest.raises(UsageError, match="must be"):
                train(str(path), "good", learner="perceptron", settings=settings, stream=stream)
    with pytest.raises(UsageError, match="class_weight names 'maybe'"):
        train(str(path), "good", settings={"class_weight": {"maybe": 2.0}})


def test_a_test_file_leaves_all_rows_to_learn_from(tmp_path, small_blocks):
    table().write_csv(tmp_path / "t.csv")
    table(500, seed=1).write_csv(tmp_path / "other.csv")
    done = train(str(tmp_path / "t.csv"), "good", stream=True, test=str(tmp_path / "other.csv"))
    assert done.about["rows"] == done.about["learned_rows"] == done.summary.rows_train == 4000
    assert done.summary.accuracy.total == 500 and done.summary.accuracy.value > 0.97
    assert not any("aside" in note for note in done.notes)
    trace = done.model.steps[-1][1].trace_
    assert all(epoch.test_error is None and epoch.train_error < 0.1 for epoch in trace.epochs)
    (tmp_path / "bad.csv").write_text("a,city\n1,Rome\n")
    with pytest.raises(UsageError, match=r"bad.csv has no column 'good'"):
        train(str(tmp_path / "t.csv"), "good", stream=True, test=str(tmp_path / "bad.csv"))


def test_a_test_file_of_sparse_rows_may_be_narrower(tmp_path):
    lines = [f"{i % 2} {1 + i % 2}:1 {3 + i % 5}:0.5\n" for i in range(600)]
    (tmp_path / "t.libsvm").write_text("".join(lines))
    (tmp_path / "other.libsvm").write_text("0 1:1 3:0.5\n1 2:1\n")
    done = train(str(tmp_path / "t.libsvm"), stream=True, test=str(tmp_path / "other.libsvm"))
    assert done.summary.accuracy.value == 1.0 and done.about["learned_rows"] == 600


@pytest.mark.parametrize(("column", "told"), [("price", "with fractions"), ("count", "in 500 rows")])
def test_advice_about_a_quantity_can_be_followed(tmp_path, column, told):
    random = np.random.default_rng(0)
    a = random.normal(size=500)
    frame = pl.DataFrame({"a": a, "price": a + 1.5, "count": (1000 * (a + 5)).astype(int)})
    frame.select("a", column).write_csv(tmp_path / "t.csv")
    path = str(tmp_path / "t.csv")
    with pytest.raises(InputError, match=rf"{told}.*--learner least-squares\)"):
        train(path, column, stream=True)
    assert train(path, column, stream=False, learner="least-squares").summary.kind == "regression"
    with pytest.raises(UsageError, match="--positive names a class, but the learner least-squares predicts numbers"):
        train(path, column, learner="least-squares", positive="3")
    with pytest.raises((InputError, UsageError), match="rosenblatt train --learner least-squares"):
        separable(path, column)


def test_every_row_keeps_its_own_weight(tmp_path, small_blocks, keep_aside, spied):
    keep_aside(300)
    x = 3 * np.arange(2000)
    pl.DataFrame({"x": x, "y": x % 2, "w": 1 + x % 7}).write_csv(tmp_path / "t.csv")
    done = learn(tmp_path / "t.csv", "y", scale=False, weights="w", keep=["x"], settings={"max_iter": 1})
    met = {row: weight for X, w in spied for row, weight in zip(X[:, 0].tolist(), w.tolist(), strict=True)}
    assert len(met) == 1700 == done.count
    assert all(weight == 1 + row % 7 for row, weight in met.items())


def test_some_rows_of_a_matrix_have_their_labels():
    some = Matrix(np.arange(8.0).reshape(4, 2), np.arange(4)).take([3, 1])
    assert some.X.tolist() == [[6.0, 7.0], [2.0, 3.0]] and some.y.tolist() == [3, 1]
