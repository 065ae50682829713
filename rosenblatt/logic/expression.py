"""Text into a tree of Boolean operations; a misspelling is reported with its character.

The operators, the tightest first; words may be written in any case.

    ~a  !a  not a          not
    a & b  a && b  a and b
    a ^ b  a xor b  a != b
    a | b  a || b  a or b
    a -> b  a => b         implication, a -> b -> c is a -> (b -> c)
    a == b  a <-> b        equivalence
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rosenblatt.engine.online.state import Array

DEEPEST = 100  # brackets within brackets

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d[\d_]*(?:\.[\d_]*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![A-Za-z_])"
    r"|(?P<name>[^\W\d]\w*(?:-[^\W\d]\w*)*|`[^`\n]+`)"
    r"|(?P<operator><->|<=>|->|=>|==|!=|&&|\|\||<=|>=|[~!&|^()<>=;,+-])"
    r"|(?P<other>\S))"
)

SYMBOLS = {
    "~": "not", "!": "not", "&": "and", "&&": "and", "^": "xor", "!=": "xor", "|": "or", "||": "or",
    "->": "implies", "=>": "implies", "==": "equals", "<->": "equals", "<=>": "equals",
}  # fmt: skip
WORDS = {"not", "and", "xor", "or", "implies"}
LEVELS = ("equals", "implies", "or", "xor", "and")  # the loosest first
WRITTEN = {"and": " & ", "xor": " ^ ", "or": " | ", "implies": " -> ", "equals": " == "}


class ExpressionError(ValueError):
    """A text that does not parse; `position` is the number of the character, from 0."""

    def __init__(self, sentence: str, text: str, position: int) -> None:
        start = text.rfind("\n", 0, position) + 1
        line = text[start:].split("\n", 1)[0].replace("\t", " ")
        super().__init__(f"{sentence}\n  {line}\n  {' ' * (position - start)}^")
        self.position = position


@dataclass(frozen=True)
class Constant:
    value: bool

    def __str__(self) -> str:
        return str(int(self.value))


@dataclass(frozen=True)
class Name:
    name: str

    def __str__(self) -> str:
        return self.name if PLAIN_NAME.fullmatch(self.name) else f"`{self.name}`"


@dataclass(frozen=True)
class Operation:
    """One of not, and, xor, or, implies, equals, with its operands.

    Several operands of implies are a -> (b -> c), of equals (a == b) == c.
    """

    kind: str
    operands: tuple[Any, ...]

    def __str__(self) -> str:
        parts = [
            f"({part})" if isinstance(part, Operation) and part.kind != "not" else str(part) for part in self.operands
        ]
        return f"~{parts[0]}" if self.kind == "not" else WRITTEN[self.kind].join(parts)


Tree = Any  # Constant, Name, Operation, or what a reader of atoms returns

PLAIN_NAME = re.compile(r"(?!(?:not|and|xor|or|implies|true|false|if|then|otherwise|else)$)[^\W\d]\w*", re.IGNORECASE)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    position: int


def tokens(text: str) -> list[Token]:
    found, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:  # nothing but space is left
            break
        kind = str(match.lastgroup)
        if kind == "other":
            raise ExpressionError(
                f"An expression is made of names, 0, 1, brackets and operators, but character {match.start(kind)} is "
                f"{match[kind]!r}; remove it.",
                text,
                match.start(kind),
            )
        word = match[kind]
        if kind == "name" and word.lower() in WORDS:
            kind, word = "operator", word.lower()
        found.append(Token(kind, word, match.start(str(match.lastgroup))))
        place = match.end()
    return [*found, Token("end", "", len(text.rstrip()))]


class Reader:
    """Reads one expression from a list of tokens, by recursive descent."""

    levels: ClassVar[tuple[str, ...]] = LEVELS

    def __init__(self, text: str, parts: list[Token] | None = None, place: int = 0) -> None:
        self.text, self.place, self.depth = text, place, 0
        self.tokens = tokens(text) if parts is None else parts

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        self.place += 1
        return self.tokens[self.place - 1]

    def operation(self) -> str | None:
        """Which operation the next token stands for."""
        token = self.next
        return (
            (SYMBOLS.get(token.text) or (token.text if token.text in WORDS else None))
            if token.kind == "operator"
            else None
        )

    def fail(self, sentence: str, token: Token | None = None) -> ExpressionError:
        return ExpressionError(sentence, self.text, (token or self.next).position)

    def whole(self) -> Tree:
        """The expression that all tokens together are."""
        tree = self.expression()
        if self.next.kind != "end":
            raise self.fail(
                f"An expression must go on with an operator, but character {self.next.position} begins "
                f"{self.next.text!r}; write an operator before it or remove it."
            )
        return tree

    def expression(self, level: int = 0) -> Tree:
        if level == len(self.levels):
            return self.negation()
        kind = self.levels[level]
        operands = [self.expression(level + 1)]
        while self.operation() == kind:
            self.take()
            operands.append(self.expression(level + 1))
        return operands[0] if len(operands) == 1 else Operation(kind, tuple(operands))

    def negation(self) -> Tree:
        count = 0
        while self.operation() == "not" and self.next.text != "!=":
            self.take()
            count += 1
        tree = self.bracket()
        return Operation("not", (tree,)) if count % 2 else tree

    def bracket(self) -> Tree:
        if self.next.text != "(":
            return self.atom()
        opening = self.take()
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fail(f"Brackets may be nested {DEEPEST} deep, but these are deeper; name a part of it.", opening)
        tree = self.expression()
        if self.next.text != ")":
            raise self.fail(
                f"Every bracket must be closed, but the one at character {opening.position} is not; write ')'.", opening
            )
        self.take()
        self.depth -= 1
        return tree

    def atom(self) -> Tree:
        token = self.next
        if token.kind == "name":
            self.take()
            if token.text.lower() in ("true", "false"):
                return Constant(token.text.lower() == "true")
            return self.named(token)
        if token.kind == "number" and token.text in ("0", "1"):
            self.take()
            return Constant(token.text == "1")
        raise self.missing(token)

    def named(self, token: Token) -> Tree:
        if "-" in token.text and not token.text.startswith("`"):
            raise self.fail(
                f"A name is made of letters, digits and _, but {token.text!r} has a minus sign; put it in `backticks`.",
                token,
            )
        return Name(token.text.strip("`"))

    def missing(self, token: Token) -> ExpressionError:
        what = "the text ends there" if token.kind == "end" else f"there is {token.text!r}"
        return self.fail(
            f"An expression must have a name, 0, 1 or a bracket at character {token.position}, but {what}; complete "
            f"it.",
            token,
        )


def parse(text: str) -> Tree:
    """The tree of an expression.

    >>> print(parse("(a and b) | ~c"))
    (a & b) | ~c
    """
    return Reader(text).whole()


def names(tree: Tree) -> list[str]:
    """The names in the order in which they first appear."""
    if isinstance(tree, Name):
        return [tree.name]
    found: dict[str, None] = {}
    for part in tree.operands if isinstance(tree, Operation) else ():
        found |= dict.fromkeys(names(part))
    return list(found)


def evaluate(tree: Tree, values: Mapping[Any, Array]) -> Any:
    """The tree's value, element by element; `values` has an array of Booleans for every atom."""
    if isinstance(tree, Constant):
        return np.bool_(tree.value)
    if isinstance(tree, Name):
        return values[tree.name]
    if not isinstance(tree, Operation):
        return values[tree]
    parts = [evaluate(part, values) for part in tree.operands]
    if tree.kind == "not":
        return ~parts[0]
    if tree.kind == "implies":
        result = parts[-1]
        for part in parts[:-1]:
            result = ~part | result
        return result
    if tree.kind == "equals":
        result = parts[0]
        for part in parts[1:]:
            result = ~(result ^ part)
        return result
    joined = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[tree.kind]
    result = parts[0]
    for part in parts[1:]:
        result = joined(result, part)
    return result
