"""What a model file keeps of a `KernelPerceptron`: its expansion, support rows, pocket and updates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from rosenblatt.engine.dual_state import Expansion
from rosenblatt.engine.state import Array
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.named_features import Names
from rosenblatt.kernels import KERNELS, Function

if TYPE_CHECKING:
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron

NUMBERS = ("count", "size", "seen", "shown", "updates", "mistakes")
ARRAYS = ("numbers", "coefficients", "lag", "counts", "taught")


def plain_kernel(kernel: Any) -> dict[str, Any]:
    """A kernel as JSON; a function is kept by its name only."""
    if isinstance(kernel, Function):
        return {"function": getattr(kernel.function, "__name__", "function")}
    if isinstance(kernel, MissingFunction):
        return {"function": kernel.name}
    values = {key: value.item() if isinstance(value, np.generic) else value for key, value in kernel.parameters.items()}
    return {"kernel": kernel.name, "parameters": values}


def kernel_from_plain(value: dict[str, Any]) -> Any:
    if "function" in value:
        return MissingFunction(str(value["function"]))
    return KERNELS[value["kernel"]](**value["parameters"])


def put(estimator: KernelPerceptron, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    state, pocket = estimator._state, estimator._pocket
    names = estimator.__dict__.get("_names")
    if names is not None:
        header["names"] = names.slots
    header["kernel"] = plain_kernel(estimator.kernel_)
    header["coupled"] = estimator._coupled
    header["state"] = {**{key: int(getattr(state, key)) for key in NUMBERS}, "dtype": state.dtype.name}
    arrays |= {name: getattr(state, name)[: state.size] for name in ARRAYS}
    arrays["squared"], arrays["dropped"] = state.squared, np.array(state.dropped, np.int64)
    if pocket is not None and pocket.coefficients is not None:
        header["pocket"] = {"errors": float(pocket.errors), "run": pocket.run, "longest": pocket.longest}
        arrays["pocket"] = pocket.coefficients
    if state.history is not None:
        empty = np.empty(0, np.int64), np.empty((0, state.count)), np.empty(0, np.int64)
        parts = zip(*(state.history or [empty]), strict=True)
        arrays |= {f"history_{name}": np.concatenate(part) for name, part in zip("nst", parts, strict=True)}
    if estimator._store is not None and estimator._store.size and not estimator._fitted_precomputed:
        rows = estimator._rows(np.arange(state.size))
        if scipy.sparse.issparse(rows):
            header["sparse"] = list(rows.shape)
            arrays |= {"rows_data": rows.data, "rows_indices": rows.indices, "rows_indptr": rows.indptr}
        else:
            arrays["rows"] = rows


def get(estimator: KernelPerceptron, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    from rosenblatt.engine.dual_run import DualPocket
    from rosenblatt.engine.dual_values import Store, values_of

    estimator.kernel_ = kernel_from_plain(header["kernel"])
    if "coupled" in header:
        estimator._together = bool(header["coupled"])
    shape = header["state"]
    state = Expansion(shape["count"], shape["dtype"])
    for name in NUMBERS:
        setattr(state, name, shape[name])
    for name in ARRAYS:
        expected = getattr(state, name)
        if arrays[name].shape != (state.size, *expected.shape[1:]) or arrays[name].dtype != expected.dtype:
            raise ValueError(f"{name} has shape {arrays[name].shape} for {state.size} rows")
        setattr(state, name, arrays[name].copy())
    if arrays["squared"].shape != (state.count,):
        raise ValueError(f"squared has shape {arrays['squared'].shape} for {state.count} half-spaces")
    state.squared, state.dropped = arrays["squared"].copy(), arrays["dropped"].tolist()
    state.history = None
    if "history_n" in arrays:
        state.history = [(arrays["history_n"], arrays["history_s"], arrays["history_t"])]
    estimator._state, estimator._pocket = state, DualPocket()
    if "pocket" in header:
        estimator._pocket = DualPocket(coefficients=arrays["pocket"], **header["pocket"])
    if "names" in header:
        estimator._names = Names(None)
        estimator._names.slots = dict(header["names"])
    estimator._store = None
    rows: Any = arrays.get("rows")
    if "sparse" in header:
        parts = tuple(arrays[f"rows_{name}"] for name in ("data", "indices", "indptr"))
        rows = scipy.sparse.csr_array(parts, shape=tuple(header["sparse"]))
    if rows is not None:
        if rows.shape != (state.size, estimator.n_features_in_):
            raise ValueError(f"rows have shape {rows.shape} for {state.size} support vectors")
        kernel = Function(_missing) if isinstance(estimator.kernel_, MissingFunction) else estimator.kernel_
        source = values_of(kernel, rows, state.dtype)
        estimator._store = Store(source)
        estimator._store.append(source.operand(rows))
    elif state.size and not estimator._fitted_precomputed:
        raise ValueError("the rows of the support vectors are missing")


def _missing(X: Any, Y: Any) -> Any:
    raise ValueError("The kernel was a function of the user's; set it again with set_params(kernel=...).")
