"""Where the known files are: a folder of the user's, a cache, or their public home.

A file is looked for plain and with every ending we can read. Checksums are of the decompressed content, so
a copy that was compressed again still verifies; they are checked when a file is downloaded and not at every
use.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from http.client import HTTPException
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from rosenblatt.arguments import existing_file, shortened, yes_or_no

from .catalogue import FILES, KnownFile
from .compressed import DAMAGED, open_stored

Progress: TypeAlias = Callable[[int, int | None], None]

ENDINGS = ("", ".xz", ".gz", ".bz2")
CHUNK = 1 << 20


def locate(name: str) -> Path:
    """Return the path of a known file, downloading it when it is not on this machine.

    Looked for in the folder that the environment variable ROSENBLATT_DATA names, then in the cache
    folder, then at the file's public home.

    Parameters
    ----------
    name : str
        A key of `FILES`.

    Returns
    -------
    Path

    Examples
    --------
    >>> locate("mnist/t10k-labels-idx1-ubyte").name  # doctest: +SKIP
    't10k-labels-idx1-ubyte.gz'
    >>> locate("mnist/labels")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: name must be a key of rosenblatt.sources.FILES, but 'mnist/labels' came; did you mean ...
    """
    if not isinstance(name, str) or name not in FILES:
        from difflib import get_close_matches

        near = get_close_matches(str(name), FILES, n=1, cutoff=0.0)[0]
        raise ValueError(
            f"name must be a key of rosenblatt.sources.FILES, but {shortened(name)} came; did you mean {near!r}?"
        )
    return stored(name) or download(FILES[name], cache_folder())


def stored(name: str) -> Path | None:
    """Return the path of a known file on this machine, or None.

    Examples
    --------
    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, ROSENBLATT_CACHE="no/such", ROSENBLATT_DATA=""):
    ...     stored("libsvm/a9a") is None
    True
    """
    folders = [Path(os.environ["ROSENBLATT_DATA"])] if os.environ.get("ROSENBLATT_DATA") else []
    for folder in [*folders, cache_folder()]:
        for ending in dict.fromkeys((FILES[name].ending, *ENDINGS)):
            path = folder / f"{name}{ending}"
            if path.is_file():
                return path
    return None


def cache_folder() -> Path:
    """Return the folder that downloads are kept in.

    It is the one ROSENBLATT_CACHE names, else `rosenblatt` in the platform's folder for caches.

    Returns
    -------
    Path

    Examples
    --------
    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, ROSENBLATT_CACHE="kept/here"):
    ...     cache_folder().parts
    ('kept', 'here')
    """
    if chosen := os.environ.get("ROSENBLATT_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rosenblatt"


def download(file: KnownFile, folder: str | PathLike[str]) -> Path:
    """Download a known file into a folder, all of it or nothing.

    The bytes go to a temporary name beside the target, are checked, and only then get their name: a
    reader never sees half a file, and a failed download leaves nothing behind.

    Parameters
    ----------
    file : KnownFile
        With a `url`; without one the error says where to put the file.
    folder : str or path-like
        The file lands at its own name inside, folders being made as needed.

    Returns
    -------
    Path

    Examples
    --------
    >>> download(FILES["mnist/t10k-labels-idx1-ubyte"], cache_folder())  # doctest: +SKIP
    """
    elsewhere = f"set ROSENBLATT_DATA to a folder that has {file.name}{file.ending}"
    if file.url is None:
        raise FileNotFoundError(
            f"{file.name} must be on this machine, as it has no public home to download from, but it was not "
            f"found; {elsewhere}."
        )
    target = Path(folder) / Path(file.name).parent / file.url.rsplit("/", 1)[-1]
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as sink:
            copy_address(file.url, sink, file.name, f"check the network, or {elsewhere}")
            # The name must not reach the disk before the bytes: the file is never checked again.
            sink.flush()
            os.fsync(sink.fileno())
        try:
            found = checksum(part, libsvm=file.libsvm)
        except DAMAGED as error:
            found = f"damaged bytes ({error})"
        if found != file.sha256:
            raise ValueError(
                f"The content of {file.name} must have the SHA-256 {file.sha256}, but {file.url} sent {found}; "
                f"nothing was kept, so try again, or {elsewhere}."
            )
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def checksum(path: str | PathLike[str], *, libsvm: bool = False) -> str:
    r"""Return the SHA-256 of a file's decompressed content.

    The copies of a LIBSVM text in use differ in blanks at the end of lines and in zeros that are
    written out. With `libsvm` each line is first reduced to its parts with one blank between them,
    without the zeros, and a newline: rows that are equal hash equally.

    Parameters
    ----------
    path : str or path-like
        The file, plain or compressed with gzip, xz or bzip2.
    libsvm : bool
        Whether to hash the canonical lines of a LIBSVM text instead of the bytes.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two = Path(folder) / "one", Path(folder) / "two"
    ...     _ = one.write_text("+1 3:1\n"), two.write_text("+1  3:1 123:0 \n")
    ...     checksum(one, libsvm=True) == checksum(two, libsvm=True) == checksum(one)
    True
    """
    existing_file(path)
    yes_or_no(libsvm=libsvm)
    found = hashlib.sha256()
    with open_stored(path) as file:
        if libsvm:
            for line in file:
                found.update(b" ".join(part for part in line.split() if not part.endswith(b":0")) + b"\n")
        else:
            while chunk := file.read(CHUNK):
                found.update(chunk)
    return found.hexdigest()


def open_address(url: str) -> AbstractContextManager[Any]:
    from urllib.error import HTTPError
    from urllib.request import urlopen

    try:
        opened: AbstractContextManager[Any] = urlopen(url, timeout=60)
    except HTTPError as error:
        # It holds the page that says "not found", and the connection with it.
        error.close()
        raise
    return opened


def copy_address(url: str, sink: BinaryIO, title: str, advice: str = "check the address") -> None:
    """Write what an address sends, all of it; a ConnectionError with the advice where that fails."""
    done, total = 0, None
    with progress_bar(title) as report, ExitStack() as stack:
        while True:
            try:
                if not done:
                    source = stack.enter_context(open_address(url))
                    length = getattr(source, "headers", {}).get("Content-Length")
                    total = int(length) if length else None
                chunk = source.read(CHUNK)
                if not chunk and total is not None and done < total:
                    raise ConnectionError(f"{done:,} of {total:,} bytes came")
            except (OSError, HTTPException, ValueError) as error:
                code = f"{error.code} " if hasattr(error, "code") else ""
                reason = f"{code}{getattr(error, 'reason', None) or error}"
                raise ConnectionError(f"{url} could not be downloaded ({reason}); {advice}.") from error
            if not chunk:
                return
            done += sink.write(chunk)
            report(done, total)


@contextmanager
def progress_bar(title: str) -> Iterator[Progress]:
    """Show a progress bar on a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
