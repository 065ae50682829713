"""What the data and a run prove: separability, margins, mistake bounds, each with a proof that can be checked.

The kinds of results are named here and loaded when they are first used: the checker of proofs, `verify.py`, must not
need those who find them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Separable": "rosenblatt.certificates.results",
    "NotSeparable": "rosenblatt.certificates.results",
    "Overlapping": "rosenblatt.certificates.results",
    "QuasiComplete": "rosenblatt.certificates.results",
    "Undecided": "rosenblatt.certificates.results",
    "SeparabilityTable": "rosenblatt.certificates.table",
    "CertifiedModel": "rosenblatt.certificates.certify",
    "FewestErrors": "rosenblatt.certificates.fewest",
    "Objective": "rosenblatt.certificates.objective",
    "Verification": "rosenblatt.certificates.certificate",
    "Audit": "rosenblatt.certificates.audit",
    "Audits": "rosenblatt.certificates.audit",
    "CertificateError": "rosenblatt.certificates.verify",
}

if TYPE_CHECKING:
    from rosenblatt.certificates.audit import Audit as Audit
    from rosenblatt.certificates.audit import Audits as Audits
    from rosenblatt.certificates.certificate import Verification as Verification
    from rosenblatt.certificates.certify import CertifiedModel as CertifiedModel
    from rosenblatt.certificates.fewest import FewestErrors as FewestErrors
    from rosenblatt.certificates.objective import Objective as Objective
    from rosenblatt.certificates.results import NotSeparable as NotSeparable
    from rosenblatt.certificates.results import Overlapping as Overlapping
    from rosenblatt.certificates.results import QuasiComplete as QuasiComplete
    from rosenblatt.certificates.results import Separable as Separable
    from rosenblatt.certificates.results import Undecided as Undecided
    from rosenblatt.certificates.table import SeparabilityTable as SeparabilityTable
    from rosenblatt.certificates.verify import CertificateError as CertificateError

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"rosenblatt.certificates has no {name!r}; it has {', '.join(__all__)}.")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value
