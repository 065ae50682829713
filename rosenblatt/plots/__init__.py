"""Pictures of what was learned and proven, as scikit-learn style displays on matplotlib."""

from __future__ import annotations

from rosenblatt.plots.boundary import BoundaryDisplay
from rosenblatt.plots.fewest_errors import ErrorsDisplay
from rosenblatt.plots.logic import MachineDisplay, NetworkDisplay, UnitDisplay
from rosenblatt.plots.margins import MarginDisplay
from rosenblatt.plots.proof import ProofDisplay
from rosenblatt.plots.robustness import RobustnessDisplay
from rosenblatt.plots.separability import SeparabilityDisplay
from rosenblatt.plots.trace import TraceDisplay
from rosenblatt.plots.weights import WeightsDisplay

__all__ = [
    "BoundaryDisplay",
    "ErrorsDisplay",
    "MachineDisplay",
    "MarginDisplay",
    "NetworkDisplay",
    "ProofDisplay",
    "RobustnessDisplay",
    "SeparabilityDisplay",
    "TraceDisplay",
    "UnitDisplay",
    "WeightsDisplay",
]
