"""A Cholesky factor after any sequence of rows that join and leave is that of the rows that are there."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import LinAlgError

from rosenblatt.engine import cholesky
from rosenblatt.engine.cholesky import GrowingCholesky


class Rows:
    """The rows that are in, beside the factor of their scalar products."""

    def __init__(self, width, seed):
        self.random = np.random.default_rng(seed)
        self.rows = np.empty((0, width))
        self.factor = GrowingCholesky()

    def join(self, count):
        added = self.random.normal(size=(count, self.rows.shape[1]))
        self.append(added)

    def append(self, added):
        self.factor.append(self.rows @ added.T, added @ added.T)
        self.rows = np.vstack([self.rows, added])

    def leave(self, indices):
        self.factor.remove(np.asarray(indices, dtype=int))
        self.rows = np.delete(self.rows, indices, axis=0)

    def check(self):
        size = len(self.rows)
        expected = self.rows @ self.rows.T
        lower = np.tril(self.factor._factor[:size, :size])
        assert self.factor.size == size
        np.testing.assert_allclose(self.factor.matrix, expected, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(lower @ lower.T, expected, rtol=1e-9, atol=1e-9)
        assert (np.diag(lower) > 0).all()
        right = self.random.normal(size=(2, size))
        for refine in (False, True):
            given_right = right.copy()
            answer = self.factor.solve(right, refine)
            np.testing.assert_allclose(answer @ expected, right, rtol=1e-7, atol=1e-7)
            assert (right == given_right).all()


@st.composite
def changes(draw):
    """Numbers: so many rows join; lists: these leave, counted modulo the rows that are in."""
    join, leave = st.integers(1, 6), st.lists(st.integers(0, 50), min_size=1, max_size=6)
    return draw(st.lists(join | leave, min_size=1, max_size=12))


@given(changes(), st.integers(0, 9))
@settings(max_examples=150)
def test_any_sequence_of_joining_and_leaving(sequence, seed):
    held = Rows(width=90, seed=seed)
    held.join(2)
    for change in sequence:
        size = len(held.rows)
        if isinstance(change, int):
            held.join(change)
        elif size > 1:
            leaving = sorted({index % size for index in change})[: size - 1]
            held.leave(leaving)
        held.check()


def test_more_rows_than_there_was_room_for():
    held = Rows(width=200, seed=0)
    for _ in range(20):
        held.join(8)
    held.check()
    for _ in range(100):
        held.leave([int(held.random.integers(len(held.rows)))])
    held.check()


def test_the_factor_is_made_anew_after_many_have_left(monkeypatch):
    monkeypatch.setattr(cholesky, "REFRESH", 5)
    held = Rows(width=60, seed=1)
    held.join(40)
    assert held.factor.refresh() is False  # nothing has left
    for _ in range(13):
        held.leave([3])
        held.check()
    assert held.factor._removed == 13 % 6
    assert held.factor.refresh() is True and held.factor.refresh() is False
    held.check()


def test_all_but_one_may_leave():
    held = Rows(width=10, seed=2)
    held.join(6)
    held.leave([0, 1, 2, 4, 5])
    held.check()
    held.join(3)
    held.check()


@given(st.integers(1, 8), st.integers(0, 99), st.integers(0, 2))
@settings(max_examples=60)
def test_dependent_rows_are_refused_and_change_nothing(size, seed, more):
    """A combination of the rows that are in, alone or after others that are not."""
    held = Rows(width=12, seed=seed)
    held.join(size)
    combination = held.random.normal(size=size) @ held.rows
    added = np.vstack([held.random.normal(size=(more, 12)), combination])
    with pytest.raises(LinAlgError):
        held.append(added)
    held.check()
    held.join(2)
    held.check()


def test_rows_that_depend_on_each_other_are_refused():
    held = Rows(width=5, seed=3)
    held.join(2)
    row = held.random.normal(size=(1, 5))
    for added in (np.vstack([row, row]), np.vstack([row, -2 * row]), np.zeros((1, 5)), held.random.normal(size=(4, 5))):
        with pytest.raises(LinAlgError):
            held.append(added)
        held.check()


def test_rows_that_are_nearly_dependent_are_refused_too():
    held = Rows(width=6, seed=4)
    held.join(3)
    nearly = held.rows[:1] + 1e-9 * held.random.normal(size=(1, 6))
    with pytest.raises(LinAlgError):
        held.append(nearly)
    held.append(held.rows[:1] + 1e-3 * held.random.normal(size=(1, 6)))
    assert held.factor.size == 4
