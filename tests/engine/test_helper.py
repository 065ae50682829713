"""A second thread for what one thread began."""

from __future__ import annotations

import threading

import pytest

from rosenblatt.engine import helper as helper_
from rosenblatt.engine.helper import Helper


@pytest.fixture
def helper():
    helper = Helper()
    yield helper
    helper.close()


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100])
def test_every_part_is_done_once(helper, count):
    done = []
    helper.share(lambda n, name: done.append((n, name)), [(n, "x") for n in range(count)])
    assert sorted(done) == [(n, "x") for n in range(count)]


def test_two_threads_work_on_parts(helper):
    both_are_here, workers = threading.Barrier(2, timeout=20), set()

    def work():
        both_are_here.wait()
        workers.add(threading.get_ident())

    helper.share(work, [(), ()])
    assert len(workers) == 2


def test_a_helper_that_is_busy_elsewhere_is_not_waited_for(helper):
    free, done = threading.Event(), []
    helper.call(free.wait)
    helper.share(lambda n: done.append(n), [(n,) for n in range(5)])
    assert done == [0, 1, 2, 3, 4]
    free.set()


@pytest.mark.parametrize("where", ["here", "there"])
def test_what_goes_wrong_is_heard_of(helper, where):
    both_are_here = threading.Barrier(2, timeout=20)
    main = threading.get_ident()

    def work():
        both_are_here.wait()
        if (threading.get_ident() == main) == (where == "here"):
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        helper.share(work, [(), ()])


def test_a_helper_is_kept_off_the_core_of_its_leader(monkeypatch):
    asked = []
    monkeypatch.setattr(helper_, "_core", lambda: 3)
    monkeypatch.setattr(helper_.os, "sched_getaffinity", lambda which: {1, 3, 5}, raising=False)
    monkeypatch.setattr(helper_.os, "sched_setaffinity", lambda *told: asked.append(told), raising=False)
    helper = Helper()
    assert [helper.call(int).result() for _ in range(2)] == [0, 0]
    assert asked == [(helper.thread, {1, 5})]  # once is enough while the leader stays where it is
    monkeypatch.setattr(helper_.os, "sched_getaffinity", lambda which: {4}, raising=False)
    monkeypatch.setattr(helper_, "_core", lambda: 4)
    assert helper.call(int).result() == 0 and len(asked) == 1  # there is no other core
    helper.close()
