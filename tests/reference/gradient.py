"""Gradient descent in plain Python: what the compiled loops must do, row by row."""

from __future__ import annotations

import numpy as np


def descend(X, targets, weights, slope, order, size, rates, lam, W, b, reference=None):
    """One epoch of mini-batches; `reference` is (slopes, mean gradient of w, of b) for variance reduction."""
    W, b = W.copy(), b.copy()
    for step, start in enumerate(range(0, len(order), size)):
        batch, eta = order[start : start + size], rates[step]
        change, change_b = np.zeros_like(W), np.zeros_like(b)
        for i in batch:
            g = weights[i] * slope(W @ X[i] + b, targets[i])
            if reference is not None:
                g = g - reference[0][i]
            change += np.outer(g, X[i]) / len(batch)
            change_b += g / len(batch)
        if reference is not None:
            change, change_b = change + reference[1], change_b + reference[2]
        W, b = W - eta * (change + 2 * lam * W), b - eta * change_b
    return W, b
