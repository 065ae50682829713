"""What a certificate says, drawn: the separating band, or the point that both hulls share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rosenblatt.certificates.certificate import Certificate
from rosenblatt.certificates.results import NotSeparable, Separable
from rosenblatt.engine.online.state import Array
from rosenblatt.plots.style import ACCENT, INK, NEGATIVE, POSITIVE, as_written, axes, entry
from rosenblatt.wording import counted

SHOWN = 4000  # points of a class that are drawn; the hull is of all


class SeparabilityDisplay:
    """The rows in two dimensions with the band between the classes, or with their hulls and a common point.

    Rows of two features are drawn as they are. Others are projected: across the hyperplane and along the direction of
    largest spread beside it for separable classes; for others on the two directions of largest spread of the rows
    that take part in the witness. A projection keeps a common point common.

    Parameters
    ----------
    certificate : Separable or NotSeparable
    X, y : the rows and labels that it is about

    Attributes
    ----------
    ax_, figure_ : the axes and their figure

    Examples
    --------
    >>> from rosenblatt import separability
    >>> from rosenblatt.plots import SeparabilityDisplay
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> SeparabilityDisplay.from_certificate(separability(X, y), X, y).ax_.get_title()
    'not separable: a point of both hulls, from 4 rows'
    """

    def __init__(self, certificate: Certificate, X: Any, y: Any) -> None:
        if not isinstance(certificate, Separable | NotSeparable):
            name = getattr(certificate, "verdict", type(certificate).__name__)
            raise ValueError(f"There is a picture of a Separable and of a NotSeparable, but not of {name!r}.")
        rows, signs = certificate.about.read(X, y)
        self.certificate = certificate
        self.X = rows.X.toarray() if rows.sparse else rows.X
        self.positive = signs > 0
        # Without an intercept a witness is about the rows y·x: those of the negative class are drawn turned around.
        self.turned = isinstance(certificate, NotSeparable) and not certificate.about.intercept

    @classmethod
    def from_certificate(cls, certificate: Certificate, X: Any, y: Any, *, ax: Any = None) -> Self:
        return cls(certificate, X, y).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        self.ax_ = ax = axes(ax)
        self.figure_ = ax.figure
        flat = self._flat()
        for positive, colour, marker in ((False, NEGATIVE, "o"), (True, POSITIVE, "s")):
            rows = flat[self.positive == positive]
            name = entry(self.certificate.about.classes[int(positive)])
            step = max(1, len(rows) // SHOWN)
            size = 26 if len(rows) < 500 else 5
            ax.scatter(*rows[::step].T, s=size, c=colour, marker=marker, lw=0, alpha=0.85, label=name, zorder=2)
        if isinstance(self.certificate, Separable):
            self._band(ax, flat, self.certificate)
        else:
            self._hulls(ax, flat)
        ax.legend(frameon=False)
        as_written(ax)
        return self

    def _flat(self) -> Array:
        """Two numbers for each row."""
        X = self.X.astype(np.float64)
        if self.turned:
            X = np.where(self.positive, 1.0, -1.0)[:, None] * X
        if X.shape[1] == 2:
            self.ax_.set(xlabel="feature 0", ylabel="feature 1")
            return X
        if X.shape[1] == 1:
            self.ax_.set(xlabel="feature 0", yticks=[])
            return np.hstack([X, np.zeros_like(X)])
        centre = X.mean(axis=0)
        if isinstance(self.certificate, Separable):
            across = self.certificate.normal / np.linalg.norm(self.certificate.normal)
            rest = (X - centre) - ((X - centre) @ across)[:, None] * across
            along = np.linalg.svd(rest[:: max(1, len(rest) // 2000)], full_matrices=False)[2][0]
            self.ax_.set(xlabel="distance from the hyperplane", ylabel="largest spread beside it")
            offset = self.certificate.offset / np.linalg.norm(self.certificate.normal)
            return np.column_stack([X @ across + offset, X @ along])
        rows = X[list(self.certificate.rows)]
        directions = np.linalg.svd(np.vstack([rows - rows.mean(axis=0), np.eye(2, X.shape[1]) * 1e-300]))[2][:2]
        self.ax_.set(xlabel="largest spread of the witness", ylabel="second largest")
        return np.asarray(X @ directions.T)

    def _band(self, ax: Any, flat: Array, found: Separable) -> None:
        support = flat[found.support_vectors]
        ax.scatter(*support.T, s=90, facecolors="none", edgecolors=INK, lw=1.1, label="support vectors", zorder=3)
        title = f"separable: margin {found.margin:.4g}, at most {counted(found.mistake_bound, 'mistake')}"
        if flat.shape[1] == 2 and self.X.shape[1] == 2:
            low, high = flat.min(axis=0), flat.max(axis=0)
            pad = 0.08 * (high - low).max() + found.margin
            x = np.linspace(low[0] - pad, high[0] + pad, 300)
            y = np.linspace(low[1] - pad, high[1] + pad, 300)
            grid = np.stack(np.meshgrid(x, y), axis=-1)
            distance = (grid @ found.normal + found.offset) / np.linalg.norm(found.normal)
            ax.contourf(x, y, distance, levels=[-found.margin, found.margin], colors=[ACCENT], alpha=0.15, zorder=0)
            ax.contour(x, y, distance, levels=[0], colors=[INK], linewidths=1.5, zorder=1)
            ax.set_aspect("equal")
        elif self.X.shape[1] == 1:
            place = -found.offset / found.normal[0]
            ax.axvline(place, color=INK)
            ax.axvspan(place - found.margin, place + found.margin, color=ACCENT, alpha=0.15)
        else:
            ax.axvline(0, color=INK, lw=1.5, zorder=1)
            ax.axvspan(-found.margin, found.margin, color=ACCENT, alpha=0.15, zorder=0)
        ax.set_title(title)

    def _hulls(self, ax: Any, flat: Array) -> None:
        found = self.certificate
        assert isinstance(found, NotSeparable)
        parts = [(flat, ACCENT)]
        if not self.turned:
            parts = [(flat[~self.positive], NEGATIVE), (flat[self.positive], POSITIVE)]
        for corners, colour in parts:
            try:
                outline = corners[ConvexHull(corners).vertices]
            except (QhullError, ValueError):
                outline = corners
            ax.fill(*outline.T, facecolor=colour, alpha=0.10, edgecolor=colour, lw=1.2, zorder=0)
        rows = np.array(found.rows)
        ax.scatter(*flat[rows].T, s=70, fc="none", ec=INK, lw=0.9, label="rows of the witness", zorder=3)
        weights = np.array([float(weight) for weight in found.weights])
        chosen = self.positive[rows] | self.turned
        point = np.zeros(2) if self.turned else weights[chosen] @ flat[rows[chosen]]
        name = "the origin" if self.turned else "point of both hulls"
        ax.scatter(*point, s=160, marker="*", c=ACCENT, ec=INK, lw=0.8, label=name, zorder=4)
        where = "0 lies in the hull of the rows y·x" if self.turned else "a point of both hulls"
        ax.set_title(f"not separable: {where}, from {len(rows):,} row{'s' * (len(rows) != 1)}")
