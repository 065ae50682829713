"""One file per rule; `RULES` is the table that everything else reads."""

from __future__ import annotations

from rosenblatt.rules.contract import Rule, RuleFunction
from rosenblatt.rules.margin_perceptron import MARGIN_PERCEPTRON
from rosenblatt.rules.passive_aggressive import PA, PA_1, PA_2
from rosenblatt.rules.perceptron import PERCEPTRON

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        PERCEPTRON,
        MARGIN_PERCEPTRON,
        PA,
        PA_1,
        PA_2,
    )
}

__all__ = ["RULES", "Rule", "RuleFunction"]
