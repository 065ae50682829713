"""A Parquet data set of five times the memory limit of the workers is learned from within that limit."""

from __future__ import annotations

import os
import resource

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Perceptron

dask = pytest.importorskip("dask", reason="pip install 'rosenblatt[cluster]'")
dd = pytest.importorskip("dask.dataframe", reason="pip install 'rosenblatt[cluster]'")
distributed = pytest.importorskip("distributed", reason="pip install 'rosenblatt[cluster]'")
pytest.importorskip("pyarrow", reason="pip install 'rosenblatt[cluster]'")
from rosenblatt import cluster  # noqa: E402

pytestmark = pytest.mark.slow
WIDTH, ROWS = 100, 60_000  # of a file: 24 MB in float32
ROOM = 350 * 2**20  # bytes for the rows at work, beside what the imports take
TIMES = 5


def file(folder, number: int) -> None:
    random = np.random.default_rng(number)
    X = random.integers(-8, 8, (ROWS, WIDTH)).astype(np.float32)  # 4 bits each, on disk
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(WIDTH)])
    frame.assign(y=(X[:, :10].sum(axis=1) > 0).astype(np.int64)).to_parquet(folder / f"{number:04d}.parquet")


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def worker(limit):
    return distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=limit
    )


def table(folder):
    found = dd.read_parquet(str(folder))
    return found[[f"x{j}" for j in range(WIDTH)]], found["y"]


FITS = {
    "relay": (Perceptron("averaged"), "relay"),
    "mix": (Perceptron("averaged"), "mix"),
}


@pytest.mark.filterwarnings("ignore")
def test_within_the_limit_of_the_worker(tmp_path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    for folder in (small, large):
        folder.mkdir()
    tiny = pd.DataFrame({f"x{j}": np.arange(8, dtype=np.float32) for j in range(WIDTH)}).assign(y=[0, 1] * 4)
    tiny.to_parquet(small / "0.parquet")
    with worker("4GiB") as here, distributed.Client(here) as client:
        for estimator, method in FITS.values():
            cluster.fit(estimator, *table(small), client=client, method=method, rounds=1)
        [imports] = client.run(peak).values()
    limit = imports + ROOM
    files = -(-TIMES * limit // (4 * WIDTH * ROWS))
    for number in range(files):
        file(large, number)
    with worker(limit) as here, distributed.Client(here) as client:
        before = client.run(os.getpid)
        some = pd.read_parquet(large / "0000.parquet")
        for estimator, method in FITS.values():
            found = cluster.fit(estimator, *table(large), client=client, method=method, rounds=1)
            assert f"({files} partitions)" in found.trace_.note and found.trace_["mistakes"][0] > 0
            assert found.score(some.drop(columns="y"), some["y"]) > 0.95
        assert client.run(os.getpid) == before  # a worker beyond its limit would have been ended and begun anew
        [most] = client.run(peak).values()
    assert 0.5 * imports < most < limit and files * 4 * WIDTH * ROWS >= TIMES * limit
