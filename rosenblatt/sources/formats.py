"""Which format a file of rows has: by its first bytes, its name, its first lines."""

from __future__ import annotations

import re
from pathlib import Path

from . import dialect as dialects
from . import sparse_text
from .addresses import is_remote
from .compressed import WIDE_MARKS, described, open_stored

#: The formats, and the endings of file names that say so (before .gz, .xz, .bz2, .zst).
FORMATS: dict[str, tuple[str, ...]] = {
    "csv": (".csv", ".txt", ".data"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "keel": (".dat", ".arff"),
    "libsvm": (".libsvm", ".svm", ".svmlight"),
    "vw": (".vw",),
    "idx": (".idx",),
    "npy": (".npy",),
    "npz": (".npz",),
}
MATRICES = ("libsvm", "vw", "idx", "npy", "npz")
PACKED = (".gz", ".xz", ".bz2", ".zst", ".zstd")
START = 2**16  # bytes of a file that tell its format


def format_by_name(name: str) -> str | None:
    """The format that the ending of a file's name says, if it does."""
    stem = name.lower()
    for ending in PACKED:
        stem = stem.removesuffix(ending)
    if "-idx" in stem or ".idx" in stem:
        return "idx"
    return next((known for known, endings in FORMATS.items() if stem.endswith(endings)), None)


def recognise(path: str, name: str | None = None) -> str:
    """The format of a file: by its first bytes, which cannot lie, then by its name, then by its first lines.

    `name` is what the file is called in messages, where that is not its path.
    """
    named = format_by_name(path.split("?")[0] if is_remote(path) else Path(path).name)
    if is_remote(path):
        if named is None:
            raise ValueError(f"The format of a URL must be told by its ending, but {path} has none; pass format.")
        return named
    with described(name or path), open_stored(path) as file:
        start = file.read(START)
    check_readable(start, name or path)
    return by_content(start, named)


#: What else people have, by its first bytes, and what to do about it.
FOREIGN = {
    b"\xd0\xcf\x11\xe0": ("an old spreadsheet or document", "save it as CSV"),
    b"%PDF": ("a PDF document", "export its table as CSV"),
    b"SQLite format 3": ("an SQLite database", "export a table of it as CSV"),
    b"\x89HDF": ("an HDF5 file", "write its table as Parquet, or its rows as .npz"),
    b"<!doctype html": ("a web page", "pass the address of the file itself"),
    b"<html": ("a web page", "pass the address of the file itself"),
}


def check_readable(start: bytes, name: str) -> None:
    """Refuse what is plainly something else than rows, with a word on what to do."""
    what = next((found for sign, found in FOREIGN.items() if start.lstrip().lower().startswith(sign.lower())), None)
    if start.startswith(b"PK\x03\x04"):
        if b"[Content_Types].xml" in start or b"opendocument.spreadsheet" in start:
            what = ("a spreadsheet", "save it as CSV, or with polars: read_excel(...).write_parquet(...)")
        elif b".npy" not in start[:200]:
            what = ("a ZIP archive", "unpack it and pass the files in it")
    elif start[:1] == b"\x80" and start[1:2] in b"\x02\x03\x04\x05" and len(start) > 1:
        what = ("a pickle, which could run any code", "write its rows as Parquet or .npz")
    elif start[8:9] == b"{" and 0 < int.from_bytes(start[:8], "little") < 2**27:
        what = ("a model file", "pass data, or look into the model with rosenblatt inspect")
    if what is not None:
        raise ValueError(f"A source must be a file of rows, but {name} is {what[0]}; {what[1]}.")


def by_content(start: bytes, named: str | None) -> str:
    binary = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow", b"\x93NUMPY": "npy"}
    for signature, known in binary.items():
        if start.startswith(signature):
            return known
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
    plain = named in (None, "csv") and "," not in text
    if plain and lines and sparse_text.looks_like_libsvm(lines[:20]):
        return "libsvm"
    if named == "csv":
        return "tsv" if _has_tabs(whole) else "csv"
    if named is not None:
        return named
    if lines and (lines[0].lstrip().startswith("{") or re.match(r"\s*\[\s*\{", text)):
        return "jsonl"
    if lines and sparse_text.looks_like_vw(lines[:20]):
        return "vw"
    return "tsv" if _has_tabs(whole) else "csv"


def _has_tabs(lines: list[str]) -> bool:
    """Whether tabs part the columns of a text table."""
    return bool(lines) and "\t" in lines[0] and dialects.separator_of(lines) == "\t"
