"""Pictures of what was learned and proven, as scikit-learn style displays on matplotlib."""

from __future__ import annotations

from rosenblatt.plots.logic import MachineDisplay, NetworkDisplay, UnitDisplay
from rosenblatt.plots.proof import ProofDisplay
from rosenblatt.plots.separability import SeparabilityDisplay

__all__ = ["MachineDisplay", "NetworkDisplay", "ProofDisplay", "SeparabilityDisplay", "UnitDisplay"]
