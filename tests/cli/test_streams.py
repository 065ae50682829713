"""Standard streams that are closed, full, or know few letters: the exit code still says what happened."""

import json
import os
import shlex
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="streams are closed as a shell of POSIX does it")


def ran(command, folder, **environment):
    """A command line with its redirections; {} is ours."""
    ours = f"{shlex.quote(sys.executable)} -m rosenblatt"
    return subprocess.run(
        ["sh", "-c", command.format(ours)], cwd=folder, env={**os.environ, **environment}, capture_output=True,
        timeout=100,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "größe.csv").write_text("größe,t\n" + "1,yes\n2,no\n" * 20, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("command", ["{} inspect größe.csv >&-", "{} convert größe.csv - >&-", "{} --version >&-"])
def test_a_closed_output(command, folder):
    done = ran(command, folder)
    assert done.returncode == 4 and b"Standard output could not be written" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_a_closed_input_is_empty(folder):
    done = ran("{} inspect - <&-", folder)
    assert done.returncode == 3 and b"standard input is empty" in done.stderr


@pytest.mark.parametrize("place", ["&-", "/dev/full"])
def test_the_exit_code_needs_no_standard_error(place, folder):
    if place == "/dev/full" and not os.path.exists(place):
        pytest.skip("there is no device that is always full")
    assert ran("{} inspect nothing.csv 2>" + place, folder).returncode == 3


def test_letters_that_an_encoding_does_not_have(folder):
    shown = ran("{} inspect größe.csv", folder, PYTHONIOENCODING="ascii")
    assert shown.returncode == 0 and b"gr??e" in shown.stdout
    found = ran("{} inspect größe.csv --json", folder, PYTHONIOENCODING="ascii")
    assert json.loads(found.stdout)["path"] == "größe.csv"
    rows = ran("{} convert größe.csv -", folder, PYTHONIOENCODING="ascii")
    assert rows.stdout.decode().startswith("größe,t\n")
