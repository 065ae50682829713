"""The most memory that a fit takes beyond X, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measure import Row, in_fresh_process

TRIES = 2  # of which the better one counts: the first may find nothing compiled

SCRIPT = """
import sys, warnings
import numpy as np
from benchmarks.measure import peak_memory
library, kind = sys.argv[1:3]
jobs, epochs = map(int, sys.argv[3:])
if library == "ours":
    from rosenblatt import Perceptron
    make = lambda: Perceptron(max_iter=epochs, random_state=0, n_jobs=jobs)
elif library == "peer":
    from sklearn.linear_model import Perceptron
    make = lambda: Perceptron(max_iter=epochs, tol=None, random_state=0, n_jobs=jobs)
else:
    from sklearn.linear_model import SGDClassifier
    make = lambda: SGDClassifier(
        loss="perceptron", penalty=None, learning_rate="constant", eta0=1, average=True,
        max_iter=epochs, tol=None, random_state=0, n_jobs=jobs,
    )
warnings.simplefilter("ignore")
if kind.startswith("text"):
    from rosenblatt.sources import newsgroups_tfidf
    data = newsgroups_tfidf(dtype=np.float32)
    X, y = data.X_train, data.y_train == 3 if kind == "text of two" else data.y_train
else:
    from rosenblatt.sources import mnist
    data = mnist()
    X, y = np.array(data.X_train).astype(kind), data.y_train
if epochs == 3:
    some = np.random.default_rng(0).choice(X.shape[0], 500, replace=False)
    make().fit(X[some], y[some])  # what is loaded once is loaded now
else:
    make().fit(X, y)  # a long fit loads more on its way, when half-spaces rest or the pocket is looked at
data = None
held = np.ones(40_000_000, np.uint8)  # leaves what was held before below the mark
import ctypes, gc, os
gc.collect()
ctypes.CDLL("libc.so.6").malloc_trim(0)  # what was freed goes back, so that it cannot hide what the fit takes
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the kernel resets its high-water mark
def status(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024
before = status("VmRSS")
make().fit(X, y)
print(status("VmHWM") - before)
"""


def rows() -> Iterator[Row]:
    """Ours keeps averages beside the last weights; of scikit-learn's, Perceptron does not and SGDClassifier may."""
    for kind, jobs, epochs, peer, work in (
        ("uint8", 2, 3, "peer", "MNIST uint8, 10 classes"),
        ("float32", 2, 3, "peer", "MNIST float32, 10 classes"),
        ("float64", 2, 3, "peer", "MNIST float64, 10 classes"),
        ("text", 1, 3, "peer", "20 newsgroups, 20 classes, one thread"),
        ("text", 2, 3, "peer", "20 newsgroups, 20 classes, two threads"),
        ("text", 2, 3, "averaging peer", "20 newsgroups, 20 classes, two threads, a peer that averages too"),
        ("text of two", 1, 3, "peer", "20 newsgroups, 2 classes"),
        ("text of two", 1, 100, "peer", "20 newsgroups, 2 classes, up to 100 epochs"),
        ("text", 1, 100, "peer", "20 newsgroups, 20 classes, one thread, 100 epochs"),
        ("text", 2, 100, "peer", "20 newsgroups, 20 classes, two threads, 100 epochs"),
    ):
        settings = kind, str(jobs), str(epochs)
        ours, theirs = (
            min(int(in_fresh_process(SCRIPT, library, *settings)) for _ in range(TRIES)) for library in ("ours", peer)
        )
        yield Row(
            work=f"memory beyond X, {work}",
            ours=f"{ours / 1e6:.1f} MB",
            peer=f"{theirs / 1e6:.1f} MB",
            ratio=f"{ours / max(theirs, 1):.0%}",
            wanted="100%",
            met=ours <= theirs,
        )
