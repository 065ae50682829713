"""The forms of our own estimators and features."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator

from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.state import HalfSpaces
from rosenblatt.estimators import kernel_answers
from rosenblatt.estimators.classes import half_space_count, positive_codes
from rosenblatt.estimators.committee import Committee
from rosenblatt.estimators.gaussian_discriminant import GaussianDiscriminant
from rosenblatt.estimators.half_space import HalfSpace
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.estimators.layer import OFF, Layer
from rosenblatt.estimators.least_squares import LeastSquares
from rosenblatt.estimators.linear import ANSWERS
from rosenblatt.estimators.linear_svm import LinearSVM
from rosenblatt.estimators.logistic_regression import LogisticRegression
from rosenblatt.estimators.missing import MissingFunction
from rosenblatt.estimators.named_features import Names
from rosenblatt.estimators.passive_aggressive import PassiveAggressive
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.sigmoid_neuron import SigmoidNeuron
from rosenblatt.estimators.streamed import Streamed
from rosenblatt.exchange.checks import (
    Check,
    Sizes,
    array,
    choice,
    either,
    flag,
    indices,
    instance,
    is_whole,
    items,
    kernel,
    labels,
    number,
    optional,
    row_of,
    rule,
    size,
    text,
    threads,
    whole,
)  # fmt: skip
from rosenblatt.exchange.forms import Estimator, Form, Values
from rosenblatt.features.hog import NORMS, HOGFeatures
from rosenblatt.features.pair_products import PairProducts
from rosenblatt.features.radial import KINDS, RadialFeatures
from rosenblatt.kernels import Function, Kernel
from rosenblatt.trace import STOP_REASONS, Trace

FEATURES_OF_ONE_CLASS = 2**27  # where nothing in the file has as many columns
RUN: dict[str, Check] = {  # what a run leaves
    "trace_": instance(Trace),
    "stop_reason_": choice("", *STOP_REASONS),
    "n_iter_": whole,
    "objective_": number,
    "best_iter_": whole,
}

# ------------------------------------------------------------------------------------ half-spaces by a rule

LINEAR: dict[str, Check] = {
    "classes_": labels,
    **RUN,
    "_mistakes": whole,
    "_listening": flag,
    "_state": instance(HalfSpaces),
    "_pocket": optional(instance(Pocket)),
    "_committee": optional(instance(Committee)),
    "_names": instance(Names),
    "_multinomial": flag,
    "duality_gap_": number,
    "lam_": number,
    "support_": array("i", "support"),
    "dual_coef_": array("f", "half_spaces", "support"),
    "_dual": optional(row_of(array("f", "rows", "half_spaces"), array("f", "rows"), array("f", "half_spaces"))),
}
LINEAR_PARAMETERS: dict[str, Check] = {
    "answer": choice(*ANSWERS),
    "multi_class": choice("ovr", "coupled", "multinomial"),
    "fit_intercept": flag,
    "regularize_intercept": flag,
    "n_jobs": threads,
    "hash_features": optional(whole),
    "rule": rule,
    "learning_rate": rule,
    "schedule": rule,
}
NEEDED = ("n_features_in_", "classes_", "trace_", "stop_reason_", "n_iter_", "_mistakes", "_listening", "_state",
          "_pocket", "_committee")  # fmt: skip


def before_linear(estimator: Any, fitted: Values) -> None:
    pocket = fitted.get("_pocket")
    if pocket is not None and pocket.kept is not None and pocket.kept.n_features < estimator.n_features_in_:
        fitted["_pocket"] = Pocket()  # from before new names appeared: it has no answer any more


def after_linear(estimator: Any, fitted: Values) -> None:
    if fitted:
        fitted["_models"] = {}


def look_at_linear(estimator: Any, sizes: Sizes) -> str | None:
    state, width, classes = estimator._state, estimator.n_features_in_, estimator.classes_
    if state.count != len(positive_codes(len(classes), estimator._coupled, bool(estimator._listening))):
        return f"{state.count} half-spaces are not what {len(classes)} classes have"
    if not 0 < width <= max(state.n_features, 1) or (state.count and width > state.n_features):
        return f"{width} features have no weights"
    pocket, committee = estimator._pocket, estimator._committee
    kept = None if pocket is None else pocket.kept
    if kept is not None and (kept.count != state.count or kept.n_features < width):
        return "the pocket holds other half-spaces"
    if committee is not None:
        blocks = committee.support
        sparse = any(scipy.sparse.issparse(block) for block in blocks)
        fits = [block.shape[1] <= width if sparse else block.shape[1] == width for block in blocks]
        if committee.log.count != state.count or not all(fits):
            return "the committee is one of other half-spaces"
    names = vars(estimator).get("_names")
    if names is not None and names.width > state.n_features:
        return "there are more names than features"
    if len(classes) > 1 and estimator._has(estimator._chosen):
        estimator._model(estimator._chosen)
    return None


def linear(kind: Any) -> Form:
    known = kind._get_param_names()
    return Estimator(
        kind, LINEAR, {name: check for name, check in LINEAR_PARAMETERS.items() if name in known}, NEEDED,
        cached=("_learn_quickly", "_answer_quickly", "_models"), before=before_linear, after=after_linear,
        last_look=look_at_linear, functions=True,
    ).form()  # fmt: skip


# ------------------------------------------------------------------------------------------ kernel machines

KERNEL: dict[str, Check] = {
    "classes_": labels,
    **RUN,
    "_mistakes": whole,
    "_listening": flag,
    "_intercept": flag,
    "_together": flag,
    "kernel_": instance(Kernel, MissingFunction),
    "_state": instance(Expansion),
    "_pocket": row_of(number, whole, whole, optional(array("f", "kept", "half_spaces"))),
    "_names": instance(Names),
    "_rows": lambda value, sizes: (
        (isinstance(value, np.ndarray) or scipy.sparse.issparse(value))
        and value.ndim == 2 and value.dtype in (np.float32, np.float64)
    ),
}  # fmt: skip


def before_kernel(estimator: Any, fitted: Values) -> None:
    """The rows instead of what keeps them ready for products, and what is in the pocket."""
    if "_pocket" in fitted:
        pocket = fitted["_pocket"]
        fitted["_pocket"] = (float(pocket.errors), int(pocket.run), int(pocket.longest), pocket.coefficients)
    store = fitted.pop("_store", None)
    if store is not None and store.size and not estimator._fitted_precomputed:
        fitted["_rows"] = kernel_answers.rows_in(estimator, np.arange(estimator._state.size))


def after_kernel(estimator: Any, fitted: Values) -> None:
    if not fitted:
        return
    from rosenblatt.engine.kernel.epochs import DualPocket
    from rosenblatt.engine.kernel.values import Store, values_of

    errors, run, longest, coefficients = fitted["_pocket"]
    fitted["_pocket"] = DualPocket(errors, coefficients, run, longest)
    fitted["_models"], rows, state = {}, fitted.pop("_rows", None), fitted["_state"]
    precomputed = fitted["kernel_"].name == "precomputed"
    fitted["_store"] = None
    if rows is not None:
        if rows.shape != (state.size, fitted["n_features_in_"]) or precomputed:
            raise ValueError(f"KernelPerceptron: its rows are not those of {state.size} support vectors")
        own = Function(_missing) if isinstance(fitted["kernel_"], MissingFunction) else fitted["kernel_"]
        source = values_of(own, rows, state.dtype)
        fitted["_store"] = Store(source)
        fitted["_store"].append(source.operand(rows))
    elif state.size and not precomputed:
        raise ValueError("KernelPerceptron: the rows of the support vectors are missing")


def look_at_kernel(estimator: Any, sizes: Sizes) -> str | None:
    state, width, classes = estimator._state, estimator.n_features_in_, estimator.classes_
    listening = bool(estimator._listening) and not estimator._coupled
    if state.count != half_space_count(len(classes), estimator._coupled) + listening:
        return f"{state.count} half-spaces are not what {len(classes)} classes have"
    if estimator._fitted_precomputed and state.size and state.numbers.max() >= width:
        return "a support vector is no training row"
    if not 0 < width < FEATURES_OF_ONE_CLASS and not state.size:
        return f"{width} features are too many"
    kept = estimator._pocket.coefficients
    if kept is not None and (len(kept) > state.size or kept.shape[1] != state.count):
        return "the pocket holds other half-spaces"
    names = vars(estimator).get("_names")
    if names is not None and max(1, names.width) != width:
        return "there are other names than features"
    if len(classes) > 1 and kernel_answers.has(estimator, estimator.answer):
        estimator._model(estimator.answer)
    return None


def _missing(X: Any, Y: Any) -> Any:
    raise ValueError("The kernel was a function of the user's; set it again with set_params(kernel=...).")


# --------------------------------------------------------------------------------------------- other learners


def look_at_discriminant(estimator: Any, sizes: Sizes) -> str | None:
    rows = 1 if len(estimator.classes_) == 2 else len(estimator.classes_)
    return None if len(estimator.coef_) == rows == len(estimator.intercept_) else "its half-spaces are not those of it"


def look_at_regression(estimator: Any, sizes: Sizes) -> str | None:
    flat = estimator.coef_.ndim == 1
    fits = np.ndim(estimator.intercept_) == estimator.coef_.ndim - 1
    if not fits or (flat and sizes["targets"] != 1):
        return "weights and intercept do not belong together"
    return None


def before_regression(estimator: Any, fitted: Values) -> None:
    if "_weights" in fitted:
        fitted["_targets"] = len(fitted["_weights"])


def after_regression(estimator: Any, fitted: Values) -> None:
    fitted.pop("_targets", None)


def look_at_layer(layer: Any, sizes: Sizes) -> str | None:
    below = layer.below_
    if below is not None and (not hasattr(below, "weights_") or len(below.bias_) != layer.weights_.shape[1]):
        return "the layer below has another number of units"
    if (layer.n_features_in_ if below is None else below.n_features_in_) != layer.n_features_in_:
        return "the layer below has other features"
    if below is None and layer.weights_.shape[1] != layer.n_features_in_:
        return "its weights are not those of its features"
    units, classes = len(layer.bias_), len(layer.classes_)
    if not layer._multilabel and units != (1 if classes == 2 else classes):
        return "its units are not those of its classes"
    return None


def look_at_streamed(model: Any, sizes: Sizes) -> str | None:
    learner, features = model.learner_, model.features_
    if not hasattr(learner, "predict") or not hasattr(features, "transform"):
        return "it has no learner, or no features"
    known = getattr(learner, "classes_", None)
    return None if known is None or np.array_equal(known, model.classes_) else "its learner has other classes"


def look_at_images(features: Any, sizes: Sizes) -> str | None:
    cells = features._cells(features.image_shape_)
    blocks = [c - b + 1 for c, b in zip(cells, features.cells_per_block, strict=True)]
    count = int(np.prod(blocks) * np.prod(features.cells_per_block) * features.orientations)
    return None if min(blocks) > 0 and count == features.n_features_out_ else "the sizes do not belong together"


def positive(value: Any, sizes: Sizes) -> bool:
    return is_whole(value) and 0 < value < 2**20


thing = instance(BaseEstimator)

FORMS = (
    *map(linear, (Perceptron, PassiveAggressive, HalfSpace, LinearSVM, LogisticRegression, SigmoidNeuron)),
    Estimator(
        KernelPerceptron, KERNEL,
        {"answer": choice(*ANSWERS), "multi_class": choice("ovr", "coupled"), "fit_intercept": flag, "kernel": kernel,
         "device": choice("cpu", "cuda"), "n_jobs": threads},
        ("n_features_in_", "classes_", "trace_", "stop_reason_", "n_iter_", "_mistakes", "_listening", "kernel_",
         "_state", "_pocket"),
        cached=("_models",), before=before_kernel, after=after_kernel, last_look=look_at_kernel, functions=True,
    ).form(),
    Estimator(
        LeastSquares,
        {"_targets": size("targets"), **RUN, "_weights": array("f", "targets", "one_more"),
         "coef_": either(array("f", "features"), array("f", "targets", "features")),
         "intercept_": either(number, array("f", "targets"))},
        {"schedule": rule}, ("n_features_in_", "coef_", "intercept_", "_weights"),
        before=before_regression, after=after_regression, last_look=look_at_regression, functions=True,
    ).form(),
    Estimator(
        GaussianDiscriminant,
        {"classes_": labels, "means_": array("f", "classes", "features"), "priors_": array("f", "classes"),
         "covariance_": array("f", "features", "features"), "coef_": array("f", "half_spaces", "features"),
         "intercept_": array("f", "half_spaces")},
        needed=("n_features_in_", "classes_", "means_", "priors_", "covariance_", "coef_", "intercept_"),
        last_look=look_at_discriminant,
    ).form(),
    Estimator(
        Layer,
        {"classes_": labels, "_multilabel": flag, **RUN, "weights_": array("f", "units", "inputs"),
         "bias_": array("f", "units"), "below_": optional(instance(Layer)), "_unit_names": items(items(text))},
        {"activation": choice(*OFF), "below": optional(instance(Layer))},
        ("n_features_in_", "classes_", "_multilabel", "weights_", "bias_", "below_"), last_look=look_at_layer,
    ).form(),
    Estimator(
        Streamed, {"features_": thing, "learner_": thing, "classes_": labels, "n_iter_": whole},
        {"features": thing, "learner": thing}, ("features_", "learner_", "classes_"), last_look=look_at_streamed,
    ).form(),
    Estimator(
        PairProducts,
        {"left_": indices("pairs", below="features"), "right_": indices("pairs", below="features"), "scale_": number},
        {"keep": flag}, ("n_features_in_", "left_", "right_", "scale_"),
        last_look=lambda features, sizes: (
            None if features.left_.dtype == features.right_.dtype == np.uint32 else "its pairs are of another type"
        ),
    ).form(),
    Estimator(
        RadialFeatures, {"centres_": array("f", "centres", "features")}, {"kind": choice(*KINDS), "gamma": number},
        ("n_features_in_", "centres_"),
    ).form(),
    Estimator(
        HOGFeatures, {"image_shape_": row_of(positive, positive), "n_features_out_": whole},
        {"orientations": positive, "pixels_per_cell": row_of(positive, positive),
         "cells_per_block": row_of(positive, positive), "block_norm": choice(*NORMS), "n_jobs": threads,
         "image_shape": optional(row_of(positive, positive))},
        ("image_shape_", "n_features_out_"), last_look=look_at_images,
    ).form(),
)  # fmt: skip
