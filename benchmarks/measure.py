"""How things are measured: every figure is the best of several, and the peers take turns."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Row:
    """One line of the table: the work, our figure, the peer's, and how they compare."""

    work: str
    ours: str
    peer: str
    ratio: str
    wanted: str
    met: bool
    errors: str = ""


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


CALM = 0.15  # seconds: the threads of a linear algebra library go on looking for work after their last product


SHORT = 2.0  # seconds for a round of all works: such rounds go on while the best times still fall,
BETTER = 0.01  # by more than this part,
QUIET_ROUNDS = 10  # until so many rounds in a row have brought nothing better,
LONGEST = 60.0  # but not for longer than so many seconds


def take_turns(works: dict[str, Callable[[], Any]], rounds: int = 5) -> dict[str, float]:
    """The best time of each, measured in turns so that a disturbance meets all alike.

    `rounds` rounds are taken at least. Where a round of all works is short, more follow, in which all take part, until
    for ten rounds no best time has fallen by more than a hundredth, or a minute has passed: on
    a machine that is shared, a short work may be disturbed for many rounds from beginning to end.
    """
    best = dict.fromkeys(works, float("inf"))
    for work in works.values():
        work()  # what is compiled or cached is so before the clock starts
    taken = quiet = 0
    began = time.perf_counter()
    while taken < rounds or (
        sum(best.values()) < SHORT and quiet < QUIET_ROUNDS and time.perf_counter() - began < LONGEST
    ):
        better = False
        for name, work in works.items():
            time.sleep(CALM)  # what one has left running on the second core must not slow the next
            took = seconds(work)
            better |= took < best[name] * (1 - BETTER)
            best[name] = min(best[name], took)
        taken, quiet = taken + 1, 0 if better else quiet + 1
    return best


def faster(
    work: str, ours: float, peer: float, at_least: float | None, errors: str = "", unit: str = "ms"
) -> Row:  # fmt: skip
    scale, digits = {"ms": (1e3, 2), "µs": (1e6, 2), "s": (1, 2)}[unit]
    return Row(
        work=work,
        ours=f"{ours * scale:.{digits}f} {unit}",
        peer=f"{peer * scale:.{digits}f} {unit}",
        ratio=f"{peer / ours:.1f}x",
        wanted="" if at_least is None else f"{at_least:g}x",
        met=at_least is None or peer / ours >= at_least,
        errors=errors,
    )


FEW, MANY = 4, 14  # epochs


def compare_epochs(
    work: str,
    ours: Callable[[int], Any],
    peers: list[Callable[[int], Any]],
    at_least: float | None,
    errors: Callable[[], str],
) -> list[Row]:
    """Fits of few and of many epochs, ours and every peer's, the fastest peer counting; a mark to meet or None.

    What one epoch more costs is the difference, divided; what a whole fit costs stands beside it.
    """
    return compare_ways({work: ours}, peers, at_least, lambda _: errors())


def compare_ways(
    ours: dict[str, Callable[[int], Any]],
    peers: list[Callable[[int], Any]],
    at_least: float | None,
    errors: Callable[[str], str],
) -> list[Row]:
    """`compare_epochs` for several ways of ours to do the same work, named, beside the same fits of the peers."""
    fits = {**ours, **{str(n): peer for n, peer in enumerate(peers)}}
    works: dict[str, Callable[[], Any]] = {
        f"{name} {epochs}": lambda fit=fit, epochs=epochs: fit(epochs)  # type: ignore[misc]
        for epochs in (FEW, MANY)
        for name, fit in fits.items()
    }
    best = take_turns(works)
    one_more = {name: (best[f"{name} {MANY}"] - best[f"{name} {FEW}"]) / (MANY - FEW) for name in fits}
    whole = {name: best[f"{name} {MANY}"] for name in fits}
    rows = []
    for work in ours:
        detail = errors(work)
        for what, took in (("an epoch", one_more), (f"a fit of {MANY}", whole)):
            peer = min(took[str(n)] for n in range(len(peers)))
            rows.append(faster(f"{work}, {what}", took[work], peer, at_least, detail))
        rows[-1].wanted, rows[-1].met = "", True
    return rows


def in_fresh_process(script: str, *arguments: str) -> str:
    """What a script prints, run by an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"A benchmark's own process failed:\n{done.stderr}")
    return done.stdout.strip()


def peak_memory() -> int:
    """The most memory that this process has held, in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
