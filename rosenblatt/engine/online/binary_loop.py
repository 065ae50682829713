"""The loop over rows for a single half-space.

Rows may have a dozen non-zeros. Then the general loop's own work counts: the loop over half-spaces, of which there is
one, and the ledger in memory. Here what a row needs of the ledger is in registers, a row without an update writes
nothing, and mistakes are counted on the way instead of from stored scores. Updates are those of `loop`, bit for bit.
Measured: a9a 1.7 times and 1,000,000 x 20 float32 1.4 times as fast as in the general loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.prefetch import prefetch
from rosenblatt.engine.layouts.table import LAYOUTS
from rosenblatt.engine.online.loop import loop_key, make_note, make_step, rollback
from rosenblatt.engine.online.mistakes import count, is_mistake
from rosenblatt.engine.online.state import BIAS, SCALE, SCORE, SEEN

U = np.uint64
ONE, TWO = U(1), U(2)


def _compile(key: str, function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    step_of = compiled.adopt(make_step(function, n_parameters, weighted), f"{key} step")
    note = compiled.adopt(make_note(layout), f"{key} note")
    reads_sqnorm = compiled.reads_argument(function, 1)
    score, squared_norm, add = layout.score_binary, layout.squared_norm, layout.add_binary
    ahead, hold = layout.ahead, layout.hold

    def visit_rows(
        rows: Any, order: Any, codes: Any, sample_weight: Any, positive: Any, params: Any, state: Any,
        intercept: Any, shrink_intercept: Any, log: Any, runs: Any,
    ) -> Any:  # fmt: skip
        """Visit the rows in `order`; returns how many were visited before a number was not finite.

        `runs` has the fields of `mistakes.Runs`: the run before on entry, all of them on return.
        """
        n = order.shape[0]
        vectors, lag, ledger = state
        scale, bias, seen, s = ledger[0, SCALE], ledger[0, BIAS], ledger[0, SEEN], ledger[0, SCORE]
        mistakes, longest, end, run = 0, -1, -1, runs[3]
        final, soon = U(max(n, 1)) - ONE, U(ahead(rows))
        for r in range(U(n)):
            i, following, near = U(order[r]), U(order[min(r + ONE, final)]), U(order[min(r + TWO, final)])
            coming = following  # in file order the processor prefetches by itself
            if following != i + ONE:
                coming = U(order[min(r + soon, final)])
                prefetch(codes, coming)
            hold(rows, lag, r, 0, 1)
            c = sample_weight[i] if sample_weight.shape[0] > 0 else 1.0
            sqnorm = 0.0
            if reads_sqnorm:
                sqnorm = squared_norm(rows, i, ledger) + intercept
            s = scale * score(rows, i, near, coming, vectors, ledger) + bias
            y = 1.0 if codes[i] == positive[0] else -1.0
            step, shrink = step_of(y * s, sqnorm, np.int64(seen + 1.0), params, U(0), c)
            if not np.isfinite(s):
                n = np.int64(r)
                break
            seen += 1.0
            if step != 0.0 or shrink != 1.0:
                ledger[0, SCORE], ledger[0, SEEN] = s, seen
                taken = note(ledger, 0, i, step * y, shrink, vectors, lag, intercept, shrink_intercept, log)
                if not taken or (step != 0.0 and not add(rows, i, vectors, lag, ledger)):
                    rollback(ledger, 0, 1)
                    n = np.int64(r)
                    break
                scale, bias = ledger[0, SCALE], ledger[0, BIAS]
            mistake = is_mistake(vectors.dtype.type(s), y)
            mistakes, longest, end, run = count(mistake, np.int64(r), mistakes, longest, end, run)
        ledger[0, SCORE], ledger[0, SEEN] = s, seen
        runs[0], runs[1], runs[2], runs[3] = mistakes, longest, end, run
        return n

    return compiled.jit(visit_rows)


_loops: dict[str, Any] = {}


def visit_rows(function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    """The compiled loop for a rule and a layout; the same object for rules that do the same."""
    key = loop_key(function, n_parameters, weighted, layout_name, False)
    if key not in _loops:
        _loops[key] = _compile(key, function, n_parameters, weighted, layout_name)
    return _loops[key]
