from __future__ import annotations

import numpy as np
import pandas
import pytest

from rosenblatt import BooleanFunction, ThresholdMachine, ThresholdNetwork, ThresholdUnit
from rosenblatt.logic.circuits import adder, counter, serial_adder
from rosenblatt.logic.function import assignments


@pytest.mark.parametrize("bits", [1, 2, 4, 6])
def test_adder_adds(bits: int) -> None:
    network = adder(bits)
    X = assignments(2 * bits)
    powers = 1 << np.arange(bits, -1, -1)
    np.testing.assert_array_equal(network(X) @ powers, X[:, :bits] @ powers[1:] + X[:, bits:] @ powers[1:])
    assert network.n_units == 2 * bits


def test_serial_adder_adds() -> None:
    machine = serial_adder()
    for a, b in ((11, 6), (0, 0), (2**40 - 1, 1), (123456789, 987654321)):
        digits = [((a >> i) & 1, (b >> i) & 1) for i in range(45)]
        total = machine.run(digits).ravel()
        assert sum(int(bit) << i for i, bit in enumerate(total)) == a + b


@pytest.mark.parametrize("bits", [1, 3, 5])
def test_counter_counts(bits: int) -> None:
    machine = counter(bits)
    ticks = np.random.default_rng(0).integers(0, 2, 200)
    seen = machine.run(ticks) @ (1 << np.arange(bits - 1, -1, -1))
    np.testing.assert_array_equal(seen, np.cumsum(ticks) % (1 << bits))
    assert len(set(seen.tolist())) == 1 << bits


def test_steps_and_state() -> None:
    machine = counter(3)
    assert [machine.step(1) for _ in range(3)] == [(0, 0, 1), (0, 1, 0), (0, 1, 1)]
    assert machine.state == {"q2": 0, "q1": 1, "q0": 1}
    assert machine.step(tick=1) == (1, 0, 0) == machine.step({"tick": 0}) == machine.step([0])
    assert machine.run([1, 1], reset=False).tolist() == [[1, 0, 1], [1, 1, 0]]
    machine.reset()
    assert machine.step(0) == (0, 0, 0)
    assert "state 000" in repr(machine)


def test_delay_of_every_unit() -> None:
    """McCulloch and Pitts's own nets: a chain of three units shows its input three steps later."""
    copy = [ThresholdUnit([1], -0.5, (name,)) for name in ("x", "u", "v")]
    chain = ThresholdMachine.from_units("x", dict(zip("uvw", copy, strict=True)), "w")
    assert chain.run([1, 0, 0, 1, 0, 0]).ravel().tolist() == [0, 0, 1, 0, 0, 1]


def test_a_ring_needs_no_input() -> None:
    ring = ThresholdMachine.from_units((), {"a": ThresholdUnit.not_("a")}, start={"a": 1})
    assert ring.run(4).ravel().tolist() == [0, 1, 0, 1]
    assert ring.step() == 0


def test_refuses() -> None:
    network = ThresholdNetwork("a m", {"u": ThresholdUnit.or_(2, "a m")}, "u")
    for make, words in (
        (lambda: ThresholdMachine(network, {"x": "u"}), "'x' is none"),
        (lambda: ThresholdMachine(network, {"m": "v"}), "no 'v'"),
        (lambda: ThresholdMachine(network, {"m": "u"}, outputs="v"), "no 'v'"),
        (lambda: ThresholdMachine(network, {"m": "u"}, start={"m": 2}), "0 or 1"),
        (lambda: ThresholdMachine(network, {"m": "u"}, start={"a": 1}), "name a memory"),
        (lambda: counter(0), "bits"),
        (lambda: adder(True), "bits"),
        (lambda: counter(2).step(), "1 input"),
        (lambda: counter(2).step(1, 1), "got 2"),
        (lambda: counter(2).step(tock=1), "tock"),
        (lambda: counter(2).step(1, tick=1), "not both"),
        (lambda: counter(2).step(3), "0 and 1"),
        (lambda: counter(2).run([[[1]]]), "axes"),
        (lambda: counter(2).run([[1, 1]]), "1 values"),
    ):
        with pytest.raises(ValueError, match=words):
            make()


def test_a_labelled_row_goes_by_its_names() -> None:
    machine = ThresholdMachine.from_units(["a", "b"], {"u": ThresholdUnit([1, -1], -0.5, ("a", "b"))})
    assert machine.step(pandas.Series({"b": 0, "a": 1})) == 1 == machine.step(pandas.Series([1, 0]))
    assert machine.run(pandas.DataFrame({"b": [0, 1], "a": [1, 0]})).ravel().tolist() == [1, 0]
    for masked in (np.ma.array([1, 0], mask=[True, False]), np.ma.array([[1, 0]], mask=[[True, False]])):
        with pytest.raises(ValueError, match="masked"):
            machine.step(masked) if masked.ndim == 1 else machine.run(masked)


def test_many_steps_are_single_steps() -> None:
    """By a table or one by one, and going on from where it stands."""
    random = np.random.default_rng(0)
    for machine in (counter(3), serial_adder()):
        rows = random.integers(0, 2, (200, len(machine.inputs)))
        wanted = []
        machine.reset()
        for row in rows:
            wanted.append(np.atleast_1d(machine.step(row)).tolist())
        state = dict(machine.state)
        assert machine.run(rows).tolist() == wanted and machine.state == state
        machine.reset()
        first, second = machine.run(rows[:77], reset=False), machine.run(rows[77:], reset=False)
        assert [*first.tolist(), *second.tolist()] == wanted and machine.state == state
    assert counter(3).run(np.empty((0, 1))).shape == (0, 3)


def test_machines_are_equal_by_what_they_do_at_the_start() -> None:
    first, second = counter(3), counter(3)
    first.step(1)
    assert first == second and first != counter(4) and first != "counter"
    second.network.units.update({name: ~~unit for name, unit in second.network.units.items()})
    first.reset()
    assert first.run([1, 1, 0, 1]).tolist() == second.run([1, 1, 0, 1]).tolist()


def test_edited_units_count() -> None:
    machine = ThresholdMachine.from_units(["x"], {"lit": ThresholdUnit([1, 1], -0.5, ("x", "lit"))})
    assert machine.run([0, 1, 0]).ravel().tolist() == [0, 1, 1]
    machine.network.units["lit'"] = ThresholdUnit([1, 0], -0.5, ("x", "lit"))  # it no longer reads itself
    assert machine.run([0, 1, 0]).ravel().tolist() == [0, 1, 0]
    machine.reset()
    assert [machine.step(x) for x in (0, 1, 0)] == [0, 1, 0]


def test_one_of_each_is_said_in_the_singular() -> None:
    machine = ThresholdMachine.from_units(["x"], {"lit": ThresholdUnit([1, 1], -0.5, ("x", "lit"))})
    assert repr(machine).startswith("ThresholdMachine: 1 input, 1 unit, 1 delay, state 0\n")
    with pytest.raises(ValueError, match=r"to 2 \(never\) for 1 input, but got 5; choose one"):
        ThresholdUnit.at_least(5, 1)
    with pytest.raises(ValueError, match="Pass rows, or 1 value, one for each input, but not 2"):
        ThresholdUnit.and_(1)(1, 1)
    with pytest.raises(ValueError, match="The function has 1 input, but got 2 values; pass one for each"):
        BooleanFunction([0, 1])(1, 1)
