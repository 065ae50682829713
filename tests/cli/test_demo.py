"""The demo runs, and shows what it promises."""

import io
import sys
from pathlib import Path

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
    ):
        assert text in shown
    assert "epoch 1:" in capsys.readouterr().out  # the epochs, as plain lines where there is no terminal


def test_what_to_try_next_works_from_here(monkeypatch):
    commands = [command for command, _ in demo.next_steps()]
    assert any(" lab" in command for command in commands) and any(" train " in command for command in commands)
    monkeypatch.setattr(demo.shutil, "which", lambda name: None)
    assert Path(demo.next_steps()[0][0].split()[0]).resolve() == Path(sys.executable).with_name("rosenblatt").resolve()
    monkeypatch.setattr(demo.importlib.util, "find_spec", lambda name: None)
    assert "pip install '.[lab]'" in dict(demo.next_steps())[demo.next_steps()[2][0]]
