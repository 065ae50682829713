"""Sparse rows and many half-spaces of which lessons touch little: the loops' side of `touched_state`.

As in `sparse`, the weights of one feature stand side by side for a block of half-spaces. Here a feature is given its
place by the first lesson that touches it, one after the other, and all features without one share the first place,
which is zero and stays so. A group of blocks has the same places: two blocks for one thread, which looks a place up
once for both, and one block for several, of which each gives away places of its own. A last block of few half-spaces
has every feature in order: a table of places would take nearly as much memory as it saves.

`rows` is (data, indices, indptr, places, counts, desk, tags), with places[g, j] for feature j in group g, of which
counts[g, USED] have been given away; without columns in places, all features stand in order. On the desk are
the places of the row at hand and of the next one, so that each is looked up once, in time; tags say which rows these
are, and how many places had been given away then: once there are more, they are looked up again. Every thread has a
desk of its own.

The sums for the averages are not kept: every lesson is noted down instead, once for each half-space that it moves, and
`lag` is (counts, touches, row, lane, lagged), block by block: touches[b, s] has a bit for every half-space that was
moved at place s. They give the same sums, bit for bit, when these are asked for.
"""

from __future__ import annotations

from typing import Any

from rosenblatt.engine.atomic import look, publish
from rosenblatt.engine.compile.jit import part
from rosenblatt.engine.compile.prefetch import prefetch
from rosenblatt.engine.compile.simd import per_vector
from rosenblatt.engine.layouts import csr as sparse
from rosenblatt.engine.layouts.csr_blocks import U, any_change, make_move, make_scores, nothing, raise_bounds, width_of
from rosenblatt.engine.online.state import CHANGE, LAGGED

LAYOUT = "touched"
PLACES, COUNTS, DESK, TAGS = 3, 4, 5, 6  # of `rows`, behind data, indices and indptr
USED, NOTED = 0, 1  # the columns of counts: places given away in a group, lessons noted down for a block
KNOWN = 2  # the columns of tags, after the rows on both halves of the desk: how many places there were then,
LATEST = 4  # and which half was used last
COLUMNS = 16  # of both: two cache lines, as blocks may belong to different threads
FEW = 16  # bytes for one feature in a block: with no more, features stand in order
ONE, TWO = U(1), U(2)

ahead, fetch, size, squared_norm, hold = sparse.ahead, sparse.fetch, sparse.size, sparse.squared_norm, sparse.hold
reads_ahead, unit = sparse.reads_ahead, sparse.unit


def are_few(width: int, itemsize: int, number: int) -> bool:
    """Whether the half-spaces of a block are so few that all features stand in order."""
    return number > 0 and width * itemsize <= FEW


@part
def _in_order(rows: Any, vectors: Any, block: Any) -> bool:
    few = block > U(0) and width_of(vectors, block) * U(vectors.itemsize) <= U(FEW)
    return rows[PLACES].shape[1] == 0 or few


@part
def _number(vectors: Any, block: Any) -> Any:
    """The number of the block that begins with half-space `block`."""
    return block // per_vector(vectors)


@part
def _group_size(rows: Any, vectors: Any) -> Any:
    """How many half-spaces are in a group: there are as many groups as blocks, or half as many."""
    lanes = per_vector(vectors)
    return lanes if U(rows[PLACES].shape[0]) * lanes >= U(vectors.shape[0]) else TWO * lanes


@part
def _group(rows: Any, vectors: Any, block: Any) -> Any:
    return block // _group_size(rows, vectors)


@part
def _on_desk(rows: Any, i: Any, g: Any, half: Any) -> Any:
    """Where one half of a group's desk begins, counted from the number of the first non-zero of row i."""
    return (g * TWO + half) * U(rows[DESK].shape[0] // (2 * rows[PLACES].shape[0])) - U(rows[2][i])


@part
def _is_on_desk(rows: Any, i: Any, g: Any, half: Any) -> bool:
    return rows[TAGS][g, half] == i and rows[TAGS][g, half + U(KNOWN)] == rows[COUNTS][g, USED]


@part
def _put_on_desk(rows: Any, i: Any, g: Any, half: Any) -> None:
    """Say that the places of row i are there; before they are looked up, so that one given away meanwhile counts."""
    rows[TAGS][g, half] = i
    rows[TAGS][g, half + U(KNOWN)] = look(rows[COUNTS], g * U(COLUMNS) + U(USED))


@part
def _looked_up(rows: Any, i: Any, vectors: Any, block: Any) -> Any:
    """Have the places of row i on the desk, if they are not there already; where they are."""
    g = _group(rows, vectors, block)
    for known in range(TWO):
        if _is_on_desk(rows, i, g, known):
            return _on_desk(rows, i, g, known)
    half = ONE - U(rows[TAGS][g, LATEST])  # the other one may have the row that comes next
    found = _on_desk(rows, i, g, half)
    _put_on_desk(rows, i, g, half)
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        rows[DESK][found + p] = rows[PLACES][g, rows[1][p]]
    return found


@part
def _place(rows: Any, p: Any, vectors: Any, block: Any, width: Any, found: Any) -> Any:
    """Where the weights that non-zero p meets stand, for the `width` half-spaces from number `block` on."""
    return block * U(vectors.shape[1]) + U(rows[DESK][found + p]) * width


@part
def _own_place(rows: Any, p: Any, vectors: Any, block: Any, width: Any, found: Any) -> Any:
    """As `_place`, where all features stand in order."""
    return block * U(vectors.shape[1]) + (U(rows[1][p]) + ONE) * width


looked_up_scores = make_scores(_place, _looked_up, _own_place)
scores_in_order = make_scores(_own_place, nothing, _own_place)


@part
def scores(rows: Any, i: Any, vectors: Any, first: Any, last: Any, ledger: Any) -> None:
    """ledger[k, SCORE] = v_k·x_i for first <= k < last, `first` at the start of a group."""
    if _in_order(rows, vectors, U(first)):
        scores_in_order(rows, i, vectors, first, last, ledger)
    else:
        looked_up_scores(rows, i, vectors, first, last, ledger)


@part
def approach(rows: Any, i: Any, vectors: Any, first: Any, last: Any) -> None:
    """Look up the places of the row that comes next, and bring its weights nearer, while this one is worked on."""
    lanes, size = per_vector(vectors), _group_size(rows, vectors)
    for block in range(U(first), U(last), size):
        if _in_order(rows, vectors, block):
            return  # half-spaces that are so few have most of their weights near
        g = _group(rows, vectors, block)
        if _is_on_desk(rows, i, g, U(0)) or _is_on_desk(rows, i, g, ONE):
            continue
        half = ONE - U(rows[TAGS][g, LATEST])
        found = _on_desk(rows, i, g, half)
        _put_on_desk(rows, i, g, half)
        whole = width_of(vectors, block) == lanes
        both = size > lanes and block + TWO * lanes <= U(last)
        base, d = block * U(vectors.shape[1]), U(vectors.shape[1])
        for p in range(U(rows[2][i]), U(rows[2][i + 1])):
            place = rows[PLACES][g, rows[1][p]]
            rows[DESK][found + p] = place
            if whole:
                prefetch(vectors, base + U(place) * lanes)
            if both:
                prefetch(vectors, base + lanes * d + U(place) * lanes)
        rows[TAGS][g, LATEST] = half


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
    place = U(j) + ONE if _in_order(rows, vectors, block) else U(rows[PLACES][_group(rows, vectors, block), j])
    return block * U(vectors.shape[1]) + place * width


move = make_move(_given_place)


@part
def _touch(rows: Any, i: Any, vectors: Any, block: Any, moved: Any, touches: Any) -> None:
    """Give every feature of a row its place, and note which half-spaces of a block are moved there."""
    places, counts = rows[PLACES], rows[COUNTS]
    b, g, ordered = _number(vectors, block), _group(rows, vectors, block), _in_order(rows, vectors, block)
    for p in range(U(rows[2][i]), U(rows[2][i + 1])):
        j = rows[1][p]
        place = U(j) + ONE
        if not ordered:
            if places[g, j] == 0:
                places[g, j] = counts[g, USED] + 1
                publish(counts, g * U(COLUMNS) + U(USED), counts[g, USED] + 1)  # who sees this sees the place, too
            place = U(places[g, j])
        touches[b, place] |= moved


@part
def add(rows: Any, i: Any, vectors: Any, lag: Any, first: Any, last: Any, ledger: Any) -> bool:
    """v_k += CHANGE_k · x_i, and a note of LAGGED_k; where CHANGE_k is zero, nothing changes.

    False, with the block of half-spaces unchanged, if a bound cannot rule out that a number would not be finite.
    """
    counts, touches, noted_rows, noted_lanes, noted_lagged = lag
    most = size(rows, i, vectors)
    lanes = per_vector(vectors)
    for block in range(U(first), U(last), lanes):
        end = min(block + lanes, U(last))
        if not any_change(ledger, block, end):
            continue
        if not raise_bounds(ledger, block, end, most):
            return False
        b, moved = _number(vectors, block), touches.dtype.type(0)
        for k in range(block, end):
            if ledger[k, CHANGE] != 0.0:
                moved |= touches.dtype.type(ONE << (k - block))
                n = U(counts[b, NOTED])
                noted_rows[b, n] = i
                noted_lanes[b, n] = k - block
                noted_lagged[b, n] = ledger[k, LAGGED]
                counts[b, NOTED] += 1
        _touch(rows, i, vectors, block, moved, touches)
        move(rows, i, vectors, block, end, ledger)
        for k in range(block, end):
            ledger[k, LAGGED] = 0.0
    return True


@part
def fold(vectors: Any, lag: Any, k: Any, ledger: Any) -> None:
    """Rules that shrink the weights touch all of them and are never given this layout."""
