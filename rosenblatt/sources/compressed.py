"""Files that may be stored plain, gzipped, xz'd, bzip2'd or compressed with zstd."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, cast

try:
    from zstandard import ZstdError
except ImportError:  # then no file compressed with zstd can be opened, and none be found damaged

    class ZstdError(Exception):  # type: ignore[no-redef]
        pass


#: What the libraries raise when a compressed file is cut short or damaged.
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, ZstdError)

#: The first bytes of a compressed file, and what it is called.
SIGNATURES = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}


def compression_of(path: str | PathLike[str]) -> str | None:
    """Which compression the first bytes of a file announce, if any."""
    with Path(path).open("rb") as file:
        start = file.read(6)
    return next((name for signature, name in SIGNATURES.items() if start.startswith(signature)), None)


def open_stored(path: str | PathLike[str]) -> BinaryIO:
    r"""Open a file for reading bytes, decompressing it when its first bytes say so.

    The content decides and not the name, so a file that was decompressed or recompressed under its
    old name still opens. No format that is read here can begin with one of the signatures.

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
    compression = compression_of(path)
    if compression == "gzip":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if compression == "xz":
        # LZMAFile reads line by line slowly unless a buffer stands in front of it; so does BZ2File.
        return cast(BinaryIO, io.BufferedReader(lzma.open(path, "rb")))
    if compression == "bzip2":
        return cast(BinaryIO, io.BufferedReader(bz2.open(path, "rb")))
    if compression == "zstd":
        return cast(BinaryIO, io.BufferedReader(_WholeZstd(path), 2**20))
    return Path(path).open("rb")


#: Byte order marks of encodings in which a line break is more than one byte; the longer ones first.
WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def wide_encoding(path: str | PathLike[str], encoding: str = "utf-8") -> str | None:
    """The encoding of a text file whose lines cannot be told by bytes: as its byte order mark says, or as is said."""
    with open_stored(path) as file:
        start = file.read(4)
    marked = next((name for mark, name in WIDE_MARKS.items() if start.startswith(mark)), None)
    if marked is None and "a\n".encode(encoding).endswith(b"a\n"):
        return None
    return marked or encoding


def open_text(path: str | PathLike[str], encoding: str = "utf-8") -> BinaryIO:
    """Open a text file for reading bytes in which a line break is one byte; UTF-16 and UTF-32 become UTF-8.

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
    wide = wide_encoding(path, encoding)
    if wide is None:
        return open_stored(path)
    return cast(BinaryIO, io.BufferedReader(_Recoded(path, wide), 2**20))


class _Recoded(io.RawIOBase):
    """The text of a file in UTF-8."""

    def __init__(self, path: str | PathLike[str], encoding: str) -> None:
        self._path, self._encoding = path, encoding
        self._file = open_stored(path)
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        while not self._ready and not self._ended:
            stored = self._file.read(2**18)
            self._ended = not stored
            try:
                self._ready = self._decoder.decode(stored, self._ended).encode()
            except UnicodeError as error:
                raise ValueError(
                    f"{self._path} must be text in {self._encoding}, but some of its bytes are not ({error}); "
                    "write it again, or pass the encoding that it was written in."
                ) from error
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


class _WholeZstd(io.RawIOBase):
    """A zstd file of one or several frames; unlike the library's own reader it says when the last one is cut short."""

    def __init__(self, path: str | PathLike[str]) -> None:
        import zstandard

        self._file = Path(path).open("rb")  # noqa: SIM115  closed by close
        self._fresh: Callable[[], Any] = zstandard.ZstdDecompressor().decompressobj
        self._frame = self._fresh()
        self._started = False
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        while not self._ready:
            if self._started and self._frame.eof:
                rest, self._frame, self._started = self._frame.unused_data, self._fresh(), False
            else:
                rest = b""
            stored = rest or self._file.read(2**17)
            if not stored:
                if self._started:
                    raise EOFError("the last frame of the zstd file is cut short")
                return 0
            self._started = True
            self._ready = self._frame.decompress(stored)
        n = min(len(view), len(self._ready))
        view[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def close(self) -> None:
        self._file.close()
        super().close()


class described:  # noqa: N801  a context manager
    """Turns what the system and the decompressors say into a sentence about the file."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, PermissionError):
            raise PermissionError(
                f"{self.name} must be readable, but this user may not read it; change its permissions."
            ) from error
        if isinstance(error, DAMAGED):
            raise ValueError(
                f"A compressed file must decompress to its end, but {self.name} does not ({error}); fetch it again."
            ) from error
