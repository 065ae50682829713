"""A save that does not end: the old file or the new one is there, whole, and no litter that grows."""

import json
import os
import resource
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt import Perceptron, load, save
from rosenblatt.models.whole_file import write_whole
from tests.exchange import models


@pytest.mark.parametrize("times", [10, pytest.param(300, marks=pytest.mark.slow)])
def test_a_process_that_is_killed_leaves_the_old_file_or_the_new_one(times, tmp_path):
    command = [sys.executable, "-m", "tests.exchange.killing", str(tmp_path), str(times)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
    told = json.loads(ended.stdout)
    assert told["models"] > times / 4  # two of three are killed after they have saved at least once
    assert told["most_litter"] <= 1 and told["names"] == ["model.safetensors"]


def in_a_child(work):
    """What `work` says, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = str(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        said = stream.read()
    os.waitpid(child, 0)
    return said


def test_a_disk_without_room_keeps_the_old_file(tmp_path):
    path = tmp_path / "model.safetensors"
    small, _ = models.fitted("perceptron")
    save(small, path)
    before = path.read_bytes()
    large = Perceptron(random_state=0).fit(np.random.default_rng(0).normal(size=(20, 5000)), [0, 1] * 10)

    def work():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        save(large, path)

    said = in_a_child(work)
    assert said.startswith("OSError: ") and "could not be written (File too large)" in said and "\n" not in said
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["model.safetensors"]
    load(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights for a while")
def test_a_folder_without_rights(tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    model, _ = models.fitted("perceptron")

    def work():
        os.setuid(65534)
        save(model, folder / "model.safetensors")

    said = in_a_child(work)
    assert said.startswith("PermissionError: ") and "could not be written (Permission denied)" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights for a while")
def test_a_file_that_may_not_be_read_is_not_called_damaged(tmp_path):
    path = tmp_path / "model.safetensors"
    save(models.fitted("perceptron")[0], path)
    path.chmod(0)

    def work():
        os.setuid(65534)
        load(path)

    os.chmod(tmp_path, 0o755)
    said = in_a_child(work)
    assert said == f"PermissionError: Cannot read {path}: Permission denied."


@pytest.mark.parametrize("path", ["missing/model.safetensors", "file/model.safetensors", "folder"])
def test_a_place_that_is_none(path, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    model, _ = models.fitted("perceptron")
    with pytest.raises(OSError, match=r"could not be written|is a directory") as caught:
        save(model, tmp_path / path)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_neighbours_that_somebody_holds_are_left_alone(tmp_path):
    """Two who save at once do not take each other's files."""
    fcntl = pytest.importorskip("fcntl", reason="locks of files are POSIX")
    held, abandoned = tmp_path / ".model.1.part", tmp_path / ".model.2.part"
    with held.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        abandoned.write_bytes(b"half a fi")
        (tmp_path / ".other.3.part").write_bytes(b"of another model")
        write_whole(tmp_path / "model", b"whole")
        assert sorted(os.listdir(tmp_path)) == [".model.1.part", ".other.3.part", "model"]
    write_whole(tmp_path / "model", b"whole again")
    assert sorted(os.listdir(tmp_path)) == [".other.3.part", "model"]
