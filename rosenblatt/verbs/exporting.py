"""`export`: a model for other programs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.verbs.errors import InputError, UsageError, writing
from rosenblatt.verbs.inspection import feature_names
from rosenblatt.verbs.models import load_model
from rosenblatt.verbs.outputs import check_outputs, files_of
from rosenblatt.verbs.tables import check_table, write_table


@dataclass(frozen=True)
class Export:
    """The files that were written."""

    model: str
    onnx: str | None
    coefficients: str | None

    def to_dict(self) -> dict[str, Any]:
        sizes = {path: os.path.getsize(path) for path in (self.onnx, self.coefficients) if path and path != "-"}
        return {**vars(self), "bytes": sizes}


def export(model: str, *, onnx: str | None = None, coefficients: str | None = None) -> Export:
    """Write a model for other programs.

    Parameters
    ----------
    model : a model file, or "-" for standard input
    onnx : an ONNX file, which onnxruntime answers from, with the preprocessing in it
    coefficients : a table of the weights (CSV, Parquet, ...): one row for each feature, one column for each half-space,
        `weight_` and its class; only `weight` where there are none

    Examples
    --------
    >>> export("model.safetensors")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: Name what to write: --onnx FILE or --coefficients FILE.
    """
    if onnx is None and coefficients is None:
        raise UsageError("Name what to write: --onnx FILE or --coefficients FILE.")
    check_outputs({"The ONNX file": onnx, "The table of weights": coefficients}, files_of(model))
    if coefficients is not None:
        check_table(coefficients)  # before the other file is written
    saved = load_model(model)
    if onnx is not None:
        from rosenblatt import export_onnx

        try:
            with writing(onnx):
                export_onnx(saved.model, onnx)
        except (TypeError, ValueError) as error:
            raise InputError(str(error)) from error
    if coefficients is not None:
        write_table(coefficients, _weights(saved))
    return Export(model, onnx, coefficients)


def _weights(saved: Any) -> Any:
    import polars

    coefficients = getattr(saved.learner, "coef_", None)
    if coefficients is None:
        name = type(saved.learner).__name__
        raise UsageError(f"A {name} has no weights; export it with --onnx.")
    coefficients, intercepts = np.atleast_2d(coefficients), np.atleast_1d(saved.learner.intercept_)
    values = np.column_stack([coefficients, intercepts])
    columns = {"feature": [*feature_names(saved, coefficients.shape[1]), "(intercept)"]}
    names = ["weight"]
    if hasattr(saved.learner, "classes_"):  # words also where the classes are numbers, which would be read as a row
        names = [f"weight_{label}" for label in saved.learner.classes_.tolist()[-len(values) :]]
    return polars.DataFrame({**columns, **dict(zip(names, values, strict=True))})
