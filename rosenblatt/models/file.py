"""The container of a model file: named arrays and a JSON header in one .safetensors file. Nothing in it is ever run.

The file's metadata has the one key "rosenblatt", a JSON object with "protocol" and whatever that protocol needs. Its
last entry is "seal", a SHA-256 over the rest of the header and every array, which shows whether a file was truncated or
altered. The arrays are the file's tensors. The header is described in `rosenblatt.exchange`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.arguments import file_name
from rosenblatt.models.linear import Array
from rosenblatt.models.whole_file import write_whole

PROTOCOL = 3
KEY = "rosenblatt"
SEALED = re.compile(r', "seal": "[0-9a-f]{64}"\}$')


def write_file(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write header and arrays, whole or not at all."""
    write_whole(path, packed({"protocol": PROTOCOL, **header}, arrays))


def packed(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a model file."""
    from safetensors.numpy import save

    ready = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(ready, {KEY: sealed(json.dumps(header), ready)})


def read_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Array]]:
    """(header, arrays) of a model file that is as it was written.

    The arrays take no more memory than the file has bytes: safetensors holds every shape against the file's length
    before anything is allocated.
    """
    from safetensors import SafetensorError, safe_open

    name = file_name(path)
    try:
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise FileNotFoundError(f"{name} is not a file.")
        with open(name, "rb"):  # safetensors reports a missing right as a damaged file
            pass
    except FileNotFoundError as error:
        raise FileNotFoundError(f"No such file: {name}." if error.errno else str(error)) from None
    except OSError as error:
        raise type(error)(f"Cannot read {name}: {error.strerror}.") from None
    try:
        with safe_open(name, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {key: np.asarray(file.get_tensor(key)) for key in file.keys()}  # noqa: SIM118  no mapping
        header = json.loads(metadata[KEY], object_pairs_hook=_once_each)
        protocol = header["protocol"]
    except (
        SafetensorError, KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError, MemoryError,
        OSError,
    ) as error:  # fmt: skip
        raise ValueError(
            f"{name} is not a model file written by rosenblatt.save, or it is damaged ({type(error).__name__})."
        ) from None
    if type(protocol) is not int or protocol != PROTOCOL:
        raise ValueError(
            f"{name} has protocol {str(protocol)[:40]!r}, but this version of rosenblatt reads protocol {PROTOCOL}. "
            f"Load it with the version that wrote it."
        )
    header.pop("seal", None)
    if not _is_sealed(metadata[KEY], arrays):
        raise ValueError(f"{name} was truncated or altered: its checksum does not match its contents.")
    return header, arrays


def sealed(text: str, arrays: Mapping[str, Array]) -> str:
    """The header with its seal: SHA-256 over it and over name, dtype, shape and bytes of every array, by name."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(json.dumps([name, array.dtype.name, array.shape]).encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return f'{text[:-1]}, "seal": "{digest.hexdigest()}"}}'


def _is_sealed(text: str, arrays: Mapping[str, Array]) -> bool:
    found = SEALED.search(text)
    return found is not None and text == sealed(text[: found.start()] + "}", arrays)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key occurs twice")
    return result
