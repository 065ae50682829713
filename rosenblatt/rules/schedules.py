"""Learning rates that change with time (lecture row L5): eta_t in place of eta."""

from __future__ import annotations

from collections.abc import Callable

from rosenblatt.rules.contract import RuleFunction


def scheduled(rule: RuleFunction, schedule: Callable[[int], float]) -> RuleFunction:
    """The rule with its first parameter, the learning rate, replaced by schedule(t), t = 1, 2, …"""

    def rule_on_schedule(m: float, sqnorm: float, t: int, params: tuple[float, ...]) -> tuple[float, float]:
        return rule(m, sqnorm, t, (float(schedule(t)), *params[1:]))

    return rule_on_schedule
