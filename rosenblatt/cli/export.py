"""`rosenblatt export`."""

from __future__ import annotations

from typing import Annotated

from rosenblatt.cli import options as o


def export(
    model: o.Model,
    onnx: Annotated[
        str | None,
        o.option(o.OUTPUT, "--onnx", metavar="FILE", help="ONNX with the preprocessing (needs rosenblatt[onnx])."),
    ] = None,
    coefficients: Annotated[
        str | None, o.option(o.OUTPUT, "--coefficients", metavar="FILE", help="A table of the weights: csv, ...")
    ] = None,
    as_json: o.Json = False,
) -> None:
    """Write a model for other programs."""
    from rosenblatt.cli.screen import print_json
    from rosenblatt.verbs import export as write

    done = write(model, onnx=onnx, coefficients=coefficients)
    if as_json:
        print_json(done.to_dict())
        return
    for path, size in done.to_dict()["bytes"].items():
        print(f"{path}: {size:,} bytes")
