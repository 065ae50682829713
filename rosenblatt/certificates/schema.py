"""The shape of a certificate file: every field and every type is checked before anything is computed with them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from rosenblatt.certificates.verify_numbers import CertificateError
from rosenblatt.wording import listed, shortened

Check = Callable[[Any, str], None]

LONGEST_TEXT = 10_000
EXACT = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?|-?0x[0-9a-f]{1,1000000}(/0x[0-9a-f]{1,1000000})?")


def refuse(where: str, wanted: str, value: Any) -> None:
    raise CertificateError(f"The certificate is damaged: {where} must be {wanted}, not {shortened(value)}.")


def whole(value: Any, where: str) -> None:
    if type(value) is not int or value < 0:
        refuse(where, "a whole number of at least 0", value)


def yes_or_no(value: Any, where: str) -> None:
    if type(value) is not bool:
        refuse(where, "true or false", value)


def number(value: Any, where: str) -> None:
    """A float64: finite, or a whole number that is not too large."""
    if type(value) not in (int, float) or not (abs(value) < 2**1024 and math.isfinite(value)):
        refuse(where, "a finite number", value)


def bound(value: Any, where: str) -> None:
    number(value, where)
    if value < 0:
        refuse(where, "a number of at least 0", value)


def exact(value: Any, where: str) -> None:
    """A float64, or a fraction as text, as in "-1/3"."""
    if not isinstance(value, str):
        number(value, where)
    elif not EXACT.fullmatch(value) or re.search("/(0x)?0+$", value):
        refuse(where, "a number or a fraction such as -1/3", value)


def count(value: Any, where: str) -> None:
    """A whole number as text, which may have more digits than a float."""
    if not isinstance(value, str) or not re.fullmatch("[0-9]{1,4000}", value):
        refuse(where, "a whole number in quotes", value)


def text(value: Any, where: str) -> None:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        refuse(where, "a text", value)


def scalar(value: Any, where: str) -> None:
    """The name of a class."""
    if type(value) not in (str, int, float, bool) or (isinstance(value, float) and not math.isfinite(value)):
        refuse(where, "the name of a class: text, a number, true or false", value)


def constant(wanted: Any) -> Check:
    def check(value: Any, where: str) -> None:
        if type(value) is not type(wanted) or value != wanted:
            refuse(where, repr(wanted), value)

    return check


def optional(inner: Check) -> Check:
    def check(value: Any, where: str) -> None:
        if value is not None:
            inner(value, where)

    return check


def sequence(inner: Check, length: int | None = None, *, empty: bool = False) -> Check:
    """A list of this length; without one, of any length above 0, or of any at all."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, list) or (length is not None and len(value) != length):
            refuse(where, "a list" if length is None else f"a list of {length}", value)
        if not value and not empty:
            refuse(where, "a list that is not empty", value)
        for place, each in enumerate(value):
            inner(each, f"{where}[{place}]")

    return check


def either(one: Check, many: Check) -> Check:
    """One value, or a list."""

    def check(value: Any, where: str) -> None:
        (many if isinstance(value, list) else one)(value, where)

    return check


def pair(first: Check, second: Check) -> Check:
    def check(value: Any, where: str) -> None:
        sequence(lambda value, where: None, 2)(value, where)
        first(value[0], f"{where}[0]")
        second(value[1], f"{where}[1]")

    return check


def record(may_lack: str = "", /, **fields: Check) -> Check:
    """An object with these fields and no others: a field that is not checked would seem to be proven."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            refuse(where, "an object", value)
        for name in value:
            if name not in fields:
                raise CertificateError(
                    f"The certificate is damaged: {shortened(name)} in {where} is none of the fields that are checked, "
                    f"{listed(fields)}."
                )
        for name, inner in fields.items():
            if name not in value and name == may_lack:
                continue
            if name not in value:
                raise CertificateError(f"The certificate is damaged: {where} has no field {name!r}.")
            inner(value[name], f"{where}.{name}" if where != "the file" else name)

    return check


def variant(field: str, kinds: dict[str, Check]) -> Check:
    """One of several kinds of objects, told apart by one of their fields."""

    def check(value: Any, where: str) -> None:
        if not isinstance(value, dict):
            refuse(where, "an object", value)
        kind = value.get(field)
        if not isinstance(kind, str) or kind not in kinds:
            refuse(f"{field} of {where}", f"one of {listed(kinds)}", kind)
        kinds[kind](value, where)

    return check


# --------------------------------------------------------------------------------------------- the kinds of files

QUESTION: dict[str, Check] = {
    "verdict": text,
    "classes": sequence(scalar, 2),
    "fit_intercept": yes_or_no,
    "shape": sequence(whole, 2),
    "digest": text,
}
ROWS = sequence(whole)
PLANE = record(normal=sequence(exact), offset=exact)
HULL = record("bits", rows=ROWS, shares=sequence(whole), bits=whole)

KINDS: dict[str, Check] = {
    "separable": record(
        **QUESTION,
        plane=PLANE,
        margin=pair(bound, optional(bound)),
        hull=optional(HULL),
        theorem_plane=PLANE,
        gamma=pair(bound, optional(bound)),
        theorem_hull=optional(HULL),
        radius=bound,
        mistake_bound=count,
    ),
    "not separable": record(**QUESTION, rows=ROWS),
    "overlapping": record(**QUESTION, rows=ROWS, share=exact),
    "quasi-complete": record(**QUESTION, plane=PLANE, rows=ROWS),
    "undecided": record(**QUESTION, reason=text, margin_upper=optional(bound)),
}
MODEL = record(
    verdict=text,
    classes=sequence(scalar),
    shape=sequence(whole, 2),
    digest=text,
    weights=sequence(sequence(exact)),
    offsets=sequence(exact),
    norm=text,
    radius=either(bound, sequence(bound)),
    wrong=sequence(whole, empty=True),
    margin=optional(number),
    objective=optional(
        record(
            loss=text,
            lam=exact,
            intercept=text,
            shares=sequence(whole),
            bits=whole,
            lower=number,
            upper=number,
        )
    ),
)
FEWEST = record(
    **QUESTION,
    plane=PLANE,
    wrong=sequence(whole, empty=True),
    lower=whole,
    witnesses=sequence(ROWS, empty=True),
    shares=sequence(whole, empty=True),
)
PARTS = sequence(variant("verdict", KINDS))
TABLE = record(verdict=constant("table"), classes=sequence(scalar), pairs=PARTS, rest=PARTS)

check_file = variant("verdict", {**KINDS, "table": TABLE, "model": MODEL, "fewest errors": FEWEST})
