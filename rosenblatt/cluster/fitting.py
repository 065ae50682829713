"""`fit`: which method learns, why, and from the user's collections to an ordinary fitted estimator."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.arguments import shortened, whole_number
from rosenblatt.cluster.backend import Dask
from rosenblatt.cluster.encoding import encoded, fit_columns, taken_apart
from rosenblatt.cluster.merged import merged_classes, merged_squares
from rosenblatt.cluster.mix import mix
from rosenblatt.cluster.partitions import Partitions, blocks_of, partitions_of
from rosenblatt.cluster.relay import relay
from rosenblatt.cluster.ring import ring
from rosenblatt.cluster.rounds import Rounds
from rosenblatt.cluster.summed import summed
from rosenblatt.estimators.gaussian_discriminant import GaussianDiscriminant
from rosenblatt.estimators.least_squares import LeastSquares
from rosenblatt.estimators.linear import RuleLearner
from rosenblatt.estimators.linear_svm import LinearSVM
from rosenblatt.estimators.logistic_regression import LogisticRegression
from rosenblatt.estimators.minimising import check_solved
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.validation import check_callback, check_choice
from rosenblatt.trace import Epoch

METHODS: dict[type, dict[str, Callable[..., None]]] = {  # of every learner, the most special first
    Perceptron: {"relay": relay, "ring": ring, "mix": mix},
    RuleLearner: {"relay": relay, "ring": ring},
    LeastSquares: {"merged": merged_squares},
    GaussianDiscriminant: {"merged": merged_classes},
    LogisticRegression: {"summed": summed},
    LinearSVM: {"summed": summed},
}
WHY = {
    "relay": "one model learns from the partitions in their order, with the bits of one machine",
    "ring": "groups of classes go round, each with the bits of one machine in its own order of the partitions",
    "mix": "partitions learn from the same start in every round, and their mean is the next start",
    "summed": "gradients and second derivatives of the partitions are summed, for the minimum of one machine",
    "merged": "the triangles or moments of the partitions are merged, for the solution of one machine",
}
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
        It is not changed: what comes back is a fitted copy. A pipeline of a `ColumnEncoder` and a learner takes tables
        with any columns, and finds out what these are in a pass of its own.
    X : dask array, dask dataframe or list of delayed blocks
        Rows. The blocks are CSR matrices or arrays, or tables for a `ColumnEncoder`.
    y : dask collection, list of delayed arrays, or array
        Labels, in the partitions of X; an array is cut as X is.
    client : distributed.Client, optional
        None is the current client; where there is none, workers are started on this machine for the time of the fit.
    method : {"auto", "relay", "ring", "mix", "summed", "merged"}
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
    if isinstance(estimator, type):
        name = estimator.__name__
        raise TypeError(f"estimator must be an object, but got the class {name}; pass {name}().")
    pipeline, (encoder, estimator) = estimator, taken_apart(estimator)
    methods = methods_of(estimator, method, sample_weight is not None)
    model = clone(estimator)
    with Dask(client) as backend:
        if encoder is not None:
            blocks, _ = blocks_of(X, "X")
            encoder = fit_columns(backend, encoder, blocks)
            X = encoded(encoder, blocks)
        targets = isinstance(model, LeastSquares)
        partitions = partitions_of(backend, X, y, sample_weight, targets=targets, persist=persist)
        if not targets:
            check_classes(partitions)
        chosen = _chosen(estimator, methods, partitions) if method == "auto" else method
        note = f"{chosen}: {WHY[chosen]} ({len(partitions.parts)} partitions)"
        with Rounds(estimator, backend, limit, on_round, note) as run:
            methods[chosen](backend, partitions, model, run)
    finished = _finished(run, partitions)
    if encoder is None:
        return finished
    return Pipeline([(name, step) for (name, _), step in zip(pipeline.steps, (encoder, finished), strict=True)])


def methods_of(estimator: Any, method: str, weighted: bool) -> dict[str, Callable[..., None]]:
    """The methods by which the estimator can learn, among them the one that is asked for."""
    name = type(estimator).__name__
    methods = next((methods for kind, methods in METHODS.items() if isinstance(estimator, kind)), None)
    if methods is None:
        raise ValueError(f"{name} does not learn on a cluster; {INSTEAD.get(name, 'use Perceptron')}.")
    refused = _refused(estimator)
    if refused:
        raise ValueError(f"{name} does not learn on a cluster with {refused}.")
    check_choice("method", method, ("auto", *methods))
    if method == "ring" and estimator._coupled:
        raise ValueError("Coupled classes learn from each other and cannot go round a ring apart; use method='relay'.")
    if method == "mix" and (weighted or estimator.class_weight is not None):
        raise ValueError("A mixture has no guarantee where rows have weights; use method='relay', or no weights.")
    return methods


def _chosen(estimator: Any, methods: dict[str, Callable[..., None]], partitions: Partitions) -> str:
    """A ring where there are several half-spaces that do not depend on each other; else the first method."""
    several = len(partitions.classes) > 2 and len(partitions.parts) > 1
    return "ring" if "ring" in methods and several and not estimator._coupled else next(iter(methods))


def _refused(estimator: Any) -> str:
    """Parameters that a cluster cannot heed, and what to use."""
    if isinstance(estimator, RuleLearner):
        estimator._check_parameters()
        estimator._check_online()
        if estimator.answer in ("voted", "pocket"):
            return f"answer={estimator.answer!r}, which needs rows beside every update; use answer='averaged'"
    if isinstance(estimator, LeastSquares):
        check_solved(estimator, "0 leaves the loss alone", "exact")
        if estimator.solver != "exact":
            return f"solver={shortened(estimator.solver)}; use solver='exact', which takes one round"
    if isinstance(estimator, LogisticRegression | LinearSVM):
        estimator._check_parameters()
        if getattr(estimator, "penalty", "l2") != "l2":
            return f"penalty={estimator.penalty!r}; use 'l2'"
        if getattr(estimator, "solver", "newton") != "newton":
            return f"solver={shortened(estimator.solver)}; use 'newton'"
        if getattr(estimator, "loss", "squared_hinge") != "squared_hinge":
            return f"loss={estimator.loss!r}, which has no second derivative; use 'squared_hinge'"
    if isinstance(estimator, GaussianDiscriminant):
        estimator._check_shrinkage()
        if isinstance(estimator.shrinkage, str):
            return "shrinkage='auto', which needs the rows once more; use a number, 0.1 for instance"
    return ""


def check_classes(partitions: Partitions) -> None:
    if len(partitions.classes) < 2:
        raise ValueError(
            f"y must hold at least 2 classes, but got 1 class ({partitions.classes.item(0)!r}); add rows of another "
            f"class."
        )


def _finished(run: Rounds, partitions: Partitions) -> Any:
    """The model of the last round, with its trace."""
    model, trace = run.model, run.trace
    model.trace_ = trace
    if not isinstance(model, GaussianDiscriminant):
        model.stop_reason_, model.n_iter_ = trace.stop_reason, len(trace)
    if partitions.names is not None:
        model.feature_names_in_ = partitions.names
    mistakes = trace.epochs[-1].mistakes
    if isinstance(model, RuleLearner) and trace.stop_reason == "max_iter" and mistakes and model._chosen == "last":
        warnings.warn(
            f"{type(model).__name__} stopped after rounds={len(trace)}, the last with {mistakes:,} mistakes on "
            f"{partitions.n_rows:,} rows. If the rows are separable, raise rounds; if not, use answer='averaged'.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return model
