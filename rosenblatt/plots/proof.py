"""The two curves of the convergence proof, with a run between them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rosenblatt.certificates.audit import Audit
from rosenblatt.plots.style import ACCENT, INK, NEGATIVE, POSITIVE, axes
from rosenblatt.wording import counted, number_in_words


class ProofDisplay:
    """‖w_k‖² after every update k: above (k eta gamma')², since w_k·v grows, and below k eta² R'².

    The two curves meet where k = R'²/gamma'², the most updates that there can be. Both axes are logarithmic, so that
    they are straight lines.

    Parameters
    ----------
    audit : Audit
        Of one half-space.

    Attributes
    ----------
    ax_, figure_ : the axes and their figure

    Examples
    --------
    >>> from rosenblatt import Perceptron, audit
    >>> from rosenblatt.plots import ProofDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> run = Perceptron(shuffle=False).fit(X, y, record="updates")
    >>> ProofDisplay.from_audit(audit(run, X, y)).ax_.get_title()
    '1 against 0: 18 mistakes, the theorem allows 51'
    """

    def __init__(self, audit: Audit) -> None:
        if not isinstance(audit, Audit):
            raise ValueError(
                f"There is a picture of one Audit at a time, but a value of type {type(audit).__name__} came; pass "
                f"what audit() returned, or one of its parts where it has several."
            )
        self.audit = audit

    @classmethod
    def from_audit(cls, audit: Audit, *, ax: Any = None) -> Self:
        return cls(audit).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        audit = self.audit
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        k = np.arange(1, audit.mistakes + 1)
        end = 1.6 * max(2, audit.mistakes if audit.bound is None else audit.bound)
        grid = np.geomspace(1, end, 200)
        if len(audit.lengths):
            ax.plot(grid, grid * audit.lengths_ceiling[0], color=POSITIVE, label="ceiling: k R'²")
            ax.plot(k, audit.lengths, color=INK, lw=2, label="the run: ‖w_k‖²")
        if len(audit.progress):
            ax.plot(k, audit.progress**2, color=ACCENT, lw=1.5, ls="--", label="the run: (w_k·v)²")
            ax.plot(grid, (grid * audit.progress_floor[0]) ** 2, color=NEGATIVE, label="floor: (k gamma')²")
            assert audit.bound is not None
            ax.axvline(audit.bound, color=INK, lw=0.8, ls=":")
            ax.text(
                audit.bound,
                0.03,
                f"{number_in_words(audit.bound)} ",
                transform=ax.get_xaxis_transform(),
                ha="right",
                fontsize=9,
            )
        ax.set(xscale="log", yscale="log", xlim=(1, end), xlabel="updates k", title=self._title())
        if ax.get_lines():
            ax.legend(frameon=False, loc="upper left")
        return self

    def _title(self) -> str:
        audit = self.audit
        bound = (
            "the theorem gives no bound"
            if audit.bound is None
            else f"the theorem allows {number_in_words(audit.bound)}"
        )
        return f"{audit.name}: {counted(audit.mistakes, 'mistake')}, {bound}"
