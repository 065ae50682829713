from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.logic.function import BooleanFunction
from rosenblatt.logic.implicants import cover, literals, prime_implicants
from tests.reference.logic import rows


def inside(cube: tuple[int, ...], row: tuple[int, ...]) -> bool:
    return all(fixed in (2, value) for fixed, value in zip(cube, row, strict=True))


def plain_primes(table: list[bool], n: int) -> set[tuple[int, ...]]:
    """By the definition: cubes where the function is true, that lie in no larger one."""
    true = {
        cube
        for cube in itertools.product((0, 1, 2), repeat=n)
        if all(answer for row, answer in zip(rows(n), table, strict=True) if inside(cube, row))
    }
    larger = {cube: [(*cube[:i], 2, *cube[i + 1 :]) for i in range(n) if cube[i] != 2] for cube in true}
    return {cube for cube in true if not any(wider in true for wider in larger[cube])}


functions = st.integers(0, 4).flatmap(lambda n: st.lists(st.booleans(), min_size=1 << n, max_size=1 << n))


@given(functions)
def test_are_the_definition(table: list[bool]) -> None:
    f = BooleanFunction(table)
    found = {tuple(cube) for cube in prime_implicants(f).tolist()}
    assert found == plain_primes(table, f.n)


SPARE = [bit == "1" for bit in "1011000111001011"]  # the cube that adds most at first is not needed in the end


@given(functions)
@example(SPARE)
def test_cover_is_the_function_and_has_nothing_to_spare(table: list[bool]) -> None:
    f = BooleanFunction(table)
    chosen = [tuple(cube) for cube in cover(f).tolist()]
    assert set(chosen) <= plain_primes(table, f.n)

    def union(cubes: list[tuple[int, ...]]) -> list[bool]:
        return [any(inside(cube, row) for cube in cubes) for row in rows(f.n)]

    assert union(chosen) == table
    for left_out in chosen:
        assert union([cube for cube in chosen if cube != left_out]) != table


@pytest.mark.parametrize("n", [1, 5, 9, pytest.param(12, marks=pytest.mark.slow)])
def test_parity_has_no_larger_cubes(n: int) -> None:
    parity = BooleanFunction(np.array([bin(i).count("1") % 2 for i in range(1 << n)]))
    assert len(prime_implicants(parity)) == 1 << (n - 1) == len(cover(parity))


def test_literals() -> None:
    assert literals(np.array([1, 2, 0]), ("a", "b", "c")) == [("a", True), ("c", False)]
