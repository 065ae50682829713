"""Distances to a boundary: scores divided by the length of the weights, in the space where the boundary is flat."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.features.anatomy import Anatomy

BLOCK = 2048  # support vectors whose kernel values are at hand at a time


def products_of_weights(learner: Any) -> Array | None:
    """W Wᵀ: the inner products of the weights of all half-spaces; None for a model without weights.

    A kernel model's weights are sums of support vectors in the kernel's space: W Wᵀ = D K Dᵀ.
    """
    coefficients = getattr(learner, "coef_", None)
    if coefficients is not None:
        weights = np.atleast_2d(np.asarray(coefficients, np.float64))
        return np.asarray(weights @ weights.T)
    shares = getattr(learner, "dual_coef_", None)
    kernel = getattr(learner, "kernel_", None)
    support = getattr(learner, "support_vectors_", None)
    if shares is None or not callable(kernel) or support is None or support.shape[0] != np.shape(shares)[1]:
        return None
    shares = np.asarray(shares, np.float64)
    found = np.zeros((len(shares), len(shares)))
    for start in range(0, shares.shape[1], BLOCK):
        values = np.asarray(kernel(support[start : start + BLOCK], support), np.float64)
        found += shares[:, start : start + BLOCK] @ values @ shares.T
    return found


def margins(anatomy: Anatomy, X: Any, y: Array) -> tuple[Array, bool]:
    """How far each row lies on the right side (above 0) or the wrong side, and whether this is a distance.

    Two classes: y f(x) / ‖w‖. Several: (the score of the true class - the best other) / ‖w_true - w_other‖. Where the
    weights have no length the scores themselves are compared, and the second answer is False. A class that the model
    does not know has a margin of minus infinity.
    """
    classes = np.asarray(anatomy.learner.classes_)
    scores = np.asarray(anatomy.model.decision_function(X), np.float64)
    products = products_of_weights(anatomy.learner)
    places = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    known = classes[places] == y
    if scores.ndim == 1:
        found = np.where(places == 1, scores, -scores)
        lengths = np.array(1.0 if products is None else np.sqrt(np.abs(products[0, 0])))
        distances = products is not None and products[0, 0] > 0
    else:
        rows = np.arange(len(scores))
        others = scores.copy()
        others[rows, places] = -np.inf
        best = others.argmax(axis=1)
        found = scores[rows, places] - others[rows, best]
        distances = products is not None and len(products) == scores.shape[1]
        lengths = np.ones(len(rows))
        if products is not None and distances:
            squares = products[places, places] + products[best, best] - 2 * products[places, best]
            distances = bool((squares[known] > 0).all())
            lengths = np.sqrt(np.abs(squares))
    if distances:
        found = found / np.where(lengths > 0, lengths, 1.0)
    return np.where(known, found, -np.inf), bool(distances)
