"""Show me in Python: the script, run as it is, gives the weights on the screen bit for bit, for every learner."""

import warnings

import numpy as np
import pytest

from rosenblatt.lab.history import scores_at
from rosenblatt.lab.learners import LEARNERS
from rosenblatt.lab.session import Session

SETS = (("blobs", {"n": 40, "margin": 0.2}), ("overlapping", {"n": 40}), ("and", {}))
CASES = [
    *((name, {}) for name in LEARNERS),
    *(("kernel", {"kernel": kernel}) for kernel in ("gaussian", "polynomial", "sigmoid", "linear")),
    ("kernel", {"drop_after": 3}),
    ("passive_aggressive", {"variant": "PA"}),
    ("passive_aggressive", {"variant": "PA-II", "C": 0.1}),
    *(("logistic", {"solver": solver}) for solver in ("batch", "sgd", "svrg", "row by row")),
    *(("neuron", {"solver": solver, "start": 1.0}) for solver in ("sgd", "svrg", "quasi_newton", "row by row")),
    ("discriminant", {"shrinkage": 0.3}),
    *(("least_squares", {"solver": solver}) for solver in ("batch", "sgd", "svrg")),
    ("layers", {"units": 3, "activation": "sigmoid"}),
]


def run_script(session, frame):
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(session.handle({"do": "script", "frame": frame})["script"], names)
    return names


def on_screen(run, data, frame):
    """What the page draws at this frame."""
    if run.weights is not None:
        return run.weights[frame]
    if run.stages:
        top = run.stages[frame]
        return np.concatenate([v.ravel() for layer in (top.below_, top) for v in (layer.weights_, layer.bias_)])
    if run.choice.learner.answer == "voted":
        return run.model.decision_function(data.X) if frame == run.frames - 1 else None
    log = run.model.trace_.updates
    if frame == run.frames - 1:
        return run.model.dual_coef_[0]
    rows, coefficients = log.rows[0][:frame], np.zeros(len(data.y))
    for row, step in zip(rows, log.steps[0][:frame], strict=True):
        coefficients[row] += step
    return coefficients[np.unique(rows)]


@pytest.mark.parametrize(
    ("name", "values"), CASES, ids=lambda v: v if isinstance(v, str) else "-".join(map(str, v.values()))
)
def test_script_gives_what_the_screen_shows(name, values, capsys):
    for set_name, options in SETS:
        session = Session()
        session.handle({"do": "set", "name": set_name, "values": options})
        session.handle({"do": "learner", "which": 0, "name": name, "values": {"max_iter": 7, **values}}
            if name != "discriminant" else {"do": "learner", "which": 0, "name": name, "values": values})  # fmt: skip
        if session.trouble:
            assert name == "discriminant" and set_name == "and", session.trouble
            continue
        (run,) = session.runs
        for frame in sorted({0, 1, run.frames // 2, run.frames - 1}):
            expected = on_screen(run, session.data, frame)
            shown = run_script(session, frame)["shown"][run.choice.learner.title]
            if expected is not None:
                assert expected.tobytes() == np.asarray(shown, np.float64).tobytes(), (set_name, frame)
    capsys.readouterr()


def test_script_of_two_learners_and_of_edits(capsys):
    session = Session()
    session.handle({"do": "compare", "name": "svm"})
    session.handle({"do": "add", "label": 1, "places": [[0.1, 0.30000000000000004]]})
    session.handle({"do": "move", "row": 2, "x": -1.5, "y": 0.25})
    session.handle({"do": "flip", "row": 4})
    session.handle({"do": "delete", "rows": [0, 7]})
    names = run_script(session, 10**6)
    assert np.array_equal(names["X"], session.data.X) and np.array_equal(names["y"], session.data.y)
    for run in session.runs:
        assert run.weights[-1].tobytes() == names["shown"][run.choice.learner.title].tobytes()
    capsys.readouterr()


def test_large_data_is_read_from_the_exported_file(tmp_path, monkeypatch, capsys):
    session = Session()
    rng = np.random.default_rng(0)
    session.handle({"do": "clear"})
    for label in (1, -1):
        places = (rng.normal(size=(1100, 2)) + 3 * label).tolist()
        session.handle({"do": "add", "label": label, "places": places})
    import base64

    file = session.handle({"do": "export", "kind": "csv"})["file"]
    (tmp_path / file["name"]).write_bytes(base64.b64decode(file["content"]))
    monkeypatch.chdir(tmp_path)
    names = run_script(session, 10**6)
    assert np.array_equal(names["X"], session.data.X)
    assert session.runs[0].weights[-1].tobytes() == names["shown"]["Perceptron"].tobytes()
    capsys.readouterr()


def test_voted_and_kernel_regions_are_the_models_own_at_the_end():
    for name in ("voted", "kernel"):
        session = Session()
        session.handle({"do": "set", "name": "overlapping", "values": {"n": 50}})
        session.handle({"do": "learner", "which": 0, "name": name, "values": {"max_iter": 5}})
        (run,) = session.runs
        places = np.random.default_rng(1).normal(size=(400, 2)) * 4
        told = scores_at(run, session.data, places, np.array([run.frames - 1]))[0]
        assert np.array_equal(np.where(told >= 0, 1, -1), run.model.predict(places))
