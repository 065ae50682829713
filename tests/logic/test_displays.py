"""What has no picture is refused in a sentence."""

from __future__ import annotations

import pytest

from rosenblatt import ThresholdMachine, ThresholdNetwork, as_threshold_unit
from rosenblatt.plots import MachineDisplay, UnitDisplay


def test_refuses() -> None:
    with pytest.raises(TypeError, match="NotOneUnit"):
        UnitDisplay.from_unit(as_threshold_unit("a ^ b"))  # type: ignore[arg-type]
    forgetful = ThresholdMachine(ThresholdNetwork.from_function("a ^ b"), {})
    with pytest.raises(ValueError, match="draw its network"):
        MachineDisplay.from_machine(forgetful)
