"""The proof beside a run: the two curves and the bound, or the point that lies in both hulls."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rosenblatt import audit, separability
from rosenblatt.certificates.audit import Audit
from rosenblatt.certificates.results import NotSeparable, Separable
from rosenblatt.engine.online.state import Array
from rosenblatt.lab.history import Run
from rosenblatt.lab.sets import Data
from rosenblatt.wording import counted

SECONDS = 5.0  # for a certificate
MOST_AUDITED = 3000  # updates that are checked one by one in exact arithmetic
MOST_KERNEL_ROWS = 300
THEOREM = ("perceptron", "averaged", "voted", "pocket", "margin", "kernel")


@dataclass(eq=False)
class Proof:
    """What is proven about the data and about a run on it."""

    verdict: str
    sentence: str
    applies: bool = False
    radius_squared: float = 0.0  # the slope of the ceiling, for steps of eta: eta² (R'² + 2 theta/eta)
    gamma_squared: float = 0.0  # of the floor: (k eta gamma')²
    bound: int | None = None
    holds: bool | None = None
    point: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    weights: list[str] = field(default_factory=list)
    hulls: list[list[list[float]]] = field(default_factory=list)
    ceiling: str = ""  # what the two curves are called
    floor: str = ""


def prove(run: Run, data: Data) -> Proof:
    """Decide the data and, for the perceptron's own rule, hold the run against the theorem."""
    in_theorem = run.choice.name in THEOREM
    if run.is_kernel:
        return _in_features(run, data)
    found = separability(data.X, data.y, time_limit=SECONDS)
    if isinstance(found, NotSeparable):
        return _not_separable(found, data)
    if not isinstance(found, Separable):
        return Proof("undecided", "Whether a line separates these points was not decided in the time given.")
    if not in_theorem:
        return Proof(
            found.verdict,
            f"A line separates these points, with margin {found.margin:.3g}: a perceptron would make at most "
            f"{counted(found.mistake_bound, 'mistake')}. This learner follows another rule, which the theorem is "
            f"not about.",
            bound=found.mistake_bound,
        )
    if run.updates <= MOST_AUDITED:
        return _from_audit(run, audit(run.model, data.X, data.y, time_limit=SECONDS))
    eta, theta = _terms(run)
    ceiling = found.radius**2 + 2.0 * theta / eta
    bound = math.floor(ceiling / found.gamma**2)
    ceiling_name, floor_name = curve_names(eta, theta)
    return Proof(
        found.verdict, _sentence(run, bound, None), True, ceiling * eta**2, (found.gamma * eta) ** 2, bound,
        ceiling=ceiling_name, floor=floor_name,
    )  # fmt: skip


def _terms(run: Run) -> tuple[float, float]:
    """The learning rate, and the margin asked for."""
    options = run.choice.options
    return float(options.get("learning_rate", 1.0)), float(options.get("theta", 0.0))


def curve_names(eta: float, theta: float) -> tuple[str, str]:
    """What stands above and below ‖w‖² after k updates of size eta at margins of at most theta.

    >>> curve_names(1.0, 0.0)
    ('k R′²', '(k γ′)²')
    >>> curve_names(0.5, 2.0)
    ('k (η²R′² + 2ηθ)', '(k η γ′)²')
    """
    plain = eta == 1.0
    if theta:
        return ("k (R′² + 2θ)", "(k γ′)²") if plain else ("k (η²R′² + 2ηθ)", "(k η γ′)²")
    return ("k R′²", "(k γ′)²") if plain else ("k η²R′²", "(k η γ′)²")


def _from_audit(run: Run, checked: Audit) -> Proof:
    verdict = "separable" if checked.gamma > 0 else "undecided"
    if not checked.applies:
        return Proof(verdict, f"The theorem gives no bound here ({checked.note}).")
    ceiling = float(checked.lengths_ceiling[0]) if len(checked.lengths_ceiling) else 0.0
    floor = float(checked.progress_floor[0]) if len(checked.progress_floor) else 0.0
    ceiling_name, floor_name = curve_names(*_terms(run))
    return Proof(
        verdict, _sentence(run, checked.bound, checked.holds), True, ceiling, floor**2, checked.bound, checked.holds,
        ceiling=ceiling_name, floor=floor_name,
    )  # fmt: skip


def _sentence(run: Run, bound: int | None, holds: bool | None) -> str:
    """The bound with its formula, how far the run came, and what R′ and γ′ are."""
    eta, theta = _terms(run)
    over = "R′²" if not theta else "(R′² + 2θ)" if eta == 1.0 else "(R′² + 2θ/η)"
    bounded = (
        "No bound is known"
        if bound is None
        else f"Novikoff's theorem: at most ⌊{over}/γ′²⌋ = {counted(bound, 'update')}"
    )
    rested = run.trace.stop_reason == "converged"
    made = (
        f"This run needed {run.updates:,}."
        if rested
        else f"This run has made {run.updates:,} so far, and was stopped before it came to rest."
    )
    proven = " Both inequalities were checked in exact arithmetic after every update." if holds else ""
    where = (
        "R′ and γ′ are radius and margin in the kernel's space."
        if run.is_kernel
        else "R′ and γ′ are R and γ with the bias as one more coordinate, which is always 1."
    )
    return f"{bounded}, in whatever order the points come. {made}{proven} {where}"


def _in_features(run: Run, data: Data) -> Proof:
    if run.choice.options["drop_after"]:
        return Proof("undecided", "Points were dropped: the theorem needs all updates to stay, and says nothing here.")
    if not run.model.kernel_.valid:
        return Proof("undecided", "This kernel need not be an inner product, and then the theorem does not apply.")
    if run.updates > MOST_AUDITED // 10 or len(data.y) > MOST_KERNEL_ROWS or run.trace.stop_reason != "converged":
        ended = "This run ended without a clean epoch" if run.trace.stop_reason != "converged" else "This run is long"
        return Proof(
            "undecided",
            f"{ended}; the bound in the kernel's space is computed for up to {MOST_KERNEL_ROWS} points and runs that "
            f"come to rest after at most {MOST_AUDITED // 10} updates.",
        )
    return _from_audit(run, audit(run.model, data.X, data.y, tolerance=0.1, time_limit=SECONDS))


def _not_separable(found: NotSeparable, data: Data) -> Proof:
    proof = Proof(
        found.verdict,
        f"No line separates these points, so the theorem does not apply and the perceptron never comes to rest. The "
        f"proof: the star lies in the hulls of both classes, as a mix of the {len(found.rows)} points in diamonds.",
        point=found.point.tolist() if data.flat else [],
        rows=[int(row) for row in found.rows],
        weights=[str(weight) for weight in found.weights],
    )
    if data.flat:
        proof.hulls = [_outline(data.X[data.y == side]) for side in (-1, 1)]
    else:
        proof.sentence = proof.sentence.replace("the star lies in", "one point lies in").replace("line", "hyperplane")
    return proof


def _outline(points: Array) -> list[list[float]]:
    try:
        return points[ConvexHull(points).vertices].tolist()
    except (QhullError, ValueError):
        ordered: Any = points[np.lexsort(points.T[::-1])]
        return ordered[[0, -1]].tolist() if len(ordered) else []
