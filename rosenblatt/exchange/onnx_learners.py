"""Learners as ONNX operators: scores, labels and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.gaussian_discriminant import GaussianDiscriminant
from rosenblatt.estimators.half_space import HalfSpace
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.layer import OFF, Layer
from rosenblatt.estimators.least_squares import LeastSquares
from rosenblatt.estimators.linear_svm import LinearSVM
from rosenblatt.estimators.logistic_regression import LogisticRegression
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.sigmoid_neuron import SigmoidNeuron
from rosenblatt.exchange.onnx_graph import Graph, Value, refuse
from rosenblatt.models import LinearModel

LINEAR = (Perceptron, PassiveAggressive, HalfSpace, LinearSVM, LogisticRegression, SigmoidNeuron, GaussianDiscriminant)
KNOWN = (*LINEAR, KernelPerceptron, LeastSquares, Layer)


def add_learner(graph: Graph, learner: Any, rows: Value) -> None:
    """The learner and its outputs: label and scores, and probabilities where it has them."""
    if rows.text or rows.width != learner.n_features_in_:
        refuse(type(learner).__name__, f"takes {learner.n_features_in_} numbers, not {rows.width}", "fit it again")
    if isinstance(learner, LeastSquares):
        found = _products(graph, rows, np.atleast_2d(learner.coef_), np.atleast_1d(learner.intercept_))
        single = np.ndim(learner.intercept_) == 0
        node = graph.add("Squeeze", found, np.array([1])) if single else found
        graph.output("prediction", node, "float64", ["rows"] if single else ["rows", len(learner.coef_)])
        return
    if isinstance(learner, Layer):
        _layer_outputs(graph, learner, rows)
        return
    scores = _scores(graph, learner, rows)
    _label(graph, scores, learner.classes_, half_spaces := _half_spaces(learner))
    _score_output(graph, scores, half_spaces)
    chances = _probabilities(graph, learner, scores, half_spaces)
    if chances is not None:
        graph.output("probabilities", chances, "float64", ["rows", len(learner.classes_)])


def _half_spaces(learner: Any) -> int:
    return 1 if len(learner.classes_) <= 2 else len(learner.classes_)


def _scores(graph: Graph, learner: Any, rows: Value) -> str:
    """(rows, 1) for two classes, (rows, classes) for more."""
    if isinstance(learner, GaussianDiscriminant):
        return _products(graph, rows, learner.coef_, learner.intercept_)
    model = learner._model(learner._chosen)
    if isinstance(model, LinearModel):
        return _products(graph, rows, model.coef, model.intercept)
    if hasattr(model, "coefficients"):
        values = _kernel_values(graph, learner, rows, model.support)
        return graph.add("MatMul", values, np.asarray(model.coefficients, np.float64))
    return _votes(graph, learner, model, rows)


def _products(graph: Graph, rows: Value, coef: Array, intercept: Array) -> str:
    weights = np.ascontiguousarray(np.asarray(coef, np.float64).T)
    return graph.add("Add", graph.add("MatMul", rows.name, weights), np.asarray(intercept, np.float64)[None, :])


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if scipy.sparse.issparse(rows) else rows, np.float64)


def _kernel_values(graph: Graph, learner: Any, rows: Value, support: Any) -> str:
    """(rows, support vectors)."""
    kernel = learner.kernel_
    if isinstance(kernel, MissingFunction) or kernel.name not in KERNELS:
        refuse("the kernel", "is a function of your own or a matrix that is given", "use one of " + ", ".join(KERNELS))
    return kernel_values(graph, kernel.name, kernel.parameters, rows, _dense(support))


def kernel_values(graph: Graph, name: str, parameters: dict[str, Any], rows: Value, support: Array) -> str:
    """K(x, y) for every row x and support vector y. Factors of x·y are in y already."""
    if name == "linear":
        return graph.add("MatMul", rows.name, np.ascontiguousarray(support.T))
    if name in ("rbf", "gaussian"):
        gamma = float(parameters["gamma"] if name == "rbf" else 1.0 / (2.0 * float(parameters["sigma"]) ** 2))
        dots = graph.add("MatMul", rows.name, np.ascontiguousarray(2.0 * gamma * support.T))
        own = np.einsum("ij,ij->i", support, support) * gamma
        norms = graph.add("Mul", graph.add("ReduceSumSquare", rows.name, np.array([1])), np.float64(gamma))
        far = graph.add("Sub", graph.add("Sub", dots, norms), own[None, :])
        return graph.add("Exp", graph.add("Min", far, np.float64(0.0)))
    dots = graph.add("MatMul", rows.name, np.ascontiguousarray(float(parameters["gamma"]) * support.T))
    shifted = graph.add("Add", dots, np.float64(parameters["coef0"]))
    if name == "sigmoid":
        return graph.add("Tanh", shifted)
    result = shifted
    for bit in bin(int(parameters["degree"]))[3:]:  # by squaring, as ours
        result = graph.add("Mul", result, result)
        result = graph.add("Mul", result, shifted) if bit == "1" else result
    return result


KERNELS = ("linear", "polynomial", "rbf", "gaussian", "sigmoid")


def _votes(graph: Graph, learner: Any, model: Any, rows: Value) -> str:
    """Every weight vector that training passed through votes; its score is the sum of the updates before it."""
    advice = "use answer='averaged'"
    if model.coupled:
        refuse("the voted answer of coupled classes", "counts joint states of all classes", advice)
    if any((part != 1.0).any() for part in model.shrinks):
        refuse("the voted answer of a rule that shrinks its weights", "is no sum of updates", advice)
    if isinstance(learner, KernelPerceptron):
        products = _kernel_values(graph, learner, rows, model.support)
    else:
        products = graph.add("MatMul", rows.name, np.ascontiguousarray(_dense(model.support).T))
    votes = []
    for places, steps, counts in zip(model.rows, model.steps, model.counts, strict=True):
        if not len(places):
            votes.append(graph.add("Mul", graph.sum(products), np.float64(0.0)))
            continue
        moved = graph.add("Mul", graph.add("Gather", products, places.astype(np.int64), axis=1), steps[None, :])
        offsets = np.cumsum(steps) * float(model.fit_intercept)
        scores = graph.add("Add", graph.add("CumSum", moved, np.array(1)), offsets[None, :])
        fires = graph.add("GreaterOrEqual", scores, np.float64(0.0))
        votes.append(graph.sum(graph.add("Where", fires, counts[None, :], -counts[None, :])))
    return votes[0] if len(votes) == 1 else graph.add("Concat", *votes, axis=1)


# --------------------------------------------------------------------------------------------------- outputs


def _score_output(graph: Graph, scores: str, half_spaces: int) -> None:
    if half_spaces == 1:
        graph.output("scores", graph.add("Squeeze", scores, np.array([1])), "float64", ["rows"])
    else:
        graph.output("scores", scores, "float64", ["rows", half_spaces])


def _label(graph: Graph, scores: str, classes: Array, half_spaces: int) -> None:
    if half_spaces == 1:
        fires = graph.add("GreaterOrEqual", scores, np.float64(0.0))
        codes = graph.add("Squeeze", graph.whole(fires), np.array([1]))
    else:
        codes = graph.add("ArgMax", scores, axis=1, keepdims=0)
    if len(classes) == 1:  # whatever comes, it is the one class known
        classes = np.concatenate([classes, classes])
    known, kind = _labels(classes)
    graph.output("label", graph.add("Gather", known, codes, axis=0), kind, ["rows"])


def _labels(classes: Array) -> tuple[Array, str]:
    kind = classes.dtype.kind
    if kind == "U" or (kind == "O" and all(isinstance(item, str) for item in classes.tolist())):
        return classes.astype(object), "text"
    if kind in "iu" and classes.max(initial=0) < 2**63:
        return classes.astype(np.int64), "int64"
    if kind == "b":
        return classes, "bool"
    if kind == "f":
        return classes.astype(np.float64), "float64"
    refuse("the labels", f"are of the type {classes.dtype}, which ONNX does not have", "relabel the classes as text")


def _probabilities(graph: Graph, learner: Any, scores: str, half_spaces: int) -> str | None:
    if not hasattr(learner, "predict_proba"):
        return None
    if half_spaces == 1:
        both = [graph.add("Sigmoid", graph.add("Neg", scores)), graph.add("Sigmoid", scores)]
        return graph.add("Concat", *both, axis=1)
    if isinstance(learner, GaussianDiscriminant) or getattr(learner, "_multinomial", False):
        return graph.add("Softmax", scores, axis=1)
    chances = graph.add("Sigmoid", scores)
    total = graph.sum(chances)
    none = graph.add("Equal", total, np.zeros((1, 1)))
    shares = graph.add("Div", chances, graph.add("Where", none, np.ones((1, 1)), total))
    return graph.add("Where", none, np.full((1, half_spaces), 1.0 / half_spaces), shares)


def _layer_outputs(graph: Graph, layer: Layer, rows: Value) -> None:
    for part in layer.fitted_stack():
        rows = Value(_activated(graph, part, _products(graph, rows, part.weights_, part.bias_)), len(part.bias_))
    middle = 0.5 * (1.0 + OFF[layer.activation])
    scores = graph.add("Sub", rows.name, np.float64(middle))
    units = len(layer.bias_)
    if layer._multilabel:
        fires = graph.whole(graph.add("GreaterOrEqual", scores, np.float64(0.0)))
        graph.output("label", fires, "int64", ["rows", units])
        graph.output("scores", scores, "float64", ["rows", units])
        return
    _label(graph, scores, layer.classes_, units)
    _score_output(graph, scores, units)


def _activated(graph: Graph, layer: Layer, sums: str) -> str:
    if layer.activation == "threshold":
        return graph.numbers(graph.add("GreaterOrEqual", sums, np.float64(0.0)))
    if layer.activation == "sign":
        fires = graph.add("GreaterOrEqual", sums, np.float64(0.0))
        return graph.add("Where", fires, np.float64(1.0), np.float64(-1.0))
    return sums if layer.activation == "linear" else graph.add(layer.activation.capitalize(), sums)
