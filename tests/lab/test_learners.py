"""The learners of the page, in a real browser, against plain float64 references and the library."""

import functools
import math
import re
from itertools import islice

import numpy as np
import pytest

from rosenblatt import (
    GaussianDiscriminant,
    HalfSpace,
    KernelPerceptron,
    LeastSquares,
    LinearSVM,
    LogisticRegression,
    Perceptron,
)
from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.kernels import Polynomial
from rosenblatt.rules import RULES
from tests.reference import plain_runs

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

RUN = """([sets, name, options]) => sets.map(([points, seed]) => {
  const data = lab.core.fromPoints(points), run = lab.core.train(name, options, data, seed), last = run.path.length - 1;
  const list = (frames) => Array.from({ length: frames.length - 1 }, (_, k) => Array.from(frames.at(k + 1)));
  const out = new Float64Array(run.outputs), answer = run.answer(last);
  const scores = points.map((_, i) => (answer(data.X, 2 * i, out), Array.from(out)));
  return { path: list(run.path), shown: run.shown ? list(run.shown) : null, rows: run.path.row.slice(1),
           start: Array.from(run.path.at(0)), seen: run.path.seen.slice(1), scores, stop: run.stop };
})"""
MAKE = """([name, values]) => { const { SETS, filled, points } = lab.core;
  return points(SETS[name].make(filled(SETS[name].options, values))); }"""


def random_sets(count, classes=2, seed=0):
    """Small sets, separable and not, on a grid and off it, with rows that come twice."""
    random, made = np.random.default_rng(seed), []
    for number in range(count):
        n = int(random.integers(classes + 1, 14))
        X = random.normal(size=(n, 2)) * random.choice([0.1, 1.0, 30.0])
        X = np.round(X * 2) / 2 if number % 3 == 0 else X
        y = (X[:, 0] + (0.4 if number % 2 else 2.5) * random.normal(size=n) > 0) + (X[:, 1] > 1) * (classes == 3)
        y[:classes] = range(classes)
        points = [[*map(float, x), int(c)] for x, c in zip(X, y, strict=True)]
        made.append([points, int(random.integers(1000))])
    return made


def rows_of(points):
    return [p[:2] for p in points], [p[2] for p in points]


def test_rows_are_shuffled_as_the_library_does(core):
    for n, seed in ((2, 0), (10, 3), (257, 41)):
        first = int(np.random.RandomState(seed).randint(2**31 - 1))
        shuffler = Shuffler(np.arange(n), first)
        expected = [shuffler().tolist() for _ in range(3)]
        assert list(islice(plain_runs.orders(n, seed), 3)) == expected
        got = core.evaluate(
            """([n, seed]) => { const o = new lab.core.Orders(Int32Array.from({ length: n }, (_, i) => i), seed);
               return [0, 1, 2].map(() => Array.from(o.next())); }""",
            [n, seed],
        )
        assert got == expected


EXACT = {
    "perceptron": ("perceptron", {"learning_rate": 0.3}, (0.3,)),
    "margin": ("margin_perceptron", {"learning_rate": 0.7, "theta": 2.0}, (0.7, 2.0)),
    "PA": ("passive_aggressive", {"variant": "PA"}, (1.0,)),
    "PA-I": ("passive_aggressive_1", {"variant": "PA-I", "C": 0.1}, (0.1,)),
    "PA-II": ("passive_aggressive_2", {"variant": "PA-II", "C": 0.3}, (0.3,)),
    "adaline": ("adaline", {"learning_rate": 0.05}, (0.05, 0.0, 1.0)),
    "svm": ("pegasos", {"solver": "pegasos", "lam": 0.07}, (0.07,)),
}


@pytest.mark.parametrize("name", EXACT)
def test_after_every_update_the_weights_are_the_reference_to_the_last_bit(core, name):
    rule, options, params = EXACT[name]
    options = {**options, "max_iter": 6, "order": "shuffled"}
    learner = "passive_aggressive" if name.startswith("PA") else name
    sets = random_sets(50) if name == "svm" else random_sets(40) + random_sets(10, classes=3, seed=1)
    for (points, seed), run in zip(sets, core.evaluate(RUN, [sets, learner, options]), strict=True):
        X, y = rows_of(points)
        expected = plain_runs.train_rows(X, y, RULES[rule].function, params, 6, seed, max(y) + 1)
        assert run["path"] == expected["path"] and run["rows"] == expected["rows"]


@pytest.mark.parametrize("answer", ["averaged", "pocket"])
def test_averaged_and_pocket_answers_are_the_reference_to_the_last_bit(core, answer):
    sets = random_sets(50, seed=2)
    options = {"max_iter": 7, "order": "shuffled"}
    for (points, seed), run in zip(sets, core.evaluate(RUN, [sets, answer, options]), strict=True):
        expected = plain_runs.train_rows(*rows_of(points), RULES["perceptron"].function, (1.0,), 7, seed)
        shown = expected["means"] if answer == "averaged" else expected["held"]
        shown = [*shown[:-1], expected["mean"]] if answer == "averaged" else shown
        assert run["shown"] == shown


def test_votes_are_counted_as_in_the_reference(core):
    sets = random_sets(50, seed=3)
    for (points, seed), run in zip(
        sets, core.evaluate(RUN, [sets, "voted", {"max_iter": 5, "order": "shuffled"}]), strict=True
    ):
        X, y = rows_of(points)
        expected = plain_runs.votes(X, y, RULES["perceptron"].function, (1.0,), 5, seed, X)
        assert [s[0] for s in run["scores"]] == expected


@pytest.mark.parametrize("drop_after", [0, 3])
def test_the_polynomial_kernel_is_the_reference_to_the_last_bit(core, drop_after):
    sets = random_sets(50, seed=4)
    options = {"kernel": "polynomial", "degree": 3, "gamma": 0.3, "coef0": 1.0, "max_iter": 6, "order": "shuffled",
               "drop_after": drop_after}  # fmt: skip
    kernel = plain_runs.polynomial(0.3, 1.0, 3)
    for (points, seed), run in zip(sets, core.evaluate(RUN, [sets, "kernel", options]), strict=True):
        rows, lengths, _ = plain_runs.train_kernel(*rows_of(points), kernel, 6, seed, drop_after)
        assert run["rows"] == rows and [value for (value,) in run["path"]] == lengths


SMOOTH = {"logistic": ("logistic", (0.2, 0.01)), "neuron": ("sigmoid_neuron", (0.2, 0.01, 1.0))}


@pytest.mark.parametrize("name", SMOOTH)
def test_rules_with_exp_agree_within_1e_12_a_step_from_the_same_state(core, name):
    rule, params = SMOOTH[name]
    options = {"solver": "row by row", "learning_rate": 0.2, "lam": 0.01, "max_iter": 4, "order": "shuffled"}
    sets = random_sets(50, seed=5)
    for (points, _), run in zip(sets, core.evaluate(RUN, [sets, name, options]), strict=True):
        before = run["start"]
        for after, i, t in zip(run["path"], run["rows"], run["seen"], strict=True):
            x, sign = points[i][:2], 1.0 if points[i][2] == 1 else -1.0
            margin = sign * plain_runs.score(before, x)
            step, shrink = RULES[rule].function(margin, x[0] ** 2 + x[1] ** 2 + 1, t, params)
            expected = [
                *(shrink * w + step * sign * v for w, v in zip(before, x, strict=False)),
                before[2] + step * sign,
            ]
            assert after == pytest.approx(expected, rel=1e-12, abs=1e-12)
            before = after


def test_radial_kernels_make_the_mistakes_of_the_reference(core):
    sets, gamma = random_sets(50, seed=6), 0.8

    def kernel(u, v):
        return math.exp(-gamma * ((u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2))

    options = {"kernel": "rbf", "gamma": gamma, "max_iter": 5, "order": "shuffled"}
    for (points, seed), run in zip(sets, core.evaluate(RUN, [sets, "kernel", options]), strict=True):
        rows, lengths, scores = plain_runs.train_kernel(*rows_of(points), kernel, 5, seed)
        assert run["rows"] == rows
        assert [value for (value,) in run["path"]] == pytest.approx(lengths, rel=1e-11, abs=1e-11)
        assert [s[0] for s in run["scores"]] == pytest.approx(scores, rel=1e-11, abs=1e-11)


READY = ("clouds", "slow", "overlapping", "and", "or", "xor", "circles", "moons", "spirals", "iris")


@functools.cache
def ready(core, name):
    points = core.evaluate(MAKE, [name, {}])
    return points, np.array([p[:2] for p in points]), np.array([p[2] for p in points])


@pytest.mark.parametrize("order", ["as they are", "shuffled"])
def test_on_every_ready_set_page_and_library_make_the_same_mistakes_in_the_same_order(core, order):
    for name in READY:
        points, X, y = ready(core, name)
        shared = {"max_iter": 20, "tol": None, "shuffle": order == "shuffled", "random_state": 5}
        models = {
            "perceptron": Perceptron("last", **shared),
            "margin": HalfSpace("margin_perceptron", params={"theta": 1.0}, **shared),
            "kernel": KernelPerceptron(Polynomial(2), **shared),
        }
        for learner, model in models.items():
            options = {"max_iter": 20, "order": order, "kernel": "polynomial"}
            (run,) = core.evaluate(RUN, [[[points, 5]], learner, options])
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("warnings.warn", lambda *a, **k: None)  # runs that do not converge are the point here
                model.fit(X, y, record="updates")
            assert run["rows"] == model.trace_.updates.rows[0].tolist(), (name, learner)


def test_long_runs_are_thinned_and_keep_their_end(core):
    for name in ("averaged", "kernel"):
        lengths = core.evaluate(
            """(name) => { const { SETS, train } = lab.core;
               const data = SETS.spirals.make({ n: 60, turns: 2, noise: 0, seed: 0 });
               const run = train(name, { max_iter: 1000, kernel: "linear" }, data, 0);
               return [run.path.length, run.path.number.at(-1), run.updates, run.path.stride, run.shown?.length]; }""",
            name,
        )
        assert lengths[1] == lengths[2] > 20_000 and lengths[0] <= 20_001 and lengths[3] == 2
        assert lengths[4] in (lengths[0], None)


def test_averaged_pocket_and_voted_answers_are_the_librarys(core):
    for name in ("clouds", "overlapping", "and", "iris"):
        points, X, y = ready(core, name)
        for answer in ("averaged", "pocket", "voted"):
            check = {"pocket_check": "update"} if answer == "pocket" else {}
            model = Perceptron(answer=answer, tol=None, max_iter=20, shuffle=True, random_state=5)
            (run,) = core.evaluate(RUN, [[[points, 5]], answer, {"max_iter": 20, "order": "shuffled"}])
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("warnings.warn", lambda *a, **k: None)
                model.fit(X, y, **check)
            scores = np.array([score for (score,) in run["scores"]])
            assert (model.predict(X) == (scores >= 0)).all(), (name, answer)
            if answer != "voted":
                assert run["shown"][-1] == pytest.approx([*model.coef_[0], model.intercept_[0]], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["svm", "logistic", "discriminant", "least_squares"])
def test_what_has_one_solution_is_the_librarys(core, name):
    models = {
        "svm": LinearSVM(lam=0.05, tol=1e-10, max_iter=100_000), "logistic": LogisticRegression(lam=0.05, tol=1e-12),
        "discriminant": GaussianDiscriminant(), "least_squares": LeastSquares(lam=0.05),
    }  # fmt: skip
    for which in ("clouds", "overlapping", "and", "moons"):
        points, X, y = ready(core, which)
        (run,) = core.evaluate(RUN, [[[points, 0]], name, {"lam": 0.05, "max_iter": 100}])
        weights = (run["path"] or [run["start"]])[-1]
        target = 2 * y - 1 if name == "least_squares" else y
        model = models[name].fit(X, target)
        expected = [*np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])]
        if name != "svm":
            assert weights == pytest.approx(expected, rel=1e-6, abs=1e-7), which
        else:  # the offset need not be unique; the objective is
            assert objective(weights, X, y) <= objective(expected, X, y) + 1e-9


def objective(w, X, y):
    """Of the support vector machine."""
    margins = (2 * y - 1) * (X @ np.asarray(w[:2]) + w[2])
    return 0.05 * (w[0] ** 2 + w[1] ** 2) + np.maximum(0, 1 - margins).mean()


def test_the_steps_of_newton_and_of_the_neuron_are_their_formulas(core):
    points, X, y = ready(core, "overlapping")
    A, s = np.column_stack([X, np.ones(len(X))]), 2 * y - 1
    w, lam = [0.3, -0.2, 0.1], 0.05
    newton, neuron = core.evaluate(
        """([points, w]) => { const data = lab.core.fromPoints(points);
           const { newtonStep, neuronStep } = lab.core;
           return [newtonStep(data, w, 0.05), neuronStep(data, w, { learning_rate: 2, lam: 0.05 })]; }""",
        [points, w],
    )
    wrong = 1 / (1 + np.exp(s * (A @ w)))
    penalty = 2 * lam * np.array([1.0, 1.0, 0.0])
    gradient = -(wrong * s) @ A / len(s) + penalty * w
    hessian = (A.T * (wrong * (1 - wrong))) @ A / len(s) + np.diag(penalty)
    assert newton == pytest.approx(w - np.linalg.solve(hessian, gradient), rel=1e-12)
    a = 1 / (1 + np.exp(-(A @ w)))
    slope = ((a - y) * a * (1 - a)) @ A / len(s) + penalty * w
    assert neuron == pytest.approx(w - 2 * slope, rel=1e-12)


SCRIPT = """([name, options]) => { const { LEARNERS, SETS, errorsAt, filled, script, train } = lab.core;
  const data = SETS.overlapping.make(filled(SETS.overlapping.options)), own = filled(LEARNERS[name].options, options);
  const run = train(name, own, data, 3);
  return [script(data, { name, options: own }, 3), errorsAt(run, run.path.length - 1, data, data.train) / data.n]; }"""
SHOWN = ["perceptron", "averaged", "voted", "pocket", "margin", "passive_aggressive", "kernel", "svm", "logistic",
         "discriminant", "neuron", "adaline", "least_squares", "svm pegasos", "logistic row_by_row",
         "neuron row_by_row"]  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_show_me_in_python_uses_parameters_that_the_library_has(core, name):
    name, _, solver = name.partition(" ")
    code, _ = core.evaluate(SCRIPT, [name, {"max_iter": 1, "solver": solver.replace("_", " "), "start": 2}])
    exec(re.sub(r"\.fit\(.*\)", ".get_params()", code).split("print")[0], {})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SHOWN)
def test_show_me_in_python_runs_and_has_the_errors_of_the_page(core, name):
    name, _, solver = name.partition(" ")
    code, wrong = core.evaluate(SCRIPT, [name, {"max_iter": 20, "solver": solver.replace("_", " ")}])
    made = {}
    exec(code, made)
    model, X, y = made["model"], made["X"], made["y"]
    predicted = model.predict(X) >= 0 if name == "least_squares" else model.predict(X)
    assert np.mean(predicted != y) == pytest.approx(wrong)
