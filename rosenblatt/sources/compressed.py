"""Files that may be stored plain, gzipped, xz'd or bzip2'd."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from os import PathLike
from pathlib import Path
from typing import BinaryIO, cast

#: What the standard library raises when a compressed file is cut short or damaged.
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)


def open_stored(path: str | PathLike[str]) -> BinaryIO:
    r"""Open a file for reading bytes, decompressing it when its first bytes say so.

    The content decides and not the name, so a file that was decompressed or recompressed under its
    old name still opens. Neither IDX nor LIBSVM files can begin with one of the three signatures.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    BinaryIO
        A buffered binary reader; close it after use.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "three.gz"
    ...     _ = path.write_bytes(gzip.compress(b"abc"))
    ...     with open_stored(path) as file:
    ...         len(file.read())
    3
    """
    with Path(path).open("rb") as file:
        start = file.read(6)
    if start.startswith(b"\x1f\x8b"):
        return cast(BinaryIO, gzip.open(path, "rb"))
    if start.startswith(b"\xfd7zXZ\x00"):
        # LZMAFile reads line by line slowly unless a buffer stands in front of it; so does BZ2File.
        return cast(BinaryIO, io.BufferedReader(lzma.open(path, "rb")))
    if start.startswith(b"BZh"):
        return cast(BinaryIO, io.BufferedReader(bz2.open(path, "rb")))
    return Path(path).open("rb")
