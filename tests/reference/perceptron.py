"""The algorithms as a student would write them. No cleverness: one row, one half-space, one line at a time.

Everything is float64; on small integers every sum is exact, so the compiled loops must agree to the last bit.
"""

import numpy as np


class HalfSpace:
    """w·x + b, and what happened to it: (row, signed step, time) of every update, (w, b) after every example."""

    def __init__(self, n_features):
        self.w, self.b, self.t = np.zeros(n_features), 0.0, 0
        self.updates, self.history = [], []

    def score(self, x):
        return float(self.w @ x) + self.b

    def change(self, i, x, step, shrink, intercept, shrink_intercept):
        self.w = shrink * self.w + step * x
        self.b = (shrink if shrink_intercept else 1.0) * self.b + step * intercept
        if step != 0.0 or shrink != 1.0:
            self.updates.append((i, step, self.t))

    def mean(self):
        """The mean of the weights after each example: the zero start is not counted."""
        return sum(w for w, _ in self.history) / self.t, sum(b for _, b in self.history) / self.t


def weighted_rule(rule, params, weighted, m, sqnorm, t, c):
    """A sample weight c multiplies the step (-1), or the parameter of that number."""
    if weighted < 0:
        step, shrink = rule(m, sqnorm, t, tuple(params))
        return c * step, shrink
    return rule(m, sqnorm, t, tuple(c * p if n == weighted else p for n, p in enumerate(params)))


def one_against_rest(X, codes, n_classes, rule, params, epochs=1, weights=None, weighted=-1, intercept=1.0,
                     shrink_intercept=False):  # fmt: skip
    """A half-space for each class; a single one, for the second, where there are two."""
    spaces = [HalfSpace(X.shape[1]) for _ in range(1 if n_classes == 2 else n_classes)]
    for i in list(range(len(X))) * epochs:
        x, c = X[i].astype(float), 1.0 if weights is None else weights[i]
        if c == 0.0:
            continue
        for k, space in enumerate(spaces):
            y = 1.0 if codes[i] == (1 if n_classes == 2 else k) else -1.0
            space.t += 1
            m, sqnorm = y * space.score(x), x @ x + intercept
            step, shrink = weighted_rule(rule, params, weighted, m, sqnorm, space.t, c)
            space.change(i, x, step * y, shrink, intercept, shrink_intercept)
            space.history.append((space.w, space.b))
    return spaces


def coupled(X, codes, n_classes, rule, params, epochs=1, weights=None, weighted=-1, intercept=1.0,
            shrink_intercept=False, late=False):  # fmt: skip
    """The true class and the best other class move apart; the first of equals is the best other.

    With `late` a class takes part from its first row on, and a class that is alone has nothing to learn.
    """
    spaces, known = [HalfSpace(X.shape[1]) for _ in range(n_classes)], set() if late else set(range(n_classes))
    for i in list(range(len(X))) * epochs:
        x, c, true = X[i].astype(float), 1.0 if weights is None else weights[i], codes[i]
        if c == 0.0:
            continue
        known.add(true)
        if len(known) == 1:
            continue
        scores = [space.score(x) for space in spaces]
        rival = max((k for k in sorted(known) if k != true), key=lambda k: scores[k])
        m, sqnorm = scores[true] - scores[rival], 2 * (x @ x + intercept)
        step, shrink = weighted_rule(rule, params, weighted, m, sqnorm, spaces[0].t + 1, c)
        for k, space in enumerate(spaces):
            space.t += 1
            side = {true: 1.0, rival: -1.0}.get(k, 0.0)
            space.change(i, x, step * side, shrink, intercept, shrink_intercept)
            space.history.append((space.w, space.b))
    return spaces


def answers(weights, X):
    """The codes that half-spaces (w, b) answer: a score of 0 is class 1; of several classes, the first best."""
    scores = np.array([X @ w + b for w, b in weights])
    scores = scores[1:] - scores[:1] if len(scores) == 2 else scores  # two coupled classes answer by the difference
    return (scores[0] >= 0).astype(int) if len(scores) == 1 else scores.argmax(axis=0)


def voted(spaces, X):
    """Every weight vector votes, once for each example after which it stood; the zero start does not count."""
    voters = [space.history[space.updates[0][2] - 1 :] for space in spaces]
    return np.array([sum(np.where(X @ w + b >= 0, 1, -1) for w, b in history) for history in voters])


def was_wrong(spaces, t, x, code):
    """Whether the weights before example t (counted from 0) did not answer it strictly right."""
    before = [space.history[t - 1] if t else (np.zeros(len(x)), 0.0) for space in spaces]
    scores = [float(w @ x) + b for w, b in before]
    if len(scores) == 1:
        return (scores[0] if code == 1 else -scores[0]) <= 0
    return scores[code] <= max(score for k, score in enumerate(scores) if k != code)


def voted_coupled(spaces, X):
    """All classes together vote for the one they score highest, once for each example after which they stood."""
    votes = np.zeros((len(spaces), len(X)), int)
    for states in zip(*(space.history for space in spaces), strict=True):
        votes[answers(states, X), np.arange(len(X))] += 1
    return votes


def pocket(spaces, X, codes, epochs, apart=1):
    """Gallant's pocket with ratchet: (errors, weights) of the best that was nominated.

    After every epoch, or after every few that are `apart`: the longest run of correct answers, if it is the longest so
    far, nominates the weights that it ended with; the weights at the end of the epoch are nominated too. The pocket
    takes what has fewer errors on all rows than what it holds.
    """
    best, held, longest, run, n = np.inf, None, 0, 0, len(X)
    for begin in range(0, epochs, apart):
        end = min(begin + apart, epochs)
        nominees = [end * n]
        for t in range(begin * n, end * n):
            if not was_wrong(spaces, t, X[t % n], codes[t % n]):
                run += 1
                continue
            if run > longest:
                longest, nominees = run, [t, end * n]
            run = 0
        for t in nominees:
            candidate = [space.history[t - 1] for space in spaces]
            errors = int((answers(candidate, X) != codes).sum())
            if errors < best:
                best, held = errors, candidate
    return best, held


def pocket_after_every_update(spaces, X, codes):
    """What the lecture writes: after every update, a pass over all rows."""
    times = sorted({time for space in spaces for _, _, time in space.updates} | {spaces[0].t})
    held = [[space.history[t - 1] for space in spaces] for t in times]
    return min(int((answers(weights, X) != codes).sum()) for weights in held)
