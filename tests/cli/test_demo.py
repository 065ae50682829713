"""The demo runs, and shows what it promises."""

import io

import pytest
from rich.console import Console

from rosenblatt.cli import demo


@pytest.mark.parametrize("width", [80, 120])
def test_the_demo_shows_the_epochs_the_four_answers_and_the_proofs(width, capsys):
    screen = io.StringIO()
    errors = demo.run(Console(file=screen, width=width))
    assert set(errors) == {"last", "averaged", "voted", "pocket"}
    assert all(0 < test < 0.15 for _, test in errors.values())
    assert errors["pocket"][0] <= errors["last"][0]
    shown = screen.getvalue()
    for text in ("One fit, four answers", "What to try next", "0 1 2 3 4 5 6 7 9", "this run made"):
        assert text in " ".join(shown.split())
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= width
    assert "epoch 1:" in capsys.readouterr().out  # the epochs, as plain lines where there is no terminal
