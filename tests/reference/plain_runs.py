"""The lab's learners in plain Python floats: no fused multiply-add, every sum from left to right.

The rules are the library's own functions; the loops, shuffles and sums are written out here, so that a browser's
doubles must agree to the last bit where a rule needs only + - * /.
"""

import numpy as np

MASK = 2**64 - 1


def orders(n, seed):
    """The rows of each epoch: Fisher and Yates's shuffle with Vigna's splitmix64, or as they came."""
    rows = list(range(n))
    state = None if seed is None else int(np.random.RandomState(seed).randint(2**31 - 1))
    while True:
        for last in range(n - 1, 0, -1) if seed is not None else ():
            state = (state + 0x9E3779B97F4A7C15) & MASK
            z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            z = z ^ (z >> 31)
            chosen = ((z >> 32) * (last + 1)) >> 32
            rows[last], rows[chosen] = rows[chosen], rows[last]
        yield list(rows)


def score(w, x):
    total = 0.0
    for a, b in zip(w[:-1], x, strict=True):
        total += a * b
    return total + w[-1]


def train_rows(X, y, rule, params, max_iter, seed, n_classes=2):
    """After every update the weights, its row, the mean of the weights so far, and the best weights so far."""
    outputs, d = (1 if n_classes == 2 else n_classes), len(X[0])
    spaces = [[0.0] * (d + 1) for _ in range(outputs)]
    sums = [[0.0] * (d + 1) for _ in range(outputs)]
    path, means, held, rows, t = [], [], [], [], 0
    fewest, best = len(X) + 1, None
    for _, order in zip(range(max_iter), orders(len(X), seed), strict=False):
        before = len(path)
        for i in order:
            t += 1
            x, changed = X[i], False
            sqnorm = 0.0
            for value in x:
                sqnorm += value * value
            sqnorm += 1.0
            for k, w in enumerate(spaces):
                sign = 1.0 if y[i] == (1 if outputs == 1 else k) else -1.0
                step, shrink = rule(sign * score(w, x), sqnorm, t, params)
                if step == 0.0 and shrink == 1.0:
                    continue
                changed = True
                for j in range(d):
                    w[j] = shrink * w[j] + step * sign * x[j]
                w[d] += step * sign
            for total, w in zip(sums, spaces, strict=True):
                for j in range(d + 1):
                    total[j] += w[j]
            if changed:
                flat = [value for w in spaces for value in w]
                path.append(flat)
                rows.append(i)
                means.append([value / t for total in sums for value in total])
                wrong = sum(answer(spaces, row) != code for row, code in zip(X, y, strict=True))
                if wrong < fewest:
                    fewest, best = wrong, flat
                held.append(best)
        if len(path) == before:
            break
    return {"path": path, "rows": rows, "means": means, "mean": [v / t for total in sums for v in total], "held": held}


def answer(spaces, x):
    scores = [score(w, x) for w in spaces]
    return int(scores[0] >= 0) if len(scores) == 1 else max(range(len(scores)), key=lambda k: scores[k])


def votes(X, y, rule, params, max_iter, seed, at):
    """Every weight vector votes with the examples after which it stood; two classes."""
    w, t, total, started = [0.0] * (len(X[0]) + 1), 0, [0] * len(at), False
    for _, order in zip(range(max_iter), orders(len(X), seed), strict=False):
        changed = False
        for i in order:
            t += 1
            sign = 1.0 if y[i] == 1 else -1.0
            step, _ = rule(sign * score(w, X[i]), 1.0, t, params)
            if step:
                w = [a + step * sign * b for a, b in zip(w, [*X[i], 1.0], strict=True)]
                changed = started = True
            if started:
                total = [v + (1 if score(w, x) >= 0 else -1) for v, x in zip(total, at, strict=True)]
        if not changed:
            break
    return total


def train_kernel(X, y, kernel, max_iter, seed, drop_after=0):
    """Rows of the updates and ‖w‖² after each; the score of every row is kept up to date."""
    n = len(X)
    scores, a, counts, dropped, rows, lengths, length = [0.0] * n, [0.0] * n, [0] * n, set(), [], [], 0.0
    for _, order in zip(range(max_iter), orders(n, seed), strict=False):
        before = len(rows)
        for i in order:
            sign = 1.0 if y[i] == 1 else -1.0
            if i in dropped or sign * scores[i] > 0:
                continue
            counts[i] += 1
            steps = [sign]
            if drop_after and counts[i] >= drop_after:
                dropped.add(i)
                steps.append(-(a[i] + sign))
            for step in steps:
                length += 2 * step * scores[i] + step * step * kernel(X[i], X[i])
                a[i] += step
                for j in range(n):
                    scores[j] += step * kernel(X[i], X[j])
            rows.append(i)
            lengths.append(length)
        if len(rows) == before:
            break
    return rows, lengths, scores


def polynomial(gamma, coef0, degree):
    def kernel(u, v):
        dot = 0.0
        for a, b in zip(u, v, strict=True):
            dot += a * b
        base = gamma * dot + coef0
        result = base
        for _ in range(degree - 1):
            result *= base
        return result

    return kernel
