"""Summed: a convex objective whose sums over rows come from the partitions; Newton's method runs here.

Minimised is

    P(W) = lam ‖W‖² + (1/n) sum_i c_i loss(s_i),     s = W x + b,   n = sum_i c_i

A round is one Newton step of the engine: its gradient, second derivative (or products with it, where the matrices would
be large) and trials are sums over partitions, added in a fixed tree. Scores are linear in the weights, so the engine is
given the weights where it carries scores along, and no row's score ever leaves its worker.

The duality gap. Any dual point bounds the least objective from below. With p the chances of the classes, t the true
ones (1 and 0) and H the entropy, the dual of the logistic losses is, for any q,

    D(q) = (1/n) sum_i c_i H(q_i) - ‖(1/n) sum_i c_i (t_i - q_i) x_iᵀ‖² / (4 lam)

and an intercept without a penalty asks for sum_i c_i (t_i - q_i) = 0. The chances of the present weights nearly do:
with q = (1 - u) p + u r, the smallest u for which there are chances r that make up the difference, the entropy is at
least (1 - u) H(p) + u H(r), so that D is bounded by sums that one pass has made. The dual of the squared hinge is

    D(a) = (1/n) sum_i c_i (a_i - a_i²/4) - ‖(1/n) sum_i c_i a_i y_i x_i‖² / (4 lam),     a >= 0

at a = 2 max(0, 1 - margin), with the same amount added to every row of the class that has too little.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.special
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight

from rosenblatt.cluster.backend import Dask
from rosenblatt.cluster.partitions import Block, Partitions
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.engine.online.state import Array, HalfSpaces, weight_dtype
from rosenblatt.estimators.classes import codes_of, positive_codes
from rosenblatt.estimators.logistic_regression import LogisticRegression
from rosenblatt.estimators.minimising import count_mistakes, default_lam
from rosenblatt.estimators.validation import row_weights

MOST_GRAMS = 2**21  # numbers of the second derivatives of all outputs, up to which they are sent


class Sums(dict[str, Any]):
    """Named sums over rows."""

    def __add__(self, other: Any) -> Sums:
        return Sums({name: value + other[name] for name, value in self.items()})


class Settings:
    """What a worker must know to make the objective of its block."""

    def __init__(self, model: Any, partitions: Partitions) -> None:
        classes = self.classes = partitions.classes
        logistic = isinstance(model, LogisticRegression)
        self.multinomial = logistic and model.multi_class == "multinomial" and len(classes) > 2
        self.loss = "multinomial" if self.multinomial else "logistic" if logistic else "squared_hinge"
        self.positive = positive_codes(len(classes), False, False)
        self.intercept = bool(model.fit_intercept)
        self.class_weight = model.class_weight
        if isinstance(self.class_weight, str):
            found = [np.repeat(look.classes, look.counts) for look in partitions.looks]
            factors = compute_class_weight("balanced", classes=classes, y=np.concatenate(found))
            self.class_weight = dict(zip(classes.tolist(), factors.tolist(), strict=True))

    def objective(self, block: Block) -> tuple[Any, float, Array]:
        """(the mean loss over a block, what its rows weigh together, their codes; -1 where a row weighs nothing)."""
        from rosenblatt.engine.gradient.objective import Objective

        codes = codes_of(self.classes, block.y)
        assert codes is not None
        weights = row_weights(
            block.y, self.classes, codes, block.weights, self.class_weight, batch=True
        )  # fmt: skip
        own = codes[:, None] == self.positive[None, :]
        targets = own.astype(np.float64) if self.multinomial else np.where(own, 1.0, -1.0)
        total = float(weights.sum()) if len(weights) else float(len(codes))
        if total == 0.0:  # nothing counts here
            weights = np.ones(len(codes))
        result = Objective(block.X, targets, weights, self.loss, 0.0, fit_intercept=self.intercept)
        return result, total, np.where(weights > 0.0, codes, -1) if len(weights) else codes


def _constants(block: Block, settings: Settings) -> Sums:
    """Sums that do not depend on the weights: of x, and of x for the rows of each output's class."""
    objective, total, _ = settings.objective(block)
    own = (objective.targets > 0.0).astype(np.float64)
    weighted = objective.weighted(np.column_stack([own, np.ones(objective.n)]))
    sums = objective.products.back(weighted) * (total / objective.n)
    return Sums(own=sums[:-1], all=sums[-1], total=total)


def _evaluated(block: Block, settings: Settings, weights: Array) -> Sums:
    """The loss, its gradient, mistakes, and what the dual needs, at these weights."""
    objective, total, codes = settings.objective(block)
    scores, share = objective.scores(weights), total / objective.n
    mean, slopes = objective.slopes(scores)
    sums = Sums(loss=mean * total, gradient=objective.back(slopes) * total)
    sums["mistakes"] = count_mistakes(scores, codes) if total > 0.0 else 0
    if settings.loss == "squared_hinge":
        dual = 2.0 * np.maximum(0.0, 1.0 - objective.targets * scores)
        for name, side in (("up", objective.targets > 0.0), ("down", objective.targets < 0.0)):
            both = np.stack([side * dual, side * dual**2])
            sums[name] = np.stack([objective.weighted(one).sum(axis=0) for one in both]) * share
        return sums
    if settings.multinomial:
        chances = scipy.special.softmax(scores, axis=1)
        entropy = scipy.special.entr(chances).sum(axis=1, keepdims=True)
    else:
        entropy = scipy.special.entr(scipy.special.expit(scores)) + scipy.special.entr(scipy.special.expit(-scores))
    sums["entropy"] = objective.weighted(entropy).sum(axis=0) * share
    return sums


def _bent(block: Block, settings: Settings, at: Array, direction: Array) -> Array:
    objective, total, _ = settings.objective(block)
    return objective.bend(objective.scores(at), direction) * total


def _diagonal(block: Block, settings: Settings, at: Array) -> Array:
    objective, total, _ = settings.objective(block)
    return objective.diagonal(objective.scores(at)) * total


def _grams(block: Block, settings: Settings, at: Array, shared: bool) -> Array:
    objective, total, _ = settings.objective(block)
    return np.stack(list(objective.grams(objective.scores(at), shared=shared))) * total


class SummedObjective:
    """What `engine.gradient.newton` asks of an objective, by sums over partitions. Weights stand for their scores."""

    numbers = 0  # so that the second derivative is that of all rows

    def __init__(self, backend: Dask, partitions: Partitions, model: Any) -> None:
        self.backend, self.parts = backend, partitions.parts
        self.settings = Settings(model, partitions)
        self.constants = self._sum(_constants)
        self.n, self.total = partitions.n_rows, float(self.constants["total"])
        if self.total == 0.0:
            raise ValueError(
                "Sample weights must contain at least one non-zero number, but every row has the weight 0."
            )
        self.width, self.outputs = partitions.width, len(self.constants["own"])
        self.kind = weight_dtype(partitions.dtype)
        self.fit_intercept = self.settings.intercept
        self.lam = default_lam(model.lam, self.total)
        self.penalty = np.full(self.width + 1, self.lam)
        self.penalized = bool(model.regularize_intercept and model.fit_intercept)
        self.penalty[-1] = self.lam if self.penalized else 0.0
        self.separate = not self.settings.multinomial
        matrices = self.outputs if self.separate else 1
        self.narrow = matrices * (self.width + 1) ** 2 <= MOST_GRAMS
        self.last = Sums()

    def _sum(self, function: Any, *shared: Any) -> Any:
        handles = self.backend.map(function, self.parts, self.settings, *shared)
        return self.backend.tree_reduce(_plus, handles)

    def scores(self, weights: Array) -> Array:
        return weights

    def value(self, weights: Array, scores: Array) -> tuple[float, Array]:
        """(objective, the gradient of the mean loss)."""
        self.last = self._sum(_evaluated, weights)
        penalty = float(self.penalty @ np.einsum("kj,kj->j", weights, weights))
        return float(self.last["loss"]) / self.total + penalty, self.last["gradient"] / self.total

    def back(self, slopes: Array) -> Array:
        return slopes

    def gradient(self, weights: Array, scores: Array) -> tuple[float, Array]:
        value, slopes = self.value(weights, scores)
        return value, slopes + 2.0 * self.penalty * weights

    def bend(self, scores: Array, direction: Array) -> Array:
        sums: Array = self._sum(_bent, scores, direction)
        return sums / self.total + 2.0 * self.penalty * direction

    def diagonal(self, scores: Array) -> Array:
        sums: Array = self._sum(_diagonal, scores)
        return sums / self.total + 2.0 * self.penalty

    def grams(self, scores: Array, *, shared: bool = False) -> Iterator[Array]:
        yield from self._sum(_grams, scores, shared) / self.total

    def lower_bound(self) -> float:
        """What the objective is at least, by the dual point of the weights that were evaluated last."""
        if self.settings.loss == "squared_hinge":
            return sum(self._hinge_bound(k) for k in range(self.outputs))
        if self.settings.multinomial:
            return self._chances_bound(self.constants["own"], self.last["gradient"], float(self.last["entropy"][0]))
        rows = zip(self.constants["own"], self.last["gradient"], self.last["entropy"], strict=True)
        bounds = []
        for own, gradient, entropy in rows:  # two classes: the second, and the others
            both, slopes = np.stack([own, self.constants["all"] - own]), np.stack([gradient, -gradient])
            bounds.append(self._chances_bound(both, slopes, float(entropy)))
        return float(sum(bounds))

    def _chances_bound(self, own: Array, gradient: Array, entropy: float) -> float:
        expected, share = gradient + own, 1.0
        others = np.full(len(own), 1.0 / len(own))
        if self.fit_intercept and not self.penalized:
            share = min(1.0, float(np.min(own[:, -1] / np.maximum(expected[:, -1], 1e-300))))
            missing = np.maximum(own[:, -1] - share * expected[:, -1], 0.0)
            others = missing / missing.sum() if missing.any() else others
        rest = 1.0 - share
        apart = own - share * expected - rest * np.outer(others, self.constants["all"])
        if len(own) == 2 and not self.settings.multinomial:  # the two are opposite: one half-space stands for both
            apart = apart[:1]
        mean = share * entropy / self.total + rest * float(scipy.special.entr(others).sum())
        return mean - self._dual_penalty(apart)

    def _hinge_bound(self, k: int) -> float:
        own, everything = self.constants["own"][k], self.constants["all"]
        (up, up_squares), (down, down_squares) = self.last["up"][:, k], self.last["down"][:, k]
        pull, value = -self.last["gradient"][k], up - up_squares / 4.0 + down - down_squares / 4.0
        if self.fit_intercept and not self.penalized:
            more, rows, sign = (down - up, own, 1.0) if up < down else (up - down, everything - own, -1.0)
            added = more / rows[-1]
            value += more - (2.0 * added * min(up, down) + added**2 * rows[-1]) / 4.0
            pull = pull + sign * added * rows
        return float(value) / self.total - self._dual_penalty(pull[None])

    def _dual_penalty(self, apart: Array) -> float:
        """‖(1/n) sums‖²/(4 lam); the intercept counts where it has a penalty."""
        mean = apart / self.total if self.penalized else apart[:, :-1] / self.total
        return float(np.vdot(mean, mean)) / (4.0 * self.lam)


def _plus(one: Any, other: Any) -> Any:
    return one + other


def summed(backend: Dask, partitions: Partitions, model: Any, rounds: Rounds) -> None:
    """`LogisticRegression` and `LinearSVM(loss="squared_hinge")`."""
    from rosenblatt.engine.gradient import newton

    logistic = isinstance(model, LogisticRegression)
    objective: Any = SummedObjective(backend, partitions, model)
    model.classes_, model.n_features_in_, model._listening = partitions.classes, partitions.width, False
    model.lam_ = objective.lam
    if logistic:
        model._multinomial = objective.settings.multinomial
    layout = "columns" if partitions.looks[0].layout == "sparse" else "rows"

    def after(figures: dict[str, Any]) -> str:
        weights, value = figures["weights"], float(figures["loss"])
        gap = max(0.0, value - objective.lower_bound()) if objective.lam > 0.0 else None
        mistakes = int(objective.last["mistakes"])
        model.objective_ = value
        if not logistic:
            model.duality_gap_ = gap
        state = HalfSpaces(len(weights), objective.width, objective.kind, layout)
        model._keep(state, rounds.trace, *_centred(model, weights), partitions.n_rows)
        reason = "converged" if gap is not None and gap <= model.tol * value else ""
        if objective.lam == 0.0 and mistakes == 0:
            reason = "diverged"
        norm = float(np.linalg.norm(weights))
        return rounds.end(model, reason, updates=1, mistakes=mistakes, norm=norm, loss=value, gap=gap)

    start = np.zeros((objective.outputs, objective.width + 1))
    tol = float(model.tol) * (1e-3 if objective.lam > 0.0 else 1.0)  # the gap ends the run, where there is one
    with np.errstate(over="ignore", invalid="ignore"):
        reason = newton.minimise(objective, start, tol=tol, max_iter=rounds.limit, seed=0, after_step=after)[1]
    if not len(rounds.trace):  # zero weights are the best
        after({"weights": start, "loss": objective.value(start, start)[0]})
    rounds.reason = reason
    _warn(model, rounds.trace.epochs[-1].gap, reason)


def _centred(model: Any, weights: Array) -> tuple[Array, Array]:
    """(coef, intercept); what all scores of a multinomial model have in common changes nothing."""
    coef, bias = weights[:, :-1], weights[:, -1]
    if getattr(model, "_multinomial", False):
        if not model.regularize_intercept or model.lam_ == 0.0:
            bias = bias - bias.mean()
        if model.lam_ == 0.0:
            coef = coef - coef.mean(axis=0)
    return coef, bias


def _warn(model: Any, gap: float | None, reason: str) -> None:
    name, proved = type(model).__name__, "" if gap is None else f", which is at most {gap:.2g} above the least possible"
    text = {
        "max_iter": f"{name} stopped after rounds={len(model.trace_)} at the objective {model.objective_:.6g}{proved}; "
        f"raise rounds or tol, or scale the features (StandardScaler).",
        "no_improvement": f"{name} found no way further down from the objective {model.objective_:.6g}{proved}; scale "
        f"the features (StandardScaler), or raise tol.",
        "diverged": f"{name} has no prior (lam=0) and its weights grow without bound: the rows can be separated, or "
        f"leave the range of floats; set lam above 0.",
    }.get(reason)
    if text is not None:
        warnings.warn(text, ConvergenceWarning, stacklevel=4)
