"""What a fitted `KernelPerceptron` answers with: one model for each answer, the scores of new rows, its support."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.kernel.values import aligned
from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators.classes import half_space_count
from rosenblatt.estimators.committee import votes_of
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.online import Online
from rosenblatt.kernels import Function, Kernel, Precomputed, as_kernel
from rosenblatt.models import KernelModel, LinearModel, VotedKernelModel
from rosenblatt.stored import Sizes

FEATURES_OF_ONE_CLASS = 2**27  # in a model file, where nothing in it has as many columns


def is_precomputed(kernel: Any) -> bool:
    return kernel is Precomputed or isinstance(kernel, Precomputed) or (type(kernel) is str and kernel == "precomputed")


class KernelAnswers(Online):
    """Not for users: the answers of fitted half-spaces in the space of a kernel's features."""

    kernel: Any
    kernel_: Any
    device: str
    n_jobs: int | None
    _state: Expansion
    _store: Any  # the support rows, ready for products

    @property
    def _coupled(self) -> bool:
        """What the fit used; `set_params` speaks about the next one."""
        return bool(vars(self).get("_together", super()._coupled))

    @property
    def _precomputed(self) -> bool:
        """Whether the kernel of the fit is precomputed; before there is one, that of the parameter."""
        return is_precomputed(vars(self).get("kernel_", self.kernel))

    def _has(self, name: str) -> bool:
        if name == "pocket":
            return self._pocket is not None and self._pocket.coefficients is not None
        return name != "voted" or self._state.history is not None

    def _build_model(self, name: str) -> KernelModel | VotedKernelModel | LinearModel:
        if len(self.classes_) == 1:  # whatever comes, it is the one class known
            return LinearModel(np.zeros((1, self.n_features_in_)), np.full(1, -1.0), self.classes_)
        if name == "voted":
            return self._voted()
        slots, coefficients = self._coefficients(name)
        return KernelModel(self._rows_in(slots), coefficients, self.classes_, self._kernel_scores)

    def _coefficients(self, name: str) -> tuple[Array, Array]:
        """(slots, coefficients) of the rows that have one in this answer."""
        state = self._state
        if not self._has(name):
            self._model(name)  # which says so
        if name == "pocket":
            coefficients = np.zeros((state.size, state.count))
            coefficients[: len(self._pocket.coefficients)] = self._pocket.coefficients
        else:
            coefficients = state.last() if name == "last" else state.averaged()
        coefficients = coefficients[:, : half_space_count(len(self.classes_), self._coupled)]
        if self._coupled and len(self.classes_) == 2:  # the two move in opposite directions: one says it all
            coefficients = coefficients[:, 1:] - coefficients[:, :1]
        slots = np.flatnonzero(coefficients.any(axis=1))
        slots = slots[np.argsort(state.numbers[slots], kind="stable")]
        return slots, np.ascontiguousarray(coefficients[slots])

    def _voted(self) -> VotedKernelModel:
        state = self._state
        log, size = state.log(), state.size
        by_number = np.argsort(state.numbers[:size])
        sorted_numbers = state.numbers[:size][by_number]
        count = half_space_count(len(self.classes_), self._coupled)
        votes = votes_of(log, count, state.seen, self.classes_, coupled=self._coupled, n_jobs=self.n_jobs)
        votes["rows"] = [by_number[np.searchsorted(sorted_numbers, rows)] for rows in votes["rows"]]
        return VotedKernelModel(
            support=self._rows_in(np.arange(size)), fit_intercept=False, shrink_intercept=False,
            values=self._kernel_values, **votes,
        )  # fmt: skip

    def _rows_in(self, slots: Array) -> Any:
        """The rows in these slots; their numbers where the kernel is precomputed."""
        if self._precomputed:
            return self._state.numbers[slots]
        if self._store is None or self._store.size == 0:
            return np.empty((0, self.n_features_in_), self._state.dtype)
        return aligned([self._store.view().rows[slots], np.empty((0, self.n_features_in_))])[0]

    def _usable_kernel(self) -> Kernel:
        """The kernel; a function that a model file could not hold must have been set again."""
        if not isinstance(self.kernel_, MissingFunction):
            return self.kernel_
        if isinstance(self.kernel, MissingFunction) or not callable(self.kernel):
            raise ValueError(
                f"kernel was the function {self.kernel_.name} when this model was saved, and a model file holds no "
                f"code; set the function again with set_params(kernel=...)."
            )
        return as_kernel(self.kernel)

    def _kernel_scores(self, X: Any, support: Any, coefficients: Array) -> Array:
        from rosenblatt.engine.kernel.products import expansion_scores

        kernel, dtype = self._usable_kernel(), self._dtype_for(X)
        if self.device == "cuda":
            from rosenblatt.engine.kernel.cuda import expansion_scores_on_gpu

            scores = expansion_scores_on_gpu(kernel, X, support, coefficients, dtype)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                scores = expansion_scores(kernel, X, support, coefficients, dtype, self.n_jobs)
        if np.isnan(scores).any():
            row = int(np.argwhere(np.isnan(scores))[0][0])
            raise ValueError(
                f"Kernel values must be in the range of {dtype}, but those of row {row} are not; scale its features "
                f"as in training (StandardScaler)."
            )
        return scores

    def _kernel_values(self, X: Any, support: Any) -> Array:
        from rosenblatt.engine.kernel.values import values_of
        from rosenblatt.engine.threads import one_blas_thread

        kernel = self._usable_kernel()
        source = values_of(kernel, X, self._dtype_for(X))
        right = source.operand(support, support if kernel.name == "precomputed" else None)
        with one_blas_thread():
            return source.values(source.operand(X), right)

    def _dtype_for(self, X: Any) -> np.dtype[Any]:
        return np.promote_types(self._state.dtype, weight_dtype(X.dtype))

    def _checked(self, X: Any) -> Any:
        sparse = scipy.sparse.issparse(X)
        if sparse and self._precomputed:
            X, sparse = X.toarray(), False
        if sparse and not X.has_canonical_format:
            X = X.copy()  # the caller's matrix stays as it is
            X.sum_duplicates()
        if sparse and self.device == "cuda":
            raise ValueError(
                "device='cuda' takes dense rows, but X is sparse; use device='cpu', or X.toarray() where it fits into "
                "memory."
            )
        return X.astype(np.float64) if self._precomputed and X.dtype == np.uint8 else X

    # ------------------------------------------------------------------ what was learned

    def _support(self) -> tuple[Array, Array]:
        check_is_fitted(self)
        if self._chosen == "voted":
            slots = np.arange(self._state.size)
            return slots[np.argsort(self._state.numbers[slots], kind="stable")], np.empty(0)
        return self._coefficients(self._chosen)

    @property
    def support_(self) -> Array:
        """The numbers of the support vectors, in increasing order."""
        slots, _ = self._support()
        return self._state.numbers[slots]

    @property
    def support_vectors_(self) -> Any:
        """The rows that have a coefficient; empty where the kernel is precomputed."""
        slots = self._support()[0]
        return np.empty((0, 0)) if self._precomputed else self._rows_in(slots)

    @property
    def dual_coef_(self) -> Array:
        """The coefficients of the support vectors, one row for each half-space. The voted answer has none."""
        _, coefficients = self._support()
        if self._chosen == "voted":
            raise AttributeError(
                "The voted answer is a committee of weight vectors and has no dual_coef_; use answers_['last'] or "
                "answers_['averaged']."
            )
        return np.ascontiguousarray(coefficients.T)

    @property
    def mistake_counts_(self) -> Array:
        """How often each row was a mistake, one column for each half-space; a vector where there is one."""
        check_is_fitted(self)
        state = self._state
        count = half_space_count(len(self.classes_), self._coupled)
        counts = np.zeros((state.shown, state.count), np.int64)
        counts[state.numbers[: state.size]] = state.counts[: state.size]
        return counts[:, 0] if count == 1 else counts[:, :count]

    @property
    def dropped_(self) -> Array:
        """The numbers of the rows that were taken for outliers, in the order in which they left."""
        check_is_fitted(self)
        return np.array(self._state.dropped, np.int64)

    # ------------------------------------------------------------------ model files

    def _to_fitted(self) -> dict[str, Any]:
        """The support rows instead of what keeps them ready for products."""
        fitted = super()._to_fitted()
        if "_pocket" in fitted:
            pocket = self._pocket
            fitted["_pocket"] = (float(pocket.errors), int(pocket.run), int(pocket.longest), pocket.coefficients)
        store = vars(self).get("_store")
        if store is not None and store.size and not self._precomputed:
            fitted["_rows"] = self._rows_in(np.arange(self._state.size))
        return fitted

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
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
        super()._set_fitted(fitted | {"_pocket": DualPocket(errors, coefficients, run, longest), "_store": store})

    def _check_fitted(self, sizes: Sizes) -> None:
        state, width, classes = self._state, self.n_features_in_, self.classes_
        listening = bool(self._listening) and not self._coupled
        if state.count != half_space_count(len(classes), self._coupled) + listening:
            raise ValueError(f"{state.count} half-spaces do not belong to {len(classes)} classes")
        if self._precomputed and state.size and state.numbers.max() >= width:
            raise ValueError("a support vector is not a training row")
        if not 0 < width < FEATURES_OF_ONE_CLASS and not state.size:
            raise ValueError(f"{width} features are too many")
        kept = self._pocket.coefficients
        if kept is not None and (len(kept) > state.size or kept.shape[1] != state.count):
            raise ValueError("the pocket holds other half-spaces")
        names = vars(self).get("_names")
        if names is not None and max(1, names.width) != width:
            raise ValueError("the names do not belong to the features")
        if len(classes) > 1 and self._has(self._chosen):
            self._model(self._chosen)


def _missing(X: Any, Y: Any) -> Any:
    raise ValueError("The kernel was a function of the user's; set it again with set_params(kernel=...).")
