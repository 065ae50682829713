"""The kernel perceptron as the lecture writes it: counters, a double loop, nothing else (lecture rows L10 and L11)."""

import numpy as np


class Run:
    """What happened: `alpha` (counters) and `a` (signed coefficients), both (rows, half-spaces), and their history."""

    def __init__(self, n_rows, count):
        self.a, self.alpha = np.zeros((n_rows, count)), np.zeros((n_rows, count), int)
        self.updates, self.history, self.mistakes, self.dropped, self.order = [], [], [], [], []
        self.last_lesson = np.full(n_rows, -1)


def lessons(scores, code, n_classes, coupled, c):
    """What the row teaches each half-space."""
    steps = np.zeros(len(scores))
    if coupled:
        rival = max((k for k in range(n_classes) if k != code), key=lambda k: scores[k])
        if scores[code] - scores[rival] <= 0:
            steps[code], steps[rival] = c, -c
        return steps
    for k in range(len(scores)):
        y = 1.0 if code == (1 if n_classes == 2 else k) else -1.0
        if y * scores[k] <= 0:
            steps[k] = y * c
    return steps


def train(K, codes, n_classes, epochs=1, coupled=False, weights=None, drop_after=None, budget=None, orders=None):
    """K is the matrix of kernel values of all rows. A score is sum_j a_j K(x_j, x_i)."""
    n = len(K)
    run = Run(n, n_classes if coupled or n_classes > 2 else 1)
    for epoch in range(epochs):
        met, before = 0, len(run.updates)
        for i in range(n) if orders is None else orders[epoch]:
            c = 1.0 if weights is None else weights[i]
            if c == 0.0 or i in run.dropped:
                continue
            scores = run.a.T @ K[:, i] if budget is None else in_order(run, K[:, i])
            steps = lessons(scores, codes[i], n_classes, coupled, c)
            met += wrong(scores, codes[i], n_classes)
            run.order.append(i)
            if steps.any():
                run.updates.append((i, steps, len(run.order)))
                run.a[i] += steps
                run.alpha[i] += steps != 0
                run.last_lesson[i] = len(run.order)
                if drop_after is not None and run.alpha[i].max() >= drop_after:
                    run.a[i], run.alpha[i] = 0.0, 0
                    run.dropped.append(i)
                held = np.flatnonzero(run.a.any(axis=1))
                if budget is not None and len(held) > budget:
                    oldest = held[np.argmin(run.last_lesson[held])]
                    run.a[oldest], run.alpha[oldest] = 0.0, 0
            run.history.append(run.a.copy())
        run.mistakes.append(met)
        if len(run.updates) == before:  # an epoch that changes nothing
            break
    return run


def in_order(run, values):
    """The scores under a budget: summed over the rows that are held, in the order of their last updates."""
    scores = np.zeros(run.a.shape[1])
    for j in sorted(np.flatnonzero(run.a.any(axis=1)), key=lambda j: run.last_lesson[j]):
        scores += run.a[j] * values[j]
    return scores


def wrong(scores, code, n_classes):
    if len(scores) == 1:
        return (scores[0] if code == 1 else -scores[0]) <= 0
    return scores[code] <= max(score for k, score in enumerate(scores) if k != code)


def averaged(run):
    """The mean of the coefficients after each example."""
    return sum(run.history) / len(run.history)


def voted(run, K):
    """Every weight vector votes once for each example after which it stood, from the first update on."""
    votes = np.zeros((K.shape[1], run.a.shape[1]), int)
    for k in range(run.a.shape[1]):
        first = next(t for _, steps, t in run.updates if steps[k] != 0)
        for a in run.history[first - 1 :]:
            votes[:, k] += np.where(K.T @ a[:, k] >= 0, 1, -1)
    return votes
