"""The page on the command line is run: every command in it, and the help of every verb is as printed there."""

import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from rosenblatt.cli.app import app
from rosenblatt.cli.failures import Failure
from rosenblatt.cli.main import main
from rosenblatt.verbs import testing
from rosenblatt.verbs.learners import LEARNERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)

reference = importlib.import_module("docs.command_line.reference")


def commands(text):
    """Each command of a page with what it prints."""
    for block in BLOCK.findall(text):
        command, printed = None, []
        for line in block.splitlines():
            if line.startswith("$ "):
                if command is not None:
                    yield command, "\n".join(printed) + "\n"
                command, printed = line[2:], []
            else:
                printed.append(line)
        yield command, "\n".join(printed) + "\n"


class Session:
    """Runs commands one after another; plain ones in this process, pipes in a shell."""

    def __init__(self, capfd):
        self.capfd, self.code = capfd, 0

    def run(self, command):
        if command == "echo $?":
            return f"{self.code}\n"
        if command.startswith("rosenblatt ") and not any(sign in command for sign in "|>"):
            self.code = main(shlex.split(command)[1:])
        else:
            shell = command.replace("rosenblatt ", f"{shlex.quote(sys.executable)} -m rosenblatt ", 1)
            self.code = subprocess.run(shell, shell=True, timeout=120).returncode
        captured = self.capfd.readouterr()
        return captured.out + "".join(line for line in captured.err.splitlines(True) if not line.startswith("note:"))


@pytest.mark.parametrize("page", [PAGE, README], ids=["command_line.md", "README.md"])
def test_every_command_prints_what_the_page_says(page, capfd, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(testing, "ADVISING", 60.0)  # a busy machine must not change what is said
    session, checker, wrong = Session(capfd), doctest.OutputChecker(), []
    for command, expected in commands(page):
        got = session.run(command)
        if not checker.check_output(*(f"{' '.join(text.split())}\n" for text in (expected, got)), doctest.ELLIPSIS):
            wrong.append(f"$ {command}\n--- expected\n{expected}--- got\n{got}")
    assert not wrong, "\n".join(wrong)


def test_the_commands_of_the_readme_are_found_in_a_fresh_clone(tmp_path):
    """What the README writes is typed in one shell, in its order, without the options: each command must be there."""
    venv.create(tmp_path / ".venv")  # as make does
    for name in ("pip", "rosenblatt"):
        installed = tmp_path / ".venv" / "bin" / name
        installed.write_text("#!/bin/sh\n")
        installed.chmod(0o755)
    typed = re.findall(r"^(?:    |\$ )(make|\.|pip|python|rosenblatt)( \S+)", README, re.MULTILINE)
    assert {"make", ".", "pip", "rosenblatt"} == {command for command, _ in typed}
    lines = [f". {first}" if command == "." else f"command -v {command}" for command, first in typed]
    run = subprocess.run(
        ["sh", "-ec", "\n".join(lines)], cwd=tmp_path, env={"PATH": os.defpath}, capture_output=True, text=True
    )
    assert run.returncode == 0, f"{run.stdout}{run.stderr}"


def test_the_help_of_every_verb_is_on_the_page(monkeypatch):
    monkeypatch.setenv("COLUMNS", "88")
    page = reference.page()
    assert reference.PAGE.read_text(encoding="utf-8") == page, "run: python -m docs.command_line.reference"
    verbs = {str(command.name) for command in app.registered_commands} | {"datasets"}
    assert verbs == {verb.split()[0] for verb in reference.VERBS}


@pytest.mark.parametrize("verb", ["", *reference.VERBS])
def test_help_fits_a_terminal_of_80_columns_and_has_an_example(verb, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*verb.split(), "--help"]) == 0
    lines = capsys.readouterr().out.rstrip().split("\n")
    assert max(map(len, lines)) <= 80
    assert f"rosenblatt {verb}".rstrip() in " ".join("".join(lines).split())


def test_every_option_that_the_page_names_exists():
    known = set(re.findall(r"--[a-z][a-z-]+", reference.page())) | {"--version", "--traceback", "--install-completion"}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    assert named <= known, named - known


def test_every_learner_and_exit_code_is_on_the_page():
    assert re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE) == list(LEARNERS)
    codes = [int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)]
    assert codes == [0, *(int(code) for code in Failure)]


accuracies = importlib.import_module("docs.command_line.accuracies")


def line_on_the_page(file):
    lines = accuracies.TABLE.read_text(encoding="utf-8").splitlines()[2:]
    return next(line for line in lines if f"`{Path(file).name}`" in line)


@pytest.mark.parametrize("file", ["small/iris.csv", "small/wine.csv", "small/titanic.keel.dat"])
def test_the_accuracies_are_those_of_today(file):
    if "ROSENBLATT_DATA" not in os.environ:
        pytest.skip("the public files are not on this machine; set ROSENBLATT_DATA")
    check_line(file)


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(set(accuracies.FILES) - {"small/iris.csv", "small/wine.csv"}))
def test_all_accuracies_are_those_of_today(file):
    if "ROSENBLATT_DATA" not in os.environ:
        pytest.skip("the public files are not on this machine; set ROSENBLATT_DATA")
    check_line(file)


def check_line(file):
    """All but the last cell, whose trials end by the clock."""
    found = accuracies.line_of(file, Path(os.environ["ROSENBLATT_DATA"])).cells()
    assert line_on_the_page(file).strip("| ").split(" | ")[:7] == found[:7]
