"""Answers of a model for the rows of a collection: lazy, partition by partition."""

from __future__ import annotations

import operator
from typing import Any

import dask
import dask.array
import dask.dataframe
import numpy as np

from rosenblatt.cluster.backend import Dask, Part
from rosenblatt.cluster.partitions import blocks_of, in_memory, lengths_of, matching
from rosenblatt.engine.online.state import Array


def predict(model: Any, X: Any) -> Any:
    """What the model predicts for every row, not yet computed.

    Parameters
    ----------
    model : fitted estimator
    X : dask array, dask dataframe or list of delayed blocks

    Returns
    -------
    dask array, dask series or list of delayed arrays
        As X is. Call ``compute`` for the values.
    """
    return _lazily(model, X, "predict")


def decision_function(model: Any, X: Any) -> Any:
    """The scores of every row, not yet computed; parameters and returned collection as in `predict`."""
    return _lazily(model, X, "decision_function")


def score(model: Any, X: Any, y: Any, client: Any = None) -> float:
    """The fraction of rows that a classifier answers correctly, or the R² of a regression.

    Parameters
    ----------
    model : fitted estimator
    X, y
        As in `fit`.
    client : distributed.Client, optional
        As in `fit`.
    """
    with Dask(client) as backend:
        blocks, _ = blocks_of(X, "X")
        labels = matching(y, blocks, lengths_of(backend, X, blocks) if in_memory(y) else None, "y")
        pair = dask.delayed(lambda rows, values: (rows, np.asarray(values)), pure=False)
        parts = [Part(number, pair(*both)) for number, both in enumerate(zip(blocks, labels, strict=True))]
        sums = backend.tree_reduce(operator.add, backend.map(_sums, parts, model))
    rows, errors, total, squares = (float(value) for value in sums)
    if hasattr(model, "classes_"):
        return 1.0 - errors / rows
    return 1.0 - errors / (squares - total**2 / rows)


def _sums(block: tuple[Any, Array], model: Any) -> Array:
    """[rows, errors or squared errors, sum of targets, sum of their squares]."""
    X, y = block
    found = model.predict(X)
    if hasattr(model, "classes_"):
        return np.array([len(y), np.sum(found != y), 0.0, 0.0])
    return np.array([len(y), np.sum((found - y) ** 2), np.sum(y, dtype=float), np.sum(np.square(y, dtype=float))])


def _lazily(model: Any, X: Any, name: str) -> Any:
    if isinstance(X, dask.array.Array):
        X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
        like = getattr(model, name)(np.zeros((1, X.shape[1]), X.dtype))
        if like.ndim == 1:
            return X.map_blocks(_answer, model, name, dtype=like.dtype, drop_axis=1)
        return X.map_blocks(_answer, model, name, dtype=like.dtype, chunks=(X.chunks[0], (like.shape[1],)))
    if isinstance(X, dask.dataframe.DataFrame):
        return X.map_partitions(_answer_of_frame, model, name, meta=_no_answers(model, name))
    blocks, _ = blocks_of(X, "X")
    answer, shared = dask.delayed(_answer, pure=False), dask.delayed(model, traverse=False, pure=False)
    return [answer(block, shared, name) for block in blocks]


def _answer(block: Any, model: Any, name: str) -> Array:
    return np.asarray(getattr(model, name)(block))


def _no_answers(model: Any, name: str) -> Any:
    """The answers of a frame without rows."""
    import pandas

    classes = getattr(model, "classes_", np.empty(0))
    if name == "predict":
        return pandas.Series(classes[:0], name=name)
    if len(classes) == 2:
        return pandas.Series(np.empty(0), name=name)
    return pandas.DataFrame(np.empty((0, len(classes))), columns=[str(label) for label in classes])


def _answer_of_frame(block: Any, model: Any, name: str) -> Any:
    """A series or a frame with the index of the rows."""
    import pandas

    found = _answer(block, model, name)
    if found.ndim == 1:
        return pandas.Series(found, index=block.index, name=name)
    return pandas.DataFrame(found, index=block.index, columns=[str(label) for label in model.classes_])
