"""What a model file keeps of a `KernelPerceptron`: the support rows instead of what keeps them ready for products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.estimators import kernel_answers
from rosenblatt.estimators.classes import half_space_count
from rosenblatt.estimators.linear import CHOICES
from rosenblatt.estimators.missing import MissingFunction, kernel
from rosenblatt.estimators.named_features import Names
from rosenblatt.kernels import Function, Kernel
from rosenblatt.stored import (
    array,
    choice,
    flag,
    instance,
    labels,
    matrix,
    maybe,
    number,
    optional,
    row_of,
    size,
    threads,
    whole,
)  # fmt: skip
from rosenblatt.trace import RUN

if TYPE_CHECKING:
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron

FEATURES_OF_ONE_CLASS = 2**27  # where nothing in the file has as many columns
FITTED = {
    "n_features_in_": size("features"), "classes_": labels, **RUN, "_mistakes": whole, "_listening": flag,
    "_intercept": maybe(flag), "_together": maybe(flag), "kernel_": instance(Kernel, MissingFunction),
    "_state": instance(Expansion), "_names": maybe(instance(Names)), "_rows": maybe(matrix),
    "_pocket": row_of(number, whole, whole, optional(array("f", "kept", "half_spaces"))),
}  # fmt: skip
PARAMETERS = {
    "answer": choice(*CHOICES), "multi_class": choice("ovr", "coupled"), "fit_intercept": flag, "kernel": kernel,
    "device": choice("cpu", "cuda"), "n_jobs": threads,
}  # fmt: skip


def to_fitted(estimator: KernelPerceptron, fitted: dict[str, Any]) -> dict[str, Any]:
    if "_pocket" in fitted:
        pocket = fitted["_pocket"]
        fitted["_pocket"] = (float(pocket.errors), int(pocket.run), int(pocket.longest), pocket.coefficients)
    store = getattr(estimator, "_store", None)
    if store is not None and store.size and not estimator._fitted_precomputed:
        fitted["_rows"] = kernel_answers.rows_in(estimator, np.arange(estimator._state.size))
    return fitted


def from_fitted(fitted: dict[str, Any]) -> dict[str, Any]:
    from rosenblatt.engine.kernel.epochs import DualPocket
    from rosenblatt.engine.kernel.values import Store, values_of

    errors, run, longest, coefficients = fitted["_pocket"]
    rows, state, store = fitted.pop("_rows", None), fitted["_state"], None
    precomputed = fitted["kernel_"].name == "precomputed"
    if rows is not None:
        if rows.shape != (state.size, fitted["n_features_in_"]) or precomputed or rows.dtype == np.uint8:
            raise ValueError(f"KernelPerceptron: its rows do not belong to {state.size} support vectors")
        own = Function(_missing) if isinstance(fitted["kernel_"], MissingFunction) else fitted["kernel_"]
        source = values_of(own, rows, state.dtype)
        store = Store(source)
        store.append(source.operand(rows))
    elif state.size and not precomputed:
        raise ValueError("KernelPerceptron: the support vectors are missing")
    return fitted | {"_pocket": DualPocket(errors, coefficients, run, longest), "_models": {}, "_store": store}


def check(estimator: KernelPerceptron) -> None:
    state, width, classes = estimator._state, estimator.n_features_in_, estimator.classes_
    listening = bool(estimator._listening) and not estimator._coupled
    if state.count != half_space_count(len(classes), estimator._coupled) + listening:
        raise ValueError(f"{state.count} half-spaces do not belong to {len(classes)} classes")
    if estimator._fitted_precomputed and state.size and state.numbers.max() >= width:
        raise ValueError("a support vector is not a training row")
    if not 0 < width < FEATURES_OF_ONE_CLASS and not state.size:
        raise ValueError(f"{width} features are too many")
    kept = estimator._pocket.coefficients
    if kept is not None and (len(kept) > state.size or kept.shape[1] != state.count):
        raise ValueError("the pocket holds other half-spaces")
    names = vars(estimator).get("_names")
    if names is not None and max(1, names.width) != width:
        raise ValueError("the names do not belong to the features")
    if len(classes) > 1 and kernel_answers.has(estimator, estimator._chosen):
        estimator._model(estimator._chosen)


def _missing(X: Any, Y: Any) -> Any:
    raise ValueError("The kernel was a function of the user's; set it again with set_params(kernel=...).")
