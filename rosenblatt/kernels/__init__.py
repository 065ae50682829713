"""Kernels by name, as objects, and what is known about them."""

from __future__ import annotations

from rosenblatt.kernels.functions import (
    KERNELS,
    RBF,
    Function,
    Gaussian,
    Kernel,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from rosenblatt.kernels.maps import degree_two_map
from rosenblatt.kernels.mercer import MercerReport, as_kernel, is_mercer

__all__ = [
    "KERNELS",
    "Function",
    "Gaussian",
    "Kernel",
    "Linear",
    "MercerReport",
    "Polynomial",
    "Precomputed",
    "RBF",
    "Sigmoid",
    "as_kernel",
    "degree_two_map",
    "is_mercer",
]
