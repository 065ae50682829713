"""Files that may be stored plain, gzipped, xz'd, bzip2'd or compressed with zstd, and text in any encoding."""

from __future__ import annotations

import bz2
import codecs
import gzip
import importlib
import io
import lzma
import math
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, cast

__all__ = ["DAMAGED", "NotTextError", "check_text", "described", "encoding_of", "is_packed", "open_stored", "open_text"]


def _find_zstd() -> Any:
    """The module of Python 3.14, or its backport, or None."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return importlib.import_module(name)
    return None


zstd = _find_zstd()


def _open_zstd(path: str | PathLike[str], *given: Any, **named: Any) -> Any:
    if zstd is None:
        raise ImportError(f'{path} is compressed with zstd, which needs an extra: pip install "rosenblatt[zstd]".')
    return zstd.open(path, *given, **named)


#: What the libraries raise when a compressed file is cut short or damaged.
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, *(() if zstd is None else (zstd.ZstdError,)))

#: The first bytes of a compressed file, and what opens it.
PACKED: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"BZh": bz2.open,
    b"\x28\xb5\x2f\xfd": _open_zstd,
}

#: Byte order marks of encodings in which a line break is more than one byte; the longer ones first.
WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def _opener(path: str | PathLike[str]) -> Any:
    with Path(path).open("rb") as file:
        start = file.read(6)
    return next((opener for sign, opener in PACKED.items() if start.startswith(sign)), None)


def is_packed(path: str | PathLike[str]) -> bool:
    """Whether the first bytes of a file announce a compression."""
    return _opener(path) is not None


def open_stored(path: str | PathLike[str]) -> BinaryIO:
    r"""Open a file for reading bytes, decompressing it when its first bytes say so.

    The content decides and not the name, so a file that was decompressed or recompressed under its
    old name still opens. No format that is read here can begin with one of the signatures.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "three.gz"
    ...     _ = path.write_bytes(gzip.compress(b"abc"))
    ...     with open_stored(path) as file:
    ...         len(file.read())
    3
    """
    opener = _opener(path)
    return Path(path).open("rb") if opener is None else cast(BinaryIO, io.BufferedReader(opener(path, "rb"), 2**20))


def encoding_of(path: str | PathLike[str], encoding: str = "utf-8") -> str:
    """The encoding of a text file: that of its byte order mark, or the one that is given."""
    with open_stored(path) as file:
        start = file.read(4)
    return next((name for mark, name in WIDE_MARKS.items() if start.startswith(mark)), encoding)


def open_text(path: str | PathLike[str], encoding: str = "utf-8", most: float = math.inf) -> BinaryIO:
    """Open a text file for reading bytes in UTF-8, whatever its encoding; `most` bytes of it are needed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.csv"
    ...     _ = path.write_text("a,ä", encoding="utf-16")
    ...     with open_text(path) as file:
    ...         file.read().decode()
    'a,ä'
    """
    found = encoding_of(path, encoding)
    if found == "utf-8":
        return open_stored(path)
    recoded = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  closed by the caller
    lines = 1
    with open_stored(path) as stored:
        try:
            for piece in codecs.iterdecode(iter(lambda: stored.read(2**20), b""), found):
                lines += piece.count("\n")
                recoded.write(piece.encode())
                if recoded.tell() >= most:
                    break
        except UnicodeError as error:
            recoded.close()
            seen, start = getattr(error, "object", b""), getattr(error, "start", 0)
            lines += seen[:start].decode(found, errors="replace").count("\n")
            raise NotTextError(found, seen[start : start + 1], lines) from error
    recoded.seek(0)
    return recoded


class NotTextError(ValueError):
    """Bytes that are no text in an encoding, and the line that they stand in."""

    def __init__(self, encoding: str, bad: bytes, line: int) -> None:
        self.encoding, self.line = encoding, line
        self.found = f"byte 0x{bad[0]:02X} in line {line}" if bad else f"line {line}"
        super().__init__(f"no text in {encoding}: {self.found}")


def check_text(text: bytes, encoding: str, line: int) -> None:
    """Refuse what is no text; it begins with this line."""
    try:
        text.decode(encoding)
    except UnicodeDecodeError as error:
        found = text[error.start : error.start + 1]
        raise NotTextError(encoding, found, line + text.count(b"\n", 0, error.start)) from error


@contextmanager
def described(name: str) -> Iterator[None]:
    """Turns what the system and the decompressors say into a sentence about the file."""
    try:
        yield
    except PermissionError as error:
        raise PermissionError(f"{name} must be readable, but this user may not read it; change its permissions.") from (
            error
        )
    except NotTextError as error:
        advice = "pass the encoding that it was written in"
        if error.encoding == "utf-8":
            advice = "if it was written on an older system, its encoding may be latin-1 (--encoding latin-1)"
        raise ValueError(f"{name} is not text in {error.encoding}: {error.found}; {advice}.") from error
    except DAMAGED as error:
        raise ValueError(
            f"A compressed file must decompress to its end, but {name} does not ({error}); fetch it again."
        ) from error
