"""Work ahead on other threads: the order of the items, and the failures of both sides."""

import time

import pytest

from rosenblatt.sources.ahead import ahead


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_come_in_the_order_of_the_items(threads):
    def slow_for_even(number):
        time.sleep(0.002 * (number % 2 == 0))
        return number * number

    assert list(ahead(range(40), slow_for_even, threads)) == [n * n for n in range(40)]
    assert list(ahead([], slow_for_even, threads)) == []


def test_no_more_than_a_few_items_are_fetched_before_they_are_asked_for():
    fetched = []

    def items():
        for number in range(1000):
            fetched.append(number)
            yield number

    results = ahead(items(), str, 2)
    assert [next(results) for _ in range(5)] == ["0", "1", "2", "3", "4"]
    time.sleep(0.05)
    assert len(fetched) <= 5 + 3
    results.close()
    assert len(fetched) <= 5 + 3


def test_a_failure_comes_in_its_place():
    def root(number):
        if number == 3:
            raise ValueError("three")
        return number

    results = ahead(range(9), root, 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)
