"""Passes of support vector machines, polished and proven now and then, until every gap is small enough.

All half-spaces in one machine, or, on sparse rows, each in one of its own after a few passes together.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.svm.dual import Machine
from rosenblatt.engine.svm.loops import MISTAKES, STEPS

FIRST_POLISH = 48  # passes
POLISH_AGAIN = 12  # passes later, while that is cheap; else when there have been half as many more
POLISH_BUDGET = 1e9  # multiplications
SOONER = 0.8  # after a proof that failed, the next is tried at this part of the estimate
TOGETHER = 5  # passes that all half-spaces make together, before each goes on with the rows of its own
MOST_WEIGHTS = 2**26  # of all half-spaces together


def solve(
    machine: Machine,
    *,
    tol: float,
    max_iter: int,
    seed: int | None,
    after_pass: Callable[[dict[str, Any]], str] = lambda figures: "",
    begun: int = 0,
) -> str:
    """Passes until every gap is at most `tol` times its objective; the reason to stop.

    `after_pass` may end it by returning a reason; `begun` tells how many passes there were before.
    """
    order, trigger, reason = machine.next_order(), tol, "max_iter"
    state = np.uint64(0 if seed is None else seed)
    next_polish, proved = FIRST_POLISH, False
    for number in range(begun + 1, max_iter + 1):
        if seed is not None:
            shuffler = Shuffler(order, int(state))
            order, state = shuffler(), shuffler.state
        if not machine.descend(order):
            reason = "diverged"
            break
        estimate = float(np.max(np.where(machine.done, 0.0, machine.estimates())))
        proved = False
        polished = False
        if number == next_polish:
            polished = machine.polish()
            soon = machine.polished <= machine.work + POLISH_BUDGET
            next_polish = number + POLISH_AGAIN if soon else number * 3 // 2
        if estimate <= trigger or number == max_iter or polished:
            machine.prove(tol)
            proved = True
            if machine.done.all():
                reason = "converged"
            else:
                # What was set aside and should not have been is back, so that the next estimates see it.
                trigger = SOONER * min(estimate, trigger)
        order = machine.next_order()
        if len(order) == 0:
            trigger = np.inf
        told = after_pass({"epoch": number, "estimate": estimate, "proved": proved})
        if reason == "converged" or told:
            reason = "converged" if reason == "converged" else told
            break
    if reason not in ("converged", "diverged", "max_iter") and not proved:
        machine.prove(tol)
    return reason


def start_together(
    make: Callable[..., Machine], positive: Array, passes: int, seed: int | None, asked: Callable[[], str]
) -> tuple[list[Machine], list[Array], int | None, str]:
    """(a machine for each half-space, [steps, mistakes] of all per pass, the next seed, a reason to stop).

    In the first passes nearly every row matters to every half-space, so they share the reading of it; later each
    needs few rows, and others than the rest.
    """
    machines = [make(positive[:1])]
    machines += [make(positive[k : k + 1], like=machines[0]) for k in range(1, len(positive))]
    if passes < 1 or machines[0].state.n_features * len(positive) > MOST_WEIGHTS:
        return machines, [], seed, ""
    told: list[Array] = []
    shared, reason = make(positive, like=machines[0]), ""
    try:
        while len(told) < passes and not reason:
            order = shared.next_order()
            if seed is not None:
                shuffler = Shuffler(order, seed)
                order, seed = shuffler(), int(shuffler.state)
            reason = "" if shared.descend(order) else "diverged"
            told.append(shared.notes[:, [STEPS, MISTAKES]].copy())
            reason = reason or asked()
    finally:
        shared.close()
    coef = shared.state.last()[0]
    for k, own in enumerate(machines):
        own.alpha[:], own.active[:], own.notes[0] = shared.alpha[:, [k]], shared.active[:, [k]], shared.notes[k]
        own.work = shared.work / len(machines)
        own.state._write(own.state.vectors, coef[k : k + 1])
    return machines, told, seed, reason


def solve_apart(
    make: Callable[..., Machine],
    positive: Array,
    *,
    tol: float,
    max_iter: int,
    seed: int | None,
    threads: int,
    asked: Callable[[], str],
) -> tuple[list[Machine], str, list[list[int]]]:
    """One half-space after another, or several at a time on threads: (machines, reason to stop, passes of all).

    Sparse rows are cheap to fetch, and each half-space soon needs only its own few: one pass for all would visit far
    more. `make` builds a machine for some of the half-spaces; `asked` may end the run with a reason. The passes are
    [steps, mistakes] per pass, added up over the half-spaces.
    """
    machines, first, seed, stop = start_together(make, positive, min(TOGETHER, max_iter - 1), seed, asked)
    passes = [{n: (int(told[k, 0]), int(told[k, 1])) for n, told in enumerate(first, 1)} for k in range(len(machines))]

    def run(k: int) -> str:
        if stop:
            machines[k].prove(tol)
            return stop
        notes = machines[k].notes

        def after_pass(told: dict[str, Any]) -> str:
            passes[k][told["epoch"]] = (int(notes[0, STEPS]), int(notes[0, MISTAKES]))
            return asked()

        return solve(machines[k], tol=tol, max_iter=max_iter, seed=seed, after_pass=after_pass, begun=len(first))

    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            reasons = list(pool.map(run, range(len(machines))))
    else:
        reasons = [run(k) for k in range(len(machines))]
    reason = next((reason for reason in reasons if reason != "converged"), "converged")
    longest = max((len(one) for one in passes), default=0)
    totals = [[sum(one[n][part] for one in passes if n in one) for part in (0, 1)] for n in range(1, longest + 1)]
    return machines, reason, totals
