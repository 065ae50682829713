"""What every classifier with several answers from one fit has once it is fitted: models by name, scores, classes."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.engine.online.state import Array
from rosenblatt.estimators.validation import ANSWERS, PARAMETERS


class Answers(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Not for users. A subclass says which answers a fit has (`_has`) and makes their models (`_build_model`)."""

    classes_: Array
    n_features_in_: int
    stop_reason_: str
    _state: Any
    _models: dict[str, Any]  # what was made of the state so far, and a stamp of the state
    _mistakes: int  # met in passes

    def _has(self, name: str) -> bool:
        """Whether this fit kept what the answer needs."""
        raise NotImplementedError

    def _build_model(self, name: str) -> Any:
        raise NotImplementedError

    def _rows_to_predict(self, X: Any) -> Any:
        """Rows like those of the fit, checked."""
        raise NotImplementedError

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
