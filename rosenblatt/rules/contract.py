"""What a rule is: what one row teaches one half-space.

With labels y = -1 or +1 and the margin m = y (w·x + b), a rule is a plain function of scalars

    step, shrink = rule(m, sqnorm, t, params)          w <- shrink·w + step·y·x

where sqnorm = ‖x‖² (the bias coordinate, which is always 1, counted in), t = 1, 2, … numbers the examples
that this half-space has seen, and params is a tuple of floats. A rule never sees a vector, so every rule
runs on every engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rosenblatt.arguments import shortened

RuleFunction = Callable[[float, float, int, tuple[float, ...]], tuple[float, float]]
LossFunction = Callable[[float, float, tuple[float, ...]], float]


@dataclass(frozen=True)
class Rule:
    """A rule with what the rest of the package wants to know about it.

    Parameters
    ----------
    name : str
        The name under which the rule stands in `RULES`.
    function : callable
        ``step, shrink = function(m, sqnorm, t, params)``.
    parameters : mapping of str to float
        The names of the entries of ``params``, in order, with their defaults.
    weighted : str or None
        The parameter that a sample weight multiplies. None: a sample weight multiplies the step.
    loss : callable or None
        ``loss(m, sqnorm, params)``, the loss whose descent the rule is, for tests and plots.
    formula, paper : str
        The update in one line, and where it was published.
    """

    name: str
    function: RuleFunction
    parameters: Mapping[str, float] = field(default_factory=dict)
    weighted: str | None = None
    loss: LossFunction | None = None
    formula: str = ""
    paper: str = ""

    @property
    def weighted_index(self) -> int:
        """The place in ``params`` of the parameter that a sample weight multiplies, or -1 for the step."""
        return -1 if self.weighted is None else list(self.parameters).index(self.weighted)

    def values(self, given: Mapping[str, float] | None = None) -> tuple[float, ...]:
        """The rule's parameters in order, those in `given` taking the place of the defaults.

        >>> from rosenblatt.rules import RULES
        >>> RULES["passive_aggressive_1"].values({"C": 0.5})
        (0.5,)
        """
        given = dict(given or {})
        unknown = sorted(set(given) - set(self.parameters))
        if unknown:
            known = ", ".join(self.parameters) or "none"
            raise ValueError(
                f"params must name parameters of the rule {self.name!r} ({known}), but got {shortened(unknown[0])}; "
                f"remove it or choose another rule."
            )
        return tuple(self._number(name, given.get(name, default)) for name, default in self.parameters.items())

    def _number(self, name: str, value: object) -> float:
        try:
            return float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} of the rule {self.name!r} must be a number, but got {shortened(value)}; its default is "
                f"{self.parameters[name]:g}."
            ) from None
