"""Looks for a hyperplane with few rows on its wrong side: a smooth loss first, then line searches on the errors."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import numpy as np
import scipy  # scipy.optimize is imported when it is used

from rosenblatt.certificates.coordinates import divided
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.verify_numbers import Number, Rows
from rosenblatt.engine.online.state import Array

PENALTIES = (1e-1, 1e-3, 1e-6)


class FewErrors:
    """The best hyperplane found so far, as weights of standardised columns; `errors` counts it in float64."""

    def __init__(self, problem: Problem, seed: int = 0) -> None:
        self.problem = problem
        self.signs = problem.signs.astype(np.float64)
        sizes = np.frexp(Rows(problem.X).largest)[1]
        self.X, left = divided(problem.X.astype(np.float64), sizes)
        self.exponents = sizes - left  # column j of X is the data's divided by 2^exponents[j], where sizes are extreme
        X = self.X
        mean, square = (np.asarray(part, dtype=np.float64).ravel() for part in (X.mean(axis=0), _squares(X)))
        self.shift = mean if problem.intercept else np.zeros(problem.d)
        spread = np.sqrt(np.maximum(square - self.shift**2, 0))
        self.scale = np.where(spread > 0, spread, 1.0)
        self.random = np.random.default_rng(seed)
        self.weights, self.offset = np.zeros(problem.d), 0.0
        self.scores = np.zeros(problem.n)
        self.errors = problem.n + 1

    def plane(self) -> tuple[tuple[Number, ...], float]:
        """The hyperplane in the columns of the data."""
        normal = self.weights / self.scale
        offset = float(self.offset - normal @ self.shift) if self.problem.intercept else 0.0
        if not self.exponents.any():
            return tuple(normal.tolist()), offset
        pairs = zip(normal.tolist(), self.exponents.tolist(), strict=True)
        return tuple(Fraction(value) / Fraction(2) ** exponent for value, exponent in pairs), offset

    def standardised(self) -> Array:
        """The rows of dense data, every column on the same scale."""
        return np.asarray((self.X - self.shift) / self.scale)

    def product(self, direction: Array) -> Array:
        scaled = direction / self.scale
        return np.asarray(self.X @ scaled).ravel() - float(self.shift @ scaled)

    def start(self, deadline: float) -> None:
        """The minima of a smooth hinge loss with several penalties."""
        point = np.zeros(self.problem.d + 1)
        for penalty in PENALTIES:
            if time.monotonic() > deadline:
                return
            found = scipy.optimize.minimize(
                self._smooth, point, args=(penalty,), jac=True, method="L-BFGS-B", options={"maxiter": 200}
            )
            if np.isfinite(found.x).all():
                point = found.x
                self._offer(point[:-1], float(point[-1]))

    def _smooth(self, point: Array, penalty: float) -> tuple[float, Array]:
        """penalty ‖w‖^2 + the mean of max(0, 1 - m)^2, and its gradient."""
        margins = self.signs * (self.product(point[:-1]) + (point[-1] if self.problem.intercept else 0.0))
        short = np.maximum(0.0, 1.0 - margins)
        pull = -2 * short * self.signs / self.problem.n
        gradient = (np.asarray(self.X.T @ pull).ravel() - self.shift * pull.sum()) / self.scale
        slope = pull.sum() if self.problem.intercept else 0.0
        value = penalty * float(point[:-1] @ point[:-1]) + float(short @ short) / self.problem.n
        return value, np.append(gradient + 2 * penalty * point[:-1], slope)

    def _offer(self, weights: Array, offset: float) -> None:
        scores = self.product(weights) + offset
        errors = int((self.signs * scores <= 0).sum())
        if errors < self.errors and np.isfinite(scores).all() and weights.any():
            self.weights, self.offset, self.scores, self.errors = weights, offset, scores, errors

    def improve(self, deadline: float, rounds: int = 400) -> None:
        """Line searches along columns, rows and random directions; each takes the step with the fewest errors."""
        idle = 0
        for turn in range(rounds):
            if time.monotonic() > deadline or not self.errors or idle > max(60, 3 * self.problem.d):
                return
            direction, slope = self._direction(turn)
            along = self.product(direction) + slope
            step, errors = _best_step(self.signs * self.scores, self.signs * along)
            better = errors < self.errors
            if better or (errors == self.errors and step and self.random.random() < 0.5):
                weights, offset = self.weights + step * direction, self.offset + step * slope
                scores = self.product(weights) + offset
                if weights.any() and int((self.signs * scores <= 0).sum()) <= self.errors:
                    self.weights, self.offset, self.scores = weights, offset, scores
                    self.errors = int((self.signs * scores <= 0).sum())
            idle = 0 if better else idle + 1

    def _direction(self, turn: int) -> tuple[Array, float]:
        d = self.problem.d
        way = turn % 4
        if way == 0 and self.problem.intercept:
            return np.zeros(d), 1.0
        if way == 1:
            direction = np.zeros(d)
            direction[self.random.integers(d)] = 1.0
            return direction, 0.0
        if way == 2:
            wrong = np.flatnonzero(self.signs * self.scores <= 0)
            row = self.X[[int(self.random.choice(wrong))]] if len(wrong) else self.X[[0]]
            dense = np.asarray(row.toarray() if self.problem.sparse else row, dtype=np.float64).ravel()
            return (dense - self.shift) / self.scale, 1.0 if self.problem.intercept else 0.0
        return self.random.normal(size=d), float(self.random.normal()) if self.problem.intercept else 0.0


def _squares(X: Any) -> Any:
    if hasattr(X, "multiply"):
        return X.multiply(X).mean(axis=0)
    return (X * X).mean(axis=0)


def _best_step(margins: Array, along: Array) -> tuple[float, int]:
    """The t with the fewest rows of margins + t along <= 0, in the middle of the widest stretch of such t."""
    moving = along != 0
    still = int((margins[~moving] <= 0).sum())
    if not moving.any():
        return 0.0, still
    with np.errstate(all="ignore"):
        places = -margins[moving] / along[moving]
    places = np.where(np.isfinite(places), places, 0.0)
    order = np.argsort(places)
    places, rising = places[order], along[moving][order] > 0
    # A rising row is right beyond its place, a falling one before it.
    errors = still + int(rising.sum()) + np.r_[0, np.cumsum(np.where(rising, -1, 1))]
    ends = np.r_[places[0] - 1 - abs(places[0]), places, places[-1] + 1 + abs(places[-1])]
    widths = np.diff(ends)
    errors = np.where(widths > 0, errors, len(margins) + 1)
    fewest = int(errors.min())
    best = int(np.argmax(np.where(errors == fewest, widths, -1.0)))
    return float(ends[best] + widths[best] / 2), fewest
