"""What every primal, online classifier shares: one fit with several answers, learning on, and learning one.

A subclass says which rule it is (`_learning_rule`) and has a constructor; the mathematics is in the rules and
the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse

from rosenblatt.arguments import as_float, shortened
from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.state import Array, HalfSpaces, weight_dtype
from rosenblatt.estimators import one_by_one, training
from rosenblatt.estimators.base_linear import ANSWERS as ANSWERS
from rosenblatt.estimators.base_linear import CHOICES as CHOICES
from rosenblatt.estimators.base_linear import BaseLinear
from rosenblatt.estimators.classes import arrange_classes, classes_of, codes_of, positive_codes
from rosenblatt.estimators.committee import Committee
from rosenblatt.estimators.missing import rule
from rosenblatt.estimators.named_features import Names
from rosenblatt.estimators.one_example import OneExample
from rosenblatt.estimators.validation import (
    as_before,
    check_choice,
    check_common,
    check_positive,
    check_rows_and_labels,
    unchanged_on_failure,
    with_declared,
)
from rosenblatt.rules import Rule
from rosenblatt.stored import (
    Sizes,
    Stored,
    choice,
    flag,
    instance,
    kinds,
    labels,
    maybe,
    optional,
    size,
    threads,
    whole,
)
from rosenblatt.trace import RUN, Epoch, Trace

RECORDS = ("updates", "train_error")


def _names(given: str | Iterable[str] | None) -> tuple[str, ...]:
    if given is None:
        return ()
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)


class LinearClassifier(OneExample, Stored, BaseLinear):
    """Not for users: the shared part of `Perceptron`, `PassiveAggressive` and `HalfSpace`."""

    # Set by the subclasses' constructors.
    answer: str
    max_iter: int
    tol: float | None
    time_limit: float | None
    shuffle: bool
    fit_intercept: bool
    multi_class: str
    class_weight: Any
    warm_start: bool = False
    random_state: Any
    n_jobs: int | None
    verbose: int
    hash_features: int | None = None

    _stored = kinds({
        "n_features_in_": size("features"), "classes_": labels, **RUN, "_mistakes": whole, "_listening": flag,
        "_state": instance(HalfSpaces), "_pocket": optional(instance(Pocket)),
        "_committee": optional(instance(Committee)), "_names": maybe(instance(Names)),
    })  # fmt: skip
    _stored_parameters = kinds({
        "answer": choice(*CHOICES), "multi_class": choice("ovr", "coupled", "multinomial"), "fit_intercept": flag,
        "regularize_intercept": flag, "n_jobs": threads, "hash_features": optional(whole), "rule": rule,
        "learning_rate": rule,
    })  # fmt: skip
    _stored_codes = ("rule", "learning_rate")
    _not_stored = ("_one", "_models")

    _ways_of_several: tuple[str, ...] = ("ovr", "coupled")
    _one: one_by_one.OneByOne | None = None  # the compiled step for one example
    _names: Names  # of the features, where dicts were learned from
    _state: HalfSpaces
    _pocket: Pocket | None
    _committee: Committee | None
    _models: dict[str, Any]  # what was made of the state so far, and a stamp of the state
    _mistakes: int  # met in passes; those met one by one are counted in the state
    _listening: bool  # whether the last half-space is the shadow that a late class starts from

    def _learning_rule(self) -> tuple[Rule, tuple[float, ...]]:
        """The rule and its parameters."""
        raise TypeError(f"{type(self).__name__} has no rule of its own; use Perceptron or HalfSpace.")

    def _train(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        """Learn from the rows of the task, starting at `state`; by the rule, unless a subclass has another way."""
        training.run(self, task, state, X, eval_set, on_epoch, recorded)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ------------------------------------------------------------------ training

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: tuple[Any, Any] | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
        record: str | tuple[str, ...] | None = None,
        keep: str | tuple[str, ...] | None = None,
        pocket_check: str = "run",
    ) -> Self:
        """Learn from rows until a clean pass, or until another reason to stop.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            uint8, float32 and float64 are used as they are, without a copy; other dtypes become float64.
        y : array of shape (n_samples,)
            Labels of any one kind, of at least two classes.
        sample_weight : array of shape (n_samples,), optional
            Multiplies the step (for passive-aggressive learning, C). A weight of 0 is the row left out.
        eval_set : (X_test, y_test), optional
            Records the test error after every epoch in ``trace_``.
        on_epoch : callable, optional
            Called with the `Epoch` row after every epoch; returning something true stops the run.
        record : "updates", "train_error" or both, optional
            "train_error" adds the training error after every epoch, a pass of its own, to ``trace_``; "updates" keeps
            every update in ``trace_.updates``.
        keep : "pocket", "voted" or both, optional
            Answers to compute in addition to ``answer``, for ``answers_``.
        pocket_check : {"run", "update"}
            When weights are candidates for the pocket: after a record run of correct answers and after every epoch, or
            after every update, as the lecture writes it, at the price of a pass over the data each time.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If rows or labels cannot be used (another number of them, NaN, text, one class only) or a parameter is out
            of its range. The sentence says what to do, and an earlier fit stays as it was.
        """
        with unchanged_on_failure(self) as before:
            self._check_parameters()
            recorded, kept = _names(record), {*_names(keep), self.answer}
            for name in recorded:
                check_choice("record", name, RECORDS)
            for name in _names(keep):
                check_choice("keep", name, ("pocket", "voted"))
            check_choice("pocket_check", pocket_check, ("run", "update"))
            if on_epoch is not None and not callable(on_epoch):
                raise ValueError(
                    f"on_epoch must be a function of an epoch's row, but got {shortened(on_epoch)}; pass a function."
                )
            watched = None if on_epoch is None else as_before(self, before, on_epoch)
            earlier = getattr(self, "_state", None) if self.warm_start else None
            earlier_classes = getattr(self, "classes_", None)
            one_by_one.forget_names(self)
            X, y = check_rows_and_labels(self, X, y, reset=True, finite=False)
            classes = classes_of(y)
            if len(classes) < 2:
                raise ValueError(
                    f"y must hold at least 2 classes, but got 1 class ({classes.item(0)!r}); add rows of another "
                    f"class, or use partial_fit, where classes may appear later."
                )
            self.classes_ = classes
            one_by_one.forget(self)
            task = training.task_of(self, X, y, sample_weight, listening=False)
            state = HalfSpaces(len(task.positive), X.shape[1], weight_dtype(X.dtype), task.layout)
            if earlier is not None:
                training.start_from(self, state, earlier, earlier_classes)
            if len(task.kept) == 0:
                raise ValueError(
                    "Sample weights must contain at least one non-zero number, but every row has the weight 0; "
                    "give the rows to learn from a weight."
                )
            if "pocket" in kept:
                recorded = (*recorded, "pocket" if pocket_check == "run" else "pocket_update")
            self._train(task, state, X, eval_set, watched, (*recorded, "voted") if "voted" in kept else recorded)
            self._listening = False
            return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn on from one batch, in the order of its rows. Classes may appear in any batch.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`, but a batch may hold a single class.
        classes : array, optional
            Classes that are known to exist, in any call. Not needed: one against the rest, a class that appears late
            is given a half-space that has seen every earlier row as negative, the same as if it had been declared.
            Coupled, it starts at zero.

        Returns
        -------
        self

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, so that a loop over batches ends. What was learned of the batch until then is kept.
        """
        with unchanged_on_failure(self):
            self._check_parameters()
            self._check_online()
            one_by_one.refuse_rows_after_dicts(self)
            first = not hasattr(self, "_state")
            X, y = check_rows_and_labels(self, X, y, reset=first, known=None if first else self.classes_)
            layout = "columns" if issparse(X) else "rows"
            self._prepare_online(X.shape[1], weight_dtype(X.dtype), layout)
            if classes is not None or codes_of(self.classes_, y) is None:
                self._admit(np.unique(y if classes is None else with_declared(y, classes)))
            task = training.task_of(self, X, y, sample_weight, listening=True)
            training.pass_once(self, task, X)
        training.pass_on_interrupt(self)
        return self

    def _check_online(self) -> None:
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight must be a dict or None while learning online, but got {shortened(self.class_weight)}: "
                f"one batch does not tell how frequent the classes are; pass the weights as a dict."
            )

    def _prepare_online(self, n_features: int, dtype: Any, layout: str) -> None:
        """A state that listens for late classes, in the layout and dtype of what comes."""
        before = self.__dict__.get("_state")
        if not hasattr(self, "_state"):
            self.classes_ = np.empty(0, object)
            self._state = HalfSpaces(0 if self._coupled else 1, n_features, dtype, layout)
            self._listening = True
            self._committee = Committee(0 if self._coupled else 1) if self.answer == "voted" else None
            self.n_iter_ = 0
            self._mistakes = 0
            self.trace_, self.stop_reason_ = Trace(), ""
            self._models = {}
        if not self._listening:
            self._state = self._state.with_fresh(0 if self._coupled else 1)
            self._committee = None if self._committee is None else self._committee.with_fresh(self._coupled)
            self._listening = True
        if self.answer == "voted" and self._committee is None:
            raise ValueError(
                "answer='voted' needs every update from the start, but this estimator has learned without keeping "
                "them; fit it again with answer='voted'."
            )
        wanted = np.promote_types(self._state.dtype, dtype)
        self._state = self._state.arranged(layout, wanted, n_features)
        if self.answer != "pocket":
            self._pocket = None
        elif getattr(self, "_pocket", None) is None:
            self._pocket = Pocket("stream")
        elif self._pocket is not None and self._pocket.check != "stream":
            self._pocket = Pocket("stream", kept=self._pocket.kept, longest=self._pocket.longest)
        if self._state is not before:
            one_by_one.forget(self)

    def _admit(self, labels: Array) -> None:
        """Give every class among `labels` that is new a place."""
        arranged = arrange_classes(self.classes_, labels, self._coupled)
        if arranged is None:
            return
        classes, sources, signs = arranged
        self._state = self._state.select_or_zero(sources, signs)
        if self._committee is not None:
            self._committee = self._committee.select(sources, signs)
        if self._pocket is not None:
            self._pocket = Pocket("stream")
        self.classes_ = classes
        one_by_one.forget(self)

    @property
    def _coupled(self) -> bool:
        return self.multi_class == "coupled"

    def _check_parameters(self) -> None:
        check_choice("answer", self.answer, CHOICES)
        check_choice("multi_class", self.multi_class, self._ways_of_several)
        check_positive("max_iter", self.max_iter, "it limits the number of epochs", whole=True)
        check_positive("time_limit", self.time_limit, "it is in seconds; use None for no limit", none=True)
        check_positive(
            "hash_features", self.hash_features, "it is the number of slots; use None to keep names apart",
            whole=True, none=True,
        )  # fmt: skip
        if self.tol is not None and not as_float(self.tol) >= 0:
            raise ValueError(f"tol must be None or at least 0, but got {shortened(self.tol)}; use None to go on.")
        check_common(self)
        self._learning_rule()

    def __setattr__(self, name: str, value: Any) -> None:
        """A parameter that is set counts from the next example on."""
        if not (name.startswith("_") or name.endswith("_")):
            one_by_one.forget(self)
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        state = dict(state)
        state.pop("_one", None)  # compiled entry points belong to this process
        if "_models" in state:
            state["_models"] = {}
        return state

    # ------------------------------------------------------------------ model files

    def _to_fitted(self) -> dict[str, Any]:
        fitted = super()._to_fitted()
        if "_names" in fitted:  # without the room for names to come
            fitted["_state"] = self._state.arranged(self._state.layout, self._state.dtype, self._names.width)
        return fitted

    def _set_fitted(self, fitted: dict[str, Any]) -> None:
        super()._set_fitted(fitted | {"_models": {}})

    def _check_fitted(self, sizes: Sizes) -> None:
        state, width, count = self._state, sizes["features"], sizes["classes"]
        if state.count != len(positive_codes(count, self._coupled, bool(self._listening))):
            raise ValueError(f"{state.count} half-spaces do not belong to {count} classes")
        if not 0 < width <= max(state.n_features, 1) or (state.count and width > state.n_features):
            raise ValueError(f"there are no weights for {width} features")
        kept = None if self._pocket is None else self._pocket.kept
        if kept is not None and kept.count != state.count:
            raise ValueError("the pocket holds other half-spaces")
        if self._committee is not None:
            blocks = self._committee.support
            sparse = any(issparse(block) for block in blocks)
            fits = [block.shape[1] <= width if sparse else block.shape[1] == width for block in blocks]
            if self._committee.log.count != state.count or not all(fits):
                raise ValueError("the committee has other half-spaces")
        names = vars(self).get("_names")
        if names is not None and names.width > state.n_features:
            raise ValueError("there are more names than features")
        if count > 1 and self._has(self._chosen):
            self._model(self._chosen)
