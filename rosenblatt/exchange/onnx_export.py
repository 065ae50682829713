"""Models for other runtimes: `export_onnx`."""

from __future__ import annotations

import os
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

import rosenblatt
from rosenblatt.arguments import check_choice
from rosenblatt.estimators.streamed import Streamed
from rosenblatt.exchange.onnx_graph import Graph, Value
from rosenblatt.models.whole_file import write_whole

DTYPES = ("float64", "float32", "uint8")


def export_onnx(model: Any, path: str | os.PathLike[str], *, input_dtype: str = "float64") -> None:
    """Write a fitted model as an ONNX file, with its preprocessing; onnxruntime decides as the model does.

    Inputs: one tensor "X" of shape (rows, features), text where the first step reads text; or, where the first step is
    a `ColumnEncoder` or a ColumnTransformer that was fitted on a frame, one tensor of shape (rows, 1) for each column
    that is used, under its name. Outputs: "label", "scores" (one number for two classes, one for each of more) and, for
    learners that have them, "probabilities"; a regression has "prediction".

    The graph computes in float64. A model of float64 rows gives the same scores up to the rounding of sums in another
    order (some 1e-15 of their terms), and so the same labels wherever a score is not that close to a tie. A model of
    float32 or byte rows adds up in float32 itself; the graph is equal to it on rows that are float64.

    Parameters
    ----------
    model : a fitted classifier or regression of ours, or a Pipeline that ends with one
    path : path
    input_dtype : {"float64", "float32", "uint8"}
        What "X" holds; numbers become float64 in the graph.

    Raises
    ------
    TypeError
        If there is no graph for the learner or for a step before it.
    NotFittedError
        If the model is not fitted.

    Examples
    --------
    >>> import os, tempfile, numpy as np, onnxruntime, rosenblatt
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), ["off", "off", "off", "on"]
    >>> path = os.path.join(tempfile.mkdtemp(), "and.onnx")
    >>> rosenblatt.export_onnx(rosenblatt.Perceptron().fit(X, y), path)
    >>> onnxruntime.InferenceSession(path).run(["label"], {"X": X})[0].tolist()
    ['off', 'off', 'off', 'on']
    """
    check_choice("input_dtype", input_dtype, DTYPES)
    graph = Graph()
    from rosenblatt.exchange.onnx_learners import KNOWN, add_learner
    from rosenblatt.exchange.onnx_steps import add_step

    steps, learner = _taken_apart(model)
    if not isinstance(learner, KNOWN):
        names = ", ".join(sorted(kind.__name__ for kind in KNOWN))
        raise TypeError(
            f"Cannot export {type(learner).__name__} to ONNX; pass one of {names}, or a Pipeline that ends with one."
        )
    check_is_fitted(learner)
    value = _read(graph, steps, learner, input_dtype)
    for step in steps[1:] if _is_table(steps) else steps:
        value = add_step(graph, step, value)
    add_learner(graph, learner, value)
    description = f"{type(learner).__name__} by rosenblatt {rosenblatt.__version__}"
    write_whole(path, graph.model(description, rosenblatt.__version__))


def _taken_apart(model: Any) -> tuple[list[Any], Any]:
    """(steps, learner)."""
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps if step is not None and not isinstance(step, str)]
        inner, learner = _taken_apart(steps[-1]) if steps else ([], None)
        return [*steps[:-1], *inner], learner
    if isinstance(model, Streamed):
        check_is_fitted(model)
        inner, learner = _taken_apart(model.learner_)
        return [model.features_, *inner], learner
    return [], model


def _is_table(steps: list[Any]) -> bool:
    from rosenblatt.features.columns import ColumnEncoder

    if not steps:
        return False
    named = isinstance(steps[0], ColumnTransformer) and hasattr(steps[0], "feature_names_in_")
    return named or isinstance(steps[0], ColumnEncoder)


def _read(graph: Graph, steps: list[Any], learner: Any, dtype: str) -> Value:
    """The inputs, and of a table what its first step makes of them."""
    from rosenblatt.exchange.onnx_steps import add_columns, add_encoder, reads_list, reads_text

    for step in steps:
        check_is_fitted(step)
    if not steps or not _is_table(steps):
        first = steps[0] if steps else learner
        if steps and reads_list(first):
            return graph.input("X", 0, text=True)
        return graph.input("X", int(first.n_features_in_), dtype=dtype, text=bool(steps) and reads_text(first))
    if not isinstance(steps[0], ColumnTransformer):
        return add_encoder(graph, steps[0])
    names, made = list(steps[0].feature_names_in_), dict[int, Value]()

    def read(place: int, text: bool) -> Value:
        if place not in made:
            made[place] = graph.input(names[place], 1, text=text)
        if made[place].text != text:
            raise TypeError(
                f"A column of an ONNX model is text or numbers, but {names[place]!r} is read as both; split the column."
            )
        return made[place]

    return add_columns(graph, steps[0], read)
