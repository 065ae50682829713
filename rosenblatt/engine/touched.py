"""Sparse rows and many half-spaces of which lessons touch little: the loops' side of `touched_state`.

As in `sparse`, the weights of one feature stand side by side for a block of half-spaces. Here a feature is given its
place by the first lesson that touches it, one after the other, and all features without one share the first place,
which is zero and stays so. Two blocks, a group, have the same places.

`rows` is (data, indices, indptr, places, desk, tags), with places[g, j] for feature j in group g; without columns in
places, every feature has a place of its own. On the desk are the places of the row at hand and of the next one, so that
each is looked up once, in time; tags say which rows these are.

The sums for the averages are not kept: every lesson is noted down instead, once for each half-space that it moves, and
`lag` is (counts, touches, row, lane, lagged), group by group: touches[g, s] has a bit for every half-space that was
moved at place s. They give the same sums, bit for bit, when these are asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.engine import sparse
from rosenblatt.engine.compiled import part
from rosenblatt.engine.sparse import U, any_change, make_move, make_scores, raise_bounds, width_of
from rosenblatt.engine.state import CHANGE, LAGGED, Array
from rosenblatt.engine.vector import per_vector, prefetch

LAYOUT = "touched"
USED, NOTED = 0, 1  # the columns of counts: places given away in a group, lessons noted down
COUNTS = 2  # columns
LATEST = 2  # the column of tags that says which half of the desk was used last
TAGS = 3  # columns
ONE, TWO = U(1), U(2)

ahead, fetch, size, squared_norm, hold = sparse.ahead, sparse.fetch, sparse.size, sparse.squared_norm, sparse.hold


def unit(rows: tuple[Array, ...]) -> int:
    """How many half-spaces share one reading of a row; threads are given whole units."""
    return 2 * sparse.unit(rows)


@part
def _group(vectors: Any, block: Any) -> Any:
    return block // (TWO * per_vector(vectors))


@part
def _on_desk(rows: Any, i: Any, g: Any, half: Any) -> Any:
    """Where one half of a group's desk begins, counted from the number of the first non-zero of row i."""
    return (g * TWO + half) * U(rows[4].shape[0] // (2 * rows[3].shape[0])) - U(rows[2][i])


@part
def _looked_up(rows: Any, i: Any, vectors: Any, block: Any) -> Any:
    """Have the places of row i on the desk, if they are not there already; where they are."""
    g, tags = _group(vectors, block), rows[5]
    for known in range(TWO):
        if tags[g, known] == i:
            return _on_desk(rows, i, g, known)
    half = ONE - U(tags[g, LATEST])  # the other one may have the row that comes next
    found = _on_desk(rows, i, g, half)
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        rows[4][found + p] = rows[3][g, rows[1][p]]
    tags[g, half] = i
    return found


@part
def _place(rows: Any, p: Any, vectors: Any, block: Any, width: Any, found: Any) -> Any:
    """Where the weights that non-zero p meets stand, for the `width` half-spaces from number `block` on."""
    return block * U(vectors.shape[1]) + U(rows[4][found + p]) * width


@part
def _own_place(rows: Any, p: Any, vectors: Any, block: Any, width: Any, found: Any) -> Any:
    """As `_place`, where every feature has a place of its own."""
    return block * U(vectors.shape[1]) + (U(rows[1][p]) + ONE) * width


looked_up_scores, direct_scores = make_scores(_place, _looked_up), make_scores(_own_place, sparse.nothing)


@part
def _all_placed(rows: Any) -> bool:
    return rows[3].shape[1] == 0


@part
def scores(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """ledger[k, SCORE] = v_k·x_i for first <= k < last, `first` at the start of a group."""
    if _all_placed(rows):
        direct_scores(rows, i, vectors, first, last, ledger)
    else:
        looked_up_scores(rows, i, vectors, first, last, ledger)


@part
def approach(rows: Any, i: Any, vectors: Any, first: Any, last: Any) -> None:
    """Look up the places of the row that comes next, and bring its weights nearer, while this one is worked on."""
    lanes = per_vector(vectors)
    for block in range(U(first), U(last), TWO * lanes):
        if _all_placed(rows):
            return  # half-spaces that are so few have most of their weights near
        g, tags = _group(vectors, block), rows[5]
        if tags[g, 0] == i or tags[g, 1] == i:
            continue
        half = ONE - U(tags[g, LATEST])
        found = _on_desk(rows, i, g, half)
        whole = width_of(vectors, block) == lanes
        both = block + TWO * lanes <= U(vectors.shape[0])
        base, d = block * U(vectors.shape[1]), U(vectors.shape[1])
        for p in range(U(rows[2][i]), U(rows[2][i + 1])):
            place = rows[3][g, rows[1][p]]
            rows[4][found + p] = place
            if whole:
                prefetch(vectors, base + U(place) * lanes)
            if both:
                prefetch(vectors, base + lanes * d + U(place) * lanes)
        tags[g, half] = i
        tags[g, LATEST] = half


@part
def scores_and_fetch(
    rows: Any, i: Any, near: Any, coming: Any, vectors: Any, first: Any, last: Any, ledger: Any
) -> None:  # fmt: skip
    """`scores`, while row number `coming` is brought nearer. Row `near` is near enough."""
    if U(coming) != U(i) + ONE:  # in file order the machine does this by itself
        fetch(rows, coming)
    scores(rows, i, vectors, first, last, ledger)


@part
def _given_place(rows: Any, p: Any, vectors: Any, block: Any, width: Any, found: Any) -> Any:
    """As `_place`, without a desk."""
    j = rows[1][p]
    place = U(j) + ONE if _all_placed(rows) else U(rows[3][_group(vectors, block), j])
    return block * U(vectors.shape[1]) + place * width


move = make_move(_given_place)


@part
def _touch(rows: Any, i: Any, g: Any, moved: Any, counts: Any, touches: Any) -> None:
    """Give every feature of a row its place, and note which half-spaces are moved there."""
    places, tags = rows[3], rows[5]
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        j = rows[1][p]
        if _all_placed(rows):
            touches[g, U(j) + ONE] |= moved
            continue
        if places[g, j] == 0:
            counts[g, USED] += 1
            places[g, j] = counts[g, USED]
            tags[g, 0] = -1  # what was looked up is right no longer
            tags[g, 1] = -1
        touches[g, places[g, j]] |= moved


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v_k += CHANGE_k · x_i, and a note of LAGGED_k; where CHANGE_k is zero, nothing changes.

    False, with the group of half-spaces unchanged, if a bound cannot rule out that a number would not be finite.
    """
    counts, touches, noted_rows, noted_lanes, noted_lagged = lag
    most = size(rows, i, vectors)
    lanes = per_vector(vectors)
    for group in range(U(first), U(last), TWO * lanes):
        end = min(group + TWO * lanes, U(last))
        if not any_change(ledger, group, end):
            continue
        if not raise_bounds(ledger, group, end, most):
            return False
        g, moved = _group(vectors, group), np.uint32(0)
        for k in range(group, end):
            if ledger[k, CHANGE] != 0.0:
                moved |= np.uint32(ONE << (k - group))
                n = U(counts[g, NOTED])
                noted_rows[g, n] = i
                noted_lanes[g, n] = k - group
                noted_lagged[g, n] = vectors.dtype.type(ledger[k, LAGGED])
                counts[g, NOTED] += 1
        _touch(rows, i, g, moved, counts, touches)
        move(rows, i, vectors, group, end, ledger)
        for k in range(group, end):
            ledger[k, LAGGED] = 0.0
    return True


@part
def fold(vectors: Any, lag: Any, k: Any, ledger: Any) -> None:
    """Rules that shrink the weights touch all of them and are never given this layout."""
