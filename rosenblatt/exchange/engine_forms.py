"""The forms of what estimators are made of: traces, half-spaces, pockets, committees, names, expansions.

Whatever a compiled loop follows without looking (counts, shapes, row numbers) is looked at here.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from rosenblatt.engine.kernel.state import Expansion
from rosenblatt.engine.online.pocket import Pocket
from rosenblatt.engine.online.state import LEDGER_COLUMNS, MARK, MISTAKES, SEEN, UPDATES, Array, HalfSpaces
from rosenblatt.estimators.committee import Committee
from rosenblatt.estimators.named_features import Names
from rosenblatt.exchange.checks import (
    MOST,
    Check,
    Sizes,
    array,
    choice,
    complaints,
    indices,
    instance,
    items,
    mapping,
    number,
    optional,
    size,
    whole,
)  # fmt: skip
from rosenblatt.exchange.forms import Form, Values
from rosenblatt.trace import STOP_REASONS, Epoch, Trace

COLUMNS = tuple(field.name for field in fields(Epoch))


def _checked(kind: str, fitted: Values, checks: dict[str, Check], *, maybe: tuple[str, ...] = ()) -> Sizes:
    sizes: Sizes = {}
    wrong = complaints(fitted, checks, sizes)
    missing = [name for name in checks if name not in fitted and name not in maybe]
    if wrong or missing:
        raise ValueError(f"{kind}: {wrong or f'{missing[0]} is missing'}")
    return sizes


# ------------------------------------------------------------------------------------------------ traces


def take_trace(trace: Trace) -> tuple[Values, Values]:
    columns = {name: [_item(epoch[name]) for epoch in trace] for name in trace.columns}
    return {}, {"stop_reason": trace.stop_reason, "columns": columns}


def make_trace(parameters: Values, fitted: Values) -> Trace:
    checks = {
        "stop_reason": choice("", *STOP_REASONS),
        "columns": mapping(choice(*COLUMNS), items(lambda value, sizes: value is None or number(value, sizes))),
    }
    _checked("Trace", fitted, checks)
    columns: dict[str, list[Any]] = fitted["columns"]
    if len({len(column) for column in columns.values()}) > 1:
        raise ValueError("Trace: its columns differ in length")
    rows = zip(*columns.values(), strict=True)
    return Trace([Epoch(**dict(zip(columns, row, strict=True))) for row in rows], fitted["stop_reason"])


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# ------------------------------------------------------------------------------------------- half-spaces


def take_half_spaces(state: HalfSpaces) -> tuple[Values, Values]:
    averages = state.lag.shape == state.vectors.shape
    lag = {"lag": state.stored(state.lag)} if averages else {}
    return {}, {
        "count": state.count, "n_features": state.n_features, "layout": state.layout,
        "vectors": state.stored(state.vectors), **lag, "ledger": state.ledger, "total": state.total,
    }  # fmt: skip


def make_half_spaces(parameters: Values, fitted: Values) -> HalfSpaces:
    _checked(
        "HalfSpaces", fitted,
        {
            "count": size("count"), "n_features": size("features"), "layout": choice("rows", "columns"),
            "vectors": instance(np.ndarray), "lag": instance(np.ndarray),
            "ledger": array("f", "padded", LEDGER_COLUMNS), "total": optional(array("f", "count", "features")),
        },
        maybe=("lag", "total"),
    )  # fmt: skip
    vectors, ledger, averages = fitted["vectors"], fitted["ledger"], "lag" in fitted
    count, width = int(fitted["count"]), int(fitted["n_features"])
    if vectors.dtype not in (np.float32, np.float64) or ledger.dtype != np.float64:
        raise ValueError("HalfSpaces: the weights are of another type")
    empty = HalfSpaces(0, 0, vectors.dtype, fitted["layout"], averages=False)
    shape, height = (count, width), empty._padded(max(count, 2))  # before anything is allocated
    if vectors.shape != shape or len(ledger) != height or (averages and fitted["lag"].shape != shape):
        raise ValueError(f"HalfSpaces: {count} half-spaces over {width} features have other shapes")
    if averages and fitted["lag"].dtype != vectors.dtype:
        raise ValueError("HalfSpaces: the sums of the weights are of another type")
    total = fitted.get("total")
    if total is not None and total.dtype != np.float64:
        raise ValueError("HalfSpaces: the total is of another type")
    counters = ledger[:, [SEEN, MARK, UPDATES, MISTAKES]]
    if not (np.isfinite(counters).all() and (counters >= 0).all() and (counters < MOST).all()):
        raise ValueError("HalfSpaces: a counter is no number of examples")
    state = HalfSpaces(count, width, vectors.dtype, fitted["layout"], averages=averages)
    state.restore(state.vectors, vectors)
    state.ledger[...] = ledger
    if averages:
        state.restore(state.lag, fitted["lag"])
    state.total = None if total is None else total.copy()
    return state


def take_pocket(pocket: Pocket) -> tuple[Values, Values]:
    return {}, {"errors": _item(pocket.errors), "kept": pocket.kept, "run": pocket.run, "longest": pocket.longest}


def make_pocket(parameters: Values, fitted: Values) -> Pocket:
    checks = {"errors": number, "kept": optional(instance(HalfSpaces)), "run": whole, "longest": whole}
    _checked("Pocket", fitted, checks)
    return Pocket(**fitted)


# --------------------------------------------------------------------------------------------- committees


def take_committee(committee: Committee) -> tuple[Values, Values]:
    log = committee.log
    return {}, {
        "support": list(committee.support),
        "rows": log.rows,
        "numbers": [np.stack([log.steps[k], log.shrinks[k], log.times[k]], axis=1) for k in range(log.count)],
    }


def make_committee(parameters: Values, fitted: Values) -> Committee:
    def rows(value: Any, sizes: Sizes) -> bool:
        is_array = isinstance(value, np.ndarray) or hasattr(value, "indptr")
        return is_array and value.ndim == 2 and value.dtype in (np.float32, np.float64, np.uint8)

    sizes = _checked("Committee", fitted, {
        "support": items(rows), "rows": items(array("i", "updates"), "count"),
        "numbers": items(array("f", "updates", 3), "count"),
    })  # fmt: skip
    total = sum(block.shape[0] for block in fitted["support"])
    committee = Committee(sizes["count"])
    committee.support = list(fitted["support"])
    for k, (numbers, figures) in enumerate(zip(fitted["rows"], fitted["numbers"], strict=True)):
        check_updates(numbers, figures, total)
        committee.log._rows[k].append(numbers)
        committee.log._numbers[k].append(figures)
    return committee


def check_updates(rows: Array, figures: Array, total: int) -> None:
    """Row numbers that exist, and times that count examples."""
    if rows.dtype != np.int64 or figures.dtype != np.float64 or len(rows) != len(figures):
        raise ValueError("Committee: the updates are of another type")
    if len(rows) and not (rows.min() >= 0 and rows.max() < total):
        raise ValueError("Committee: an update names a row that is not there")
    times = figures[:, 2]
    if not (np.isfinite(times).all() and (times >= 0).all() and (times < MOST).all()):
        raise ValueError("Committee: the times of the updates are none")


def take_names(names: Names) -> tuple[Values, Values]:
    slots = sorted(names.slots, key=lambda name: names.slots[name]) if names.size is None else []
    return {}, {"size": names.size, "slots": np.array(slots, dtype=object)}


def make_names(parameters: Values, fitted: Values) -> Names:
    _checked("Names", fitted, {"size": optional(whole), "slots": array("O", "names")})
    slots = fitted["slots"].tolist()
    if not all(isinstance(name, str) for name in slots) or len(set(slots)) != len(slots) or fitted["size"] == 0:
        raise ValueError("Names: the features have no names of their own")
    names = Names(fitted["size"])
    names.add(slots)
    return names


# ---------------------------------------------------------------------------------------------- expansions

NUMBERS = ("count", "size", "seen", "shown", "updates", "mistakes")
ARRAYS = ("numbers", "coefficients", "lag", "counts", "taught")


def take_expansion(state: Expansion) -> tuple[Values, Values]:
    fitted: Values = {key: int(getattr(state, key)) for key in NUMBERS}
    fitted |= {name: getattr(state, name)[: state.size] for name in ARRAYS}
    fitted |= {"dtype": state.dtype, "squared": state.squared, "dropped": np.array(state.dropped, np.int64)}
    if state.history is not None:
        empty = np.empty(0, np.int64), np.empty((0, state.count)), np.empty(0, np.int64)
        fitted["history"] = [np.concatenate(part) for part in zip(*(state.history or [empty]), strict=True)]
    return {}, fitted


def make_expansion(parameters: Values, fitted: Values) -> Expansion:
    def history(value: Any, sizes: Sizes) -> bool:
        checks = (array("i", "events"), array("f", "events", "count"), array("i", "events"))
        is_list = isinstance(value, list | tuple) and len(value) == 3
        return is_list and all(check(part, sizes) for check, part in zip(checks, value, strict=True))

    _checked("Expansion", fitted, {
        "count": size("count"), "size": size("size"), "seen": whole, "shown": size("shown"), "updates": whole,
        "mistakes": whole, "dtype": instance(np.dtype), "numbers": indices("size", below="shown"),
        "coefficients": array("f", "size", "count"), "lag": array("f", "size", "count"),
        "counts": array("i", "size", "count"), "taught": array("i", "size"), "squared": array("f", "count"),
        "dropped": indices("dropped", below="shown"), "history": history,
    }, maybe=("history",))  # fmt: skip
    if fitted["dtype"] not in (np.float32, np.float64):
        raise ValueError("Expansion: kernel values are float32 or float64")
    state = Expansion(int(fitted["count"]), fitted["dtype"])
    for name in NUMBERS:
        setattr(state, name, int(fitted[name]))
    for name in (*ARRAYS, "squared"):
        if fitted[name].dtype != getattr(state, name).dtype:
            raise ValueError(f"Expansion: {name} is of another type")
        setattr(state, name, fitted[name].copy())
    if len(np.unique(state.numbers)) != state.size:
        raise ValueError("Expansion: a row is there twice")
    state.dropped = fitted["dropped"].tolist()
    state.history = None
    if "history" in fitted:
        numbers, steps, times = fitted["history"]
        known = np.isin(numbers, state.numbers).all()
        timed = bool((times >= 0).all() and (times < MOST).all())
        if not known or not timed or steps.dtype != np.float64:
            raise ValueError("Expansion: the updates name rows or times that are not there")
        state.history = [(numbers, steps, times)]
    return state


FORMS = (
    Form(Trace, take_trace, make_trace),
    Form(HalfSpaces, take_half_spaces, make_half_spaces),
    Form(Pocket, take_pocket, make_pocket),
    Form(Committee, take_committee, make_committee),
    Form(Names, take_names, make_names),
    Form(Expansion, take_expansion, make_expansion),
)
