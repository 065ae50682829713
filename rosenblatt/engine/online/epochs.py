"""Epochs: rows are visited in turn, what happened is recorded, and there is a reason to stop.

Rows are visited in segments: long enough that Python costs nothing, short enough that a time limit or Ctrl-C is heeded
soon. Where segments end depends on the data alone, never on the clock, on threads or on callbacks, so that a run
can be repeated bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.shuffle import Shuffler
from rosenblatt.engine.online.state import Array, HalfSpaces
from rosenblatt.engine.online.stopping import Watch, interrupt_flag
from rosenblatt.engine.online.task import Task, segment_length
from rosenblatt.engine.online.threads import Workers
from rosenblatt.engine.online.update_log import UpdateLog


@dataclass
class Outcome:
    """How a run ended."""

    stop_reason: str = "max_iter"
    log: UpdateLog | None = None


def train(
    task: Task,
    state: HalfSpaces,
    *,
    max_iter: int,
    watch: Watch | None = None,
    seed: int | None = None,
    pocket: Pocket | None = None,
    record: bool = False,
    measure: Callable[[], dict[str, float]] | None = None,
    stop_when_clean: bool = True,
) -> Outcome:
    """Visit the rows for up to `max_iter` epochs, changing `state` in place; in a new order each, given a seed.

    A `pocket` is filled on the way; `record` logs every update; `measure` adds figures to those of an epoch.
    """
    watch = watch or Watch()
    outcome = Outcome(log=UpdateLog(state.count) if record else None)
    rows = task.kept
    shuffler = None if seed is None else Shuffler(rows, seed)
    with interrupt_flag() as watch.interrupted, Workers(task, state.count, record=record) as workers:
        workers.visit(state, rows[:0])  # compile before the clock starts
        watch.started = time.perf_counter()
        for number in range(1, max_iter + 1):
            clock, updates = time.perf_counter(), state.updates
            order = rows if shuffler is None else shuffler()
            mistakes, stop = _epoch(workers, state, order, watch, pocket, outcome.log)
            if pocket is not None:
                pocket.end_epoch(workers, state)
            figures = {
                "epoch": number,
                "updates": state.updates - updates,
                "mistakes": mistakes,
                "norm": state.norm(),
                "seconds": time.perf_counter() - clock,
                **({} if measure is None else measure()),
            }
            asked = watch.after_epoch(figures, len(rows))
            if not stop and stop_when_clean and figures["updates"] == mistakes == 0:
                stop = "converged"
            if stop or asked:
                outcome.stop_reason = stop or asked
                break
        if watch.interrupted() and outcome.stop_reason not in ("converged", "diverged"):
            outcome.stop_reason = "interrupted"  # also when Ctrl-C came too late to change anything
    return outcome


def _epoch(
    workers: Workers, state: HalfSpaces, order: Array, watch: Watch, pocket: Pocket | None, log: UpdateLog | None
) -> tuple[int, str]:
    """Visit every row, segment by segment: (mistakes met, a reason to stop or nothing)."""
    mistakes = 0
    every_update = pocket is not None and pocket.check == "update"
    length = 1 if every_update else segment_length(workers.task, state)
    for start in range(0, len(order), length):
        segment = order[start : start + length]
        if pocket is not None:
            pocket.start_segment(state)
        updates = state.updates
        visited, runs, updates_made = workers.visit(state, segment, 0 if pocket is None else pocket.run)
        mistakes += runs.mistakes
        if log is not None:
            log.append(updates_made)
        if visited < len(segment):
            return mistakes, "diverged"
        state.settle()
        if pocket is not None:
            pocket.end_segment(workers, state, segment, runs, state.updates - updates)
        stop = watch.within_epoch((start + len(segment)) / len(order))
        if stop:
            return mistakes, stop
    return mistakes, ""
