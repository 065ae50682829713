"""Ctrl-C at any moment: what is done is kept, or nothing is written and that is said, and exit code 130."""

import signal

import pytest

import rosenblatt
from rosenblatt import open_source
from rosenblatt.cli.main import main
from rosenblatt.engine.online.stopping import interrupt_flag
from rosenblatt.interrupts import listening
from rosenblatt.report import advice
from rosenblatt.verbs import export_dataset, learning, predict, testing, train, training
from rosenblatt.verbs.options import TrainOptions
from rosenblatt.verbs.streaming import learn_in_passes


@pytest.fixture
def iris(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    export_dataset("iris", "iris.csv")
    return tmp_path


def interrupt_at(monkeypatch, call, way):
    """The n-th fit is interrupted: it says so, or Ctrl-C comes through."""
    fit, calls = learning.fit_learner, []

    def fitting(model, *given, **options):
        calls.append(1)
        if len(calls) == call and way == "raised":
            raise KeyboardInterrupt
        fit(model, *given, **options)
        if len(calls) == call:
            model.steps[-1][1].stop_reason_ = "interrupted"

    for module in (learning, testing):
        monkeypatch.setattr(module, "fit_learner", fitting)
    return calls


@pytest.mark.parametrize("way", ["raised", "told"])
@pytest.mark.parametrize(("call", "tested"), [(2, 150), (4, 60)])
def test_a_cross_validation(iris, monkeypatch, way, call, tested):
    calls = interrupt_at(monkeypatch, call, way)
    done = train("iris.csv", "species", cv=5, out="m.safetensors")
    assert done.interrupted and len(calls) == call
    assert done.summary.rows_test == tested
    assert ("which flatters" in done.summary.held_out) == (call == 2)
    assert f"Ctrl-C ended the cross-validation after {call - 2} of 5 folds." in done.notes
    assert predict("m.safetensors", "iris.csv").rows == 150


def test_a_model_that_was_interrupted_is_not_cross_validated(iris, monkeypatch):
    calls = interrupt_at(monkeypatch, 1, "told")
    assert main(["train", "iris.csv", "-t", "species", "--cv", "5", "-o", "m.safetensors", "-q"]) == 130
    assert len(calls) == 1 and predict("m.safetensors", "iris.csv").rows == 150


def press_in_the_last_moment():
    """Ctrl-C while something has a flag for it at which nobody looks any more."""
    with interrupt_flag():
        signal.raise_signal(signal.SIGINT)


def test_a_search_without_anything_to_compare(iris, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt("search was interrupted before there was anything to compare; nothing is kept.")

    monkeypatch.setattr(rosenblatt, "search", interrupted)
    assert main(["train", "iris.csv", "-t", "species", "--search", "-o", "m.safetensors", "--report", "r.html"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert sorted(path.name for path in iris.iterdir()) == ["iris.csv"]


def test_a_search_keeps_the_best_setting_so_far(iris, monkeypatch, capsys):
    from rosenblatt import LinearSVM

    fit, calls = LinearSVM.fit, []

    def fitting(learner, *given, **options):
        calls.append(learner.lam)
        if len(calls) == 18:  # of six settings, on five folds each
            press_in_the_last_moment()
        return fit(learner, *given, **options)

    monkeypatch.setattr(LinearSVM, "fit", fitting)
    arguments = ["train", "iris.csv", "-t", "species", "--learner", "svm", "--search", "-o", "m.safetensors"]
    assert main(arguments) == 130
    said = capsys.readouterr()
    assert len(calls) == 19 and calls[-1] in set(calls[:15])
    assert "Ctrl-C ended the search; the best setting so far is taken." in said.err
    assert "nan" not in said.out.lower() and "not tried" in said.out
    assert predict("m.safetensors", "iris.csv").rows == 150


def test_the_last_moment_of_a_fit(iris, monkeypatch, capsys):
    fit = learning.fit_learner

    def fitting(*given, **options):
        fit(*given, **options)
        press_in_the_last_moment()

    monkeypatch.setattr(learning, "fit_learner", fitting)
    assert main(["train", "iris.csv", "-t", "species", "-o", "m.safetensors"]) == 130
    assert "Ctrl-C came when the learning was done; the model is whole." in capsys.readouterr().err
    assert predict("m.safetensors", "iris.csv").rows == 150


def test_the_last_moment_of_a_block(iris, monkeypatch):
    from rosenblatt import Perceptron

    partial_fit = Perceptron.partial_fit

    def forgetful(self, *given, **options):
        partial_fit(self, *given, **options)
        press_in_the_last_moment()
        return self

    monkeypatch.setattr(Perceptron, "partial_fit", forgetful)
    with listening():
        done = learn_in_passes(open_source("iris.csv"), "species", TrainOptions(), digest=False)
    learner = done.model[-1]
    assert learner.stop_reason_ == "interrupted" and len(learner.trace_) == 1


@pytest.mark.parametrize("place", ["save_model", "write_report"])
def test_while_it_is_written(iris, monkeypatch, capsys, place):
    home = learning if place == "save_model" else rosenblatt.report
    write = getattr(home, place)

    def writing(*given, **options):
        signal.raise_signal(signal.SIGINT)
        return write(*given, **options)

    monkeypatch.setattr(home, place, writing)
    assert main(["train", "iris.csv", "-t", "species", "-o", "m.safetensors", "--report", "r.html"]) == 130
    assert (place == "save_model") == (iris / "r.html").exists()
    assert ("Ctrl-C ended the report, which is not written" in capsys.readouterr().err) == (place == "write_report")
    assert predict("m.safetensors", "iris.csv").rows == 150


def test_before_anything_is_learned(iris, monkeypatch, capsys):
    monkeypatch.setattr(training, "read_examples", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    assert main(["train", "iris.csv", "-t", "species", "-o", "m.safetensors"]) == 130
    assert "interrupted" in capsys.readouterr().err and not (iris / "m.safetensors").exists()


def test_a_proof_that_is_there_all_the_same(iris, monkeypatch, capsys):
    from rosenblatt.certificates import separability as module

    decide = module.separability

    def deciding(*given, **options):
        found = decide(*given, **options)
        press_in_the_last_moment()
        return found

    monkeypatch.setattr(module, "separability", deciding)
    assert main(["separable", "iris.csv", "-t", "species"]) == 130
    said = capsys.readouterr()
    assert "3 separable, 3 not separable" in said.out and "Ctrl-C was pressed" in said.err


def test_a_proof_while_a_model_is_judged(iris, monkeypatch, capsys):
    from rosenblatt.certificates.prover import Prover

    decide, presses = Prover.decide, iter(2 * [signal.raise_signal])

    def deciding(prover, *given, **options):
        next(presses, int)(signal.SIGINT)  # the second time while the model is tested briefly
        return decide(prover, *given, **options)

    monkeypatch.setattr(Prover, "decide", deciding)
    tried = []
    monkeypatch.setattr(advice.Advisor, "advice", lambda judge: tried.append(judge) or [])
    assert main(["train", "iris.csv", "-t", "species", "-o", "m.safetensors"]) == 130
    assert not tried and predict("m.safetensors", "iris.csv").rows == 150


def test_an_audit(iris, monkeypatch, capsys):
    from rosenblatt import Perceptron

    assert main(["train", "iris.csv", "-t", "species", "--learner", "perceptron", "-o", "m.safetensors", "-q"]) == 0
    fit = Perceptron.fit

    def fitting(learner, *given, **options):
        fit(learner, *given, **options)
        learner.stop_reason_ = "interrupted"

    monkeypatch.setattr(Perceptron, "fit", fitting)
    assert main(["audit", "m.safetensors", "iris.csv"]) == 130
