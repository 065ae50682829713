"""Learners by the names that the command line knows, and their parameters from text.

Nothing is imported before a learner is made.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.verbs.errors import UsageError, nearest
from rosenblatt.wording import listed, shortened


@dataclass(frozen=True)
class Learner:
    """An estimator with the parameters that differ from its own defaults here.

    `settings` are for rows of a table that a person waits for: a run ends when the mistakes no longer fall.
    """

    estimator: str
    told: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    kind: str = "classes"  # or "numbers"
    several: Mapping[str, Any] = field(default_factory=dict)  # settings for more than two classes
    usual: bool = True  # whether the first screen of the help names it


_PATIENT = {"tol": 1e-3}
_AVERAGED = {"answer": "averaged", **_PATIENT}
_COUPLED = {"multi_class": "coupled"}
_PENALTIES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
_STEPS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
_WIDTHS = (0.001, 0.01, 0.1, 1.0)

#: Every learner that `--learner` knows, the default first.
LEARNERS = {
    "averaged": Learner("Perceptron", "perceptron, the mean of all weights on the way", _AVERAGED, several=_COUPLED),
    "perceptron": Learner(
        "Perceptron", "Rosenblatt's perceptron, the weights at the end", {"answer": "last", **_PATIENT}
    ),
    "pocket": Learner(
        "Perceptron", "perceptron, the best weights on the training rows", {"answer": "pocket", **_PATIENT}
    ),
    "voted": Learner(
        "Perceptron", "perceptron, all weights on the way vote", {"answer": "voted", **_PATIENT}, usual=False
    ),
    "margin": Learner(
        "HalfSpace",
        "perceptron that also learns from rows right by a hair",
        {"rule": "margin_perceptron", **_AVERAGED},
    ),
    "passive-aggressive": Learner("PassiveAggressive", "smallest step that repairs the row", _AVERAGED, {"C": _STEPS}),
    "kernel": Learner("KernelPerceptron", "perceptron on curved boundaries (RBF)", _AVERAGED, {"gamma": _WIDTHS}),
    "svm": Learner("LinearSVM", "the widest margin, with a proven gap", {}, {"lam": _PENALTIES}),
    "logistic": Learner("LogisticRegression", "probabilities", {}, {"lam": _PENALTIES}),
    "discriminant": Learner("GaussianDiscriminant", "bell-shaped classes, probabilities", {"shrinkage": "auto"}),
    "sigmoid": Learner("SigmoidNeuron", "one sigmoid unit, squared loss", {}, {"lam": _PENALTIES}, usual=False),
    "layer": Learner("Layer", "sigmoid units side by side", usual=False),
    "half-space": Learner(
        "HalfSpace", "any learning rule: --set rule=pegasos, logistic, adaline, ...", _AVERAGED, usual=False
    ),
    "least-squares": Learner("LeastSquares", "numbers instead of classes", {}, {"lam": _PENALTIES}, kind="numbers"),
}
DEFAULT = "averaged"

#: Other names for them.
ALIASES = {
    "averaged-perceptron": "averaged",
    "pa": "passive-aggressive",
    "kernel-perceptron": "kernel",
    "rbf": "kernel",
    "linear-svm": "svm",
    "logistic-regression": "logistic",
    "gaussian-discriminant": "discriminant",
    "lda": "discriminant",
    "sigmoid-neuron": "sigmoid",
    "margin-perceptron": "margin",
    "halfspace": "half-space",
    "linear-regression": "least-squares",
}


def learner_named(name: str) -> tuple[str, Learner]:
    """The learner of a name, or the sentence that lists them.

    Examples
    --------
    >>> learner_named("LinearSVM")[0], learner_named("pa")[0]
    ('svm', 'passive-aggressive')
    >>> learner_named("perceptrn")
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: There is no learner 'perceptrn' (did you mean 'perceptron'?); there are ...
    """
    key = name.casefold().replace("_", "-").replace(" ", "-")
    by_class = {learner.estimator.casefold(): known for known, learner in reversed(LEARNERS.items())}
    by_class["perceptron"] = "perceptron"
    known = key if key in LEARNERS else ALIASES.get(key) or by_class.get(key.replace("-", ""))
    if known is None:
        near = nearest(name, [*LEARNERS, *ALIASES])
        raise UsageError(f"There is no learner {shortened(name)}{near}; there are {listed(LEARNERS, 99)}.")
    return known, LEARNERS[known]


def make_learner(name: str, settings: Mapping[str, Any] | Iterable[str] = (), **others: Any) -> Any:
    """An estimator that is not fitted yet, with its settings checked.

    Parameters
    ----------
    name : str
        A key of `LEARNERS`, another name, or the name of the class.
    settings : mapping, or texts of the form "name=value"
        Parameters of the estimator. Texts are read by the kind of the parameter.
    **others
        Parameters that are set where the estimator has them and `settings` does not, such as the seed.

    Examples
    --------
    >>> make_learner("pa", ["C=0.1", "max_iter=20"])
    PassiveAggressive(C=0.1, answer='averaged', max_iter=20)
    >>> make_learner("perceptron").answer
    'last'
    >>> make_learner("pa", ["CC=0.1"])
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: The learner passive-aggressive has no parameter 'CC' (did you mean 'C'?).
    """
    import rosenblatt

    known, learner = learner_named(name)
    kind = getattr(rosenblatt, learner.estimator)
    parameters = inspect.signature(kind.__init__).parameters
    given = settings if isinstance(settings, Mapping) else read_settings(known, settings)
    for key in given:
        check_parameter(known, key)
    usual = {key: value for key, value in others.items() if key in parameters and value is not None}
    return kind(**{**learner.settings, **usual, **given})


def parameters_of(name: str) -> dict[str, inspect.Parameter]:
    """The parameters that `--set` may name."""
    import rosenblatt

    kind = getattr(rosenblatt, learner_named(name)[1].estimator)
    signature = inspect.signature(kind.__init__).parameters
    return {key: value for key, value in signature.items() if key not in ("self", "verbose", "below", "time_limit")}


def check_parameter(name: str, key: str) -> inspect.Parameter:
    """The parameter of a learner, or the sentence that suggests the nearest."""
    known = parameters_of(name)
    if key not in known:
        near = nearest(key, known)
        raise UsageError(f"The learner {name} has no parameter {key!r}{near or f'; it has {listed(known, 99)}'}.")
    return known[key]


def read_settings(name: str, texts: Iterable[str]) -> dict[str, Any]:
    """Parameters from "name=value", each of the kind that the estimator asks for.

    Examples
    --------
    >>> read_settings("averaged", ["tol=none", "shuffle=no", 'class_weight={"spam": 5}'])
    {'tol': None, 'shuffle': False, 'class_weight': {'spam': 5}}
    >>> read_settings("averaged", ["max_iter=many"])
    Traceback (most recent call last):
    rosenblatt.verbs.errors.UsageError: max_iter must be a whole number, such as 100, but got 'many'.
    """
    found: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise UsageError(f"--set takes name=value, such as max_iter=50, but got {shortened(text)}.")
        found[key] = _value(key, value.strip(), check_parameter(name, key))
    return found


_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False, "none": None, "null": None}


def _value(key: str, text: str, parameter: inspect.Parameter) -> Any:
    kinds = {part.strip() for part in str(parameter.annotation).split("|")}
    word = text.casefold()
    if "None" in kinds | _allows_none(parameter) and word in ("none", "null"):
        return None
    for kind, convert, told in (
        ("bool", lambda: _boolean(word), "true or false"),
        ("int", lambda: int(text), "a whole number"),
        ("float", lambda: float(text), "a number"),
    ):
        if kind in kinds:
            try:
                return convert()
            except (KeyError, ValueError):
                if not kinds & {"str", "Any"}:
                    like = parameter.default if parameter.default not in (None, parameter.empty) else 10
                    raise UsageError(
                        f"{key} must be {told}, such as {str(like).lower()}, but got {shortened(text)}."
                    ) from None
    if "str" in kinds:
        return text
    return _literal(text)


def _allows_none(parameter: inspect.Parameter) -> set[str]:
    return {"None"} if "Any" in str(parameter.annotation) or parameter.default is None else set()


def _boolean(word: str) -> bool:
    value = _WORDS[word]
    if value is None:
        raise KeyError(word)
    return bool(value)


def _literal(text: str) -> Any:
    """A number, a Boolean, JSON, or else the text itself."""
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    try:
        return json.loads(text)
    except ValueError:
        return text
