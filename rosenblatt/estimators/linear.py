"""What every primal, online classifier shares: one fit with several answers, learning on, and learning one.

A subclass says which rule it is (`_learning_rule`); the mathematics is in the rules and the engine.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.arguments import check_choice
from rosenblatt.engine.layouts.rows import rows_of
from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.state import SEEN, Array, HalfSpaces, weight_dtype
from rosenblatt.engine.threads import thread_count
from rosenblatt.estimators.base_linear import BaseLinear
from rosenblatt.estimators.classes import codes_of, half_space_count, positive_codes
from rosenblatt.estimators.committee import Committee
from rosenblatt.estimators.missing import rule
from rosenblatt.estimators.one_by_one import FIRST_CAPACITY, ONE, UNSURE, OneByOne, doubled
from rosenblatt.estimators.online import Online
from rosenblatt.estimators.running import running, seed_of
from rosenblatt.estimators.validation import RECORDS, check_finite, check_parameters, names_among, row_weights
from rosenblatt.features.named_features import Names
from rosenblatt.models import LinearModel
from rosenblatt.rules import Rule
from rosenblatt.stored import Sizes, choice, flag, instance, kinds, optional, whole
from rosenblatt.trace import Epoch, Trace


class LinearClassifier(BaseLinear, Online):
    """Not for users: the shared part of the classifiers whose half-spaces the online engine trains."""

    _stored = kinds({
        **Online._stored, "_state": instance(HalfSpaces), "_pocket": optional(instance(Pocket)),
        "_committee": optional(instance(Committee)),
    })  # fmt: skip
    _stored_parameters = kinds({
        **Online._stored_parameters, "multi_class": choice("ovr", "coupled", "multinomial"), "fit_intercept": flag,
        "regularize_intercept": flag, "hash_features": optional(whole), "rule": rule, "learning_rate": rule,
    })  # fmt: skip
    _stored_codes = ("rule", "learning_rate")
    _not_stored = ("_one", "_models")

    _ways_of_several: tuple[str, ...] = ("ovr", "coupled")
    _one: OneByOne | None = None  # the compiled step for one example
    _learning_rule: Callable[[], tuple[Rule, tuple[float, ...]]]  # the rule and its parameters

    def _check_parameters(self) -> None:
        check_parameters(self)
        if hasattr(self, "multi_class"):
            check_choice("multi_class", self.multi_class, self._ways_of_several)
        self._learning_rule()

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
        recorded, answer = names_among("record", record, RECORDS), getattr(self, "answer", "last")
        kept = (*names_among("keep", keep, ("pocket", "voted")), *([answer] if isinstance(answer, str) else []))
        check_choice("pocket_check", pocket_check, ("run", "update"))
        if "pocket" in kept:
            recorded = (*recorded, "pocket" if pocket_check == "run" else "pocket_update")
        if "voted" in kept:
            recorded = (*recorded, "voted")
        return self._fit(X, y, sample_weight, eval_set, on_epoch, recorded)

    def _task(self, X: Any, y: Array, sample_weight: Any, *, listening: bool) -> Any:
        from rosenblatt.engine.compile.jit import reads_argument
        from rosenblatt.engine.online.task import Task

        rule, params = self._learning_rule()
        layout, rows = rows_of(X, squared_norms=reads_argument(rule.function, 1))
        classes, coupled = self.classes_, self._coupled
        codes = codes_of(classes, y)
        assert codes is not None  # the classes are those of y, or more
        positive = positive_codes(len(classes), coupled, listening)
        class_weight = getattr(self, "class_weight", None)
        return Task(
            rows=rows,
            codes=codes,
            sample_weight=row_weights(y, classes, codes, sample_weight, class_weight, batch=listening),
            layout=layout,
            rule=rule.function,
            params=np.tile(np.array(params, np.float64), (max(1, len(positive)), 1)),
            weighted=rule.weighted_index,
            positive=positive,
            classes=half_space_count(len(classes), coupled),
            coupled=coupled,
            intercept=bool(self.fit_intercept),
            shrink_intercept=self._shrinks_intercept(),
            n_jobs=thread_count(getattr(self, "n_jobs", None)),
        )

    def _fresh_state(self, task: Any, X: Any, before: Mapping[str, Any]) -> HalfSpaces:
        self._one = None
        state = HalfSpaces(len(task.positive), X.shape[1], weight_dtype(X.dtype), task.layout)
        if getattr(self, "warm_start", False) and "_state" in before:  # its last weights, with every counter at zero
            earlier = before["_state"]
            if not np.array_equal(before["classes_"], self.classes_) or earlier.n_features != state.n_features:
                raise ValueError(
                    "warm_start=True needs the classes and the number of features of the earlier fit, but they have "
                    "changed; set warm_start=False to start again."
                )
            coefficients, bias = earlier.last()
            state.set_weights(coefficients[: state.count], bias[: state.count])
        return state

    def _train(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        """Epochs by the rule, unless a subclass has another way.

        `recorded` may name "updates", "train_error", "voted", and "pocket" or "pocket_update".
        """
        from rosenblatt.engine.compile.jit import explained
        from rosenblatt.engine.online.epochs import train

        checks = {"pocket": "run", "pocket_update": "update"}
        pocket = next((Pocket(check) for name, check in checks.items() if name in recorded), None)
        with explained(task.rule, task.params.shape[1]), running(self, on_epoch, self.tol) as run:
            outcome = train(
                task, state, max_iter=int(self.max_iter), watch=run.watch, seed=seed_of(self), pocket=pocket,
                record="updates" in recorded or "voted" in recorded,
                measure=self._measures(task, state, X, eval_set, recorded),
            )  # fmt: skip
            run.trace.stop_reason = outcome.stop_reason
            if outcome.stop_reason == "diverged" or (len(run.trace) == 1 and outcome.stop_reason != "converged"):
                # The first epoch looks at every number; if it was cut short, some are not checked yet.
                check_finite(self, X)
        self._state, self._pocket, self._committee = state, pocket, None
        if "voted" in recorded and outcome.log is not None:
            self._committee = Committee(state.count)
            self._committee.add(X, outcome.log)
        run.trace.updates = outcome.log if "updates" in recorded else None
        self._keep_trace(run.trace)
        self._warn(run.trace, task.n_rows)

    def _keep(self, state: HalfSpaces, trace: Trace, coef: Array, bias: Array, n_rows: int) -> None:
        """A result that was not reached row by row: it counts as what `n_rows` examples taught."""
        state.set_weights(coef, bias)
        state.ledger[: state.count, SEEN] = n_rows
        self._state, self._pocket, self._committee = state, None, None
        self._keep_trace(trace)

    def _measures(
        self, task: Any, state: HalfSpaces, X: Any, eval_set: Any, recorded: tuple[str, ...]
    ) -> Callable[[], dict[str, float]] | None:
        """What is measured after every epoch: the training error if asked for, the test error if there is a set."""
        from rosenblatt.engine.online.errors import count_errors

        sets: dict[str, tuple[Any, int, Array, Array]] = {}
        if "train_error" in recorded:
            sets["train_error"] = (task.rows, task.n_rows, task.codes, task.sample_weight)
        if eval_set is not None:
            X_test, codes = self._eval_set(eval_set, X)
            sets["test_error"] = (rows_of(X_test)[1], len(codes), codes, np.empty(0))
        if not sets:
            return None

        def measure() -> dict[str, float]:
            figures = {}
            for name, (rows, n_rows, codes, weights) in sets.items():
                errors = count_errors(rows, n_rows, codes, weights, state, task.classes)
                figures[name] = errors / (weights.sum() if len(weights) else n_rows)
            return figures

        return measure

    # ------------------------------------------------------------------ online

    def _prepare_online(self, n_features: int, dtype: Any, layout: str) -> None:
        before, shadow = vars(self).get("_state"), 0 if self._coupled else 1
        if "_names" in vars(self) and before is not None:  # it has room for names to come
            n_features = max(n_features, before.n_features)
        if before is None:
            self.classes_ = np.empty(0, object)
            self._state = HalfSpaces(shadow, n_features, dtype, layout)
            self._listening = True
            self._keep_trace(Trace())
        if not self._listening:
            self._state = self._state.with_fresh(shadow)
            self._listening = True
        self._pocket = self._committee = None
        wanted = np.promote_types(self._state.dtype, dtype)
        self._state = self._state.arranged(layout, wanted, n_features)
        if self._state is not before:
            self._one = None

    def _select(self, sources: list[int], signs: list[float]) -> None:
        self._state = self._state.select(sources, signs)
        self._one = None

    def _pass(self, task: Any, X: Any, watch: Any) -> str:
        from rosenblatt.engine.compile.jit import explained
        from rosenblatt.engine.online.epochs import train

        with explained(task.rule, task.params.shape[1]):
            outcome = train(
                task, self._state, max_iter=1, watch=watch, stop_when_clean=False
            )  # fmt: skip
        return outcome.stop_reason

    # ------------------------------------------------------------------ one example

    def learn_one(self, x: Any, y: Any, w: float = ONE) -> None:
        """Learn from one example: a row, or a dict of named features (names may be new)."""
        if self._one is None or not self._one.learn(x, y, w):
            super().learn_one(x, y, w)

    def _learn_example(self, example: Any, label: Array, weight: float) -> bool:
        named = isinstance(example, dict)
        if not named:
            self._prepare_online(len(example), weight_dtype(example.dtype), "rows")
        self._admit(label)
        one = self._one
        if one is None or (one.named and one.capacity < len(example)):
            one = self._one = OneByOne(self, len(example))
        value = label.tolist()[0]
        if one.weight(one.codes[value], weight) == 0.0:
            return False
        if not one.learn(example if named else example.astype(one.dtype), value, weight):
            warnings.warn(
                f"{type(self).__name__} met a score beyond the range of {self._state.dtype} and did not learn from "
                f"this example; scale the features.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return False

    def _make_room(self, names: Names, needed: int) -> None:
        if names.size is None:  # weights of names to come
            needed = doubled(max(1, self._state.n_features if hasattr(self, "_state") else FIRST_CAPACITY), needed)
        self._prepare_online(needed, np.float64, "columns")

    def predict_one(self, x: Any) -> Any:
        """The class of one example, or None before anything was learned."""
        label = UNSURE if self._one is None else self._one.answer(x)
        return super().predict_one(x) if label is UNSURE else label

    def _scores(self, x: Any) -> list[float] | None:
        found = None if self._one is None else self._one.scores(x)
        return super()._scores(x) if found is None else found

    def _scores_of(self, model: Any, example: Any) -> Array:
        if isinstance(example, dict) and isinstance(model, LinearModel):
            values, slots = self._names.row(example)
            return np.asarray(model.coef[:, slots] @ values + model.intercept)
        return super()._scores_of(model, example)

    def __setattr__(self, name: str, value: Any) -> None:
        """A parameter that is set counts from the next example on."""
        if not (name.startswith("_") or name.endswith("_")):
            self._one = None
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_one", None)  # compiled entry points belong to this process
        return state

    # ------------------------------------------------------------------ model files

    def _to_fitted(self) -> dict[str, Any]:
        fitted = super()._to_fitted()
        if "_names" in fitted:  # without the room for names to come
            fitted["_state"] = self._state.arranged(self._state.layout, self._state.dtype, self._names.width)
        return fitted

    def _check_fitted(self, sizes: Sizes) -> None:
        state, width, count = self._state, sizes["features"], sizes["classes"]
        if state.count != len(positive_codes(count, self._coupled, bool(self._listening))):
            raise ValueError(f"{state.count} half-spaces do not belong to {count} classes")
        if not 0 < width <= max(state.n_features, 1) or (state.count and width > state.n_features):
            raise ValueError(f"there are no weights for {width} features")
        kept = None if self._pocket is None else self._pocket.kept
        if kept is not None and kept.count != state.count:
            raise ValueError("the pocket holds other half-spaces")
        if self._committee is not None and not self._committee.fits(state.count, width):
            raise ValueError("the committee has other half-spaces")
        names = vars(self).get("_names")
        if names is not None and names.width > state.n_features:
            raise ValueError("there are more names than features")
        if count > 1 and self._has(self._chosen):
            self._model(self._chosen)


@dataclass(eq=False, repr=False, kw_only=True)
class RuleLearner(LinearClassifier):
    """Not for users: the shared parameters of `Perceptron`, `PassiveAggressive` and `HalfSpace`."""

    answer: str = "auto"
    max_iter: int = 100
    tol: float | None = 1e-3
    time_limit: float | None = None
    shuffle: bool = True
    fit_intercept: bool = True
    multi_class: str = "ovr"
    class_weight: Any = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
