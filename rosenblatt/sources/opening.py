"""From what a user names to a source of rows."""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike
from typing import Any

from .formats import recognise
from .paths import PathsLike, check_paths, copied, expand, is_elsewhere
from .reading import ReadOptions
from .source import Source


def open_source(paths: PathsLike, reading: ReadOptions | None = None, **options: Any) -> Source:
    """Open files of rows; what they are is found out from their names and first bytes.

    Parameters
    ----------
    paths : str, path-like, or a sequence of them
        A file, a pattern (``"part-*.csv"``), a folder whose files are tables of one format, ``"-"`` for standard
        input, an address: ``http://``, ``https://``, or ``s3://`` and others that fsspec reads. Files may be
        compressed with gzip, xz, bzip2 or zstd.
    reading : ReadOptions, optional
        How to read them, where that should not be found out.
    **options
        Fields of `ReadOptions`, such as ``header=False``.

    Returns
    -------
    Source

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "three.csv"
    ...     _ = path.write_text("height;kind\\n1,5;a\\n2,5;b\\n")
    ...     source = open_source(path)
    ...     source.format, source.kind, source.read().to_dicts()
    ('csv', 'frame', [{'height': 1.5, 'kind': 'a'}, {'height': 2.5, 'kind': 'b'}])
    """
    reading = replace(reading or ReadOptions(), **options)
    check_paths(paths)
    given: list[str | PathLike[str]] = [paths] if isinstance(paths, str | PathLike) else list(paths)
    copies, called = copied(given) if any(is_elsewhere(os.fspath(path)) for path in given) else (None, {})
    own = {origin: path for path, origin in called.items()}
    names = {path: "standard input" if origin == "-" else origin for path, origin in called.items()}
    try:
        found = [path for each in given for path in expand(own.get(os.fspath(each), os.fspath(each)))]
        if not found:
            raise ValueError("There must be at least one file, but no path was given.")
        known = _one_format({path: reading.format or recognise(path, names.get(path)) for path in found})
    except BaseException:
        if copies is not None:
            copies.cleanup()
        raise
    return Source(tuple(found), known, reading, copies=copies, called=names)


def _one_format(formats: dict[str, str]) -> str:
    different = sorted(set(formats.values()))
    if different == ["csv", "tsv"]:
        return "csv"  # what separates the columns is found out for each
    if len(different) > 1:
        raise ValueError(
            f"Files that are read together must have one format, but these have {' and '.join(different)}; pass them "
            "one by one, or pass format."
        )
    return different[0]
