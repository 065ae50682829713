"""The model file: named arrays and a JSON header in one .safetensors file. Nothing in it is ever run.

Protocol 1. The file's metadata has the one key "rosenblatt", a JSON object with "protocol": 1, "kind" (what the
rest describes) and whatever the kind needs; the arrays are the file's tensors. A new protocol gets a new number,
and the old numbers stay readable.
"""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from rosenblatt.models.linear import Array
from rosenblatt.models.whole_file import write_whole

PROTOCOL = 1
KEY = "rosenblatt"


def write_file(path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Write the model, whole or not at all."""
    from safetensors.numpy import save

    text = json.dumps({"protocol": PROTOCOL, **header}, allow_nan=True)
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {KEY: text})
    write_whole(path, data)


def read_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Array]]:
    """(header, arrays) of a model file."""
    from safetensors import SafetensorError, safe_open

    name = os.fspath(path)
    if not os.path.isfile(name):
        raise FileNotFoundError(f"{name} must be a model file, but there is no such file; check the path.")
    try:
        with safe_open(name, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  no mapping
        header = json.loads(metadata[KEY])
        protocol = header["protocol"]
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError, OverflowError, MemoryError) as error:
        raise ValueError(
            f"{name} must be a model file written by rosenblatt.save, but it is not one or is damaged "
            f"({type(error).__name__}); save the model again."
        ) from None
    if protocol != PROTOCOL:
        raise ValueError(
            f"{name} must have a protocol that this version reads ({PROTOCOL}), but it has {protocol!r}; install a "
            f"newer rosenblatt."
        )
    return header, arrays
