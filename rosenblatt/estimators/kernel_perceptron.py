"""The kernel perceptron (lecture rows L10 to L12): exact and in order, at the speed of matrix products."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from rosenblatt.arguments import check_choice, check_positive, shortened
from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.online.state import Array, weight_dtype
from rosenblatt.estimators import missing
from rosenblatt.estimators.classes import codes_of, half_space_count, positive_codes
from rosenblatt.estimators.kernel_answers import KernelAnswers, is_precomputed
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.running import running, seed_of
from rosenblatt.estimators.validation import RECORDS, check_finite, check_parameters, names_among, row_weights
from rosenblatt.kernels import Function, Kernel, Polynomial, Precomputed, as_kernel, is_mercer
from rosenblatt.kernels.mercer import check_matrix, scale_of
from rosenblatt.stored import array, choice, flag, instance, kinds, matrix, maybe, number, optional, row_of, whole
from rosenblatt.trace import Epoch, Trace

CPU_BLOCK, GPU_BLOCK = 1024, 8192  # rows that are visited at a time; the updates are the same for any number
SUPPORT_VALUES = 2**22  # kernel values of a block with the whole support, which are kept under a budget
LOOKED_AT = 200  # rows, before a fit with a kernel that is not known to be valid


class KernelWarning(UserWarning):
    """The kernel may not be an inner product."""


@dataclass(eq=False, repr=False, kw_only=True)
class KernelPerceptron(KernelAnswers):
    """The perceptron in the space of a kernel's features.

    The weights are a sum over rows, w = sum_i alpha_i y_i φ(x_i), and only inner products K(x, x') = φ(x)·φ(x') are
    ever needed. Starting at alpha = 0, the rows are visited in turn; on a mistake,

        y_i sum_j alpha_j y_j K(x_j, x_i) <= 0:      alpha_i <- alpha_i + 1,

    and an epoch that changes nothing ends the run. Rows are taken in blocks: inside a block one by one, outside it by
    matrix products, so that the updates are the sequential algorithm's own.

    Parameters
    ----------
    kernel : str, kernel object or callable
        "linear" x·y; "polynomial" (gamma x·y + 1)³; "rbf" exp(-gamma ‖x - y‖²); "gaussian" exp(-‖x - y‖² / 2);
        "sigmoid" tanh(gamma x·y + 1); "precomputed": X is the square matrix of values, and `predict` takes K(new rows,
        training rows); an object of `rosenblatt.kernels` with numbers of its own, such as ``Polynomial(2)``, which also
        is how a bias is learned: ``Polynomial(1)`` is x·y + 1; or a function of two blocks of rows that returns the
        matrix of values.
    gamma : float, "scale" or None
        The number in the formulas of kernels that are named. "scale" is 1 / (n_features X.var()), as in scikit-learn.
        None is 1 for the polynomial kernel, "scale" for the others, and on a stream 1 / n_features, since the rows are
        not known yet.
    answer : {"auto", "last", "averaged", "voted", "pocket"}
        What `predict` uses: the last weights; the mean of the weights after each example; the vote of all weight
        vectors, each with the number of examples it survived; or the weights with the fewest errors on the training
        rows, of those that an epoch ended with. "auto" is the average if `fit` ended without a clean pass, else the
        last weights, which then separate the rows (online, the last weights). One fit has them all in ``answers_``.
    max_iter : int
        The limit on epochs.
    tol : float or None
        Stop when the mistakes of an epoch have not fallen by this fraction for 5 epochs, of at least 20,000 examples
        together. None, or fewer than 1,000 rows, go on until a clean pass or `max_iter`.
    time_limit, shuffle, class_weight, random_state
        As in `Perceptron`.
    multi_class : {"ovr", "coupled"}
        One half-space for each class against the rest, all with the same kernel values; or all classes together.
    drop_after : int or None
        A row whose counter in any half-space reaches this number is taken for an outlier: its whole contribution is
        subtracted, and it is not visited again. See ``dropped_``. The average and the vote are still those of all
        weights that the run has passed through.
    budget : int or None
        At most this many support vectors. When there is one too many, the one whose last mistake is longest ago is
        forgotten. The voted answer needs every update and is not there under a budget.
    device : {"cpu", "cuda"}
        Where to compute; "cuda" needs a GPU and CuPy.
    n_jobs : int or None
        Threads over which blocks of kernel values are spread; None is as many as the process may use. The result is
        the same bits for any number.

    Attributes
    ----------
    support_ : array of shape (n_support,)
        The numbers of the rows with a coefficient in the chosen answer. While learning online, rows are numbered in
        the order in which they came.
    support_vectors_ : array of shape (n_support, n_features)
    dual_coef_ : array of shape (1 or n_classes, n_support)
        Their coefficients, as in scikit-learn: a score is ``dual_coef_ @ K(support_vectors_, x)``.
    mistake_counts_ : array of shape (n_samples,) or (n_samples, n_classes)
        alpha: how often each row was a mistake, for each half-space; 0 for rows that were dropped or forgotten.
    dropped_ : array
        The rows that `drop_after` took out, in the order in which they left.
    kernel_ : kernel object
        The kernel with its numbers.
    classes_, n_features_in_, feature_names_in_, n_iter_, answers_, trace_, stop_reason_, mistakes_
        As in `Perceptron`.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> from rosenblatt.kernels import Polynomial
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> model = KernelPerceptron(Polynomial(2), shuffle=False).fit(X, [0, 1, 1, 0])  # exclusive or
    >>> model.predict(X).tolist(), model.stop_reason_
    ([0, 1, 1, 0], 'converged')
    >>> model.mistake_counts_.tolist()
    [7, 5, 5, 4]

    References
    ----------
    M. A. Aizerman, E. M. Braverman, L. I. Rozonoer (1964). Theoretical foundations of the potential function method
    in pattern recognition learning. Automation and Remote Control 25.
    Y. Freund, R. E. Schapire (1999). Large margin classification using the perceptron algorithm. Machine
    Learning 37(3).
    """

    kernel: Any = field(default="rbf", kw_only=False)
    gamma: Any = None
    answer: str = "auto"
    max_iter: int = 20
    tol: float | None = 1e-3
    time_limit: float | None = None
    shuffle: bool = True
    multi_class: str = "ovr"
    class_weight: Any = None
    drop_after: int | None = None
    budget: int | None = None
    random_state: Any = None
    device: str = "cpu"
    n_jobs: int | None = None

    _stored = kinds({
        **KernelAnswers._stored, "_together": maybe(flag), "kernel_": instance(Kernel, MissingFunction),
        "_state": instance(Expansion), "_rows": maybe(matrix),
        "_pocket": row_of(number, whole, whole, optional(array("f", "kept", "half_spaces"))),
    })  # fmt: skip
    _stored_parameters = kinds({
        **KernelAnswers._stored_parameters, "multi_class": choice("ovr", "coupled"), "kernel": missing.kernel,
        "device": choice("cpu", "cuda"),
    })  # fmt: skip
    _stored_codes = ("kernel",)
    _not_stored = ("_models", "_store")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _check_parameters(self) -> None:
        check_parameters(self)
        check_choice("multi_class", self.multi_class, ("ovr", "coupled"))
        check_choice("device", self.device, ("cpu", "cuda"))
        check_positive("drop_after", self.drop_after, "use None to keep every row", whole=True, none=True)
        check_positive("budget", self.budget, "use None for as many support vectors as it takes", whole=True, none=True)
        if self.answer == "voted" and self.budget:
            raise ValueError(
                "answer='voted' needs every update, but budget forgets them; use another answer or budget=None."
            )
        if isinstance(self.kernel, MissingFunction):
            self.kernel.refuse("kernel")
        as_kernel(self.kernel, gamma=1.0 if self.gamma is None or isinstance(self.gamma, str) else self.gamma)
        if self.device == "cuda":
            from rosenblatt.engine.kernel.cuda import require_gpu

            require_gpu()

    def _check_online(self) -> None:
        super()._check_online()
        if self._precomputed:
            raise ValueError(
                "kernel='precomputed' knows the values between the rows of one fit only, and cannot learn from rows "
                "that come later; use fit, or another kernel."
            )

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
    ) -> Self:
        """Learn from rows until a clean pass, or until another reason to stop.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            For a precomputed kernel the square matrix of its values.
        y, sample_weight, eval_set, on_epoch, record
            As in `Perceptron.fit`.
        """
        return self._fit(X, y, sample_weight, eval_set, on_epoch, names_among("record", record, RECORDS))

    def _kernel_of(self, X: Any, *, batch: bool) -> Kernel:
        """The kernel with all its numbers; those that depend on the rows are taken from these."""
        gamma, name = self.gamma, self.kernel
        if gamma is None and name not in ("polynomial", "poly", Polynomial):
            gamma = 1.0 / X.shape[1] if batch else "scale"
        if isinstance(gamma, str):
            if gamma != "scale":
                raise ValueError(
                    f"gamma must be a number above 0, 'scale' or None, but got {shortened(gamma)}; choose one of them."
                )
            gamma = scale_of(X)
        return as_kernel(name, gamma=1.0 if gamma is None else gamma)

    def _choose_kernel(self, X: Any, *, batch: bool) -> None:
        self.kernel_, self._together = self._kernel_of(X, batch=batch), self.multi_class == "coupled"
        warn_of_kernel(self.kernel_, X)

    def _task(self, X: Any, y: Array, sample_weight: Any, *, listening: bool) -> Any:
        from rosenblatt.engine.kernel.backend import DualTask

        if not listening:
            check_finite(self, X)
            if self._precomputed:
                check_matrix(X)
            self.__dict__.pop("_together", None)
            self._choose_kernel(X, batch=False)
        classes, codes = self.classes_, codes_of(self.classes_, y)
        assert codes is not None  # the classes are those of y, or more
        block = GPU_BLOCK if self.device == "cuda" else CPU_BLOCK
        if self.budget and self.device == "cpu":
            block = min(block, max(1, SUPPORT_VALUES // self.budget))
        return DualTask(
            X=X,
            codes=codes.astype(np.int32),
            sample_weight=row_weights(y, classes, codes, sample_weight, self.class_weight, batch=listening),
            positive=positive_codes(len(classes), self._coupled, self._listening),
            classes=half_space_count(len(classes), self._coupled),
            coupled=self._coupled,
            kernel=self.kernel_,
            dtype=self._dtype_for(X) if listening else weight_dtype(X.dtype),
            drop_after=self.drop_after or 0,
            budget=self.budget or 0,
            block=block,
            n_jobs=self.n_jobs,
        )

    def _fresh_state(self, task: Any, X: Any, before: Mapping[str, Any]) -> Expansion:
        return Expansion(len(task.positive), task.dtype)

    def _train(
        self, task: Any, state: Expansion, X: Any, eval_set: Any, on_epoch: Any, recorded: tuple[str, ...]
    ) -> None:
        from rosenblatt.engine.kernel.epochs import backend_for, train

        if task.budget and "updates" not in recorded:
            state.history = None
        made = backend_for(task, state.count, self.device, fresh=bool(task.budget))
        # A run that leaves the range of floats says so itself, without warnings of numpy's.
        with running(self, on_epoch, self.tol) as run, np.errstate(over="ignore", invalid="ignore"), made as backend:
            if eval_set is not None:
                backend.add_test_rows(*self._eval_set(eval_set, X))
            outcome = train(
                task, state, backend, max_iter=int(self.max_iter), watch=run.watch, seed=seed_of(self),
                keep_pocket=not task.budget or self.answer == "pocket", train_error="train_error" in recorded,
            )  # fmt: skip
            run.trace.stop_reason = outcome.stop_reason
            self._store = backend.store_of(state)
        self._state, self._pocket = state, outcome.pocket
        run.trace.updates = state.log() if "updates" in recorded else None
        self._keep_trace(run.trace)
        self._warn(run.trace, task.n_rows)

    # ------------------------------------------------------------------ online

    def _learn_batch(self, X: Any, y: Array, sample_weight: Any, labels: Array) -> None:
        if not hasattr(self, "_state"):
            self._choose_kernel(X, batch=True)
        super()._learn_batch(X, y, sample_weight, labels)

    def _prepare_online(self, n_features: int, dtype: Any, layout: str) -> None:
        from rosenblatt.engine.kernel.epochs import DualPocket

        if not hasattr(self, "_state"):
            self.classes_ = np.empty(0, object)
            self._state, self._store = Expansion(0, dtype), None
            self._listening = False
            self._keep_trace(Trace())
        self.kernel_ = self._usable_kernel()
        if isinstance(self.kernel_, Function):  # which may fail in the middle of a batch
            self._state, self._store = deepcopy((self._state, self._store))
        wanted = not self._coupled and not self.budget  # a shadow would take the room of support vectors
        if wanted != self._listening:
            count = self._state.count
            sources = [*range(count), -1] if wanted else [*range(count - 1)]
            self._state = self._state.select(sources, [1.0] * len(sources))
            self._listening = wanted
        self._state.history, self._pocket = None, DualPocket()
        if np.promote_types(self._state.dtype, dtype) != self._state.dtype:
            self._state.dtype = np.promote_types(self._state.dtype, dtype)
            self._store = None if self._store is None else self._store.cast(self._state.dtype)

    def _select(self, sources: list[int], signs: list[float]) -> None:
        if not self._coupled and not self._listening:  # no shadow to copy: what is new starts at zero
            known = half_space_count(len(self.classes_), self._coupled)
            sources, signs = [source if source < known else -1 for source in sources[:-1]], signs[:-1]
        self._state = self._state.select(sources, signs)

    def _pass(self, task: Any, X: Any, watch: Any) -> str:
        from rosenblatt.engine.kernel.epochs import backend_for, train

        made = backend_for(task, self._state.count, self.device, fresh=True, store=self._store)
        with np.errstate(over="ignore", invalid="ignore"), made as backend:
            outcome = train(
                task, self._state, backend, max_iter=1, keep_pocket=False, watch=watch, stream=True
            )  # fmt: skip
            self._store = backend.store_of(self._state)
        return outcome.stop_reason

    def _admit_names(self, names: list[Any]) -> None:
        if "_names" in vars(self):  # an example that is refused later must leave no names behind
            self._names = deepcopy(self._names)
        super()._admit_names(names)
        self.n_features_in_ = max(1, self.n_features_in_)


def warn_of_kernel(kernel: Kernel, X: Any) -> None:
    """Once, in plain words, for a kernel that is not known to be an inner product.

    A matrix that is given is tested itself: there is a warning only where some of its rows violate the condition.
    """
    if kernel.valid:
        return
    size = min(LOOKED_AT, X.shape[0])
    rows = np.linspace(0, X.shape[0] - 1, size).astype(np.intp)
    given = isinstance(kernel, Precomputed)
    report = is_mercer(kernel, X[np.ix_(rows, rows)] if given else X[rows])
    if given and not report.violation:
        return
    warnings.warn(
        f"The {kernel.name} kernel is {'no' if given else 'not known to be an'} inner product (positive "
        f"semi-definite): {report}. A perceptron need not come to rest, and the bound on its mistakes does not hold.",
        KernelWarning,
        stacklevel=6,
    )
