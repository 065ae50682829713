"""The table of things that a model file may describe, and how each is taken apart and put together.

A form belongs to one class. It takes a thing apart into parameters and fitted values, and makes a thing of them again
after a look at every one. Classes are found by their place in this table, never by a name that a file brings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.exchange.checks import Check, Sizes, choice, complaints, names, simple, size

Values = dict[str, Any]


@dataclass(frozen=True)
class Form:
    """How a thing of one class is written: `take` gives (parameters, fitted values), `make` the thing."""

    kind: type
    take: Callable[[Any], tuple[Values, Values]]
    make: Callable[[Values, Values], Any]

    @property
    def name(self) -> str:
        return self.kind.__name__


INPUTS: dict[str, Check] = {
    "n_features_in_": size("features"),
    "feature_names_in_": names("features"),
    "_sklearn_output_config": lambda value, sizes: (
        isinstance(value, dict)
        and all(key == "transform" and choice("default", "pandas", "polars")(one, sizes) for key, one in value.items())
    ),
}


@dataclass(frozen=True)
class Estimator:
    """The form of a class in scikit-learn's manner: constructor parameters, and attributes that a fit leaves.

    `parameters` has a check for each parameter that is not free; the others may be anything plain. `attributes` has one
    for each attribute that may be there, in the order in which they are looked at. `needed` are there after every fit.
    `cached` are left out, and made anew when they are needed. `last_look` says what is still wrong when all is there.
    """

    kind: Any
    attributes: Mapping[str, Check]
    parameters: Mapping[str, Check] = field(default_factory=dict)
    needed: tuple[str, ...] = ("n_features_in_",)
    cached: tuple[str, ...] = ()
    before: Callable[[Any, Values], None] | None = None  # what is to be written otherwise
    after: Callable[[Any, Values], None] | None = None  # and its way back
    last_look: Callable[[Any, Sizes], str | None] | None = None
    functions: bool = False  # whether a parameter may be a function, of which only the name is kept
    validates: bool = False  # whether scikit-learn itself can judge the parameters

    def form(self) -> Form:
        return Form(self.kind, self.take, self.make)

    def take(self, estimator: Any) -> tuple[Values, Values]:
        parameters = dict(estimator.get_params(deep=False))
        name = self.kind.__name__
        if not self.functions:
            for parameter, value in parameters.items():
                if holds_code(value):
                    raise TypeError(
                        f"A model file holds no code, but {parameter} of {name} is a function; do what it does before "
                        f"the model, or use a {name} without it."
                    )
        fitted = {
            key: value for key, value in vars(estimator).items() if key not in parameters and key not in self.cached
        }
        if self.before is not None:
            self.before(estimator, fitted)
        for key in fitted:
            if key not in self.attributes and key not in INPUTS:
                raise TypeError(
                    f"A model file keeps what a {name} has learned, but it does not know the attribute {key}; delete "
                    f"the attribute, or update rosenblatt."
                )
        return parameters, fitted

    def make(self, parameters: Values, fitted: Values) -> Any:
        sizes: Sizes = {}
        self._refuse(complaints(fitted, {**INPUTS, **self.attributes}, sizes))
        if fitted:
            missing = [name for name in self.needed if name not in fitted]
            self._refuse(f"{missing[0]} is missing" if missing else "")
        known = self.kind._get_param_names()
        for name, value in parameters.items():
            if name not in known:
                self._refuse(f"the parameter {name[:60]} is not known")
            if not self.parameters.get(name, simple)(value, sizes):
                self._refuse(f"the parameter {name} is not what it must be")
        estimator = self.kind(**parameters)
        if self.validates:
            estimator._validate_params()
        if self.after is not None:
            self.after(estimator, fitted)
        vars(estimator).update(fitted)
        if self.last_look is not None and fitted:
            self._refuse(self.last_look(estimator, sizes) or "")
        return estimator

    def _refuse(self, wrong: str) -> None:
        if wrong:
            raise ValueError(f"{self.kind.__name__}: {wrong}")


def holds_code(value: Any) -> bool:
    """Whether a parameter is or contains a function; types of numbers and things with parameters are none."""
    if isinstance(value, list | tuple):
        return any(holds_code(item) for item in value)
    if isinstance(value, dict):
        return any(holds_code(item) for item in value.values())
    return callable(value) and not isinstance(value, type) and not hasattr(value, "get_params")
