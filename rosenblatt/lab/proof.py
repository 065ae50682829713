"""The proof beside a run: the two curves and the bound, or the point that lies in both hulls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rosenblatt import audit, separability
from rosenblatt.certificates.audit import Audit
from rosenblatt.certificates.results import Certificate, NotSeparable, Separable
from rosenblatt.engine.state import Array
from rosenblatt.lab.history import Run
from rosenblatt.lab.sets import Data

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
            f"{found.mistake_bound:,} mistakes. This learner follows another rule, which the theorem is not about.",
            bound=found.mistake_bound,
        )
    if run.updates <= MOST_AUDITED:
        return _from_audit(audit(run.model, data.X, data.y, time_limit=SECONDS), found)
    eta = float(abs(run.steps[0])) if len(run.steps) else 1.0
    return Proof(
        found.verdict, _sentence(run.updates, found.mistake_bound, None), True, found.radius**2 * eta**2,
        (found.gamma * eta) ** 2, found.mistake_bound,
    )  # fmt: skip


def _from_audit(checked: Audit, found: Certificate | None) -> Proof:
    verdict = "separable" if checked.gamma > 0 else "undecided"
    if not checked.applies:
        return Proof(verdict, f"The theorem gives no bound here ({checked.note}).")
    ceiling = float(checked.lengths_ceiling[0]) if len(checked.lengths_ceiling) else 0.0
    floor = float(checked.progress_floor[0]) if len(checked.progress_floor) else 0.0
    return Proof(
        verdict, _sentence(checked.mistakes, checked.bound, checked.holds), True, ceiling, floor**2, checked.bound,
        checked.holds,
    )  # fmt: skip


def _sentence(mistakes: int, bound: int | None, holds: bool | None) -> str:
    proven = {True: " Both inequalities were checked in exact arithmetic after every update.", False: "", None: ""}
    return (
        f"Novikoff's theorem: at most R²/γ² = {bound:,} updates, in whatever order the points come. This run needed "
        f"{mistakes:,}.{proven[holds]}"
    )


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
    return _from_audit(audit(run.model, data.X, data.y, tolerance=0.1, time_limit=SECONDS), None)


def _not_separable(found: NotSeparable, data: Data) -> Proof:
    proof = Proof(
        found.verdict,
        f"No line separates these points, so the theorem does not apply and the perceptron never comes to rest. The "
        f"proof: the star lies in the hulls of both classes, as a mix of the {len(found.rows)} ringed points.",
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
