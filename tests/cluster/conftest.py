"""A real cluster for all tests: two processes with one thread each."""

import warnings

import pytest


@pytest.fixture(scope="session")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install 'rosenblatt[cluster]'")
    import dask

    settings = {
        "distributed.comm.timeouts.connect": "3s",  # how long workers wait for one that was killed
        "distributed.deploy.lost-worker-timeout": "10 minutes",  # before one that is killed twice is given up
    }
    with warnings.catch_warnings(), dask.config.set(settings):
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit="2GiB"
        ) as found:
            yield found


@pytest.fixture
def client(cluster):
    import distributed

    with distributed.Client(cluster) as found:
        yield found
