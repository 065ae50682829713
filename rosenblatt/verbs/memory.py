"""How much memory there is, and whether a file is better learned from in passes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

SHARE = 4  # a file is held in memory up to a fourth of it
UNPACKED = 5  # bytes of text for a byte of compressed text
PACKED = (".gz", ".xz", ".bz2", ".zst", ".parquet")


def too_large(source: Any) -> bool:
    """Whether the rows of a source, with all that is made of them, might not fit into memory."""
    return sum(map(unpacked_size, source.paths)) * SHARE > available_bytes()


def unpacked_size(path: str) -> int:
    """The bytes of a file, about, when it is unpacked."""
    size = os.path.getsize(path)
    return size * UNPACKED if path.casefold().endswith(PACKED) else size


def available_bytes() -> int:
    """The memory of the machine, or of the container that this process runs in.

    Examples
    --------
    >>> available_bytes() > 2**20
    True
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**32
    limit = Path("/sys/fs/cgroup/memory.max")
    told = limit.read_text().strip() if limit.is_file() else ""
    return min(machine, int(told)) if told.isdigit() else machine
