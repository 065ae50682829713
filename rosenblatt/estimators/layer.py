"""A layer of units: several outputs from the same inputs, alone or on top of another layer."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import is_multilabel
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import as_float, check_choice, check_positive, shortened
from rosenblatt.checked_labels import check_labels, check_length
from rosenblatt.engine.gradient.network import ACTIVATIONS, forward
from rosenblatt.engine.online.state import Array
from rosenblatt.engine.threads import one_blas_thread
from rosenblatt.estimators import minimising
from rosenblatt.estimators.classes import classes_to_fit
from rosenblatt.estimators.gradient_descent import steps_of, stored_solver
from rosenblatt.estimators.layer_training import trained
from rosenblatt.estimators.validation import check_rows, check_weights, unchanged_on_failure
from rosenblatt.stored import (
    Sizes,
    Stored,
    array,
    choice,
    flag,
    items,
    kinds,
    labels,
    maybe,
    optional,
    size,
    text,
    whole,
)
from rosenblatt.trace import RUN, Trace

OFF = {name: activation.off for name, activation in ACTIVATIONS.items()}  # the target of "no"; "yes" is 1
STEPS = ("threshold", "sign")  # activations without a slope, learned by the perceptron's rule


@dataclass(eq=False, repr=False, kw_only=True)
class Layer(Stored, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A layer of units, y = activation(W x + b) (lecture rows L16 and L24).

    One unit for two classes, one for each of more, or one for each column of a multi-label target. Minimises

        lam ‖W‖² + mean of ‖activation - target‖²/2

    over the weights of this layer and of those below it, by back-propagation. Threshold and sign units have no slope to
    follow: a single layer of them learns by the perceptron's rule.

    Parameters
    ----------
    activation : {"sigmoid", "tanh", "linear", "threshold", "sign"}
        The function of w·x + b. Targets are 0 and 1 for sigmoid and threshold units, -1 and 1 for the others.
    units : int or None
        The number of units; needed for a layer below another one, else given by the targets.
    below : Layer or None
        The layer whose units are the inputs of this one.
    lam : float
        The weight of ‖W‖².
    solver : {"lbfgs", "sgd", "batch"} or GradientDescent
        scipy's L-BFGS; or stochastic steps, steps with all rows, or a `GradientDescent` with settings of its own
        (without variance reduction). A learning rate of None is, for each layer, 1 over a bound on the curvature of its
        loss. This and the parameters below are those of the top layer.
    tol : float
        L-BFGS stops when no entry of the gradient is larger, with rows in units of their root mean square length.
        Steps stop when the loss falls by less than this fraction for five epochs; 0 never stops early.
    max_iter : int
        The limit on steps of L-BFGS or on epochs.
    n_init : int or "auto"
        The number of starts; the weights with the lowest objective are kept. A single layer starts at W = 0, then at
        random; layers on top of each other always start at random. "auto" is 1 for a single layer, 5 for more.
    warm_start : bool
        Continue from the weights of an earlier fit, or of `soften` or `from_weights`, instead of starting again.
    random_state : int, RandomState, Generator or None
        Seeds the starts, the order of rows and the rows that are held out.

    Attributes
    ----------
    weights_, bias_ : arrays of shape (n_units, n_inputs) and (n_units,)
    below_ : Layer or None
        The fitted layer below.
    dead_units_ : list of (layer, unit)
        Units that are saturated for every row and so cannot learn any more, counted from the lowest layer. A warning
        names them.
    classes_, n_features_in_, trace_, stop_reason_, n_iter_, objective_
        As in `LogisticRegression`; those of the best start.

    Examples
    --------
    Two layers compute xor, which no single one can:

    >>> from rosenblatt import Layer
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> Layer("sigmoid").fit(X, y).score(X, y) < 1
    True
    >>> network = Layer("sigmoid", below=Layer("tanh", units=2), random_state=0).fit(X, y)
    >>> network.predict(X).tolist()
    [0, 1, 1, 0]

    References
    ----------
    D. E. Rumelhart, G. E. Hinton, R. J. Williams (1986). Learning representations by back-propagating errors. Nature
    323.
    """

    below_: Layer | None = field(init=False)
    best_iter_: int = field(init=False)
    dead_units_: list[tuple[int, int]] = field(init=False)
    _reads_numbers: bool = field(init=False)  # made by `soften` from rules over numbers

    _stored = kinds({
        "n_features_in_": size("features"), "classes_": labels, "_multilabel": flag,
        "weights_": array("f", "units", "inputs"), "bias_": array("f", "units"),
        "below_": optional(lambda value, sizes: isinstance(value, Layer)), "_unit_names": maybe(items(items(text))),
        "dead_units_": maybe(items(items(whole))), "_reads_numbers": maybe(flag),
        **{name: maybe(kind) for name, kind in RUN.items()},
    })  # fmt: skip
    _stored_parameters = kinds({
        "activation": choice(*OFF), "solver": stored_solver("lbfgs"), "below": _stored["below_"],
    })  # fmt: skip

    activation: str = field(default="sigmoid", kw_only=False)
    units: int | None = None
    below: Layer | None = None
    lam: float = 1e-4
    solver: Any = "lbfgs"
    tol: float = 1e-4
    max_iter: int = 1000
    n_init: int | str = "auto"
    warm_start: bool = False
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    @classmethod
    def from_weights(cls, weights: Any, bias: Any, activation: str = "threshold", below: Layer | None = None) -> Layer:
        """A layer with weights that are known, ready to answer.

        >>> both = Layer.from_weights([[1, 1], [-1, -1]], [-0.5, 1.5])  # x or y; not both
        >>> xor = Layer.from_weights([[1, 1]], [-1.5], below=both)
        >>> xor.activate([[0, 0], [0, 1], [1, 0], [1, 1]]).ravel().tolist()
        [0.0, 1.0, 1.0, 0.0]
        """
        check_choice("activation", activation, tuple(OFF))
        W, b = np.atleast_2d(np.asarray(weights, np.float64)), np.atleast_1d(np.asarray(bias, np.float64))
        if len(W) != len(b):
            raise ValueError(
                f"weights and bias must have one row and one number per unit, but got {len(W)} and {len(b)}; pass as "
                f"many of each."
            )
        layer = cls(activation, units=len(b), below=below)
        layer.weights_, layer.bias_ = W, b
        layer.below_ = below
        layer.n_features_in_ = W.shape[1] if below is None else below.n_features_in_
        layer.classes_, layer._multilabel = np.array([0, 1]), len(b) > 1
        return layer

    # ------------------------------------------------------------------ training

    def _stack(self) -> list[Layer]:
        """The layers from the lowest up to this one."""
        return [*(self.below._stack() if self.below is not None else []), self]

    def _check_parameters(self) -> None:
        if self.below is not None and not isinstance(self.below, Layer):
            raise ValueError(f"below must be a Layer or None, but got {shortened(self.below)}; pass a Layer.")
        for layer in self._stack():
            check_choice("activation", layer.activation, tuple(ACTIVATIONS))
            if layer is not self:
                check_positive("units", layer.units, "a layer with another on top must know its size", whole=True)
                for name in (layer.activation, self.activation):
                    if name in STEPS:
                        raise ValueError(
                            f"Layers on top of each other need activations with a slope, but {name!r} has none; use "
                            f"'sigmoid' or 'tanh', or Layer.from_weights for units whose weights you know."
                        )
        minimising.check_solved(self, "0 means no penalty", "lbfgs")
        steps = steps_of(self.solver)
        if steps is not None and steps.variance_reduction:
            raise ValueError("Layer takes no variance reduction, but solver has it; use 'sgd', 'batch' or 'lbfgs'.")
        if not isinstance(self.n_init, str) or self.n_init != "auto":
            check_positive("n_init", self.n_init, "it is the number of starts; 'auto' chooses it", whole=True)
        if self.activation in STEPS and self.n_init not in (1, "auto"):
            raise ValueError(
                f"n_init={self.n_init} is for activations with a slope, but {self.activation!r} units start at 0 and "
                f"learn by the perceptron's rule; use n_init=1."
            )

    def _targets(self, y: Any, n_rows: int) -> Array:
        """One column per unit, and what the columns mean."""
        if is_multilabel(y):
            y = check_length(np.asarray(y.toarray() if hasattr(y, "toarray") else y), n_rows, "label")
            self.classes_, self._multilabel = np.array([0, 1]), True
            own = y != 0
        else:
            labels = check_labels(y, n_rows)
            self.classes_, self._multilabel = classes_to_fit(labels), False
            codes = np.searchsorted(self.classes_, labels)
            own = codes[:, None] == (np.array([1]) if len(self.classes_) == 2 else np.arange(len(self.classes_)))
        if self.units is not None and as_float(self.units) != own.shape[1]:
            raise ValueError(
                f"units must be as many as the targets need ({own.shape[1]}), but got {shortened(self.units)}; use "
                f"None for the top layer."
            )
        return np.where(own, 1.0, OFF[self.activation])

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows and labels, or from rows and a multi-label matrix of 0 and 1."""
        with unchanged_on_failure(self):
            self._check_parameters()
            X = check_rows(self, X, reset=True)
            targets = self._targets(y, X.shape[0])
            weights = check_weights(sample_weight, X.shape[0], allow_all_zero=False)
            kind = np.float64 if X.dtype != np.float32 else np.float32
            X = X if X.dtype == kind else X.astype(kind)
            if self.activation in STEPS:
                self._fit_thresholds(X, targets, weights)
            else:
                with one_blas_thread():  # the matrices of a step are small: more threads wait for each other
                    self._keep(*trained(self, X, targets, weights))
            return self

    def _fit_thresholds(self, X: Any, targets: Array, weights: Array) -> None:
        from rosenblatt.estimators.perceptron import Perceptron

        learned = []
        for k in range(targets.shape[1]):
            unit = Perceptron("pocket", max_iter=int(self.max_iter), tol=1e-3, random_state=self.random_state)
            learned.append(unit.fit(X, targets[:, k] > 0, weights))
        self.dead_units_ = []
        self.weights_ = np.concatenate([unit.coef_ for unit in learned]).astype(np.float64)
        self.bias_ = np.concatenate([unit.intercept_ for unit in learned]).astype(np.float64)
        self.trace_ = learned[0].trace_
        self.below_ = None
        self.stop_reason_, self.n_iter_ = self.trace_.stop_reason, max(unit.n_iter_ for unit in learned)

    def _keep(
        self, layers: list[tuple[Array, Array]], trace: Trace, objective: float, dead: list[tuple[int, int]]
    ) -> None:
        self.trace_, self.stop_reason_, self.n_iter_ = trace, trace.stop_reason, len(trace)
        self.objective_, self.dead_units_ = objective, dead
        below: Layer | None = None
        for layer, (W, b) in zip(self._stack(), layers, strict=True):
            fitted = self if layer is self else Layer.from_weights(W, b, layer.activation, below)
            fitted.weights_, fitted.bias_ = W.copy(), b.copy()
            fitted.below_ = below
            below = fitted
        if dead:
            units = ", ".join(f"{unit} of layer {layer}" for layer, unit in dead[:5])
            warnings.warn(
                f"{len(dead)} units of Layer are saturated for every row, so that their gradient vanishes (unit "
                f"{units}{', …' if len(dead) > 5 else ''}); raise n_init, lower learning_rate, or scale the features.",
                ConvergenceWarning,
                stacklevel=4,
            )
        else:
            minimising.warn(self, trace)

    # ------------------------------------------------------------------ answers

    def fitted_stack(self) -> list[Layer]:
        """The fitted layers from the lowest up to this one."""
        return [*([] if self.below_ is None else self.below_.fitted_stack()), self]

    def activate(self, X: Any) -> Array:
        """The activations, (n_samples, n_units)."""
        check_is_fitted(self, "weights_")
        return self._activations(check_rows(self, X, reset=False))

    def _activations(self, X: Any) -> Array:
        inputs = X if self.below_ is None else self.below_._activations(X)
        if inputs.dtype == np.uint8:
            inputs = inputs.astype(np.float64)
        return np.asarray(forward(inputs, [(self.weights_, self.bias_)], [self.activation])[-1])

    def decision_function(self, X: Any) -> Array:
        """The activations less the middle between no and yes: (n_samples,) for one unit, (n_samples, n_units) else."""
        scores = self.activate(X) - 0.5 * (1.0 + OFF[self.activation])
        return scores[:, 0] if scores.shape[1] == 1 and not self._multilabel else scores

    def predict(self, X: Any) -> Array:
        """The class of every row, or for a multi-label target a 0 or 1 for every unit."""
        scores = self.decision_function(X)
        if self._multilabel:
            return (scores >= 0.0).astype(int)
        codes = (scores >= 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def _check_fitted(self, sizes: Sizes) -> None:
        below = self.below_
        if below is not None and (not hasattr(below, "weights_") or len(below.bias_) != sizes["inputs"]):
            raise ValueError("Layer: the layer below has another number of units")
        if (sizes["inputs"] if below is None else below.n_features_in_) != self.n_features_in_:
            raise ValueError("Layer: its weights do not belong to its features")
        if not self._multilabel and sizes["units"] != (1 if sizes["classes"] == 2 else sizes["classes"]):
            raise ValueError("Layer: its units do not belong to its classes")
