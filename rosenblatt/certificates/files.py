"""Certificates as small JSON files: verified when they are read.

A witness is stored as the rows that take part, not as their weights: these are the only solution of a linear system,
which the reader solves again exactly. Hyperplanes are stored as floats, to the last bit, or as fractions where no
float64 hyperplane is exact enough.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.certificate import About, Certificate
from rosenblatt.certificates.problem import Problem, read_rows
from rosenblatt.certificates.results import Hull, NotSeparable, Overlapping, QuasiComplete, Separable, Undecided
from rosenblatt.certificates.table import SeparabilityTable, against_rest
from rosenblatt.engine.online.state import Array
from rosenblatt.models.whole_file import write_whole
from rosenblatt.wording import listed, shortened

FORMAT = "rosenblatt certificate"
PROTOCOL = 1


def write(certificate: Certificate | SeparabilityTable, path: Any) -> None:
    """Write the certificate, whole or not at all."""
    if isinstance(certificate, Undecided):
        raise ValueError("An undecided question has no proof to save; give it more time.")
    if isinstance(certificate, SeparabilityTable) and not certificate.proofs:
        raise ValueError("A table of undecided questions has no proof to save; give it more time.")
    text = json.dumps({"format": FORMAT, "protocol": PROTOCOL, **_to_json(certificate)}, allow_nan=False)
    write_whole(path, text.encode())


def load_certificate(path: Any, X: Any, y: Any) -> Any:
    """Read a certificate and verify it, in exact arithmetic, for the data that it is about.

    Parameters
    ----------
    path : path
    X, y : the rows and labels that it is about

    Returns
    -------
    The certificate, verified. Of a table every proof is; questions that it leaves undecided are about this data, and
    claim nothing.

    Raises
    ------
    CertificateError
        With the reason, if the data is not that data or the proof does not hold.
    FileNotFoundError
        If there is no such file.

    Examples
    --------
    >>> import os, tempfile
    >>> from rosenblatt import load_certificate, separability
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> path = os.path.join(tempfile.mkdtemp(), "xor.json")
    >>> separability(X, y).save(path)
    >>> load_certificate(path, X, y).verdict
    'not separable'
    """
    content = {key: value for key, value in _read(path).items() if key not in ("format", "protocol")}
    X, labels = read_rows(X), np.asarray(y)
    try:
        return _table(content, X, labels) if content["verdict"] == "table" else _verified(content, X, labels)
    except exactly.CertificateError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, ZeroDivisionError) as error:
        raise exactly.CertificateError(f"{path} is damaged ({type(error).__name__}: {error}); save it again.") from None


def _read(path: Any) -> dict[str, Any]:
    if Path(path).is_dir():
        raise IsADirectoryError(f"{path} must be a certificate, but it is a folder; name the file in it.")
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path} must be a certificate, but there is no such file; check the path.")
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise exactly.CertificateError(f"{path} must be a certificate, but it is not valid JSON ({error}).") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise exactly.CertificateError(f"{path} must be a certificate of this library, but it is another file.")
    if content.get("protocol") != PROTOCOL:
        raise exactly.CertificateError(
            f"{path} has protocol {content.get('protocol')!r}, but this version reads {PROTOCOL}; update the library."
        )
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _check_keys(content: Any, known: Iterable[str]) -> None:
    """Refuse what nobody reads: a word that is misspelt, or a claim that is not checked beside those that are."""
    unknown = [key for key in content.keys() if key not in known]  # noqa: SIM118  a list has none, and is damaged
    if unknown:
        raise exactly.CertificateError(
            f"A certificate must say only what is checked, but it has {shortened(unknown[0])} beside "
            f"{listed(known)}; save it again."
        )


def _table(content: dict[str, Any], X: Any, labels: Array) -> SeparabilityTable:
    _check_keys(content, ("verdict", "classes", "pairs", "rest"))
    table = SeparabilityTable(content["classes"])
    for part in content["pairs"]:
        a, b = part["classes"]
        rows = np.flatnonzero((labels == a) | (labels == b))
        table.pairs[a, b] = _part(part, X[rows], labels[rows])
    for part in content["rest"]:
        name = part["classes"][1]
        table.rest[name] = _part(part, X, against_rest(labels, name))
    if flaw := table.flaw(labels):
        raise exactly.CertificateError(flaw)
    if not table.proofs:
        raise exactly.CertificateError("Every question of this table is undecided, so that it proves nothing.")
    return table


def _part(content: dict[str, Any], X: Any, labels: Array) -> Certificate:
    """A part of a table; it may be undecided, and then it says which question is, and nothing more."""
    if content["verdict"] != Undecided.verdict:
        return _verified(content, X, labels)
    about, _, _ = _question(content, X, labels)
    bound, reason = content["margin_upper"], content["reason"]
    if not isinstance(reason, str) or not (bound is None or (type(bound) in (int, float) and bound >= 0)):
        raise exactly.CertificateError("An undecided question has a reason in words, and no margin below 0.")
    return Undecided(reason, math.inf, about)  # a bound in the file, which comes without its proof, is not believed


def _question(content: dict[str, Any], X: Any, labels: Array) -> tuple[About, exactly.Rows, Array]:
    """Which question is answered, for the very data that it is about."""
    _check_keys(content, (*_COMMON, *_PROOF[content["verdict"]]))
    if not isinstance(content["fit_intercept"], bool):
        raise exactly.CertificateError("fit_intercept must be true or false.")
    about = About(tuple(content["classes"]), content["fit_intercept"], tuple(content["shape"]), content["digest"])
    rows, signs = about.read(X, labels)
    return replace(about, problem=Problem(rows.X, signs, about.classes, about.intercept)), rows, signs


def _verified(content: dict[str, Any], X: Any, labels: Array) -> Certificate:
    if content["verdict"] == Undecided.verdict:
        raise exactly.CertificateError("An undecided question has no proof, so that there is nothing to verify.")
    about, rows, signs = _question(content, X, labels)
    certificate = _FROM_JSON[content["verdict"]](content, about, rows, signs)
    certificate.check(rows, signs)
    return certificate


def _number(value: exactly.Number) -> Any:
    """A whole number as it is; a float by its shortest name; a fraction as text."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else float(value)


def _from_number(value: Any) -> exactly.Number:
    number = Fraction(value) if isinstance(value, str) else float(value)
    if number in (math.inf, -math.inf):
        raise ValueError("a number of a hyperplane is infinite")
    return number


def _plane_to_json(plane: Any) -> dict[str, Any]:
    return {"normal": [_number(value) for value in plane[0]], "offset": _number(plane[1])}


def _plane_from_json(content: Any) -> Any:
    _check_keys(content, ("normal", "offset"))
    return tuple(_from_number(value) for value in content["normal"]), _from_number(content["offset"])


def _hull_to_json(hull: Hull | None) -> Any:
    return None if hull is None else {"rows": hull.rows, "shares": hull.weights, "bits": hull.bits}


def _hull_from_json(content: Any) -> Hull | None:
    if content is None:
        return None
    _check_keys(content, ("rows", "shares", "bits"))
    rows, shares = (tuple(_whole(value) for value in content[name]) for name in ("rows", "shares"))
    return Hull(rows, shares, _whole(content.get("bits", Hull.bits)))


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{value!r} is not a whole number")
    return value


def _to_json(certificate: Certificate | SeparabilityTable) -> dict[str, Any]:
    if isinstance(certificate, SeparabilityTable):
        return {
            "verdict": "table",
            "classes": certificate.classes,
            "pairs": [_to_json(part) for part in certificate.pairs.values()],
            "rest": [_to_json(part) for part in certificate.rest.values()],
        }
    about = certificate.about
    common = {
        "verdict": certificate.verdict,
        "classes": list(about.classes),
        "fit_intercept": about.intercept,
        "shape": list(about.shape),
        "digest": about.known_by(),
    }
    if isinstance(certificate, Separable):
        return common | {
            "plane": _plane_to_json(certificate.plane),
            "margin": [certificate.margin, _finite(certificate.margin_upper)],
            "hull": _hull_to_json(certificate.hull),
            "theorem_plane": _plane_to_json(certificate.theorem_plane),
            "gamma": [certificate.gamma, _finite(certificate.gamma_upper)],
            "theorem_hull": _hull_to_json(certificate.theorem_hull),
            "radius": certificate.radius,
            "mistake_bound": str(certificate.mistake_bound),
        }
    if isinstance(certificate, NotSeparable):
        return common | {"rows": certificate.rows}
    if isinstance(certificate, Overlapping):
        return common | {"rows": certificate.rows, "share": _number(certificate.share)}
    if isinstance(certificate, QuasiComplete):
        return common | {"plane": _plane_to_json(certificate.plane), "rows": certificate.witness.rows}
    assert isinstance(certificate, Undecided)
    return common | {"reason": certificate.reason, "margin_upper": None}  # a bound would need its proof


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _separable(content: Any, about: About, rows: exactly.Rows, signs: Array) -> Separable:
    plane, theorem = _plane_from_json(content["plane"]), _plane_from_json(content["theorem_plane"])
    upper, gamma_upper = (np.inf if content[name][1] is None else content[name][1] for name in ("margin", "gamma"))
    return Separable(
        normal=np.array([float(value) for value in plane[0]]),
        offset=float(plane[1]),
        margin=float(content["margin"][0]),
        margin_upper=float(upper),
        radius=float(content["radius"]),
        gamma=float(content["gamma"][0]),
        gamma_upper=float(gamma_upper),
        mistake_bound=int(content["mistake_bound"]),
        about=about,
        plane=plane,
        theorem_plane=theorem,
        hull=_hull_from_json(content["hull"]),
        theorem_hull=_hull_from_json(content["theorem_hull"]),
    )


def _solved(content: Any, about: About, rows: exactly.Rows, signs: Array, towards: Any = None) -> tuple[Any, Any]:
    chosen = tuple(_whole(row) for row in content["rows"])
    if len(set(chosen)) != len(chosen) or not all(0 <= row < rows.n for row in chosen):
        raise exactly.CertificateError("A witness names rows of the data, none of them twice.")
    weights = exactly.solve_weights(rows, signs, chosen, intercept=about.intercept, towards=towards)
    if weights is None:
        raise exactly.CertificateError("The rows of the witness must determine its weights, and they do not.")
    return chosen, tuple(weights)


def _not_separable(content: Any, about: About, rows: exactly.Rows, signs: Array) -> NotSeparable:
    chosen, weights = _solved(content, about, rows, signs)
    return NotSeparable(chosen, weights, about)


def _overlapping(content: Any, about: About, rows: exactly.Rows, signs: Array) -> Overlapping:
    share = Fraction(content["share"])
    means = exactly.class_means(rows, signs, intercept=about.intercept)
    towards = {column: -share * value for column, value in means.items()}
    chosen, weights = _solved(content, about, rows, signs, towards)
    return Overlapping(chosen, weights, share, about)


def _quasi_complete(content: Any, about: About, rows: exactly.Rows, signs: Array) -> QuasiComplete:
    plane = _plane_from_json(content["plane"])
    return QuasiComplete(
        normal=np.array([float(value) for value in plane[0]]),
        offset=float(plane[1]),
        strictly=exactly.count_off(rows, signs, exactly.Plane(*plane)),
        about=about,
        plane=plane,
        witness=_not_separable(content, about, rows, signs),
    )


#: What a file says about every question, and what about one of each verdict.
_COMMON = ("verdict", "classes", "fit_intercept", "shape", "digest")
_PROOF = {
    Separable.verdict: (
        "plane", "margin", "hull", "theorem_plane", "gamma", "theorem_hull", "radius", "mistake_bound",
    ),
    NotSeparable.verdict: ("rows",),
    Overlapping.verdict: ("rows", "share"),
    QuasiComplete.verdict: ("plane", "rows"),
    Undecided.verdict: ("reason", "margin_upper"),
}  # fmt: skip

_FROM_JSON = {
    Separable.verdict: _separable,
    NotSeparable.verdict: _not_separable,
    Overlapping.verdict: _overlapping,
    QuasiComplete.verdict: _quasi_complete,
}
