"""The two curves of the convergence proof, with a run between them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.plots.style import ACCENT, INK, NEGATIVE, POSITIVE, axes


class ProofDisplay:
    """‖w_k‖² after every update k: above (k eta gamma')², since w_k·v grows, and below k eta² R'².

    The two curves meet where k = R'²/gamma'², the most updates that there can be.
    """

    def __init__(self, audit: Any) -> None:
        self.audit = audit

    @classmethod
    def from_audit(cls, audit: Any, *, ax: Any = None) -> Self:
        return cls(audit).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        audit = self.audit
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        count = max(1, audit.mistakes)
        k = np.arange(1, audit.mistakes + 1)
        end = audit.bound * 1.05 if audit.bound is not None and audit.bound < 50 * count else count * 2.0
        grid = np.linspace(0, end, 400)
        if len(audit.lengths):
            ceiling = audit.lengths_ceiling[0]
            ax.plot(grid, grid * ceiling, color=POSITIVE, label="ceiling  k R'²")
            ax.plot(k, audit.lengths, color=INK, lw=2, label="the run  ‖w_k‖²")
        if len(audit.progress):
            slope = audit.progress_floor[0]
            ax.plot(grid, (grid * slope) ** 2, color=NEGATIVE, label="floor  (k gamma')²")
            ax.plot(k, audit.progress**2, color=ACCENT, lw=1, ls="--", label="the run  (w_k·v)²")
            if end > audit.bound:
                ax.axvline(audit.bound, color=INK, lw=0.8, ls=":")
                ax.annotate(
                    f"no more than {audit.bound:,} mistakes",
                    (audit.bound, 0),
                    xytext=(-4, 6),
                    textcoords="offset points",
                    rotation=90,
                    ha="right",
                    va="bottom",
                    fontsize=8,
                )
        top = audit.lengths_ceiling[0] * end if len(audit.lengths) else 1.0
        ax.set(xlim=(0, end), ylim=(0, top * 1.02), xlabel="updates k", title=self._title())
        ax.legend(frameon=False, loc="upper left")
        return self

    def _title(self) -> str:
        audit = self.audit
        bound = "the theorem gives no bound" if audit.bound is None else f"the theorem allows {audit.bound:,}"
        return f"{audit.name}: {audit.mistakes:,} mistakes, {bound}"
