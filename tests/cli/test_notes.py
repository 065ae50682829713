"""Many notes of one kind become one; few stay as they are."""

import pytest

from rosenblatt.cli.notes import gathered
from rosenblatt.cli.proofs import _left_out

KINDS = [
    "The column 'c{n}' is left out: nearly every value is different: it names the rows; --keep c{n} keeps it.",
    "{n} missing values of 'c{n}' are filled with its median, {n}.5e-7.",
    "The column 'c{n}' holds numbers, except that line {n} has 'what{n}'.",
    "{n} rows have a value of 'c{n}' that training had not seen; it counts for nothing.",
]


@pytest.mark.parametrize("kind", KINDS)
def test_many_notes_of_one_kind_are_one(kind):
    first = kind.format(n=2)
    assert gathered([kind.format(n=n) for n in range(2, 42)]) == [
        f"{first} The same holds for 'c3', 'c4', 'c5' and 36 more columns."
    ]
    few = [kind.format(n=n) for n in (2, 3, 4)]
    assert gathered([*few, "Another.", few[0]]) == [*few, "Another."]


def test_notes_of_different_kinds_stay_apart_and_in_order():
    notes = [kind.format(n=n) for n in range(10) for kind in KINDS]
    assert [note.split(" The same")[0] for note in gathered(notes)] == [kind.format(n=0) for kind in KINDS]


def test_what_is_no_column_is_told_every_time():
    notes = [f"The learner said {n}." for n in range(9)]
    assert gathered(notes) == notes


def test_columns_that_are_left_out_are_counted():
    reasons = {f"c{n}": f"it names the rows; --keep c{n} keeps it" for n in range(30)} | {"d": "it is constant"}
    assert _left_out(reasons) == "c0, c1, c2 and 27 more (it names the rows; --keep c0 keeps it); d (it is constant)"
