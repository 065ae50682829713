"""`fit`: which method learns, why, and from the user's collections to an ordinary fitted estimator."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arguments import shortened, whole_number
from rosenblatt.cluster.backend import Dask
from rosenblatt.cluster.partitions import Partitions, partitions_of
from rosenblatt.cluster.relay import relay
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.estimators.rule_learner import RuleLearner
from rosenblatt.estimators.validation import check_callback
from rosenblatt.trace import Epoch

ONLINE = {"relay": relay}  # methods of learners that go row by row
WHY = {"relay": "one model learns from the partitions in their order, with the bits of one machine"}
INSTEAD = {
    "KernelPerceptron": "it keeps rows of all partitions: use Perceptron on RadialFeatures",
    "Layer": "its units depend on each other: use Perceptron or LogisticRegression",
    "SigmoidNeuron": "its loss is not convex: use LogisticRegression",
}


def fit(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    client: Any = None,
    method: str = "auto",
    rounds: int = 10,
    sample_weight: Any = None,
    on_round: Callable[[Epoch], object] | None = None,
    persist: bool | str = "auto",
) -> Any:
    """Learn from the partitions of a collection, at the workers of a cluster.

    Parameters
    ----------
    estimator : estimator
        It is not changed: what comes back is a fitted copy.
    X : dask array, dask dataframe or list of delayed blocks
        Rows. The blocks are CSR matrices or arrays.
    y : dask collection, list of delayed arrays, or array
        Labels, in the partitions of X; an array is cut as X is.
    client : distributed.Client, optional
        None is the current client; where there is none, workers are started on this machine for the time of the fit.
    method : {"auto", "relay"}
        How the workers share the work, and with which guarantee.
    rounds : int
        Passes over the rows, at most.
    sample_weight : dask collection, list of delayed arrays, or array, optional
    on_round : callable, optional
        Called with the `Epoch` row after every round; returning something true stops the fit.
    persist : bool or "auto"
        Whether partitions stay in the memory of the workers between rounds; "auto" if they fit. Otherwise each round
        loads them again.

    Returns
    -------
    estimator
        A fitted copy. ``trace_`` has a row for each round: seconds, and the bytes that models and sums took on their
        way; its ``note`` says which method was used and why.

    Raises
    ------
    ValueError, TypeError
        If the estimator cannot learn on a cluster, or rows or labels cannot be used.
    ClusterError
        If the cluster is lost, or a partition fails three times.
    """
    limit = whole_number("rounds", rounds, 1, "it is the number of passes over the rows, at most")
    check_callback("on_round", on_round)
    if persist not in (True, False, "auto"):
        raise ValueError(f"persist must be True, False or 'auto', but got {shortened(persist)}; choose one of them.")
    chosen = _method(estimator, method)
    model = clone(estimator)
    with Dask(client) as backend:
        partitions = partitions_of(backend, X, y, sample_weight, targets=False, persist=persist)
        _check_classes(partitions)
        note = f"{chosen}: {WHY[chosen]} ({len(partitions.parts)} partitions)"
        with Rounds(estimator, backend, limit, on_round, note) as run:
            ONLINE[chosen](backend, partitions, model, run)
    return _finished(run, partitions)


def _method(estimator: Any, method: str) -> str:
    """The method by its name, if the estimator can learn by it."""
    name = type(estimator).__name__
    if not isinstance(estimator, RuleLearner):
        raise ValueError(f"{name} does not learn on a cluster; {INSTEAD.get(name, 'use Perceptron')}.")
    if estimator.answer in ("voted", "pocket"):
        raise ValueError(
            f"answer={estimator.answer!r} needs every row beside every update and does not learn on a cluster; use "
            f"answer='averaged'."
        )
    if method not in ("auto", *ONLINE):
        known = ", ".join(repr(one) for one in ("auto", *ONLINE))
        raise ValueError(f"method must be one of {known} for {name}, but got {shortened(method)}; choose one of them.")
    return "relay" if method == "auto" else method


def _check_classes(partitions: Partitions) -> None:
    if len(partitions.classes) < 2:
        raise ValueError(
            f"y must hold at least 2 classes, but got 1 class ({partitions.classes.item(0)!r}); add rows of another "
            f"class."
        )


def _finished(run: Rounds, partitions: Partitions) -> Any:
    """The model of the last round, with its trace."""
    model, trace = run.model, run.trace
    model.trace_, model.stop_reason_, model.n_iter_ = trace, trace.stop_reason, len(trace)
    if partitions.names is not None:
        model.feature_names_in_ = partitions.names
    mistakes = trace.epochs[-1].mistakes
    if trace.stop_reason == "max_iter" and model._chosen == "last" and mistakes:
        warnings.warn(
            f"{type(model).__name__} stopped after rounds={len(trace)}, the last with {mistakes:,} mistakes on "
            f"{partitions.n_rows:,} rows. If the rows are separable, raise rounds; if not, use answer='averaged'.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return model
