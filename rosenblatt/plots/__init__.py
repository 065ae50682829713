"""Pictures of what was learned and proven, as scikit-learn style displays on matplotlib."""

from __future__ import annotations

from rosenblatt.plots.boundary import BoundaryDisplay
from rosenblatt.plots.logic import MachineDisplay, NetworkDisplay, UnitDisplay
from rosenblatt.plots.margins import MarginDisplay
from rosenblatt.plots.proof import ProofDisplay
from rosenblatt.plots.separability import SeparabilityDisplay
from rosenblatt.plots.trace import TraceDisplay
from rosenblatt.plots.weights import WeightsDisplay

__all__ = [
    "BoundaryDisplay",
    "MachineDisplay",
    "MarginDisplay",
    "NetworkDisplay",
    "ProofDisplay",
    "SeparabilityDisplay",
    "TraceDisplay",
    "UnitDisplay",
    "WeightsDisplay",
]
