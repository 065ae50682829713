"""The learners of the menu: their knobs, the estimator that they are, and what to say about them.

An estimator and the line of Python that makes it come from one place, a class name and its arguments, so that the page
and "Show me in Python" cannot differ.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rosenblatt.arguments import shortened
from rosenblatt.lab.options import Option, Values, fill

KERNELS = ("rbf", "gaussian", "polynomial", "sigmoid", "linear")


@dataclass(frozen=True)
class Call:
    """A class of `rosenblatt` and its arguments."""

    name: str
    arguments: Values

    def make(self) -> Any:
        made = {key: value.make() if isinstance(value, Call) else value for key, value in self.arguments.items()}
        return getattr(importlib.import_module("rosenblatt"), self.name)(**made)

    @property
    def code(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.arguments.items())})"

    def __repr__(self) -> str:
        return self.code


@dataclass(frozen=True)
class Learner:
    """A learner of the menu.

    `kind` says how its history is known: "updates" by the log of every update, "epochs" by stopping it after 1, 2, …
    epochs, "once" by its one formula.
    """

    name: str
    title: str
    options: tuple[Option, ...]
    call: Callable[[Values, int], Call]
    formula: str
    about: str
    row: str
    page: str
    answer: str = "last"

    def kind(self, call: Call) -> str:
        if call.name == "GaussianDiscriminant" or call.arguments.get("solver") == "exact":
            return "once"
        by_epoch = ("SigmoidNeuron", "LogisticRegression", "LeastSquares", "Layer", "LinearSVM")
        return "epochs" if call.name in by_epoch else "updates"


EPOCHS = Option("max_iter", "epochs at most", 20, 1, 200, whole=True)
ORDER = Option("order", "order of the rows", "shuffled", choices=("shuffled", "as they are"))
ETA = Option("learning_rate", "learning rate η", 1.0, 0.001, 10.0, logarithmic=True)
LAMBDA = Option("lam", "prior λ", 0.01, 0.0001, 1.0, logarithmic=True)


def _order(values: Values, seed: int) -> Values:
    return {"max_iter": values["max_iter"], "shuffle": values["order"] == "shuffled", "random_state": seed}


def _perceptron(answer: str) -> Callable[[Values, int], Call]:
    def call(values: Values, seed: int) -> Call:
        arguments = {"learning_rate": values["learning_rate"], **_order(values, seed)}
        if answer != "last":
            arguments = {"answer": answer, **arguments}
        if answer == "pocket":
            arguments["pocket_check"] = "update"
        return Call("Perceptron", arguments)

    return call


def _rule(rule: str, *names: str) -> Callable[[Values, int], Call]:
    def call(values: Values, seed: int) -> Call:
        return Call(
            "HalfSpace", {"rule": rule, "params": {name: values[name] for name in names}, **_order(values, seed)}
        )

    return call


def _svm(values: Values, seed: int) -> Call:
    return Call("LinearSVM", {"lam": values["lam"], **_order(values, seed)})


def _descent(name: str, rule: str) -> Callable[[Values, int], Call]:
    def call(values: Values, seed: int) -> Call:
        if values["solver"] == "row by row":
            return _rule(rule, "learning_rate", "lam")(values, seed)
        arguments = {"lam": values["lam"], "solver": values["solver"]}
        if values["solver"] not in ("newton", "quasi_newton"):
            arguments["learning_rate"] = values["learning_rate"]
        if name == "SigmoidNeuron" and values["start"] > 0:
            arguments["start"] = values["start"]
        return Call(name, {**arguments, **_order(values, seed)})

    return call


def _discriminant(values: Values, seed: int) -> Call:
    return Call("GaussianDiscriminant", {"shrinkage": values["shrinkage"]} if values["shrinkage"] else {})


def _least_squares(values: Values, seed: int) -> Call:
    arguments: Values = {"lam": values["lam"], "solver": values["solver"]}
    if values["solver"] != "exact":
        arguments |= {"learning_rate": values["learning_rate"], **_order(values, seed)}
    return Call("LeastSquares", arguments)


def _layers(values: Values, seed: int) -> Call:
    below = Call("Layer", {"activation": values["activation"], "units": values["units"]})
    arguments = {"activation": "sigmoid", "below": below, "lam": values["lam"], "n_starts": 1}
    return Call("Layer", {**arguments, "max_iter": values["max_iter"], "random_state": seed})


def _kernel(values: Values, seed: int) -> Call:
    kernel = values["kernel"]
    arguments: Values = {"kernel": kernel}
    if kernel == "polynomial":
        arguments |= {"degree": values["degree"], "coef0": values["coef0"]}
    if kernel in ("rbf", "sigmoid", "polynomial"):
        arguments["gamma"] = values["gamma"]
    if kernel == "sigmoid":
        arguments["coef0"] = values["coef0"]
    if kernel == "gaussian":
        arguments["sigma"] = values["sigma"]
    if kernel == "linear":
        arguments["fit_intercept"] = True
    if values["drop_after"]:
        arguments["drop_after"] = values["drop_after"]
    return Call("KernelPerceptron", {**arguments, **_order(values, seed)})


PLUS = "w ← w + η y x   where   y (w·x + b) ≤ 0"
ONLINE = (ETA, EPOCHS, ORDER)
LEARNERS: dict[str, Learner] = {
    learner.name: learner
    for learner in (
        Learner("perceptron", "Perceptron", ONLINE, _perceptron("last"), PLUS,
            "Visits the points in turn. A point on the wrong side pulls the line towards its own side; a whole round "
            "without a mistake ends it.", "L4", "tutorial"),
        Learner("averaged", "Averaged perceptron", ONLINE, _perceptron("averaged"),
            "w̄ = mean of the w after each point seen",
            "The same run; the answer is the mean of all the lines it went through, so that a late mistake cannot "
            "spoil it. The thin line is the perceptron itself.", "L9", "choosing", "averaged"),
        Learner("voted", "Voted perceptron", ONLINE, _perceptron("voted"),
            "sign of Σ (points survived) · sign(w·x + b)",
            "The same run; every line it went through votes, with the number of points it survived.", "L9", "choosing",
            "voted"),
        Learner("pocket", "Pocket perceptron", ONLINE, _perceptron("pocket"),
            "keep the w with the fewest errors so far",
            "The same run, with a pocket: the best line seen so far is kept and is the answer. The thin line is the "
            "perceptron itself, which never rests when no line is right.", "L9", "choosing", "pocket"),
        Learner("margin", "Margin perceptron",
            (Option("theta", "margin asked for θ", 1.0, 0.0, 20.0), *ONLINE),
            _rule("margin_perceptron", "learning_rate", "theta"), "w ← w + η y x   where   y (w·x + b) ≤ θ",
            "A perceptron that also learns from points it gets right too narrowly, and so leaves a wider street.",
            "L7", "choosing"),
        Learner("passive_aggressive", "Passive-aggressive",
            (Option("variant", "variant", "PA-I", choices=("PA", "PA-I", "PA-II")),
             Option("C", "aggressiveness C", 1.0, 0.001, 100.0, logarithmic=True, only=("variant", "PA-I|PA-II")),
             EPOCHS, ORDER),
            lambda v, seed: Call("PassiveAggressive", {"C": v["C"], "variant": v["variant"], **_order(v, seed)}),
            "w ← w + τ y x,   τ = (1 − m)/(‖x‖² + 1)   where   m = y (w·x + b) < 1",
            "Makes the smallest change that gives the point in hand a margin of 1.", "L6", "choosing"),
        Learner("kernel", "Kernel perceptron",
            (Option("kernel", "kernel", "rbf", choices=KERNELS),
             Option("gamma", "γ", 1.0, 0.01, 100.0, logarithmic=True, only=("kernel", "rbf|polynomial|sigmoid")),
             Option("sigma", "width σ", 0.7, 0.05, 10.0, logarithmic=True, only=("kernel", "gaussian")),
             Option("degree", "degree", 2, 1, 8, whole=True, only=("kernel", "polynomial")),
             Option("coef0", "constant", 1.0, -5.0, 5.0, only=("kernel", "polynomial|sigmoid")),
             Option("drop_after", "drop a point after mistakes (0: never)", 0, 0, 50, whole=True), EPOCHS, ORDER),
            _kernel, "α_i ← α_i + 1   where   y_i Σ_j α_j y_j K(x_j, x_i) ≤ 0",
            "The perceptron in a space of features that is never visited: it only counts the mistakes made on each "
            "point. Bigger points have been mistakes more often.", "L10", "kernels"),
        Learner("svm", "Support vector machine",
            (LAMBDA, EPOCHS, ORDER), _svm,
            "minimise λ ‖w‖² + mean of max(0, 1 − y (w·x + b))",
            "Looks for the widest street. Only the ringed points, on its edge or inside, matter.", "L13", "gradient"),
        Learner("logistic", "Logistic regression",
            (Option("lam", "prior λ", 0.01, 0.0, 1.0),
             Option("solver", "solver", "newton", choices=("newton", "batch", "sgd", "svrg", "row by row")),
             Option("learning_rate", "learning rate η", 0.1, 0.001, 10.0, logarithmic=True,
                 only=("solver", "batch|sgd|svrg|row by row")), EPOCHS, ORDER),
            _descent("LogisticRegression", "logistic"),
            "minimise λ ‖w‖² + mean of log(1 + exp(−y (w·x + b)))",
            "Gives a probability, σ(w·x + b), which fades across the street; the line is where it is one half.",
            "L15", "gradient"),
        Learner("discriminant", "Gaussian discriminant",
            (Option("shrinkage", "shrinkage", 0.0, 0.0, 1.0),), _discriminant,
            "w = S⁻¹ (m₁ − m₀)",
            "No steps: if both classes are bells with one common shape, the best line has a formula.", "L14",
            "gradient"),
        Learner("neuron", "Sigmoid neuron",
            (Option("solver", "solver", "batch", choices=("batch", "sgd", "svrg", "quasi_newton", "row by row")),
             Option("learning_rate", "learning rate η", 1.0, 0.001, 100.0, logarithmic=True,
                 only=("solver", "batch|sgd|svrg|row by row")),
             Option("start", "spread of the start", 0.0, 0.0, 20.0), Option("lam", "prior λ", 0.0, 0.0, 1.0),
             Option("max_iter", "epochs at most", 40, 1, 200, whole=True), ORDER),
            _descent("SigmoidNeuron", "sigmoid_neuron"),
            "minimise mean of (a − target)²/2,   a = σ(w·x + b)",
            "Walks down its loss, which is a landscape over the weights and not convex: where it ends depends on where "
            "it starts and how long its steps are.", "L17", "gradient"),
        Learner("adaline", "Adaline (least squares)",
            (Option("learning_rate", "learning rate η", 0.01, 0.0001, 1.0, logarithmic=True), EPOCHS, ORDER),
            _rule("adaline", "learning_rate"), "w ← w + τ y x,   τ = min(η, 1/(‖x‖² + 1)) (1 − m),   m = y (w·x + b)",
            "Wants every score to be exactly −1 or +1, and moves for every point, right or wrong.", "L18", "choosing"),
        Learner("least_squares", "Least squares",
            (Option("solver", "solver", "exact", choices=("exact", "batch", "sgd", "svrg")),
             Option("learning_rate", "learning rate η", 0.02, 0.0001, 1.0, logarithmic=True,
                 only=("solver", "batch|sgd|svrg")), Option("lam", "prior λ", 0.0, 0.0, 1.0),
             replace(EPOCHS, only=("solver", "batch|sgd|svrg")), replace(ORDER, only=("solver", "sgd|svrg"))),
            _least_squares, "minimise λ ‖w‖² + mean of (w·x + b − y)²/2",
            "Regression on the labels −1 and +1: every score is to hit its label, so points that are right by far pull "
            "the line too.", "L18", "gradient"),
        Learner("layers", "Two layers",
            (Option("units", "hidden units", 2, 1, 16, whole=True),
             Option("activation", "hidden units are", "tanh", choices=("tanh", "sigmoid")),
             Option("lam", "prior λ", 0.0, 0.0, 1.0), Option("max_iter", "steps at most", 40, 1, 200, whole=True)),
            _layers, "minimise mean of (a − target)²/2,   a = σ(v·h + c),   h = act(W x + b)",
            "Hidden units draw a line each, in green; the unit on top weighs their answers, and so can bend. All "
            "weights go down the loss together, from a random start: with another seed it may end elsewhere.", "L24",
            "gradient"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """A learner of the menu with its knobs set."""

    name: str = "perceptron"
    values: tuple[tuple[str, Any], ...] = ()

    @staticmethod
    def of(name: str, given: Values | None = None) -> Choice:
        if name not in LEARNERS:
            raise ValueError(
                f"A learner must be one of {', '.join(LEARNERS)}, but got {shortened(name)}; choose one of them."
            )
        return Choice(name, tuple(fill(LEARNERS[name].options, given).items()))

    @property
    def learner(self) -> Learner:
        return LEARNERS[self.name]

    @property
    def options(self) -> Values:
        return fill(self.learner.options, dict(self.values))

    @property
    def formula(self) -> str:
        """The rule as this choice of knobs has it."""
        tau = {"PA-I": "min(C, (1 − m)/(‖x‖² + 1))", "PA-II": "(1 − m)/(‖x‖² + 1 + 1/(2C))"}
        own = tau.get(self.options["variant"]) if self.name == "passive_aggressive" else None
        return self.learner.formula.replace("(1 − m)/(‖x‖² + 1)", own) if own else self.learner.formula

    def call(self, seed: int) -> Call:
        return self.learner.call(self.options, seed)
