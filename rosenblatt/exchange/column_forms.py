"""The form of `ColumnEncoder`, which says and checks its state itself."""

from __future__ import annotations

from typing import Any

from rosenblatt.exchange.checks import anything, array, complaints, either, mapping, text
from rosenblatt.exchange.forms import Form, Values
from rosenblatt.features.columns import ColumnEncoder


def take(encoder: Any) -> tuple[Values, Values]:
    state, arrays = encoder.to_state()
    return {}, {"state": state, "arrays": arrays}


def make(parameters: Values, fitted: Values) -> ColumnEncoder:
    numbers = either(array("fiub", "length"), array("fiub", "length", "width"))
    wrong = complaints(fitted, {"state": mapping(text, anything), "arrays": mapping(text, numbers)}, {})
    if wrong or set(fitted) != {"state", "arrays"}:
        raise ValueError(f"ColumnEncoder: {wrong or 'a part is missing'}")
    return ColumnEncoder.from_state(fitted["state"], fitted["arrays"])


FORMS = (Form(ColumnEncoder, take, make),)
