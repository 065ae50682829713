"""Rosenblatt: learning with linear thresholds, the perceptron and its family.

Everything public is here and is loaded when it is first used, so that `import rosenblatt` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

_HOMES = {
    "Client": "rosenblatt.service.client",
    "ColumnEncoder": "rosenblatt.features.columns",
    "open_source": "rosenblatt.sources.opening",
    "to_original_space": "rosenblatt.features.original_space",
    "RadialFeatures": "rosenblatt.features.radial",
    "PairProducts": "rosenblatt.features.pair_products",
    "HOGFeatures": "rosenblatt.features.hog",
    "Streamed": "rosenblatt.estimators.streamed",
    "StreamingScaler": "rosenblatt.features.streaming_scaler",
    "OnlineCalibrator": "rosenblatt.estimators.online_calibrator",
    "Layer": "rosenblatt.estimators.layer",
    "GradientDescent": "rosenblatt.estimators.gradient_descent",
    "GaussianDiscriminant": "rosenblatt.estimators.gaussian_discriminant",
    "LeastSquares": "rosenblatt.estimators.least_squares",
    "SigmoidNeuron": "rosenblatt.estimators.sigmoid_neuron",
    "HalfSpace": "rosenblatt.estimators.half_space",
    "KernelPerceptron": "rosenblatt.estimators.kernel_perceptron",
    "LinearSVM": "rosenblatt.estimators.linear_svm",
    "LogisticRegression": "rosenblatt.estimators.logistic_regression",
    "PassiveAggressive": "rosenblatt.estimators.passive_aggressive",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "RuleWarning": "rosenblatt.logic.rules",
    "RuleNetwork": "rosenblatt.logic.rules",
    "ExpressionError": "rosenblatt.logic.expression",
    "NotOneUnit": "rosenblatt.logic.one_unit",
    "BooleanFunction": "rosenblatt.logic.function",
    "ThresholdMachine": "rosenblatt.logic.machine",
    "ThresholdNetwork": "rosenblatt.logic.network",
    "ThresholdUnit": "rosenblatt.logic.unit",
    "as_threshold_unit": "rosenblatt.logic.one_unit",
    "audit": "rosenblatt.certificates.audit",
    "certify": "rosenblatt.certificates.certify",
    "chow_parameters": "rosenblatt.logic.one_unit",
    "describe": "rosenblatt.exchange.model_file",
    "explain": "rosenblatt.logic.explain",
    "export_onnx": "rosenblatt.exchange.onnx_export",
    "fewest_errors": "rosenblatt.certificates.fewest",
    "from_rules": "rosenblatt.logic.rules",
    "harden": "rosenblatt.estimators.soft_network",
    "soften": "rosenblatt.estimators.soft_network",
    "is_mercer": "rosenblatt.kernels",
    "load": "rosenblatt.exchange.model_file",
    "load_certificate": "rosenblatt.certificates.files",
    "margin": "rosenblatt.certificates.separability",
    "progressive_error": "rosenblatt.estimators.progressive",
    "save": "rosenblatt.exchange.model_file",
    "search": "rosenblatt.estimators.search",
    "separability": "rosenblatt.certificates.separability",
}

if TYPE_CHECKING:
    from rosenblatt.certificates.audit import audit as audit
    from rosenblatt.certificates.certify import certify as certify
    from rosenblatt.certificates.fewest import fewest_errors as fewest_errors
    from rosenblatt.certificates.files import load_certificate as load_certificate
    from rosenblatt.certificates.separability import margin as margin
    from rosenblatt.certificates.separability import separability as separability
    from rosenblatt.estimators.gaussian_discriminant import GaussianDiscriminant as GaussianDiscriminant
    from rosenblatt.estimators.gradient_descent import GradientDescent as GradientDescent
    from rosenblatt.estimators.half_space import HalfSpace as HalfSpace
    from rosenblatt.estimators.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from rosenblatt.estimators.layer import Layer as Layer
    from rosenblatt.estimators.least_squares import LeastSquares as LeastSquares
    from rosenblatt.estimators.linear_svm import LinearSVM as LinearSVM
    from rosenblatt.estimators.logistic_regression import LogisticRegression as LogisticRegression
    from rosenblatt.estimators.online_calibrator import OnlineCalibrator as OnlineCalibrator
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive as PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron as Perceptron
    from rosenblatt.estimators.progressive import progressive_error as progressive_error
    from rosenblatt.estimators.search import search as search
    from rosenblatt.estimators.sigmoid_neuron import SigmoidNeuron as SigmoidNeuron
    from rosenblatt.estimators.soft_network import harden as harden
    from rosenblatt.estimators.soft_network import soften as soften
    from rosenblatt.estimators.streamed import Streamed as Streamed
    from rosenblatt.exchange.model_file import describe as describe
    from rosenblatt.exchange.model_file import load as load
    from rosenblatt.exchange.model_file import save as save
    from rosenblatt.exchange.onnx_export import export_onnx as export_onnx
    from rosenblatt.features.columns import ColumnEncoder as ColumnEncoder
    from rosenblatt.features.hog import HOGFeatures as HOGFeatures
    from rosenblatt.features.original_space import to_original_space as to_original_space
    from rosenblatt.features.pair_products import PairProducts as PairProducts
    from rosenblatt.features.radial import RadialFeatures as RadialFeatures
    from rosenblatt.features.streaming_scaler import StreamingScaler as StreamingScaler
    from rosenblatt.kernels import is_mercer as is_mercer
    from rosenblatt.logic.explain import explain as explain
    from rosenblatt.logic.expression import ExpressionError as ExpressionError
    from rosenblatt.logic.function import BooleanFunction as BooleanFunction
    from rosenblatt.logic.machine import ThresholdMachine as ThresholdMachine
    from rosenblatt.logic.network import ThresholdNetwork as ThresholdNetwork
    from rosenblatt.logic.one_unit import NotOneUnit as NotOneUnit
    from rosenblatt.logic.one_unit import as_threshold_unit as as_threshold_unit
    from rosenblatt.logic.one_unit import chow_parameters as chow_parameters
    from rosenblatt.logic.rules import RuleNetwork as RuleNetwork
    from rosenblatt.logic.rules import RuleWarning as RuleWarning
    from rosenblatt.logic.rules import from_rules as from_rules
    from rosenblatt.logic.unit import ThresholdUnit as ThresholdUnit
    from rosenblatt.service.client import Client as Client
    from rosenblatt.sources.opening import open_source as open_source

__all__ = [*sorted(_HOMES), "__version__"]


def __getattr__(name: str) -> Any:
    if name in ("lab", "cluster"):  # rooms with doors of their own: rosenblatt.lab.show()
        return importlib.import_module(f"rosenblatt.{name}")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"rosenblatt has no {name!r}; it has {', '.join(__all__)}.")
    module = importlib.import_module(home)
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
