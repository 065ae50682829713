"""Files as sources of rows, opened as the options of reading say."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosenblatt.verbs.errors import UsageError, check_choice, reading
from rosenblatt.wording import listed, shortened

if TYPE_CHECKING:
    from rosenblatt.sources import Source

SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "bar": "|", r"\t": "\t"}


def open_data(
    paths: str | Sequence[str],
    *,
    format: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    zero_based: bool | None = None,
) -> Source:
    """Files as a source of rows, nothing of which is read yet; see `rosenblatt.sources.open_source`.

    `zero_based` is about LIBSVM files, and refused for others; None stands for no.
    """
    from rosenblatt.sources import open_source
    from rosenblatt.sources.formats import FORMATS

    if format is not None:
        check_choice("--format", format, FORMATS)
    if encoding is not None:
        _check_encoding(encoding)
    given = [paths] if isinstance(paths, str) else list(paths)
    with reading(given[0] if given else None):
        source = open_source(
            given, format=format, header=header, encoding=encoding or "utf-8", separator=read_separator(separator),
            zero_based=bool(zero_based),
        )  # fmt: skip
    if zero_based is not None and source.format != "libsvm":
        option = "--zero-based" if zero_based else "--one-based"
        raise UsageError(
            f"Only LIBSVM files number their features, but {source.name} is {source.format}; "
            f"leave {option} out, or pass --format libsvm."
        )
    return source


def read_separator(given: str | None) -> str | None:
    r"""What parts the columns: one character, or its name.

    Examples
    --------
    >>> read_separator(";"), read_separator("tab"), read_separator(r"\t")
    (';', '\t', '\t')
    """
    if given is None:
        return None
    found = SEPARATORS.get(given.casefold(), given)
    if len(found) != 1 or found in '"\r\n' or not found.isascii():
        raise UsageError(
            f"--separator must be one character, or one of {listed(SEPARATORS)}, but got {shortened(given)}; "
            f"';' and tab are usual beside ','."
        )
    return found


def _check_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError:
        raise UsageError(
            f"--encoding must be one that Python knows, but got {shortened(name)}; utf-8, latin-1 and utf-16 are usual."
        ) from None
