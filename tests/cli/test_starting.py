"""A command begins to read before it imports, and imports no more than it needs."""

import hashlib
import os
import signal
import subprocess
import sys
import time

import pytest

from rosenblatt.cli import starting
from rosenblatt.cli.starting import begin_early, begin_to_read
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


NOTHING_SAID = dict.fromkeys(("format", "header", "encoding"))


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setattr(starting, "LARGE", 1)
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", "26")  # what is set already stays
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    yield str(path)
    starting._begun = None


def test_a_large_table_is_begun_before_the_command_is_understood(table):
    begin_early([table, "--target", "b"])
    assert os.environ["OPENBLAS_THREAD_TIMEOUT"] == "26"
    early = starting._begun
    assert begin_to_read([table], **NOTHING_SAID) is early and starting._begun is None
    assert early.read().to_dicts() == [{"a": 1, "b": 2}]
    assert early.digest_later().result() == hashlib.sha256(b"a,b\n1,2\n").hexdigest() == early.digest()


def test_what_was_begun_for_another_reading_is_not_used(table, tmp_path):
    for other in ({"format": "tsv"}, {"header": False}, {"encoding": "latin-1"}, {"separator": ";"}):
        begin_early([table, "--target", "b"])
        early = starting._begun
        assert early is not None and begin_to_read([table], **NOTHING_SAID | other) is not early
    begin_early([table])
    early = starting._begun
    (tmp_path / "u.csv").write_text("a,b\n3,4\n")
    assert begin_to_read([str(tmp_path / "u.csv")], **NOTHING_SAID).read().to_dicts() == [{"a": 3, "b": 4}]


@pytest.mark.parametrize(
    "arguments",
    [[], ["--target", "b", "{}"], ["{}", "{}"], ["{}", "--stream"], ["{}", "--separator", ";"], ["{}", "--help"],
     ["{}", "-h"], ["{}", "--no-header"], ["{}", "--test", "{}"], ["no-such-file.csv"], ["."], ["-"]],
)  # fmt: skip
def test_what_does_not_look_plain_is_not_begun_early(table, arguments):
    begin_early([argument.format(table) for argument in arguments])
    assert starting._begun is None


def test_small_tables_are_not_begun_early(table, monkeypatch):
    monkeypatch.setattr(starting, "LARGE", 100)
    begin_early([table])
    assert starting._begun is None


def test_scikit_learn_has_all_its_parts_when_they_are_asked_for():
    ran(
        "import sys\n"
        "from rosenblatt.cli.starting import import_scikit_learn\n"
        "import_scikit_learn()\n"
        "left = {'scipy.interpolate', 'scipy.optimize', 'numpy.f2py.f2py2e', 'rich.progress'} & set(sys.modules)\n"
        "assert not left, left\n"
        "import sklearn.preprocessing, numpy, pytest, rich.progress\n"
        "from sklearn.preprocessing import *\n"
        "assert PolynomialFeatures(2).fit_transform([[3.0]]).tolist() == [[1.0, 3.0, 9.0]]\n"
        "assert sklearn.preprocessing.SplineTransformer is SplineTransformer and isinstance(SplineTransformer, type)\n"
        "assert not hasattr(sklearn.preprocessing, 'Nothing')\n"
        "from sklearn.preprocessing._polynomial import PolynomialFeatures as same\n"
        "assert same is PolynomialFeatures\n"
        "assert numpy.polynomial.Polynomial([1, 2])(3) == 7 and numpy.f2py.get_include()\n"
        "from numpy.testing import assert_allclose\n"
        "from numpy.polynomial.polynomial import polyval\n"
        "assert_allclose(polyval(3, [1, 2]), 7)\n"
    )


def test_ctrl_c_while_libraries_are_imported(tmp_path):
    script = (
        "import sys\n"
        "import rosenblatt.cli.main as command\n"
        "import rosenblatt.cli.starting as starting\n"
        "def interrupted(arguments):\n"
        "    raise KeyboardInterrupt\n"
        "starting.begin_early = interrupted\n"
        "sys.argv = ['rosenblatt', 'train', 'rows.csv']\n"
        "command.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "rosenblatt: interrupted.\n")


def test_ctrl_c_while_a_command_is_taken_apart():
    script = (
        "import sys\n"
        "import rosenblatt.cli.main as command\n"
        "from rosenblatt.cli.help import Verbs\n"
        "def interrupted(*arguments, **named):\n"
        "    raise KeyboardInterrupt\n"
        "Verbs.make_context = interrupted\n"
        "sys.argv = ['rosenblatt', 'inspect', 'rows.csv']\n"
        "command.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (130, "rosenblatt: interrupted.\n")


def test_ctrl_c_at_any_moment_is_answered_with_one_line(tmp_path):
    """From the moment on that our code is reached; before it Python itself answers, and dies of the signal."""
    (tmp_path / "t.csv").write_text("a,b\n" + "1,x\n2,y\n" * 30)
    script = "import rosenblatt.cli.main as c; print('here', flush=True); c.run()"
    for hundredths in range(0, 20, 4):
        command = [sys.executable, "-c", script, "train", str(tmp_path / "t.csv"), "-t", "b", "--no-save"]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert run.stdout is not None and run.stdout.readline() == "here\n"
        time.sleep(hundredths / 100)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=60)[1]
        assert run.returncode == 130 and said.startswith("rosenblatt: ") and said.count("\n") == 1, (hundredths, said)
