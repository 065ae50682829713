"""From a file to a model: every figure is a process of its own, from its start to its end, with its peak memory.

The files are made in a temporary folder and removed. `ROSENBLATT_BENCH_GB` is the size of the file that is streamed
(1 unless it says otherwise; issue 7 asks for 5).
"""

from __future__ import annotations

import importlib.util
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Row
from rosenblatt.sources import locate

PEER_TRAIN = """
import sys
import joblib, pandas as pd
from sklearn.linear_model import Perceptron
from sklearn.metrics import accuracy_score, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
table = pd.read_csv(sys.argv[1], engine=sys.argv[3])
y = table.pop("label")
X_train, X_test, y_train, y_test = train_test_split(table, y, test_size=0.2, stratify=y, random_state=0)
model = make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(X_train, y_train)
answers = model.predict(X_test)
confusion_matrix(y_test, answers)
joblib.dump(model, sys.argv[2])
print(f"{1 - accuracy_score(y_test, answers):.2%}")
"""
OUR_TRAIN = """
import sys
from rosenblatt.cli.main import run
sys.argv = ["rosenblatt", "train", sys.argv[1], "--target", "label", "--out", sys.argv[2], "--json", "--force"]
run()
"""  # what the installed command does
STREAM = """
import resource, sys, time
limit = 10**9
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))  # heap and private pages: more than that is refused
from rosenblatt import open_source
from rosenblatt.verbs import train
source = open_source(sys.argv[1])
done = train(source, "label", stream=True, settings={"max_iter": 2})
epoch = done.model[-1].trace_.epochs[-1]
start = time.perf_counter()
for _ in source.placed_blocks():
    pass
reading = time.perf_counter() - start
print(f"{epoch.seconds:.2f} {reading:.2f} {epoch.test_error:.2%} {done.about['rows']}")
"""
OUR_LIBSVM = """
import sys
from rosenblatt import Perceptron
from rosenblatt.sources import read_libsvm
X, y = read_libsvm(sys.argv[1], n_features=123)
model = Perceptron("averaged", max_iter=1, random_state=0).fit(X, y)
print(f"{1 - model.score(X[:32561], y[:32561]):.2%}")
"""
OUR_READ = """
import sys
from rosenblatt.sources import read_libsvm
X, y = read_libsvm(sys.argv[1], n_features=123)
print(X.shape[0])
"""
PEER_READ = """
import sys
from sklearn.datasets import load_svmlight_file
X, y = load_svmlight_file(sys.argv[1], n_features=123)
print(X.shape[0])
"""
OUR_PASS = """
import sys
from rosenblatt import Perceptron, open_source
model = Perceptron("averaged")
for batch in open_source(sys.argv[1], n_features=123).batches():
    model.partial_fit(batch.X, batch.y)
print(f"{1 - model.score(batch.X, batch.y):.2%}")
"""
PEER_LIBSVM = """
import sys, warnings
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import Perceptron
warnings.simplefilter("ignore")
X, y = load_svmlight_file(sys.argv[1], n_features=123)
X.indices, X.indptr = X.indices.astype("int32"), X.indptr.astype("int32")  # its solvers take no others
model = Perceptron(max_iter=1, tol=None, random_state=0).fit(X, y)
print(f"{1 - model.score(X[:32561], y[:32561]):.2%}")
"""
VW = """
import sys
from vowpalwabbit import Workspace
Workspace(f"--data {sys.argv[1]} --passes 1 --quiet --loss_function hinge --binary").finish()
print("")
"""


def measured(script: str, *arguments: str) -> tuple[float, float, str]:
    """(seconds, peak in bytes, what it prints) of a script in a process of its own."""
    # As on a user's machine, Python keeps the bytecode of what it imports.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"A benchmark's own process failed with {process.returncode}:\n{script}")
    return seconds, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024), printed.strip()


def best_of(rounds: int, *works: tuple[str, ...]) -> list[tuple[float, float, str]]:
    """The fastest of several runs of each, in turns; the first turn, which may compile, does not count."""
    found: list[list[tuple[float, float, str]]] = [[] for _ in works]
    for turn in range(rounds + 1):
        for k, (script, *arguments) in enumerate(works):
            result = measured(script, *arguments)
            if turn:
                found[k].append(result)
    return [min(results) for results in found]


def write_csv(path: Path, n_rows: int | None = None, n_bytes: int | None = None) -> None:
    """Thirty numeric columns on scales from 0.01 to 1000, and a noisy linear label."""
    import polars as pl

    random = np.random.default_rng(0)
    weights, scale, middle = random.normal(size=30), np.geomspace(0.01, 1000, 30), np.linspace(-5, 50, 30)
    written = 0
    with path.open("wb") as file:
        while written < n_rows if n_rows is not None else file.tell() < (n_bytes or 0):
            n = min(250_000, n_rows - written) if n_rows is not None else 250_000
            z = random.normal(size=(n, 30))
            label = np.where(z @ weights + 1.5 * random.normal(size=n) > 0, "yes", "no")
            X = z * scale + middle
            frame = pl.DataFrame({f"f{j}": X[:, j] for j in range(30)} | {"label": label})
            frame.write_csv(file, include_header=written == 0)
            written += n


def write_a9a(folder: Path, n_bytes: int = 200_000_000) -> tuple[Path, Path]:
    """a9a again and again, as LIBSVM text and as the same rows in Vowpal Wabbit's."""
    with lzma.open(locate("libsvm/a9a")) as file:
        once = file.read()
    times = n_bytes // len(once) + 1
    (folder / "a9a.svm").write_bytes(once * times)
    lines = [line.partition(b" ") for line in once.splitlines()]
    (folder / "a9a.vw").write_bytes(b"".join(b"%b | %b\n" % (label, rest) for label, _, rest in lines) * times)
    return folder / "a9a.svm", folder / "a9a.vw"


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from _training(folder)
    with tempfile.TemporaryDirectory() as name:
        yield from _streaming(Path(name))
    with tempfile.TemporaryDirectory() as name:
        yield from _libsvm(Path(name))


def _training(folder: Path) -> Iterator[Row]:
    path = folder / "million.csv"
    write_csv(path, n_rows=1_000_000)
    work = [(OUR_TRAIN, str(path), str(folder / "ours")), (PEER_TRAIN, str(path), str(folder / "peer"), "c")]
    (ours, our_peak, our_error), (peer, peer_peak, peer_error) = best_of(2, *work)
    our_error = f"{1 - json.loads(our_error)['summary']['accuracy']['value']:.1%}"
    name = "rosenblatt train on a CSV of 1,000,000 x 30, beside pandas and scikit-learn"
    yield Row(name, f"{ours:.1f} s", f"{peer:.1f} s", f"{peer / ours:.1f}x", "1.7x", peer / ours >= 1.7,
              f"{our_error} beside {peer_error}")  # fmt: skip
    yield Row(f"{name}, peak memory", f"{our_peak / 1e6:.0f} MB", f"{peer_peak / 1e6:.0f} MB",
              f"{our_peak / peer_peak:.0%}", "70%", our_peak <= 0.7 * peer_peak)  # fmt: skip


def _streaming(folder: Path) -> Iterator[Row]:
    size = float(os.environ.get("ROSENBLATT_BENCH_GB", "1"))
    path = folder / "large.csv"
    write_csv(path, n_bytes=int(size * 1e9))
    _, peak, printed = measured(STREAM, str(path))
    epoch, reading, error, n_rows = printed.split()
    yield Row(
        f"streaming {path.stat().st_size / 1e9:.1f} GB of CSV ({int(n_rows):,} rows), an epoch beside reading alone",
        f"{epoch} s", f"{reading} s", f"{float(epoch) / float(reading):.1f}x", "", True, error,
    )  # fmt: skip
    yield Row("the same, peak memory beside 1 GB", f"{peak / 1e6:.0f} MB", "1000 MB", f"{peak / 1e9:.0%}", "100%",
              peak <= 1e9)  # fmt: skip


def _libsvm(folder: Path) -> Iterator[Row]:
    """All rows at once, as scikit-learn has it, and block by block in the order of the file, as vw does."""
    svm, vw = write_a9a(folder)
    works = {"whole": (OUR_LIBSVM, str(svm)), "pass": (OUR_PASS, str(svm)), "peer": (PEER_LIBSVM, str(svm)),
             "read": (OUR_READ, str(svm)), "peer reads": (PEER_READ, str(svm))}  # fmt: skip
    if importlib.util.find_spec("vowpalwabbit"):
        works["vw"] = (VW, str(vw))
    found = dict(zip(works, best_of(3, *works.values()), strict=True))
    peer, peer_peak, peer_error = found["peer"]
    ours, other = found["read"][0], found["peer reads"][0]
    yield Row("LIBSVM text of 200 MB read, beside scikit-learn", f"{ours:.2f} s", f"{other:.2f} s",
              f"{other / ours:.1f}x", "5x", other / ours >= 5)  # fmt: skip
    for way, name in (
        ("whole", "LIBSVM text of 200 MB read, and one epoch"),
        ("pass", "LIBSVM text of 200 MB learned from as it is read"),
    ):
        ours, our_peak, our_error = found[way]
        yield Row(f"{name}, beside scikit-learn", f"{ours:.2f} s", f"{peer:.2f} s", f"{peer / ours:.1f}x", "",
                  True, f"{our_error} beside {peer_error}")  # fmt: skip
        yield Row(f"{name}, peak memory", f"{our_peak / 1e6:.0f} MB", f"{peer_peak / 1e6:.0f} MB",
                  f"{our_peak / peer_peak:.0%}", "", True)  # fmt: skip
    if "vw" in found:
        ours, other = found["pass"][0], found["vw"][0]
        yield Row(f"{name}, beside vw", f"{ours:.2f} s", f"{other:.2f} s", f"{other / ours:.1f}x", "1x", other > ours)
