"""What the first rows of a text table tell about it."""

from rosenblatt.sources import notation
from rosenblatt.sources.dialect import find_dialect

COMMAS = b'a;b;c\n1,5;7;"1.234,5"\n2,25;8;"987,6"\n'


def test_only_columns_with_commas_are_asked_how_they_write_numbers(monkeypatch):
    asked = []
    ask = notation.has_marks_beside_commas
    monkeypatch.setattr(notation, "has_marks_beside_commas", lambda values: asked.append(values) or ask(values))
    find_dialect(b"a,b\n" + b"1.5,2\n" * 500, "plain.csv", header=None, separator=None)
    assert not asked, "cells were looked at in vain, while others wait to import"
    found = find_dialect(COMMAS, "commas.csv", header=None, separator=None)
    assert ["1,5", "2,25"] in asked
    assert (found.commas, found.grouped) == ({"a", "c"}, {"c"})
