"""Holds a mixture against its theorem: the mean of the mistakes over the partitions is at most R'²/gamma'²."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.certificates.audit import Audits
from rosenblatt.certificates.reading import plain
from rosenblatt.certificates.table import REST
from rosenblatt.cluster.backend import Dask
from rosenblatt.cluster.partitions import partitions_of
from rosenblatt.cluster.separability import Verdict, question
from rosenblatt.estimators.perceptron import Perceptron


@dataclass(frozen=True, repr=False)
class MixtureAudit:
    """One half-space of a mixture beside the theorem.

    Attributes
    ----------
    mistakes : the mean over the partitions of its mistakes, in all rounds together
    bound : the most that the theorem allows; None where the rows are not separable
    holds : whether `mistakes` are within the bound; None where there is none
    verdict : the proof of separability that the bound comes from
    """

    name: str
    mistakes: float
    bound: int | None
    holds: bool | None
    verdict: Verdict = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self.holds)

    def __str__(self) -> str:
        told = {True: "holds", False: "DOES NOT HOLD", None: "has no bound: the rows are not separable"}[self.holds]
        most = "" if self.bound is None else f", at most {self.bound:,}"
        return (
            f"Audit of {self.name}\n"
            f"  mistakes       {self.mistakes:,.6g} as the mean over the partitions{most}\n"
            f"  theorem        R' = {self.verdict.radius:.6g}, gamma' = {self.verdict.gamma:.6g}: {told}"
        )

    __repr__ = __str__


def audit(model: Any, X: Any, y: Any, *, client: Any = None, tolerance: float = 0.01) -> Any:
    """Hold a perceptron that was fitted with ``method="mix"`` against the theorem of iterative parameter mixing.

    Parameters
    ----------
    model : Perceptron
        As `fit` returned it: a model from a file no longer knows its rounds.
    X, y, client
        As in the fit.
    tolerance : float
        How close to the largest gamma' the one used must be proven.

    Returns
    -------
    MixtureAudit, or Audits
        For more than two classes one for each class against the rest, by its name.
    """
    mixed = getattr(getattr(model, "trace_", None), "mixed", None)
    if mixed is None:
        raise ValueError(
            "audit needs a Perceptron as cluster.fit(..., method='mix') returned it; this one has no rounds."
        )
    if not isinstance(model, Perceptron) or model._coupled or callable(model.learning_rate):
        raise ValueError(
            "The theorem is about a perceptron with a constant learning rate that learns one class against the rest; "
            "this model learns otherwise."
        )
    names, totals = [plain(name) for name in model.classes_], np.sum(mixed, axis=0)
    pairs = [(names[0], names[1])] if len(names) == 2 else [(REST, name) for name in names]
    audits: dict[Any, Any] = {}
    with Dask(client) as backend:
        found = partitions_of(backend, X, y, None, targets=False, persist="auto")
        if found.width != model.n_features_in_ or not np.array_equal(found.classes, model.classes_):
            raise ValueError("audit needs the rows and labels of the fit, but these have other features or classes.")
        for pair, mistakes in zip(pairs, totals.tolist(), strict=True):
            verdict = question(backend, found, pair, bool(model.fit_intercept), tolerance)
            bound = verdict.mistake_bound
            holds = None if bound is None else mistakes <= bound
            name = f"{pair[1]!r} against {'the rest' if pair[0] == REST else repr(pair[0])}"
            audits[pair[1]] = MixtureAudit(name, mistakes, bound, holds, verdict)
    return audits[names[1]] if len(names) == 2 else Audits(audits)
