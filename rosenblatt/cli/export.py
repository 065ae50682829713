"""`rosenblatt export`."""

from __future__ import annotations

import os
from typing import Annotated

from rosenblatt.cli import options as o


def export(
    model: o.Model,
    onnx: Annotated[
        str, o.option(o.OUTPUT, "--onnx", metavar="FILE", help="ONNX with the preprocessing (needs rosenblatt[onnx]).")
    ],
    as_json: o.Json = False,
) -> None:
    """Write a model for other programs."""
    from rosenblatt.cli.screen import print_json
    from rosenblatt.verbs import export as write

    write(model, onnx)
    if as_json:
        print_json({"model": model, "onnx": onnx, "bytes": os.path.getsize(onnx)})
    else:
        print(f"{onnx}: {os.path.getsize(onnx):,} bytes")
