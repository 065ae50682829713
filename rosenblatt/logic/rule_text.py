"""The text of rules, read into conditions and decisions."""

from __future__ import annotations

import math
from typing import Any

from rosenblatt.arguments import shortened
from rosenblatt.logic.comparisons import Comparison, Flag, Rule, atoms_of
from rosenblatt.logic.expression import Constant, Operation, Reader, Token

MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "=", "!=": "!="}


class _Condition(Reader):
    """Reads a condition: comparisons and Boolean columns where an expression has names."""

    levels = ("or", "xor", "and")

    def operation(self) -> str | None:
        return None if self.next.text in ("=", "==", "!=") else super().operation()

    def atom(self) -> Any:
        token = self.next
        if token.kind == "name" and token.text.lower() in ("true", "false"):
            self.take()
            return Constant(token.text.lower() == "true")
        if token.kind == "name" and token.text.lower() not in RESERVED:
            self.take()
            if self.next.text in COMPARING:
                return self._compared(token, self.take())
            return Flag(_column(token))
        value = self._number()
        if value is None:
            raise self.fail(
                f"A condition must have a column or a bracket at character {token.position}, but "
                f"{'the text ends there' if token.kind == 'end' else f'there is {token.text!r}'}; complete it.",
                token,
            )
        if self.next.text not in COMPARING:
            raise self.fail("A number must be compared with a column, but it is not; write one of > >= < <= = !=.")
        sign = self.take()
        if self.next.kind != "name":
            raise self.fail(f"After {sign.text!r} there must be a column, but there is {self.next.text!r}; write one.")
        return _comparison(_column(self.take()), MIRRORED[sign.text.replace("==", "=")], value)

    def _compared(self, column: Token, sign: Token) -> Any:
        if self.next.kind == "name" and self.next.text.lower() in ("true", "false"):
            if sign.text not in ("=", "==", "!="):
                raise self.fail(
                    "A Boolean column may be compared by = and != only, but here it is not; use these.", sign
                )
            wanted = (self.take().text.lower() == "true") == (sign.text != "!=")
            return Flag(_column(column)) if wanted else Operation("not", (Flag(_column(column)),))
        value = self._number()
        if value is None:
            raise self.fail(
                f"After {sign.text!r} there must be a number at character {self.next.position}, but "
                f"{'the text ends there' if self.next.kind == 'end' else f'there is {self.next.text!r}'}; write one."
            )
        return _comparison(_column(column), sign.text.replace("==", "="), value)

    def _number(self) -> Any:
        """An int or a float as Python reads it, with its sign; None if there is none."""
        start, negative = self.place, False
        while self.next.text in ("+", "-"):
            negative ^= self.take().text == "-"
        if self.next.kind != "number":
            self.place = start
            return None
        token = self.take()
        try:
            value: Any = int(token.text)
        except ValueError:
            try:
                value = float(token.text)
            except ValueError:
                raise self.fail(
                    f"A number must be written as in Python, but got {shortened(token.text)}; correct it.", token
                ) from None
        if isinstance(value, float) and math.isinf(value):
            raise self.fail(f"A number must be finite, but {token.text!r} is too large; write a smaller one.", token)
        return -value if negative else value


RESERVED = ("if", "then", "otherwise", "else")
COMPARING = (">", ">=", "<", "<=", "=", "==", "!=")


def _column(token: Token) -> str:
    return token.text.strip("`")


def _comparison(column: str, sign: str, level: Any) -> Any:
    """A comparison out of units that fire at >= and <=."""
    if isinstance(level, float) and level.is_integer():
        level = int(level)
    least, most = Comparison(column, level, most=False), Comparison(column, level, most=True)
    if sign == ">=":
        return least
    if sign == "<=":
        return most
    if sign == ">":
        return Operation("not", (most,))
    if sign == "<":
        return Operation("not", (least,))
    both = Operation("and", (least, most))
    return both if sign == "=" else Operation("not", (both,))


class RuleText:
    """Reads a text of rules."""

    def __init__(self, text: Any) -> None:
        if not isinstance(text, str):
            raise TypeError(f"Rules must be a text, but got {type(text).__name__}; write 'if … then …; otherwise …'.")
        self.text = text
        self.reader = _Condition(text)

    def read(self) -> list[Rule]:
        rules: list[Rule] = []
        reader = self.reader
        while True:
            while reader.next.text == ";":
                reader.take()
            if reader.next.kind == "end":
                break
            if rules and isinstance(rules[-1].condition, Constant) and rules[-1].text.lower().startswith("otherwise"):
                raise reader.fail("Nothing may follow 'otherwise DECISION', but there is more; move it to the end.")
            rules.append(self._rule())
        if not rules:
            raise ValueError(
                "There must be at least one rule, but the text has none; write 'if … then …; otherwise …'."
            )
        columns: dict[str, type] = {}
        for rule in rules:
            for atom in atoms_of(rule.condition):
                if columns.setdefault(atom.column, type(atom)) is not type(atom):
                    raise ValueError(
                        f"A column is either compared with numbers or used as true or false, but {atom.column!r} is "
                        f"both; "
                        f"write '{atom.column} = 1' for the latter."
                    )
        return rules

    def _rule(self) -> Rule:
        reader, start = self.reader, self.reader.next
        word = start.text.lower() if start.kind == "name" else ""
        if word in ("otherwise", "else"):
            reader.take()
            return Rule(Constant(True), self._decision(), f"otherwise {self._since(start, skip=1)}")
        if word != "if":
            raise reader.fail(
                f"A rule must begin with 'if' or 'otherwise', but character {start.position} begins {start.text!r}; "
                f"write "
                f"'if … then …'."
            )
        reader.take()
        condition = reader.expression()
        if reader.next.kind != "name" or reader.next.text.lower() != "then":
            got = "the text ends" if reader.next.kind == "end" else f"there is {reader.next.text!r}"
            raise reader.fail(
                f"After its condition a rule must go on with 'then', but at character {reader.next.position} {got}; "
                f"write "
                f"'then DECISION', or an operator."
            )
        reader.take()
        decision = self._decision()
        return Rule(condition, decision, self._since(start))

    def _decision(self) -> str:
        """The words up to the end of the rule."""
        reader, first = self.reader, self.reader.next
        words: list[str] = []
        while reader.next.kind in ("name", "number") and not self._begins():
            words.append(reader.take().text.strip("`"))
        if not words:
            raise reader.fail(
                f"A rule must name its decision at character {first.position}, but it does not; write a word."
            )
        if reader.next.kind != "end" and reader.next.text != ";" and not self._begins():
            raise reader.fail(
                f"A decision is made of words and numbers, but character {reader.next.position} is "
                f"{reader.next.text!r}; end "
                f"the rule with ';'."
            )
        return " ".join(words)

    def _begins(self) -> bool:
        """Whether the next token begins another rule."""
        token = self.reader.next
        return token.kind == "name" and token.text.lower() in RESERVED

    def _since(self, start: Token, skip: int = 0) -> str:
        end = self.reader.tokens[self.reader.place - 1]
        text = self.text[start.position : end.position + len(end.text)]
        return " ".join(text.split()[skip:])
