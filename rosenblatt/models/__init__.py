"""The frozen results of training, and their files."""

from __future__ import annotations

from rosenblatt.models.kernel import KernelModel, VotedKernelModel
from rosenblatt.models.linear import LinearModel
from rosenblatt.models.voted import VotedModel

__all__ = ["KernelModel", "LinearModel", "VotedKernelModel", "VotedModel"]
