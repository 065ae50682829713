"""A command begins to read before it imports, and imports no more than it needs."""

import subprocess
import sys

import pytest

from rosenblatt.cli.starting import begin_to_read
from rosenblatt.sources import Source


def ran(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_training_needs_neither_pandas_nor_scipy_stats(tmp_path):
    ran(
        "import os, sys\n"
        f"os.chdir({str(tmp_path)!r})\n"
        "rows = ''.join(f'{i % 7},{i % 11},{(i % 7 > i % 11) + 0}\\n' for i in range(300))\n"
        "open('t.csv', 'w').write('a,b,y\\n' + rows)\n"
        "from rosenblatt.cli.main import main\n"
        "assert main(['train', 't.csv', '--target', 'y', '--quiet']) == 0\n"
        "assert not {'pandas', 'scipy.stats._stats_py'} & set(sys.modules)\n"
        "import pandas\n"
        "assert pandas.DataFrame({'a': [1]}).shape == (1, 1)\n"
    )


def test_a_module_that_stands_in_is_the_module_when_it_is_used():
    ran(
        "import sys\n"
        "from rosenblatt.cli.starting import import_scikit_learn\n"
        "import_scikit_learn()\n"
        "assert 'scipy.stats._stats_py' not in sys.modules and 'pandas' not in sys.modules\n"
        "import scipy\n"
        "assert scipy.stats.norm.cdf(0.0) == 0.5\n"
        "assert 'scipy.stats._stats_py' in sys.modules\n"
        "from scipy.stats import distributions, binomtest\n"
        "from scipy.stats import _stats_py\n"
        "from sklearn.metrics import roc_auc_score\n"
        "assert roc_auc_score([0, 1], [0.0, 1.0]) == 1.0\n"
    )


def test_a_part_of_a_module_that_stands_in():
    ran(
        "from rosenblatt.cli.starting import import_scikit_learn\n"
        "import_scikit_learn()\n"
        "import scipy.stats.distributions\n"
        "assert scipy.stats.distributions.norm.cdf(0.0) == 0.5\n"
    )


@pytest.mark.parametrize("data", [["-"], ["no-such-file.csv"], ["a.npy"]])
def test_what_cannot_be_begun_is_left_as_it_is(tmp_path, monkeypatch, data):
    import numpy as np

    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.eye(3))
    assert begin_to_read(data, format=None, header=None, encoding=None) is data


def test_a_table_is_begun(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    source = begin_to_read([str(path)], format=None, header=None, encoding=None)
    assert isinstance(source, Source) and source.read().to_dicts() == [{"a": 1, "b": 2}]
