"""Files at an http address, copied to this machine before they are read, so that they are read like any other.

Those in other stores, which polars reads where they are, are only known by their schemes here.
"""

from __future__ import annotations

from http.client import HTTPException
from pathlib import Path
from urllib.parse import unquote, urlsplit

from .fetch import CHUNK, open_address, progress_bar

SCHEMES = ("http://", "https://")
REMOTE = ("s3://", "gs://", "gcs://", "az://", "abfs://", "hf://")


def is_address(path: str) -> bool:
    return path.casefold().startswith(SCHEMES)


def is_remote(path: str) -> bool:
    """Whether polars reads it where it is."""
    return path.startswith(REMOTE)


def file_name(url: str) -> str:
    """The name of the file that an address ends with.

    Examples
    --------
    >>> file_name("https://example.org/sets/wine%20red.csv?raw=1"), file_name("http://example.org")
    ('wine red.csv', 'data')
    """
    return Path(unquote(urlsplit(url).path)).name or "data"


def copied(url: str, folder: Path) -> Path:
    """Copy what an address sends into a folder, under its own name; all of it, or a failure in one sentence."""
    target = folder / file_name(url)
    try:
        with open_address(url) as answer, target.open("wb") as file, progress_bar(target.name) as report:
            length = answer.headers.get("Content-Length")
            total, done = int(length) if length else None, 0
            while chunk := answer.read(CHUNK):
                done += file.write(chunk)
                report(done, total)
        if total is not None and done < total:
            raise ConnectionError(f"{done:,} of {total:,} bytes came")
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        code = f"{error.code} " if hasattr(error, "code") else ""
        raise ConnectionError(
            f"{url} must send a file, but it did not ({code}{reason}); check the address and the network."
        ) from error
    return target
