"""The history of a run is the library's own, at every frame where the library can say what it was."""

import threading
import time
import warnings

import numpy as np
import pytest

from rosenblatt import Perceptron, audit, separability
from rosenblatt.lab.history import MOST_FRAMES, field_at, grid, kernel_values, keyframes, replay, scores_at, train
from rosenblatt.lab.learners import LEARNERS, Choice
from rosenblatt.lab.listening import warnings_heard
from rosenblatt.lab.proof import prove
from rosenblatt.lab.sets import SETS, own, ready
from rosenblatt.lab.surface import losses, surface

SEPARABLE = ready("blobs", {"n": 60, "margin": 0.2, "seed": 21})
MIXED = ready("overlapping", {"n": 60})


@pytest.mark.parametrize("answer", ["perceptron", "averaged", "pocket"])
@pytest.mark.parametrize("data", [SEPARABLE, MIXED], ids=["separable", "mixed"])
def test_the_end_of_an_epoch_is_a_fit_that_stops_there(answer, data):
    run = train(Choice.of(answer, {"max_iter": 6}), data, 3)
    path = run.weights if run.path is None else run.path
    for epoch, frame in enumerate(run.epoch_ends.tolist(), start=1):
        shorter = Perceptron(max_iter=epoch, random_state=3)
        with pytest.warns() if data is MIXED else _no_matter():
            shorter.fit(data.X, data.y)
        last = shorter.answers_["last"]
        assert path[frame].tolist() == [*last.coef[0], last.intercept[0]]


def _no_matter():
    import warnings

    context = warnings.catch_warnings()
    warnings.simplefilter("ignore")
    return context


def test_averages_and_pocket_follow_their_definition():
    averaged = train(Choice.of("averaged", {"max_iter": 2}), MIXED, 0)
    log = averaged.model.trace_.updates
    path, times, k = averaged.path, log.times[0], 7
    seen = [path[np.searchsorted(times, t, side="right")] for t in range(1, times[k - 1] + 1)]
    assert np.allclose(averaged.weights[k], np.mean(seen, axis=0))
    pocket = train(Choice.of("pocket", {"max_iter": 2}), MIXED, 0)
    wrong = [(np.where(MIXED.X @ w[:2] + w[2] >= 0, 1, -1) != MIXED.y).mean() for w in pocket.path]
    assert np.array_equal(pocket.errors, np.minimum.accumulate(wrong))


@pytest.mark.parametrize("name", LEARNERS)
def test_the_last_error_is_that_of_the_model(name):
    run = train(Choice.of(name), MIXED, 0)
    assert run.error_frames[-1] == run.frames - 1
    answers = run.model.predict(MIXED.X)
    assert run.errors[-1] == np.mean(np.where(answers >= 0, 1, -1) != MIXED.y)


@pytest.mark.parametrize("name", ["perceptron", "margin", "kernel"])
def test_the_curves_of_the_proof_are_those_of_the_audit(name):
    run = train(Choice.of(name, {"max_iter": 100}), SEPARABLE, 0)
    tolerance = 0.1 if name == "kernel" else 0.01
    proof, checked = prove(run, SEPARABLE), audit(run.model, SEPARABLE.X, SEPARABLE.y, tolerance=tolerance)
    assert proof.applies and proof.holds and proof.bound == checked.bound
    assert np.allclose(run.lengths[1:], checked.lengths)
    k = np.arange(1, run.updates + 1)
    assert (run.lengths[1:] <= k * proof.radius_squared * (1 + 1e-9)).all()
    assert (run.lengths[1:] >= k**2 * proof.gamma_squared * (1 - 1e-9)).all()
    assert run.updates <= proof.bound


def test_the_witness_lies_in_both_hulls():
    run = train(Choice.of("perceptron"), MIXED, 0)
    proof, found = prove(run, MIXED), separability(MIXED.X, MIXED.y)
    assert proof.verdict == "not separable" and "does not apply" in proof.sentence
    assert proof.point == found.point.tolist() and proof.rows == list(found.rows)
    assert len(proof.hulls) == 2


def test_long_runs_are_thinned_and_it_is_said():
    data = ready("overlapping", {"n": 1000, "flipped": 0.3})
    run = train(Choice.of("adaline", {"max_iter": 50}), data, 0)
    assert run.updates == 50_000 and run.frames <= MOST_FRAMES + 51
    assert "50,000 updates were made" in run.notes[0]
    assert run.weights[-1].tolist() == [*run.model.coef_[0], run.model.intercept_[0]]
    assert run.numbers[run.epoch_ends].tolist() == list(range(1000, 50_001, 1000))


def test_the_landscape_is_the_learners_own_objective():
    for name in ("neuron", "logistic", "least_squares"):
        run = train(Choice.of(name, {"lam": 0.01}), MIXED, 0)
        at_end = losses(run.weights[-1:], MIXED, 0.01, name)[0]
        assert at_end == pytest.approx(run.model.objective_)
        assert surface(run, MIXED).values.min() >= 0


def test_one_class_or_none_gets_a_sentence():
    with pytest.raises(ValueError, match="There are no points yet"):
        train(Choice.of("perceptron"), own([]), 0)
    with pytest.raises(ValueError, match="All points are orange, and learning needs two classes"):
        train(Choice.of("perceptron"), own([(1, 2, 1), (2, 3, 1)]), 0)


@pytest.mark.parametrize("name", sorted(set(SETS) - {"mnist"}))
def test_the_code_of_a_set_makes_the_set(name):
    data, names = ready(name), {}
    exec(data.code, names)
    assert names["X"].tobytes() == data.X.tobytes() and np.array_equal(names["y"], data.y)
    assert set(np.unique(data.y)) == {-1, 1}


def test_sets_refuse_what_makes_no_sense(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match="points must be a whole number from 4 to 1000, but got 10000"):
        ready("blobs", {"n": 10_000})
    with pytest.raises(ValueError, match="must be one of"):
        ready("iris", {"pair": "rose and tulip"})
    with pytest.raises(ValueError, match="must differ"):
        ready("iris", {"across": "petal width", "up": "petal width"})
    monkeypatch.setenv("ROSENBLATT_DATA", str(tmp_path))
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path))
    with pytest.raises(ValueError, match="MNIST is not on this machine; set ROSENBLATT_DATA"):
        ready("mnist")


def test_only_a_run_that_came_to_rest_needed_its_updates():
    whole = prove(train(Choice.of("perceptron", {"max_iter": 100}), SEPARABLE, 0), SEPARABLE)
    cut = prove(train(Choice.of("perceptron", {"max_iter": 1}), SEPARABLE, 0), SEPARABLE)
    assert "This run needed" in whole.sentence and "so far" not in whole.sentence
    assert "so far" in cut.sentence and "needed" not in cut.sentence


@pytest.mark.parametrize(("eta", "theta"), [(1.0, 0.0), (0.5, 0.0), (1.0, 2.0), (0.5, 2.0)])
def test_the_bound_and_its_curves_are_named_as_they_are_computed(eta, theta, monkeypatch):
    run = train(Choice.of("margin", {"learning_rate": eta, "theta": theta, "max_iter": 200}), SEPARABLE, 0)
    found = separability(SEPARABLE.X, SEPARABLE.y)
    exact = prove(run, SEPARABLE)
    monkeypatch.setattr("rosenblatt.lab.proof.MOST_AUDITED", 0)
    for proof in (exact, prove(run, SEPARABLE)):
        assert proof.bound == pytest.approx((found.radius**2 + 2 * theta / eta) / found.gamma**2, abs=2)
        assert proof.radius_squared == pytest.approx(eta**2 * found.radius**2 + 2 * eta * theta)
        assert proof.gamma_squared == pytest.approx((eta * found.gamma) ** 2)
        assert ("θ" in proof.ceiling) == ("θ" in proof.sentence) == bool(theta)
        assert ("η" in proof.ceiling) == ("η" in proof.floor) == (eta != 1.0)
        assert f"/γ′²⌋ = {proof.bound:,} updates" in proof.sentence and "always 1" in proof.sentence


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_the_formula_of_passive_aggressive_gives_its_steps(variant):
    C = 0.05
    choice = Choice.of("passive_aggressive", {"variant": variant, "C": C, "max_iter": 1})
    run = train(choice, MIXED, 0)
    tau = choice.formula.split("τ = ")[1].split("   where")[0]
    for old in (("(1 − m)", "(1 - m)"), ("‖x‖²", "x @ x"), ("1/(2C)", "1/(2 * C)")):
        tau = tau.replace(*old)
    for k, row in enumerate(run.rows):
        x, y = MIXED.X[row], MIXED.y[row]
        m = y * (run.weights[k, :2] @ x + run.weights[k, 2])
        assert abs(run.steps[k]) == pytest.approx(eval(tau, {"x": x, "m": m, "C": C, "min": min}))


def test_the_end_of_a_run_claims_no_more_than_was_seen():
    iris = ready("iris")
    run = train(Choice.of("neuron"), iris, 0)
    assert run.trace.stop_reason == "converged" and run.errors[-1] == 0.5  # at rest, and half of the flowers wrong
    assert "the loss no longer fell" in run.ending()
    dropped = train(Choice.of("kernel", {"kernel": "linear", "drop_after": 2}), MIXED, 0)
    assert dropped.trace.stop_reason == "converged" and "missed 2 times being left out" in dropped.ending()
    rested = train(Choice.of("perceptron", {"max_iter": 100}), SEPARABLE, 0)
    assert "a whole epoch passed without an update" in rested.ending()


@pytest.mark.parametrize("name", ["kernel", "voted"])
def test_the_margins_of_what_is_no_line_are_those_before_each_update(name):
    run = train(Choice.of(name, {"max_iter": 2}), MIXED, 0)
    assert (run.margins <= 1e-12).all() and run.margins[0] == 0.0 and len(run.margins) == len(run.rows)
    k = len(run.rows) - 1
    if name == "kernel":
        K = kernel_values(run.model, MIXED.X[run.rows[:k]], MIXED.X[run.rows[k : k + 1]])[:, 0]
        score = run.steps[:k] @ K
    else:
        score = replay(MIXED.X, run.rows, run.steps, run.shrinks)[k] @ [*MIXED.X[run.rows[k]], 1.0]
    assert run.margins[k] == pytest.approx(MIXED.y[run.rows[k]] * score)


@pytest.mark.parametrize("values", [
    {"kernel": "rbf", "gamma": 3.0}, {"kernel": "gaussian"}, {"kernel": "rbf", "drop_after": 2},
    {"kernel": "polynomial"}, {"kernel": "linear"},
])  # fmt: skip
def test_the_cells_of_a_picture_have_the_scores_of_their_places(values):
    run = train(Choice.of("kernel", {"max_iter": 5, **values}), MIXED, 0)
    view = (-7.0, 5.0, -4.0, 9.0)
    frames = keyframes(run)
    found, wanted = field_at(run, MIXED, view, frames), scores_at(run, MIXED, grid(view), frames)
    assert found.shape == (len(frames), 80 * 80) and np.abs(wanted).max() > 0.1
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12 * np.abs(wanted).max())


def test_one_thread_learns_the_kernel_run_of_any_number():
    run = train(Choice.of("kernel", {"max_iter": 5}), MIXED, 0)
    with warnings_heard():
        other = run.call.make().set_params(n_jobs=2).fit(MIXED.X, MIXED.y)
    assert run.model.n_jobs == 1 and np.array_equal(run.model.dual_coef_, other.dual_coef_)
    assert np.array_equal(run.model.support_, other.support_)


def test_layers_start_where_they_start_and_end_as_the_model():
    xor = ready("xor")
    run = train(Choice.of("layers"), xor, 0)
    assert run.errors[-1] == 0.0 and run.weights is None and len(run.stages) == run.frames
    random = np.random.RandomState(0)
    assert np.array_equal(run.stages[0].below_.weights_, random.normal(0.0, 1.0, (2, 2)) * (1.0 / np.sqrt(2)))
    assert run.stages[-1] is run.model
    once = train(Choice.of("layers", {"max_iter": 1}), xor, 0)
    assert np.array_equal(run.stages[1].weights_, once.model.weights_)


def test_every_thread_hears_its_own_warnings():
    said = {}

    def listen(name):
        with warnings_heard() as heard:
            for _ in range(50):
                warnings.warn(name, stacklevel=1)
                time.sleep(0.0005)
        said[name] = heard

    before = warnings.filters[:], warnings.showwarning
    threads = [threading.Thread(target=listen, args=(f"thread {j}",)) for j in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {f"thread {j}": [f"thread {j}"] * 50 for j in range(4)}
    assert (warnings.filters[:], warnings.showwarning) == before
