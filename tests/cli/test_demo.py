"""The demo runs, and shows what it promises."""

import io

from rich.console import Console

from rosenblatt.cli import demo


def test_the_demo_shows_the_epochs_the_four_answers_and_the_stop_reason(capsys):
    screen = io.StringIO()
    errors = demo.run(Console(file=screen, width=120))
    assert set(errors) == {"last", "averaged", "voted", "pocket"}
    assert all(0 < test < 0.15 for _, test in errors.values())
    assert errors["pocket"][0] <= errors["last"][0]
    shown = screen.getvalue()
    for text in ("One fit, four answers", "It stopped", "What to try next", "HalfSpace(rule=my_rule)"):
        assert text in shown
    assert "epoch 1:" in capsys.readouterr().out  # the epochs, as plain lines where there is no terminal
