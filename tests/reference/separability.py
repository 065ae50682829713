"""Separable, quasi-complete or overlapping: decided twice, in rational numbers, by ways that the package does not go.

Both see the signed rows a_i = y_i x_i, or y_i (x_i, 1) with an intercept.

- separable: some v has a_i·v > 0 for every i;
- quasi-complete: not that, but some v has a_i·v >= 0 for every i and a_i·v > 0 for at least one;
- overlapping: neither.

`kind` solves two linear programs by the simplex method with Bland's rule, which always ends. `kind_by_enumeration`
looks at every small set of rows.
"""

from fractions import Fraction
from itertools import combinations


def signed_rows(X, signs, intercept):
    """The rows as fractions, each multiplied by its sign."""
    lifted = [[*row, 1] if intercept else list(row) for row in X]
    return [[Fraction(value) * int(sign) for value in row] for row, sign in zip(lifted, signs, strict=True)]


def kind(X, signs, intercept):
    """ "separable", "quasi-complete" or "overlapping"."""
    rows = signed_rows(X, signs, intercept)
    if greatest_least_score(rows) > 0:
        return "separable"
    return "quasi-complete" if greatest_sum_of_scores(rows) > 0 else "overlapping"


def greatest_least_score(rows):
    """max t subject to a_i·v >= t for every i, and t <= 1: 1 for separable rows, otherwise 0."""
    free = [[-value for value in row] + list(row) + [Fraction(1)] for row in rows]
    limits = [*free, [Fraction(0)] * (2 * len(rows[0])) + [Fraction(1)]]
    return maximum(limits, [Fraction(0)] * len(rows) + [Fraction(1)], limits[-1])


def greatest_sum_of_scores(rows):
    """max sum_i a_i·v subject to a_i·v >= 0 for every i, and the sum <= 1: 0 for overlapping rows, otherwise 1."""
    total = [sum(column) for column in zip(*rows, strict=True)]
    objective = total + [-value for value in total]
    limits = [[-value for value in row] + list(row) for row in rows]
    return maximum([*limits, objective], [Fraction(0)] * len(rows) + [Fraction(1)], objective)


def maximum(limits, right, objective):
    """max objective·z subject to limits·z <= right and z >= 0, where right >= 0, so that z = 0 is a first corner.

    The tableau method. Bland's rule: of all columns that would help, the first enters; of all rows that stop it first,
    the one of the lowest variable leaves.
    """
    m, n = len(limits), len(objective)
    table = [
        [*row, *(Fraction(i == j) for j in range(m)), b] for i, (row, b) in enumerate(zip(limits, right, strict=True))
    ]
    gains = [*objective, *[Fraction(0)] * m, Fraction(0)]
    basis = list(range(n, n + m))
    while True:
        entering = next((j for j in range(n + m) if gains[j] > 0), None)
        if entering is None:
            return -gains[-1]
        blocking = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        _, _, leaving = min(blocking)  # the programs above are bounded: there always is one
        basis[leaving] = entering
        pivot = table[leaving]
        table[leaving] = pivot = [value / pivot[entering] if value else value for value in pivot]
        table = [row if i == leaving else eliminated(row, pivot, entering) for i, row in enumerate(table)]
        gains = eliminated(gains, pivot, entering)


def eliminated(row, pivot, column):
    factor = row[column]
    if not factor:
        return row
    return [value - factor * other if other else value for value, other in zip(row, pivot, strict=True)]


# ------------------------------------------------------------------------------------------------- by enumeration


def kind_by_enumeration(X, signs, intercept):
    """The same by looking at all sets of at most D + 1 rows (Caratheodory): which hold 0 within their hull?

    A row that takes part in any combination with weights >= 0 that is 0 takes part in one on a smallest set, whose
    weights are unique but for a factor. No v can be positive on such a row and negative nowhere, and (Stiemke) some v
    is positive on all other rows at once.
    """
    rows = signed_rows(X, signs, intercept)
    balanced = set()
    for size in range(1, len(rows[0]) + 2):
        for chosen in combinations(range(len(rows)), size):
            weights = only_dependency([rows[i] for i in chosen])
            if weights is not None and (min(weights) > 0 or max(weights) < 0):
                balanced.update(chosen)
    if not balanced:
        return "separable"
    return "overlapping" if len(balanced) == len(rows) else "quasi-complete"


def only_dependency(rows):
    """The weights, unique but for a factor, that make the sum of these rows 0; None if there are none or more."""
    columns = [list(column) for column in zip(*rows, strict=True)]
    places, free = [], []
    for unknown in range(len(rows)):
        line = next((line for line in range(len(places), len(columns)) if columns[line][unknown]), None)
        if line is None:
            free.append(unknown)
            continue
        top = len(places)
        columns[top], columns[line] = columns[line], columns[top]
        columns[top] = [value / columns[top][unknown] for value in columns[top]]
        for other in range(len(columns)):
            if other != top:
                columns[other] = eliminated(columns[other], columns[top], unknown)
        places.append(unknown)
    if len(free) != 1:
        return None
    weights = [Fraction(0)] * len(rows)
    weights[free[0]] = Fraction(1)
    for line, unknown in enumerate(places):
        weights[unknown] = -columns[line][free[0]]
    return weights
