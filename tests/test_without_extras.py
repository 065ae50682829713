"""The learners and the sources of arrays need no table reader, no browser page and no file format."""

from __future__ import annotations

import subprocess
import sys

import pytest

ABSENT = ("polars", "backports.zstd", "flint", "typer", "onnx", "safetensors", "matplotlib", "pandas")

SCRIPT = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {ABSENT!r}:
            raise ImportError(name)

sys.meta_path.insert(0, Absent())
import numpy as np
import rosenblatt
import rosenblatt.features
import rosenblatt.sources

X = np.random.default_rng(0).normal(size=(60, 3))
y = X[:, 0] > 0
for learner in (rosenblatt.KernelPerceptron, rosenblatt.Perceptron, rosenblatt.LinearSVM):
    assert learner().fit(X, y).score(X, y) > 0.8
print("done")
"""


def test_kernel_learners_work_where_only_the_numeric_packages_are() -> None:
    result = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "done"


@pytest.mark.parametrize(
    ("package", "advice", "arguments"),
    [
        ("msgspec", "pip install 'rosenblatt[serve]'", ["serve", "--data", "models"]),
        ("matplotlib", "pip install matplotlib", ["train", "a.csv", "--target", "y", "--report", "r.html"]),
    ],
)
def test_a_command_whose_extra_is_missing_names_it(package, advice, arguments, tmp_path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n3,a\n4,b\n")
    script = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == {package!r}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Absent())
from rosenblatt.cli.main import main
sys.exit(main({arguments!r}))
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert result.returncode != 0 and "Traceback" not in result.stderr
    assert advice in result.stderr and package in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
