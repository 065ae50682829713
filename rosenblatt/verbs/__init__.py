"""What the command line does, as functions: each verb is one call, and returns what there is to print or to write.

Names are loaded when they are first used, so that `rosenblatt --help` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.verbs.audits import audit as audit
    from rosenblatt.verbs.conversion import convert as convert
    from rosenblatt.verbs.errors import InputError as InputError
    from rosenblatt.verbs.errors import OutputError as OutputError
    from rosenblatt.verbs.errors import UsageError as UsageError
    from rosenblatt.verbs.evaluation import evaluate as evaluate
    from rosenblatt.verbs.exporting import export as export
    from rosenblatt.verbs.inspection import inspect as inspect
    from rosenblatt.verbs.known_sets import export_dataset as export_dataset
    from rosenblatt.verbs.known_sets import list_datasets as list_datasets
    from rosenblatt.verbs.options import TrainOptions as TrainOptions
    from rosenblatt.verbs.prediction import predict as predict
    from rosenblatt.verbs.proof import separable as separable
    from rosenblatt.verbs.training import train as train

_NAMES = {
    "conversion": ("convert",),
    "errors": ("InputError", "OutputError", "UsageError"),
    "evaluation": ("evaluate",),
    "exporting": ("export",),
    "inspection": ("inspect",),
    "known_sets": ("export_dataset", "list_datasets"),
    "options": ("TrainOptions",),
    "prediction": ("predict",),
    "proof": ("separable",),
    "audits": ("audit",),
    "training": ("train",),
}
_HOMES = {name: f"rosenblatt.verbs.{home}" for home, names in _NAMES.items() for name in names}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"rosenblatt.verbs has no {name!r}; it has {', '.join(__all__)}.")
    return getattr(importlib.import_module(home), name)
