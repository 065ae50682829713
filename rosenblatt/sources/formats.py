"""The formats of files of rows, and how one is recognised: by its first bytes, its name, its first lines."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from . import dialect as dialects
from .compressed import WIDE_MARKS, described, open_stored

Kind = Literal["frame", "matrix"]


@dataclass(frozen=True)
class Format:
    """A format: the endings of file names that say so, the first bytes that say so, and who reads it.

    The module `reader` has a function ``read(path, name, format, reading, whole)``, which gives frames or matrices, one
    or several; text that is read in passes (tables, LIBSVM) is the business of `Source`.
    """

    endings: tuple[str, ...]
    reader: str = ""
    kind: Kind = "frame"
    starts: tuple[bytes, ...] = ()

    def read(self, *given: Any) -> Iterator[Any]:
        found: Iterator[Any] = importlib.import_module(f".{self.reader}", __package__).read(*given)
        return found


#: Every format. Endings are those before .gz, .xz, .bz2, .zst.
FORMATS: dict[str, Format] = {
    "csv": Format((".csv", ".txt", ".data")),
    "tsv": Format((".tsv", ".tab")),
    "parquet": Format((".parquet", ".pq"), "tables", starts=(b"PAR1",)),
    "arrow": Format((".arrow", ".feather", ".ipc"), "tables", starts=(b"ARROW1", b"\xff\xff\xff\xff")),
    "jsonl": Format((".jsonl", ".ndjson", ".json"), "tables"),
    "keel": Format((".dat", ".arff"), "keel"),
    "excel": Format((".xlsx", ".xlsm", ".xls", ".ods"), "excel"),
    "libsvm": Format((".libsvm", ".svm", ".svmlight"), kind="matrix"),
    "idx": Format((".idx",), "arrays", "matrix"),
    "npy": Format((".npy",), "arrays", "matrix", starts=(b"\x93NUMPY",)),
    "npz": Format((".npz",), "arrays", "matrix"),
}
TEXT_TABLES = ("csv", "tsv")
PACKED = (".gz", ".xz", ".bz2", ".zst", ".zstd")
START = 2**16  # bytes of a file that tell its format
LIBSVM_LINE = re.compile(r"[+-]?[\d.eE+-]+(\s+qid:\d+)?(\s+\d+:[+-]?[\d.eE+-]+)*\s*(#.*)?")

#: What else people have, by its first bytes, and what to do about it.
FOREIGN = {
    b"\xd0\xcf\x11\xe0": ("an old spreadsheet or document", "save it as .xlsx or CSV"),
    b"%PDF": ("a PDF document", "export its table as CSV"),
    b"SQLite format 3": ("an SQLite database", "export a table of it as CSV"),
    b"\x89HDF": ("an HDF5 file", "write its table as Parquet, or its rows as .npz"),
    b"<!doctype html": ("a web page", "pass the address of the file itself"),
    b"<html": ("a web page", "pass the address of the file itself"),
    b"\x80\x04": ("a pickle, which could run any code", "write its rows as Parquet or .npz"),
}


def format_by_name(name: str) -> str | None:
    """The format that the ending of a file's name says, if it does."""
    stem = name.lower()
    for ending in PACKED:
        stem = stem.removesuffix(ending)
    if "-idx" in stem or ".idx" in stem:
        return "idx"
    return next((known for known, format in FORMATS.items() if stem.endswith(format.endings)), None)


def recognise(path: str, name: str | None = None) -> str:
    """The format of a file: by its first bytes, which cannot lie, then by its name, then by its first lines.

    `name` is what the file is called in messages, where that is not its path.
    """
    named = format_by_name(Path(path).name)
    with described(name or path), open_stored(path) as file:
        start = file.read(START)
    check_readable(start, name or path)
    return by_content(start, named)


def check_readable(start: bytes, name: str) -> None:
    """Refuse what is plainly something else than rows, with a word on what to do."""
    what = next((found for sign, found in FOREIGN.items() if start.lstrip().lower().startswith(sign.lower())), None)
    if start.startswith(b"PK\x03\x04"):
        if b".npy" not in start[:200] and not _is_spreadsheet(start):
            what = ("a ZIP archive", "unpack it and pass the files in it")
    elif start[8:9] == b"{" and 0 < int.from_bytes(start[:8], "little") < 2**27:
        what = ("a model file", "pass data, or look into the model with rosenblatt inspect")
    if what is not None:
        raise ValueError(f"{name} is {what[0]}, not a file of rows; {what[1]}.")


def _is_spreadsheet(start: bytes) -> bool:
    """Whether an archive, or an old compound document, is a spreadsheet."""
    return start.startswith(b"PK\x03\x04") and (b"[Content_Types].xml" in start or b"opendocument.spreadsheet" in start)


def by_content(start: bytes, named: str | None) -> str:
    for known, format in FORMATS.items():
        if format.starts and start.startswith(format.starts):
            return known
    if _is_spreadsheet(start):
        return "excel"
    if start.startswith(b"PK\x03\x04") and named in (None, "npz"):
        return "npz"
    if start[:2] == b"\0\0" and start[2:3] in (b"\x08", b"\x09", b"\x0b", b"\x0c", b"\x0d", b"\x0e"):
        return "idx"
    wide = next((encoding for mark, encoding in WIDE_MARKS.items() if start.startswith(mark)), "utf-8")
    text = start.decode(wide, errors="replace").lstrip("\ufeff")
    lines = [line for line in text.splitlines() if line.strip()]
    whole = lines[:-1] if len(start) >= START and len(lines) > 1 else lines  # the last one is probably cut
    if lines and lines[0].lower().startswith(("@relation", "@attribute")):
        return "keel"
    if named == "keel":
        return "csv"  # a .dat file without a header of its own
    if named in (None, "csv") and "," not in text and lines and _looks_like_libsvm(lines[:20]):
        return "libsvm"
    if named not in (None, "csv"):
        return named
    if named is None and lines and (lines[0].lstrip().startswith("{") or re.match(r"\s*\[\s*\{", text)):
        return "jsonl"
    tabs = bool(whole) and "\t" in whole[0] and dialects.separator_of(whole) == "\t"
    return "tsv" if tabs else "csv"


def _looks_like_libsvm(lines: list[str]) -> bool:
    whole = lines[:-1] or lines  # the last may be cut
    return any(":" in line for line in whole) and all(LIBSVM_LINE.fullmatch(line.strip()) for line in whole)
