"""The fewest errors of any line, drawn: the best line found, the rows it has wrong, and sets that no line has right."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rosenblatt.certificates.fewest import FewestErrors
from rosenblatt.plots.style import ACCENT, INK, NEGATIVE, POSITIVE, as_written, axes, entry

SHOWN = 60  # sets that are drawn


class ErrorsDisplay:
    """Rows of two features with the best line found, the rows that it has wrong, and disjoint witnesses.

    Each shaded set holds rows of which no line has all right, so that each costs at least one error.

    Parameters
    ----------
    certificate : FewestErrors
    X, y : the rows and labels that it is about; rows of two features

    Attributes
    ----------
    ax_, figure_ : the axes and their figure

    Examples
    --------
    >>> from rosenblatt import fewest_errors
    >>> from rosenblatt.plots import ErrorsDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> ErrorsDisplay.from_certificate(fewest_errors(X, y), X, y).ax_.get_title()
    'no line has fewer than 1 of 4 rows wrong'
    """

    def __init__(self, certificate: FewestErrors, X: Any, y: Any) -> None:
        if not isinstance(certificate, FewestErrors):
            raise ValueError("There is a picture of FewestErrors only; fewest_errors(X, y) makes one.")
        rows, signs = certificate.about.read(X, y)
        if rows.d != 2:
            raise ValueError(f"A picture of lines needs rows of two features, but X has {rows.d}; choose two columns.")
        self.certificate = certificate
        self.X = np.asarray(rows.X.toarray() if rows.sparse else rows.X, dtype=np.float64)
        self.positive = signs > 0

    @classmethod
    def from_certificate(cls, certificate: FewestErrors, X: Any, y: Any, *, ax: Any = None) -> Self:
        return cls(certificate, X, y).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        found, X = self.certificate, self.X
        for positive, colour, marker in ((False, NEGATIVE, "o"), (True, POSITIVE, "s")):
            rows = X[self.positive == positive]
            ax.scatter(*rows.T, s=22, c=colour, marker=marker, lw=0, label=entry(found.about.classes[int(positive)]))
        taken: set[int] = set()
        sets = 0
        for witness in sorted(found.witnesses, key=lambda each: len(each.rows)):
            if taken.isdisjoint(witness.rows) and sets < SHOWN:
                taken.update(witness.rows)
                sets += 1
                self._set(ax, X[list(witness.rows)], "no line has all right" if sets == 1 else None)
        wrong = X[list(found.wrong)]
        ax.scatter(*wrong.T, s=90, fc="none", ec=INK, lw=1.1, label="wrong for the best line", zorder=3)
        low, high = X.min(axis=0), X.max(axis=0)
        pad = 0.05 * (high - low).max() + 1e-9
        x, y = (np.linspace(low[j] - pad, high[j] + pad, 300) for j in (0, 1))
        scores = np.stack(np.meshgrid(x, y), axis=-1) @ found.normal + found.offset
        if scores.min() < 0 < scores.max():
            ax.contour(x, y, scores, levels=[0], colors=[INK], linewidths=1.5)
        ax.set(xlabel="feature 0", ylabel="feature 1", xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        ending = "" if found.closed else f", and one has {found.upper:,}"
        ax.set_title(f"no line has fewer than {found.lower:,} of {len(X):,} rows wrong{ending}")
        ax.legend(framealpha=0.9, edgecolor="none")
        as_written(ax)
        return self

    @staticmethod
    def _set(ax: Any, corners: Any, label: str | None) -> None:
        try:
            corners = corners[ConvexHull(corners).vertices]
        except (QhullError, ValueError):  # on one line: drawn as it is
            pass
        ax.fill(*corners.T, facecolor=ACCENT, alpha=0.22, edgecolor=ACCENT, lw=1.2, label=label, zorder=0)
