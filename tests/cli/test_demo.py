"""The demo runs, and shows what it promises."""

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from rosenblatt.cli import demo


def test_the_demo_shows_the_epochs_the_four_answers_and_the_stop_reason(capsys):
    screen = io.StringIO()
    errors = demo.run(Console(file=screen, width=120))
    assert set(errors) == {"last", "averaged", "voted", "pocket"}
    assert all(0 < test < 0.15 for _, test in errors.values())
    assert errors["pocket"][0] <= errors["last"][0]
    shown = screen.getvalue()
    for text in (
        "One fit, four answers",
        "It stopped",
        "What to try next",
        "HalfSpace(rule=my_rule)",
        "digits answered wrongly",
        "0 1 2 3 4 5 6 7 9",
        "this run made",
    ):
        assert text in " ".join(shown.split())
    assert "epoch 1:" in capsys.readouterr().out  # the epochs, as plain lines where there is no terminal


@pytest.mark.parametrize("width", [80, 100, 120])
def test_every_line_fits_the_terminal(width, monkeypatch, capsys):
    monkeypatch.setattr(demo.shutil, "which", lambda name: None)  # the longer way to say it,
    monkeypatch.setattr(demo.sys, "executable", str(Path(".venv/bin/python").absolute()))  # where make sets it up
    screen = io.StringIO()
    demo.run(Console(file=screen, width=width))
    lines = [line.rstrip() for line in screen.getvalue().splitlines()]
    assert max(map(len, lines)) <= width
    steps = lines[lines.index("What to try next") + 1 :]
    assert len([line for line in steps if line]) == len(demo.next_steps())  # none is wrapped
    assert not [line for line in lines if 0 < len(line) <= 6 and line.strip() != "8"]  # nor has a word for itself


def test_what_to_try_next_works_from_here(monkeypatch):
    commands = [command for command, _ in demo.next_steps()]
    assert any(" lab" in command for command in commands) and any(" train " in command for command in commands)
    monkeypatch.setattr(demo.shutil, "which", lambda name: None)
    assert Path(demo.next_steps()[0][0].split()[0]).resolve() == Path(sys.executable).with_name("rosenblatt").resolve()
