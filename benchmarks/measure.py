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


def take_turns(works: dict[str, Callable[[], Any]], rounds: int = 5) -> dict[str, float]:
    """The best time of each, measured in turns so that a disturbance meets all alike."""
    best = dict.fromkeys(works, float("inf"))
    for work in works.values():
        work()  # what is compiled or cached is so before the clock starts
    for _ in range(rounds):
        for name, work in works.items():
            time.sleep(CALM)  # nobody is measured with what another has left running on the second core
            best[name] = min(best[name], seconds(work))
    return best


def faster(work: str, ours: float, peer: float, at_least: float, errors: str = "", unit: str = "ms") -> Row:
    scale, digits = {"ms": (1e3, 2), "µs": (1e6, 2), "s": (1, 2)}[unit]
    return Row(
        work=work,
        ours=f"{ours * scale:.{digits}f} {unit}",
        peer=f"{peer * scale:.{digits}f} {unit}",
        ratio=f"{peer / ours:.1f}x",
        wanted=f"{at_least:g}x",
        met=peer / ours >= at_least,
        errors=errors,
    )


FEW, MANY = 4, 14  # epochs


def compare_epochs(
    work: str, ours: Callable[[int], Any], peers: list[Callable[[int], Any]], at_least: float, errors: Callable[[], str]
) -> list[Row]:
    """Fits of few and of many epochs, ours and every peer's, the fastest peer counting.

    What one epoch more costs is the difference, divided; what a whole fit costs stands beside it.
    """
    works: dict[str, Callable[[], Any]] = {}
    for epochs in (FEW, MANY):
        works[f"ours {epochs}"] = lambda epochs=epochs: ours(epochs)  # type: ignore[misc]
        for n, peer in enumerate(peers):
            works[f"{n} {epochs}"] = lambda peer=peer, epochs=epochs: peer(epochs)  # type: ignore[misc]
    best = take_turns(works)
    names = [str(n) for n in range(len(peers))]
    one_more = {n: (best[f"{n} {MANY}"] - best[f"{n} {FEW}"]) / (MANY - FEW) for n in [*names, "ours"]}
    whole = {n: best[f"{n} {MANY}"] for n in [*names, "ours"]}
    said = errors()
    row = faster(f"{work}, an epoch", one_more["ours"], min(one_more[n] for n in names), at_least, said)
    fit = faster(f"{work}, a fit of {MANY}", whole["ours"], min(whole[n] for n in names), at_least, said)
    fit.wanted, fit.met = "", True
    return [row, fit]


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
