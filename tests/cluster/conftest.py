"""A real cluster for all tests: two processes with one thread each."""

import warnings

import pytest


@pytest.fixture(scope="session")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'rosenblatt[cluster]'")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit="2GiB"
        ) as found:
            yield found


@pytest.fixture
def client(cluster):
    import distributed

    with distributed.Client(cluster) as found:
        yield found
