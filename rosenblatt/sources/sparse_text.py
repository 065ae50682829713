"""LIBSVM and Vowpal Wabbit text as matrices, whole or in batches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .libsvm import read_libsvm
from .matrix import Matrix

if TYPE_CHECKING:
    from .source import Source

LIBSVM_LINE = re.compile(r"[+-]?[\d.eE+-]+(,[\d.]+)*(\s+qid:\d+)?(\s+\d+:[+-]?[\d.eE+-]+)*\s*(#.*)?")
VW_LINE = re.compile(r"[^|,]*\|.*")


def looks_like_libsvm(lines: list[str]) -> bool:
    return any(":" in line for line in lines) and all(
        LIBSVM_LINE.fullmatch(line.strip()) for line in lines[:-1] or lines
    )


def looks_like_vw(lines: list[str]) -> bool:
    return all(VW_LINE.fullmatch(line) for line in lines[:-1] or lines) and all(
        len(line.split("|")[0].split()) <= 3 for line in lines
    )


def matrices(path: str, name: str, source: Source, n_rows: int | None) -> Iterator[Matrix]:
    X, y = read_libsvm(path, source.n_features, zero_based=source.zero_based)
    height = len(y) if n_rows is None else n_rows
    for start in range(0, len(y), height):
        yield Matrix(X[start : start + height], y[start : start + height])
