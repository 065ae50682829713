"""From what a user names to a source of rows."""

from __future__ import annotations

import os
from os import PathLike

from rosenblatt.arguments import shortened, whole_number

from .formats import FORMATS, recognise
from .libsvm import MOST_COLUMNS
from .paths import PathsLike, check_paths, copied, expand, is_elsewhere
from .source import Source

MOST_BITS = 31  # that tell a column of Vowpal Wabbit text


def open_source(
    paths: PathsLike,
    *,
    format: str | None = None,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    n_features: int | None = None,
    zero_based: bool = False,
    bits: int = 18,
) -> Source:
    """Open files of rows; what they are is found out from their names and first bytes.

    Parameters
    ----------
    paths : str, path-like, or a sequence of them
        A file, a pattern (``"part-*.csv"``), a folder whose files are tables of one format, ``"-"`` for standard
        input, an ``http://`` or ``https://`` address, or ``s3://`` and others that polars reads. Files may be
        compressed with gzip, xz, bzip2 or zstd.
    format : str, optional
        One of the names in `FORMATS`, where it should not be found out.
    header : bool, optional
        Whether the first line of a text table has the names of the columns. When not given: a first line with a
        number in it, or with a value that comes again in its column, is a row.
    separator : str, optional
        What stands between the columns of a text table; found out when not given.
    encoding : str
        Of a text table. A byte order mark of UTF-16 or UTF-32 is recognised without it.
    n_features, zero_based
        Of LIBSVM files, as in `read_libsvm`.
    bits : int
        Vowpal Wabbit features are hashed to ``2**bits`` columns.

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
    if format is not None and (not isinstance(format, str) or format not in FORMATS):
        raise ValueError(
            f"format must be one of {', '.join(FORMATS)}, but {shortened(format)} came; choose one of them."
        )
    single = isinstance(separator, str) and len(separator) == 1 and separator.isascii()
    if separator is not None and (not single or separator in '"\r\n'):
        raise ValueError(
            f"separator must be one ASCII character, but {shortened(separator)} came; pass for instance ';'."
        )
    try:
        "".encode(encoding)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(
            f"encoding must be one that Python knows, but {shortened(encoding)} came; pass for instance 'latin-1'."
        ) from error
    if n_features is not None:
        whole_number("n_features", n_features, 1, "it is the number of columns of LIBSVM text", most=MOST_COLUMNS)
    whole_number("bits", bits, 1, "Vowpal Wabbit features are hashed to 2**bits columns", most=MOST_BITS)
    if not (header is None or isinstance(header, bool)) or not isinstance(zero_based, bool):
        name, value = ("header", header) if isinstance(zero_based, bool) else ("zero_based", zero_based)
        raise ValueError(
            f"{name} must be True or False, but {shortened(value)} came; choose one of them, or leave it out."
        )
    check_paths(paths)
    given: list[str | PathLike[str]] = [paths] if isinstance(paths, str | PathLike) else list(paths)
    encoding = "utf-8" if encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig") else encoding
    copies, called = copied(given) if any(is_elsewhere(os.fspath(path)) for path in given) else (None, {})
    own = {origin: path for path, origin in called.items()}
    names = {path: "standard input" if origin == "-" else origin for path, origin in called.items()}
    try:
        found = [path for each in given for path in expand(own.get(os.fspath(each), os.fspath(each)), format)]
        if not found:
            raise ValueError("paths must name at least one file, but none came; pass a file.")
        known = _one_format({path: format or recognise(path, names.get(path)) for path in found})
    except BaseException:
        if copies is not None:
            copies.cleanup()
        raise
    return Source(
        tuple(found), known, header, separator, encoding, n_features, zero_based and known == "libsvm", bits,
        _copies=copies, _called=names,
    )  # fmt: skip


def _one_format(formats: dict[str, str]) -> str:
    different = sorted(set(formats.values()))
    if different == ["csv", "tsv"]:
        return "csv"  # what parts the columns is found out for each
    if len(different) > 1:
        raise ValueError(
            f"Files that are read together must have one format, but they have {' and '.join(different)}; "
            "pass them one by one, or pass format."
        )
    return different[0]
