"""Ctrl-C during a cross-validation or a search: what is done is kept or nothing is written, and exit code 130."""

import pytest

import rosenblatt
from rosenblatt.cli.main import main
from rosenblatt.verbs import export_dataset, predict, train, training


@pytest.fixture
def iris(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    export_dataset("iris", "iris.csv")
    return tmp_path


def interrupt_at(monkeypatch, call, way):
    """The n-th fit is interrupted: it says so, or Ctrl-C comes through."""
    fit, calls = training.fit_learner, []

    def fitting(model, *given, **options):
        calls.append(1)
        if len(calls) == call and way == "raised":
            raise KeyboardInterrupt
        fit(model, *given, **options)
        if len(calls) == call:
            model.steps[-1][1].stop_reason_ = "interrupted"

    monkeypatch.setattr(training, "fit_learner", fitting)
    return calls


@pytest.mark.parametrize("way", ["raised", "told"])
@pytest.mark.parametrize(("call", "tested"), [(2, 150), (4, 60)])
def test_a_cross_validation(iris, monkeypatch, way, call, tested):
    calls = interrupt_at(monkeypatch, call, way)
    done = train("iris.csv", "species", cv=5, out="m.safetensors")
    assert done.interrupted and not done.learned_in_part and len(calls) == call
    assert done.summary.rows_test == tested
    assert ("which flatters" in done.summary.held_out) == (call == 2)
    assert f"Ctrl-C ended the cross-validation after {call - 2} of 5 folds." in done.notes
    assert predict("m.safetensors", "iris.csv").rows == 150


def test_a_model_that_was_interrupted_is_not_cross_validated(iris, monkeypatch):
    calls = interrupt_at(monkeypatch, 1, "told")
    assert main(["train", "iris.csv", "-t", "species", "--cv", "5", "-o", "m.safetensors", "-q"]) == 130
    assert len(calls) == 1 and predict("m.safetensors", "iris.csv").rows == 150


def test_a_search(iris, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(rosenblatt, "search", interrupted)
    assert main(["train", "iris.csv", "-t", "species", "--search", "-o", "m.safetensors", "--report", "r.html"]) == 130
    assert sorted(path.name for path in iris.iterdir()) == ["iris.csv"]
