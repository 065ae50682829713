"""How much memory there is, and whether a file is better learned from in passes."""

from __future__ import annotations

import os
from contextlib import suppress
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
    """Memory that this process may still take: of the machine, of its container, and of its own limit.

    Examples
    --------
    >>> available_bytes() > 2**20
    True
    """
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")] if hasattr(os, "sysconf") else [2**32]
    with suppress(OSError, ValueError, IndexError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]))
    with suppress(OSError, ValueError):
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    with suppress(ImportError, OSError):
        import resource

        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            limit = resource.getrlimit(kind)[0]
            if limit != resource.RLIM_INFINITY:
                found.append(limit)
    return min(found)
