"""A proven interval for the least objective of a support vector machine or a logistic regression.

With n rows, labels y_i = ±1, m_i = y_i (w·x_i + b) and lam > 0, a fit minimises

    P(w, b) = lam ‖w‖^2 + (1/n) sum_i loss(m_i)

Any weights bound the least value from above. Any dual point a with 0 <= a_i <= 1 bounds it from below (weak duality,
which is Fenchel's inequality loss(m) >= -a m - loss*(-a) for each row):

    D(a) = (1/n) sum_i g(a_i) - ‖(1/n) sum_i a_i y_i x_i‖^2 / (4 lam)

where g(a) = a for the hinge loss max(0, 1 - m), and g(a) = -a log a - (1 - a) log(1 - a) for the logistic loss
log(1 + exp(-m)). An intercept without a penalty needs sum_i a_i y_i = 0; one with a penalty is one more feature, 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from rosenblatt.certificates import verify_objective
from rosenblatt.certificates.linear_model import LinearScores
from rosenblatt.certificates.verify_numbers import CertificateError, Number, Plane, Rows
from rosenblatt.engine.online.state import Array

BITS = 60


@dataclass(frozen=True)
class Objective:
    """The least objective lies between `lower` and the objective of the model, which is at most `upper`.

    `shares` are the dual point: whole numbers over 2^bits, one for each row.
    """

    loss: str
    lam: Number
    intercept: str  # "none", "free" or "regularized"
    lower: float
    upper: float
    shares: tuple[int, ...] = field(repr=False)
    bits: int = BITS

    @property
    def gap(self) -> float:
        """How far the objective of the model is at most above the least one, as a share of the latter."""
        return (self.upper - self.lower) / self.lower if self.lower > 0 else float("inf")

    def __str__(self) -> str:
        return f"between {self.lower:.9g} and {self.upper:.9g} ({self.loss} loss, lam {float(self.lam):g})"

    @staticmethod
    def from_json(content: dict[str, Any]) -> Objective:
        content = content | {"shares": tuple(content["shares"])}
        return Objective(**{each.name: content[each.name] for each in fields(Objective)})

    def check(self, rows: Rows, codes: Array, model: LinearScores) -> None:
        if len(model.classes) != 2:
            raise CertificateError("The objective is enclosed for models of two classes.")
        verify_objective.check_objective(
            rows,
            np.where(codes == 1, 1, -1).astype(np.int8),
            Plane(model.weights[0], model.offsets[0]),
            loss=self.loss,
            lam=self.lam,
            intercept=self.intercept,
            shares=self.shares,
            bits=self.bits,
            lower=self.lower,
            upper=self.upper,
        )


def objective_of(model: Any, read: LinearScores, rows: Rows, codes: Array) -> Objective | None:
    """The interval for a `LinearSVM` (hinge) or a `LogisticRegression` (l2) of two classes; None for other models."""
    loss = _loss_of(model)
    if loss is None or len(read.classes) != 2:
        return None
    signs = np.where(codes == 1, 1, -1).astype(np.int8)
    intercept = "none" if not model.fit_intercept else "regularized" if model.regularize_intercept else "free"
    plane = Plane(read.weights[0], read.offsets[0])
    lam = float(model.lam)
    scores = rows.products(np.array(read.weights[0], dtype=np.float64)[:, None], None)[:, 0] + float(read.offsets[0])
    if not np.isfinite(scores).all():
        return None
    if loss == "logistic":
        dual = 0.5 * (1 - np.tanh(0.5 * signs * scores))  # 1 / (1 + exp(m)), minus the derivative of the loss
    else:
        dual = _hinge_dual(model, signs, scores, rows.n, lam)
    shares = _balanced(dual, signs, free=intercept == "free")
    if shares is None:
        return None
    lower, upper = verify_objective.bounds(
        rows, signs, plane, loss=loss, lam=lam, intercept=intercept, shares=shares, bits=BITS
    )
    return Objective(loss, lam, intercept, lower, upper, tuple(shares))


def _loss_of(model: Any) -> str | None:
    """The loss that a model of ours minimises, where its bounds are known; by name, since models are built on us."""
    plain = all(getattr(model, name, None) is None for name in ("class_weight", "priors"))
    if not plain or not float(getattr(model, "lam", 0) or 0) > 0 or not hasattr(model, "regularize_intercept"):
        return None
    kind = type(model).__name__
    if kind == "LinearSVM" and model.loss == "hinge":
        return "hinge"
    return "logistic" if kind == "LogisticRegression" and model.penalty == "l2" else None


def _hinge_dual(model: Any, signs: Array, scores: Array, n: int, lam: float) -> Array:
    """The dual variables of the fit, times 2 lam n; where it has none, those of the margins."""
    support, dual = getattr(model, "support_", None), getattr(model, "dual_coef_", None)
    if support is not None and dual is not None and (not len(support) or support.max() < n):
        found = np.zeros(n)
        found[support] = 2 * lam * n * dual[0] * signs[support]
        if (found >= -1e-6).all() and (found <= 1 + 1e-6).all():
            return np.clip(found, 0, 1)
    margins = signs * scores
    return np.clip(0.5 - 50 * (margins - 1), 0, 1)


def _balanced(dual: Array, signs: Array, *, free: bool) -> list[int] | None:
    """The dual point in whole shares of 2^BITS; with a free intercept both classes have the same sum."""
    whole = 1 << BITS
    shares = [min(whole, max(0, int(value * whole))) for value in dual.tolist()]
    if not free:
        return shares
    sums = {sign: sum(share for share, s in zip(shares, signs.tolist(), strict=True) if s == sign) for sign in (1, -1)}
    target = min(sums.values())
    for sign, total in sums.items():
        if total > target:  # shrink the larger class; what rounding leaves is taken from the largest shares
            members = [i for i, s in enumerate(signs.tolist()) if s == sign]
            for i in members:
                shares[i] = shares[i] * target // total
            short = target - sum(shares[i] for i in members)
            for i in members[: short if short < len(members) else 0]:
                shares[i] += 1 if shares[i] < whole else 0
            if sum(shares[i] for i in members) != target:
                return None
    return shares
