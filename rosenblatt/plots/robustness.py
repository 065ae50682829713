"""How many rows a linear model is certain about when they may move: certified accuracy against the radius."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from rosenblatt.certificates.certify import CertifiedModel
from rosenblatt.plots.style import ACCENT, NEGATIVE, POSITIVE, axes

COLOURS = {"l2": NEGATIVE, "l1": ACCENT, "linf": POSITIVE}
NAMES = {"l2": "Euclidean (l2)", "l1": "sum of changes (l1)", "linf": "largest change (l∞)"}


class RobustnessDisplay:
    """The share of rows that stay right wherever they are moved by at most a radius, for several norms.

    Each row counts up to its distance from the nearest boundary, rounded down, so that every point of a curve is
    proven.

    Parameters
    ----------
    certificate : CertifiedModel
        With its data: from `certify`, or from `load_certificate`.
    norms : any of "l2", "l1", "linf"

    Attributes
    ----------
    ax_, figure_ : the axes and their figure

    Examples
    --------
    >>> from rosenblatt import certify
    >>> from rosenblatt.plots import RobustnessDisplay
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> RobustnessDisplay.from_certificate(certify(([1.0], -2.0), X, y)).ax_.get_title()
    '4 of 4 rows are right, the nearest 1 away'
    """

    def __init__(self, certificate: CertifiedModel, norms: Sequence[str] = ("linf", "l2", "l1")) -> None:
        if not isinstance(certificate, CertifiedModel):
            raise ValueError("There is a curve of a CertifiedModel only; certify(model, X, y) makes one.")
        self.certificate = certificate
        self.distances = {norm: np.sort(certificate.distances(norm)) for norm in norms}

    @classmethod
    def from_certificate(
        cls, certificate: CertifiedModel, *, norms: Sequence[str] = ("linf", "l2", "l1"), ax: Any = None
    ) -> Self:
        return cls(certificate, norms).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        rows = self.certificate.about.shape[0]
        nearest = "no boundary"
        for norm, distances in self.distances.items():
            right = distances[(distances > 0) & np.isfinite(distances)]
            always = int(np.isposinf(distances).sum())
            steps = np.r_[0.0, right]
            shares = (len(right) + always - np.arange(len(right) + 1)) / rows
            ax.step(steps, shares, where="post", color=COLOURS[norm], lw=1.6, label=NAMES[norm])
            if norm == "l2" and len(right):
                nearest = f"the nearest {right[0]:.3g} away"
        right_rows = rows - int((next(iter(self.distances.values())) <= 0).sum())
        ax.set(xlabel="radius", ylabel="certified accuracy", ylim=(0, 1.02))
        ax.set_xlim(left=0)
        ax.set_title(f"{right_rows:,} of {rows:,} rows are right, {nearest}")
        ax.legend(frameon=False)
        return self
