"""A run shown while it runs."""

import builtins
import importlib.machinery
import io
import sys
import types

import pytest

from rosenblatt import Perceptron
from rosenblatt.progress import Lines, LiveTable, Silent, reporter
from rosenblatt.sources import blobs, xor
from rosenblatt.trace import Epoch

toy, hard = blobs(40, 2, random_state=1), xor()


def test_nothing_is_printed_unless_asked_for(capsys):
    Perceptron(random_state=0).fit(toy.X, toy.y)
    assert capsys.readouterr() == ("", "")


def test_a_log_gets_a_line_for_every_epoch_and_one_at_the_end(capsys):
    model = Perceptron(verbose=1, random_state=0).fit(toy.X, toy.y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_ + 1
    assert lines[0].startswith("Perceptron: epoch 1: updates ")
    assert lines[-1] == f"Perceptron: stopped: converged after {model.n_iter_} epochs"


def test_a_long_run_does_not_flood_the_log(capsys):
    Perceptron("averaged", verbose=1, max_iter=500, random_state=0).fit(hard.X, hard.y)
    assert 20 < len(capsys.readouterr().out.splitlines()) < 50


def test_showing_changes_nothing():
    shown, silent = (Perceptron(verbose=v, random_state=0).fit(toy.X, toy.y) for v in (1, 0))
    assert shown.coef_.tolist() == silent.coef_.tolist()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_a_live_table(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    assert isinstance(reporter(1, "Perceptron", 5), LiveTable)
    Perceptron(verbose=1, random_state=0).fit(toy.X, toy.y)
    assert "mistakes" in screen.getvalue() and "converged" in screen.getvalue()


@pytest.mark.parametrize(("verbose", "kind"), [(0, Silent), (1, Lines)])
def test_what_fits_the_place(verbose, kind):
    assert type(reporter(verbose, "x", 3)) is kind


def test_a_table_shows_no_more_than_the_screen_holds():
    table = LiveTable("x", 100)
    for n in range(1, 50):
        table.epoch(Epoch(n, 1, 1, 1.0, 0.1))
    assert table.render() is not None


@pytest.mark.parametrize(("widgets", "kind"), [(False, Lines), (True, LiveTable)])
def test_a_notebook_without_widgets_gets_lines(widgets, kind, monkeypatch):
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    library = types.ModuleType("ipywidgets")
    library.__spec__ = importlib.machinery.ModuleSpec("ipywidgets", None)
    monkeypatch.setitem(sys.modules, "ipywidgets", library if widgets else None)
    assert type(reporter(1, "Perceptron", 5)) is kind
