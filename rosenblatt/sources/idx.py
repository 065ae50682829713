"""IDX files: the big-endian arrays of MNIST.

An IDX file is a 4-byte magic number (two zero bytes, a type code, the number of dimensions), then each
dimension as a big-endian unsigned 32-bit integer, then the values in C order and nothing after them.
"""

from __future__ import annotations

import math
import struct
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.arguments import existing_file

from .compressed import DAMAGED, open_stored

#: The type code in the third byte of the file, and the dtype the values are stored in.
TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}

#: More dimensions than this fit into no numpy array.
MAX_DIMENSIONS = 64


def read_idx(path: str | PathLike[str]) -> npt.NDArray[Any]:
    r"""Read an IDX file into a read-only array.

    The values are copied once, from the file's big-endian order into the machine's own. Arrays of numpy's making get
    large pages where the system has them, what a file was read into does not: rows visited in random order are found
    sooner.

    Parameters
    ----------
    path : str or path-like
        An IDX file, plain or compressed with gzip, xz or bzip2.

    Returns
    -------
    ndarray
        Of the shape and type the file states: uint8, int8, int16, int32, float32 or float64.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "labels-idx1-ubyte"
    ...     _ = path.write_bytes(b"\0\0\x08\x01" + b"\0\0\0\x03" + b"\x05\x00\x04")
    ...     read_idx(path)
    array([5, 0, 4], dtype=uint8)
    """
    existing_file(path)
    try:
        with open_stored(path) as file:
            content = file.read()
    except DAMAGED as error:
        raise ValueError(f"{path} is compressed, but damaged or cut short ({error}).") from error
    shape, dtype, start = _header(content, path)
    expected, found = start + math.prod(shape) * dtype.itemsize, len(content)
    if found != expected:
        raise ValueError(f"{path} should have {expected:,} bytes ({dtype.name} of shape {shape}), but has {found:,}.")
    values: npt.NDArray[Any] = np.ndarray(shape, dtype, buffer=content, offset=start)
    native = values.astype(dtype.newbyteorder("="))
    native.flags.writeable = False
    return native


def _header(content: bytes, path: str | PathLike[str]) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Return the shape, the stored dtype and where the values start."""
    if len(content) < 4 or content[:2] != b"\0\0":
        raise ValueError(f"{path} is no IDX file: it begins with {content[:4]!r}, not with two zero bytes.")
    code, n_dimensions = content[2], content[3]
    start = 4 + 4 * n_dimensions
    if code not in TYPES:
        raise ValueError(f"{path} has values of an unknown type, 0x{code:02X}.")
    if n_dimensions > MAX_DIMENSIONS or len(content) < start:
        raise ValueError(f"{path} has a damaged header, of {n_dimensions} dimensions and {len(content):,} bytes.")
    return struct.unpack(f">{n_dimensions}I", content[4:start]), np.dtype(TYPES[code]), start
