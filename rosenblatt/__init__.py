"""Rosenblatt: learning with linear thresholds, fast and certain.

Everything public is here and is loaded when it is first used, so that `import rosenblatt` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "HalfSpace": "rosenblatt.estimators.half_space",
    "KernelPerceptron": "rosenblatt.estimators.kernel_perceptron",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "audit": "rosenblatt.certificates.audit",
    "is_mercer": "rosenblatt.kernels",
    "load": "rosenblatt.estimators.persistence",
    "load_certificate": "rosenblatt.certificates.files",
    "margin": "rosenblatt.certificates.separability",
    "progressive_error": "rosenblatt.estimators.progressive",
    "save": "rosenblatt.estimators.persistence",
    "separability": "rosenblatt.certificates.separability",
}

if TYPE_CHECKING:
    from rosenblatt.certificates.audit import audit as audit
    from rosenblatt.certificates.files import load_certificate as load_certificate
    from rosenblatt.certificates.separability import margin as margin
    from rosenblatt.certificates.separability import separability as separability
    from rosenblatt.estimators.half_space import HalfSpace as HalfSpace
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive as PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron as Perceptron
    from rosenblatt.estimators.persistence import load as load
    from rosenblatt.estimators.persistence import save as save
    from rosenblatt.estimators.progressive import progressive_error as progressive_error
    from rosenblatt.kernels import is_mercer as is_mercer

__all__ = [
    "HalfSpace",
    "KernelPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "audit",
    "is_mercer",
    "load",
    "load_certificate",
    "margin",
    "progressive_error",
    "save",
    "separability",
    "__version__",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"rosenblatt has no {name!r}; it has {', '.join(__all__)}.")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
