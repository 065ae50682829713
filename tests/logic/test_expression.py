from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.logic import expression
from rosenblatt.logic.expression import Constant, ExpressionError, Name, Operation, evaluate, names, parse
from rosenblatt.logic.function import BooleanFunction
from tests.reference.logic import table

SAME = [
    ("a & b", "a and b", "a && b", "a AND b"),
    ("a | b", "a or b", "a || b"),
    ("~a", "!a", "not a", "~~~a"),
    ("a ^ b", "a xor b", "a != b"),
    ("a -> b", "a => b", "~a | b"),
    ("a == b", "a <-> b", "a <=> b", "~(a ^ b)"),
    ("a | b & c", "a | (b & c)"),
    ("~a & b", "(~a) & b"),
    ("a ^ b & c", "a ^ (b & c)"),
    ("a | b ^ c", "a | (b ^ c)"),
    ("a -> b -> c", "a -> (b -> c)"),
    ("a -> b == c", "(a -> b) == c"),
]


@pytest.mark.parametrize("spellings", SAME, ids=lambda s: s[0])
def test_spellings_and_precedence(spellings: tuple[str, ...]) -> None:
    assert len({BooleanFunction(text) for text in spellings}) == 1


def test_against_python() -> None:
    assert BooleanFunction("(a & b) | ~c").table.tolist() == table(3, lambda a, b, c: (a and b) or not c)
    assert BooleanFunction("a -> b -> c").table.tolist() == table(3, lambda a, b, c: not a or not b or c)
    assert BooleanFunction("a ^ b ^ c").table.tolist() == table(3, lambda a, b, c: (a + b + c) % 2)
    assert BooleanFunction("true & a | false").table.tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("a &", 3), ("a & & b", 4), ("(a | b", 0), ("a b", 2), ("a ? b", 2), ("", 0), ("a | )", 4), ("a & 2", 4),
        ("()", 1), ("~", 1), ("a-b", 0), ("a &\n  | b", 6), ("a <= b", 2),
    ],
)  # fmt: skip
def test_points_at_the_character(text: str, position: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.position == position
    line, arrow = str(caught.value).splitlines()[-2:]
    assert arrow.strip() == "^"
    assert line[2:] == text.split("\n")[text.count("\n", 0, position)]
    assert arrow.index("^") - 2 == position - (text.rfind("\n", 0, position) + 1)


def test_deep_brackets_are_refused() -> None:
    with pytest.raises(ExpressionError, match="nested"):
        parse("(" * 5000 + "a" + ")" * 5000)
    assert str(parse("~" * 5001 + "a")) == "~a"
    assert len(names(parse(" & ".join(f"a{i}" for i in range(3000))))) == 3000


def test_odd_names() -> None:
    assert names(parse("`years of credit` & été | x_1")) == ["years of credit", "été", "x_1"]
    assert str(parse("`a-b` & c")) == "`a-b` & c"
    assert str(Name("and")) == "`and`"


trees = st.recursive(
    st.sampled_from([Name("a"), Name("b"), Name("c"), Constant(True), Constant(False)]),
    lambda inner: st.one_of(
        inner.map(lambda t: Operation("not", (t,))),
        st.tuples(st.sampled_from(["implies", "equals"]), inner, inner).map(lambda t: Operation(t[0], t[1:])),
        st.tuples(st.sampled_from(["and", "or", "xor"]), st.lists(inner, min_size=2, max_size=4)).map(
            lambda t: Operation(t[0], tuple(t[1]))
        ),
    ),
    max_leaves=12,
)


@given(trees)
def test_written_and_read_again(tree: expression.Tree) -> None:
    values = {
        name: np.array(column, bool) for name, column in zip("abc", np.indices((2, 2, 2)).reshape(3, 8), strict=True)
    }
    again = evaluate(parse(str(tree)), values)
    np.testing.assert_array_equal(np.broadcast_to(again, 8), np.broadcast_to(evaluate(tree, values), 8))
