"""One file per rule; `RULES` is the table that everything else reads."""

from __future__ import annotations

from rosenblatt.rules.adaline import ADALINE
from rosenblatt.rules.contract import Rule, RuleFunction
from rosenblatt.rules.logistic import LOGISTIC
from rosenblatt.rules.margin_perceptron import MARGIN_PERCEPTRON
from rosenblatt.rules.passive_aggressive import PA, PA_1, PA_2
from rosenblatt.rules.pegasos import PEGASOS
from rosenblatt.rules.perceptron import PERCEPTRON
from rosenblatt.rules.sigmoid_neuron import SIGMOID_NEURON

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        PERCEPTRON,
        MARGIN_PERCEPTRON,
        PA,
        PA_1,
        PA_2,
        PEGASOS,
        LOGISTIC,
        ADALINE,
        SIGMOID_NEURON,
    )
}

__all__ = ["RULES", "Rule", "RuleFunction"]
