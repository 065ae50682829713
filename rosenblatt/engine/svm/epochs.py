"""Passes of support vector machines, all in step, until every gap is small enough."""

from __future__ import annotations

from collections.abc import Callable

from rosenblatt.engine.svm.dual import Machine
from rosenblatt.engine.svm.loops import STEPS
from rosenblatt.engine.threads import Threads


def solve(
    machines: list[Machine],
    *,
    tol: float,
    max_iter: int,
    n_threads: int,
    asked: Callable[[], str] = lambda: "",
    after_pass: Callable[[int], str] = lambda number: "",
) -> str:
    """Passes until every gap is at most `tol` times its objective; the reason to stop.

    Machines do not depend on each other, so that threads change nothing. `asked` is called many times in a pass and may
    end the run with a reason, as may `after_pass`, which is given the number of passes.
    """
    reason = "max_iter"
    with Threads(n_threads) as threads:

        def prove_all() -> None:
            threads.map(lambda machine: machine.prove(tol), [one for one in machines if not one.proved])

        for number in range(1, max_iter + 1):
            for machine in machines:
                machine.notes[STEPS] = 0.0
            left = [machine for machine in machines if not machine.done]
            moving = [machine for machine in left if not machine.newton_is_due]
            if moving:
                threads.map(lambda machine: machine.step(tol, asked), moving)
            else:  # it takes as long as hundreds of passes: machines wait until all left need it, and run it at once
                threads.map(lambda machine: machine.newton(tol, asked), left)
            if any(machine.diverged for machine in machines):
                reason = "diverged"
            elif all(machine.done for machine in machines):
                reason = "converged"
            else:
                reason = asked() or "max_iter"
            if reason != "max_iter" or number == max_iter:
                prove_all()
            if reason == "max_iter" and all(machine.done for machine in machines):
                reason = "converged"
            told = after_pass(number)
            if reason != "max_iter":
                return reason
            if told:
                prove_all()
                return told
    return reason
