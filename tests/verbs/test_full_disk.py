"""A disk that is full: one sentence, exit code 4, the old file as it was, and nothing half-written beside it."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from rosenblatt.verbs import train

ROOM = 40_000  # bytes that a file may have
COMMANDS = {
    "predict as parquet": "predict m.safetensors t.csv -o out.parquet",
    "predict as csv": "predict m.safetensors t.csv -o out.csv",
    "convert to libsvm": "convert t.csv out.libsvm -t y",
    "convert to npz": "convert t.csv out.npz -t y",
    "convert to arrow": "convert t.csv out.arrow",
    "onnx": "export m.safetensors --onnx out.onnx",
    "report": "train t.csv -t y --out /dev/null --report out.html",
    "model": "train t.csv -t y --force --out out.safetensors",
}
SCRIPT = """
import resource, sys
from rosenblatt.cli.main import main
for line in sys.stdin:
    number, command = line.split(" ", 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    sys.argv = ["rosenblatt", *command.split()]
    try:
        code = main()
    except SystemExit as left:
        code = left.code
    print("exit", number, code, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full")
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 3000))
    words = [" ".join(f"w{k}" for k in random.integers(5000, size=6)) for _ in range(3000)]
    pl.DataFrame({"a": a, "b": b, "words": words, "y": a > b}).write_csv(folder / "t.csv")
    train(str(folder / "t.csv"), "y", out=str(folder / "m.safetensors"))
    return folder


@pytest.mark.parametrize("chosen", [["predict as parquet"], pytest.param(list(COMMANDS), marks=pytest.mark.slow)])
def test_a_full_disk(folder, chosen):
    commands = [COMMANDS[name] for name in chosen]
    names = [command.split("out.")[1].split()[0] for command in commands]
    for name in names:
        (folder / f"out.{name}").write_text("old")
    before = sorted(path.name for path in folder.iterdir())
    given = "".join(f"{number} {command}\n" for number, command in enumerate(commands))
    script = SCRIPT.replace("{room}", str(ROOM))
    done = subprocess.run(
        [sys.executable, "-c", script], input=given, capture_output=True, text=True, timeout=120, cwd=folder
    )
    told = [line for line in done.stderr.splitlines() if line.startswith("rosenblatt:")]
    codes = [line for line in done.stderr.splitlines() if line.startswith("exit")]
    assert codes == [f"exit {number} 4" for number in range(len(commands))], done.stderr
    for name, sentence in zip(names, told, strict=True):
        assert f"out.{name} could not be written" in sentence
        assert (folder / f"out.{name}").read_text() == "old"
    assert sorted(path.name for path in folder.iterdir()) == before
