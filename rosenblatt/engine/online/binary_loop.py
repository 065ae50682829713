"""The loop over rows for a half-space that is alone: whether a row teaches it anything is found out in few steps.

Rows may have a dozen numbers. Then the loop's own work counts: going through half-spaces of which there is one, and
through the ledger. Here what a row needs of the ledger is at hand, and a row that teaches nothing leaves nothing
behind; its score only where somebody wants to have it. Mistakes and runs of right answers are counted on the way: long
rows are waited for, so that it costs nothing. What a row teaches is noted down and carried out as in `loop`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.compile import jit as compiled
from rosenblatt.engine.compile.prefetch import prefetch
from rosenblatt.engine.online.loop import LAYOUTS, kernel_key, let_go, make_add, make_note, make_step
from rosenblatt.engine.online.state import BIAS, SCALE, SCORE, SEEN

U = np.uint64
ONE, TWO = U(1), U(2)
MISTAKES, LONGEST, END, RUN = range(4)  # as in `order.Found`; the run of right answers is the one before, and after


def _compile(key: str, function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    layout = LAYOUTS[layout_name]
    step_of = compiled.adopt(make_step(function, n_parameters, weighted), f"{key} step")
    note, add = compiled.adopt(make_note(layout), f"{key} note"), compiled.adopt(make_add(layout), f"{key} add")
    reads_sqnorm = compiled.reads_argument(function, 1)
    score, squared_norm = layout.score_alone, layout.squared_norm
    ahead, hold, reads_ahead = layout.ahead, layout.hold, layout.reads_ahead

    def visit(
        rows: Any, order: Any, codes: Any, sample_weight: Any, positive: Any, params: Any, state: Any,
        intercept: Any, shrink_intercept: Any, first: Any, last: Any, scores: Any, log: Any, found: Any,
    ) -> Any:  # fmt: skip
        """Visit the rows in `order`; how many were visited before a score was not finite. `first` is 0, `last` is 1."""
        key  # noqa: B018  part of the key under which the machine code is kept
        n = order.shape[0]
        if n == 0:
            return 0
        vectors, lag, ledger = state
        scale, bias, seen, s = ledger[0, SCALE], ledger[0, BIAS], ledger[0, SEEN], 0.0
        keeps_scores, mistakes, run, longest, end = scores.shape[1] > 0, 0, found[RUN], -1, -1
        final, soon, told_yes = U(n) - ONE, U(ahead(rows)), positive[0]
        i, following = U(order[0]), U(order[min(ONE, final)])
        for r in range(U(n)):
            near = U(order[min(r + TWO, final)])
            coming = following
            if following != i + ONE or not reads_ahead(rows, vectors, 0, 1):
                coming = U(order[min(r + soon, final)])
                prefetch(codes, coming)
            hold(rows, lag, r, 0, 1)
            c = 1.0
            if sample_weight.shape[0] > 0:
                c = sample_weight[i]
            sqnorm = 0.0
            if reads_sqnorm:
                sqnorm = squared_norm(rows, i, ledger) + intercept
            v_x = score(rows, i, near, coming, vectors, ledger)
            s = scale * v_x + bias
            y = 1.0 if codes[i] == told_yes else -1.0
            step, shrink = step_of(y * s, sqnorm, np.int64(seen + 1.0), params, U(0), c)
            if not np.isfinite(s):
                ledger[0, SCORE], ledger[0, SEEN] = s, seen
                return np.int64(r)
            seen += 1.0
            if step != 0.0 or shrink != 1.0:
                ledger[0, SCORE], ledger[0, SEEN] = s, seen
                noted = note(ledger, 0, i, step * y, shrink, vectors, lag, intercept, shrink_intercept, log, None)
                if not noted or (step != 0.0 and not add(rows, i, vectors, lag, 0, 1, ledger, None)):
                    let_go(ledger, 0, 1)
                    return np.int64(r)
                scale, bias = ledger[0, SCALE], ledger[0, BIAS]
            is_wrong = not y * vectors.dtype.type(s) > 0.0
            is_record = is_wrong & (run > longest)  # no branches: which answer is wrong cannot be guessed
            longest, end = (run, r) if is_record else (longest, end)
            mistakes += is_wrong
            run = 0 if is_wrong else run + 1
            if keeps_scores:
                scores[0, r] = s
            i, following = following, near
        ledger[0, SCORE], ledger[0, SEEN] = s, seen
        found[MISTAKES], found[LONGEST], found[END], found[RUN] = mistakes, longest, end, run
        return n

    return compiled.jit(visit)


_kernels: dict[str, Any] = {}


def may_be_alone(layout_name: str, count: int, coupled: bool) -> bool:
    """Whether there is a loop for so many half-spaces here."""
    return count == 1 and not coupled and hasattr(LAYOUTS[layout_name], "score_alone")


def visit_rows(function: Any, n_parameters: int, weighted: int, layout_name: str) -> Any:
    """The compiled loop for a rule and a layout; it takes what that of `loop` takes, and room for what it has found."""
    key = kernel_key(function, n_parameters, weighted, layout_name, False)
    if key not in _kernels:
        _kernels[key] = _compile(key, function, n_parameters, weighted, layout_name)
    return _kernels[key]
