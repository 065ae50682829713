"""Several answers from one fit, and one example at a time: a row, or a dict of named features (lecture row L6).

A dict is a sparse row, for which `Names` knows the place of every name. Everything is checked before anything changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from rosenblatt.checked_labels import check_label, check_labels
from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.classes import check_kind
from rosenblatt.estimators.validation import (
    ANSWERS,
    PARAMETERS,
    ROW_DTYPES,
    check_rows,
    check_weight,
    check_weights,
    unchanged_on_failure,
)
from rosenblatt.features.named_features import Names, numbers_of


def are_dicts(X: Any) -> bool:
    return isinstance(X, list | tuple) and len(X) > 0 and all(isinstance(x, Mapping) for x in X)


class OneExample(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Not for users: models by name, and river's protocol on top of `partial_fit`'s parts, which `Online` has."""

    classes_: Array
    n_features_in_: int
    stop_reason_: str
    _state: Any
    _models: dict[str, Any]  # what was made of the state so far, and a stamp of the state
    _mistakes: int  # met in passes
    _has: Callable[[str], bool]  # whether this fit kept what the answer needs
    _build_model: Callable[[str], Any]
    _names: Names  # of the features, where dicts were learned from
    _check_parameters: Callable[[], None]
    _check_online: Callable[[], None]
    _learn_batch: Callable[[Any, Array, Any, Array], None]
    _pass_on_interrupt: Callable[[], None]
    _checked: Callable[[Any], Any]
    partial_fit: Callable[..., Any]

    @property
    def _coupled(self) -> bool:
        """Whether classes learn together, instead of one against the rest."""
        return bool(getattr(self, "multi_class", "ovr") == "coupled")

    @property
    def answers_(self) -> dict[str, Any]:
        """The models that this fit gives, by name: last, averaged, and pocket or voted where they were kept."""
        check_is_fitted(self)
        return {name: self._model(name) for name in ANSWERS if self._has(name)}

    @property
    def _chosen(self) -> str:
        """The answer that `predict` uses: "auto" is the last weights after a clean pass and online, else the mean."""
        answer: str = getattr(self, "answer", "last")
        PARAMETERS["answer"]("answer", answer)
        if answer != "auto":
            return answer
        return "last" if self.stop_reason_ in ("converged", "") else "averaged"

    def _model(self, name: str) -> Any:
        stamp = (id(self._state), self._state.seen, self._state.updates, len(self.classes_), self.n_features_in_)
        if self._models.get("stamp") != stamp:
            self._models.clear()
            self._models["stamp"] = stamp
        if name not in self._models:
            if not self._has(name):
                raise AttributeError(f"This fit did not keep the {name} answer; fit again with answer={name!r}.")
            self._models[name] = self._build_model(name)
        return self._models[name]

    @property
    def mistakes_(self) -> int:
        """Rows that were answered wrongly, or with a score of 0, when they were visited."""
        check_is_fitted(self)
        return self._mistakes

    def decision_function(self, X: Any) -> Array:
        """The scores: (n_samples,) for two classes, (n_samples, n_classes) for more."""
        check_is_fitted(self)
        X = self._rows_to_predict(X)
        return self._model(self._chosen).decision_function(X)

    def predict(self, X: Any) -> Array:
        """The class of every row; a score of 0 is the second class.

        Raises
        ------
        NotFittedError
            Before anything was learned.
        ValueError
            If the rows are not as wide as those of the fit, or hold NaN.
        """
        check_is_fitted(self)
        X = self._rows_to_predict(X)
        return self._model(self._chosen).predict(X)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        if "_models" in state:
            state["_models"] = {}
        return state

    # ------------------------------------------------------------------ one example

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        """Learn from one example: a row, or a dict of named features (names may be new)."""
        with unchanged_on_failure(self):
            example, label, weight = self._read_labelled(x, y, w)
            if weight == 0.0:
                return
            if isinstance(example, dict):
                self._admit_names(list(example))
            else:
                self.n_features_in_ = len(example)
            passed = self._learn_example(example, label, weight)
        if passed:
            self._pass_on_interrupt()

    def _learn_example(self, example: Any, label: Array, weight: float) -> bool:
        """Learn from what was checked; whether a pass was made, which Ctrl-C may have ended."""
        self._learn_batch(self._as_row(example), label, None if weight == 1.0 else [weight], label)
        return True

    def _read_labelled(self, x: Any, y: Any, w: Any) -> tuple[Any, Array, float]:
        """(example, label, weight), everything checked and nothing changed."""
        self._check_online()
        weight, example, label = check_weight(w), self._read(x), check_label(y)
        if len(vars(self).get("classes_", ())):
            check_kind(self.classes_, label)
        return example, label, weight

    def predict_one(self, x: Any) -> Any:
        """The class of one example, or None before anything was learned."""
        found = self._scores(x)
        if found is None:
            return None
        return self.classes_.item(int(found[0] >= 0.0) if len(found) == 1 else found.index(max(found)))

    def decision_function_one(self, x: Any) -> dict[Any, float]:
        """The score of every class for one example, a row or a dict; nothing before anything was learned."""
        scores = self._scores(x)
        if scores is None:
            return {}
        if len(scores) == 1 and len(self.classes_) == 2:
            scores = [-scores[0], scores[0]]
        return dict(zip(self.classes_.tolist(), scores, strict=True))

    def _scores(self, x: Any) -> list[float] | None:
        """The scores of one example, one for each half-space that answers, or None before anything was learned."""
        if not hasattr(self, "_state") or len(self.classes_) == 0:
            return None
        found: list[float] = self._scores_of(self._model(self._chosen), self._read(x)).ravel().tolist()
        return found

    def _scores_of(self, model: Any, example: Any) -> Array:
        return np.asarray(model.decision_function(self._as_row(example)))

    def _as_row(self, example: Any) -> Any:
        """An example as a matrix of one row."""
        return self._checked(self._names.matrix([example]) if isinstance(example, dict) else example[None, :])

    @property
    def learns_names(self) -> bool:
        """Whether it has learned from dicts of named features."""
        return "_names" in vars(self)

    @property
    def known_names(self) -> list[str]:
        """The names of the features that have weights of their own: none after rows, and none that are hashed."""
        return list(self._names.codes) if self.learns_names and self._names.size is None else []

    # ------------------------------------------------------------------ batches of examples

    def learn_many(self, X: Any, y: Any, w: Any = None) -> None:
        """Learn from a batch: rows, as `partial_fit` does, or a list of dicts; after dicts, a frame is too."""
        if "_names" not in vars(self) and not are_dicts(X):
            self.partial_fit(X, y, sample_weight=w)
            return
        with unchanged_on_failure(self):
            self._check_online()
            names, rows_of = self._read_named(X)
            labels = check_labels(y, len(X))
            if len(vars(self).get("classes_", ())):
                check_kind(self.classes_, labels)
            weights = None if w is None else check_weights(w, len(X))
            self._admit_names(names)
            self._learn_batch(self._checked(rows_of(self._names)), labels, weights, labels)
        self._pass_on_interrupt()

    def predict_many(self, X: Any) -> Array:
        """The class of every row of a batch."""
        return self.predict(X)

    def _rows_to_predict(self, X: Any) -> Any:
        """Rows like those of the fit; after dicts, a list of dicts or a frame, without names never seen."""
        named = self.learns_names or are_dicts(X)
        rows = self._read_named(X)[1](self._names) if named else check_rows(self, X, reset=False)
        return self._checked(rows)

    # ------------------------------------------------------------------ rows and dicts

    def _refuse_other(self, *, named: bool) -> None:
        """Rows and dicts do not mix."""
        if hasattr(self, "_state") and named != self.learns_names:
            learned, came = ("rows", "dicts") if named else ("dicts of named features", "rows")
            raise ValueError(
                f"{type(self).__name__} has learned from {learned}, but got {came}; pass {learned}, or call fit to "
                f"start again."
            )

    def _read(self, x: Any) -> Any:
        """A row as an array, or a dict of names as a dict of numbers; nothing is changed."""
        if scipy.sparse.issparse(x):  # the dictionary of keys among sparse matrices is a Mapping
            raise ValueError(
                f"x must be a row of numbers or a dict of named features, but got {type(x).__name__}; pass "
                f"x.toarray().ravel(), or use partial_fit, which takes sparse rows."
            )
        named = isinstance(x, Mapping)
        self._refuse_other(named=named)
        return numbers_of(x) if named else self._read_row(x)

    def _read_row(self, x: Any) -> Array:
        try:
            row = np.asarray(x)
            if row.dtype.kind == "c":
                raise TypeError("complex")
            row = row if row.dtype in ROW_DTYPES else row.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"x must be a row of numbers or a dict of named features, but got {type(x).__name__}; make it a "
                f"one-dimensional array of numbers."
            ) from None
        if row.ndim != 1 or not len(row):
            raise ValueError(
                f"x must be one row, of shape (n_features,), but got shape {row.shape}; use learn_many for several."
            )
        if hasattr(self, "_state") and len(row) != self.n_features_in_:
            raise ValueError(
                f"x has {len(row)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as "
                f"input; pass the ones it was fitted on."
            )
        if not np.isfinite(row).all():
            j = int(np.flatnonzero(~np.isfinite(row))[0])
            raise ValueError(f"x must be finite, but feature {j} is {row[j]}; leave the example out or fill it in.")
        return np.ascontiguousarray(row)

    def _read_named(self, X: Any) -> tuple[list[Any], Callable[[Names], Any]]:
        """The names in dicts or in the columns of a frame, and what makes CSR rows once all of them are known."""
        named = are_dicts(X)
        self._refuse_other(named=named or hasattr(X, "columns"))
        if named:
            examples = [numbers_of(x) for x in X]
            return [name for x in examples for name in x], lambda names: names.matrix(examples)
        numbers = check_array(X, dtype=np.float64, input_name="X")
        return list(X.columns), lambda names: names.matrix_of_columns(numbers, X.columns)

    def _admit_names(self, names: list[Any]) -> None:
        """Give names that are new a slot."""
        known: Names | None = vars(self).get("_names")
        known = Names(getattr(self, "hash_features", None)) if known is None else known
        new = known.unknown(names)
        self._make_room(known, known.width + len(new))
        known.add(new)
        self._names, self.n_features_in_ = known, known.width

    def _make_room(self, names: Names, needed: int) -> None:
        """Have weights for so many slots."""
