"""Sparse rows and many half-spaces of which lessons touch little: the loops' side of `touched_state`.

As in `sparse`, the weights of one feature stand side by side for a block of half-spaces. Here a feature is given its
place by the first lesson that touches it, one after the other, and all features without one share the first place,
which is zero and stays so. A group of blocks has the same places: two blocks for one thread, which looks a place up
once for both, and one block for several, of which each gives away places of its own.

`rows` is (data, indices, indptr, places, counts, desk, tags), with places[g, j] for feature j in group g, of which
counts[g, USED] have been given away; without columns in places, every feature has a place of its own. On the desk are
the places of the row at hand and of the next one, so that each is looked up once, in time; tags say which rows these
are, and how many places had been given away then: once there are more, they are looked up again. Every thread has a
desk of its own.

The sums for the averages are not kept: every lesson is noted down instead, once for each half-space that it moves, and
`lag` is (counts, touches, row, lane, lagged), group by group: touches[g, s] has a bit for every half-space that was
moved at place s. They give the same sums, bit for bit, when these are asked for.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.engine import sparse
from rosenblatt.engine.atomic import look
from rosenblatt.engine.compiled import part
from rosenblatt.engine.sparse import U, any_change, make_move, make_scores, raise_bounds, width_of
from rosenblatt.engine.state import CHANGE, LAGGED, Array
from rosenblatt.engine.vector import per_vector, prefetch

LAYOUT = "touched"
USED, NOTED = 0, 1  # the columns of counts: places given away in a group, lessons noted down
KNOWN = 2  # the columns of tags, after the rows on both halves of the desk: how many places there were then,
LATEST = 4  # and which half was used last
COLUMNS = 16  # of both: two cache lines, as groups may belong to different threads
ONE, TWO = U(1), U(2)

ahead, fetch, size, squared_norm, hold = sparse.ahead, sparse.fetch, sparse.size, sparse.squared_norm, sparse.hold


def unit(rows: tuple[Array, ...], threads: int) -> int:
    """How many half-spaces share one reading of a row; threads are given whole units."""
    return (2 if threads == 1 else 1) * sparse.unit(rows, threads)


@part
def _group_size(rows: Any, vectors: Any) -> Any:
    """How many half-spaces are in a group: there are as many groups as blocks, or half as many."""
    lanes = per_vector(vectors)
    return lanes if U(rows[3].shape[0]) * lanes >= U(vectors.shape[0]) else TWO * lanes


@part
def _group(rows: Any, vectors: Any, block: Any) -> Any:
    return block // _group_size(rows, vectors)


@part
def _on_desk(rows: Any, i: Any, g: Any, half: Any) -> Any:
    """Where one half of a group's desk begins, counted from the number of the first non-zero of row i."""
    return (g * TWO + half) * U(rows[5].shape[0] // (2 * rows[3].shape[0])) - U(rows[2][i])


@part
def _is_on_desk(rows: Any, i: Any, g: Any, half: Any) -> bool:
    return rows[6][g, half] == i and rows[6][g, half + U(KNOWN)] == rows[4][g, USED]


@part
def _put_on_desk(rows: Any, i: Any, g: Any, half: Any) -> None:
    """Say that the places of row i are there; before they are looked up, so that one given away meanwhile counts."""
    rows[6][g, half] = i
    rows[6][g, half + U(KNOWN)] = look(rows[4], g * U(COLUMNS) + U(USED))


@part
def _looked_up(rows: Any, i: Any, vectors: Any, block: Any) -> Any:
    """Have the places of row i on the desk, if they are not there already; where they are."""
    g = _group(rows, vectors, block)
    for known in range(TWO):
        if _is_on_desk(rows, i, g, known):
            return _on_desk(rows, i, g, known)
    half = ONE - U(rows[6][g, LATEST])  # the other one may have the row that comes next
    found = _on_desk(rows, i, g, half)
    _put_on_desk(rows, i, g, half)
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        rows[5][found + p] = rows[3][g, rows[1][p]]
    return found


@part
def _place(rows: Any, p: Any, vectors: Any, block: Any, width: Any, found: Any) -> Any:
    """Where the weights that non-zero p meets stand, for the `width` half-spaces from number `block` on."""
    return block * U(vectors.shape[1]) + U(rows[5][found + p]) * width


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
    if _all_placed(rows):
        return  # half-spaces that are so few have most of their weights near
    size = _group_size(rows, vectors)
    for block in range(U(first), U(last), size):
        g = _group(rows, vectors, block)
        if _is_on_desk(rows, i, g, U(0)) or _is_on_desk(rows, i, g, ONE):
            continue
        half = ONE - U(rows[6][g, LATEST])
        found = _on_desk(rows, i, g, half)
        _put_on_desk(rows, i, g, half)
        whole = width_of(vectors, block) == lanes
        both = size > lanes and block + TWO * lanes <= U(vectors.shape[0])
        base, d = block * U(vectors.shape[1]), U(vectors.shape[1])
        for p in range(U(rows[2][i]), U(rows[2][i + 1])):
            place = rows[3][g, rows[1][p]]
            rows[5][found + p] = place
            if whole:
                prefetch(vectors, base + U(place) * lanes)
            if both:
                prefetch(vectors, base + lanes * d + U(place) * lanes)
        rows[6][g, LATEST] = half


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
    place = U(j) + ONE if _all_placed(rows) else U(rows[3][_group(rows, vectors, block), j])
    return block * U(vectors.shape[1]) + place * width


move = make_move(_given_place)


@part
def _touch(rows: Any, i: Any, g: Any, moved: Any, touches: Any) -> None:
    """Give every feature of a row its place, and note which half-spaces are moved there."""
    places, counts = rows[3], rows[4]
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        j = rows[1][p]
        if _all_placed(rows):
            touches[g, U(j) + ONE] |= moved
            continue
        if places[g, j] == 0:
            counts[g, USED] += 1
            places[g, j] = counts[g, USED]
        touches[g, places[g, j]] |= moved


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v_k += CHANGE_k · x_i, and a note of LAGGED_k; where CHANGE_k is zero, nothing changes.

    False, with the group of half-spaces unchanged, if a bound cannot rule out that a number would not be finite.
    """
    counts, touches, noted_rows, noted_lanes, noted_lagged = lag
    most = size(rows, i, vectors)
    step = _group_size(rows, vectors)
    for group in range(U(first), U(last), step):
        end = min(group + step, U(last))
        if not any_change(ledger, group, end):
            continue
        if not raise_bounds(ledger, group, end, most):
            return False
        g, moved = _group(rows, vectors, group), touches.dtype.type(0)
        for k in range(group, end):
            if ledger[k, CHANGE] != 0.0:
                moved |= touches.dtype.type(ONE << (k - group))
                n = U(counts[g, NOTED])
                noted_rows[g, n] = i
                noted_lanes[g, n] = k - group
                noted_lagged[g, n] = vectors.dtype.type(ledger[k, LAGGED])
                counts[g, NOTED] += 1
        _touch(rows, i, g, moved, touches)
        move(rows, i, vectors, group, end, ledger)
        for k in range(group, end):
            ledger[k, LAGGED] = 0.0
    return True


@part
def fold(vectors: Any, lag: Any, k: Any, ledger: Any) -> None:
    """Rules that shrink the weights touch all of them and are never given this layout."""
