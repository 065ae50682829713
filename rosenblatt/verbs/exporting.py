"""`export`: a model for other programs."""

from __future__ import annotations

from rosenblatt.verbs.errors import InputError, writing
from rosenblatt.verbs.models import load_model
from rosenblatt.verbs.outputs import check_outputs, files_of


def export(model: str, onnx: str) -> None:
    """Write a model for other programs.

    Parameters
    ----------
    model : a model file, or "-" for standard input
    onnx : an ONNX file, which onnxruntime answers from, with the preprocessing in it
    """
    from rosenblatt import export_onnx

    check_outputs({"The ONNX file": onnx}, files_of(model))
    saved = load_model(model)
    try:
        with writing(onnx):
            export_onnx(saved.model, onnx)
    except (TypeError, ValueError) as error:
        raise InputError(str(error)) from error
