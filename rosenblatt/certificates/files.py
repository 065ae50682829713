"""Certificates as small JSON files: verified when they are read.

A witness is stored as the rows that take part, not as their weights: these are the only solution of a linear system,
which the reader solves again exactly. Hyperplanes are stored as floats, to the last bit, or as fractions where no
float64 hyperplane is exact enough.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.certificates import schema
from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.certificate import About, Certificate
from rosenblatt.certificates.certify import AboutModel, CertifiedModel
from rosenblatt.certificates.fewest import FewestErrors, Witness
from rosenblatt.certificates.linear_model import LinearScores
from rosenblatt.certificates.objective import Objective
from rosenblatt.certificates.problem import Problem
from rosenblatt.certificates.reading import read_labels, read_rows
from rosenblatt.certificates.results import Hull, NotSeparable, Overlapping, QuasiComplete, Separable, Undecided
from rosenblatt.certificates.table import REST, SeparabilityTable
from rosenblatt.engine.online.state import Array
from rosenblatt.models.whole_file import write_whole
from rosenblatt.wording import shortened

FORMAT = "rosenblatt certificate"
PROTOCOL = 1


def write(certificate: Certificate | SeparabilityTable, path: Any) -> None:
    """Write the certificate, whole or not at all."""
    if isinstance(certificate, Undecided):
        raise ValueError("An undecided question has no proof to save; give it more time.")
    if isinstance(certificate, SeparabilityTable) and not certificate.proofs:
        raise ValueError("A table of undecided questions has no proof to save; give it more time.")
    classes = certificate.classes if isinstance(certificate, SeparabilityTable) else certificate.about.classes
    for name in classes:
        if type(name) not in (str, int, float, bool):
            raise ValueError(
                f"A certificate file names classes by text, numbers, true or false, but y has labels of type "
                f"{type(name).__name__}; convert them to text first."
            )
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
    schema.check_file(content, "the file")
    X = read_rows(X)
    try:
        return _table(content, X, y) if content["verdict"] == "table" else _verified(content, X, y)
    except exactly.CertificateError:
        raise
    except (TypeError, IndexError, OverflowError, ZeroDivisionError) as error:
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
    protocol = content.get("protocol")
    if type(protocol) is not int or protocol != PROTOCOL:
        raise exactly.CertificateError(
            f"{path} has protocol {shortened(protocol)}, but this version reads {PROTOCOL}; update the library."
        )
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _table(content: dict[str, Any], X: Any, y: Any) -> SeparabilityTable:
    names, codes = read_labels(y, X.shape[0])
    table = SeparabilityTable(content["classes"])
    if flaw := table.wrong_classes(names):
        raise exactly.CertificateError(flaw)
    for part in content["pairs"]:
        a, b = (table.number(name) for name in part["classes"])
        rows = np.flatnonzero((codes == a) | (codes == b))
        signs = np.where(codes[rows] == b, 1, -1).astype(np.int8)
        table.pairs[table.classes[a], table.classes[b]] = _part(part, X[rows], signs)
    for part in content["rest"]:
        if part["classes"][0] != REST:
            raise exactly.CertificateError(f"A part of the table must be about a class against {REST!r}.")
        number = table.number(part["classes"][1])
        table.rest[table.classes[number]] = _part(part, X, np.where(codes == number, 1, -1).astype(np.int8))
    if flaw := table.flaw(names):
        raise exactly.CertificateError(flaw)
    if not table.proofs:
        raise exactly.CertificateError("Every question of this table is undecided, so that it proves nothing.")
    return table


def _part(content: dict[str, Any], X: Any, signs: Array) -> Certificate:
    """A part of a table. If it is undecided it only says which question is."""
    about, rows = _about(content, X, signs)
    if content["verdict"] == Undecided.verdict:
        return Undecided(content["reason"], math.inf, about)  # a bound without its proof is not believed
    return _checked(content, about, rows, signs)


def _about(content: dict[str, Any], X: Any, signs: Array) -> tuple[About, exactly.Rows]:
    """Which question is answered, for the very data that it is about."""
    classes, shape = tuple(content["classes"]), tuple(content["shape"])
    about = About(classes, content["fit_intercept"], shape, content["digest"])
    rows, _ = about.recognise(X, signs)
    return replace(about, problem=Problem(rows.X, signs, classes, about.intercept)), rows


def _verified(content: dict[str, Any], X: Any, y: Any) -> Certificate:
    if content["verdict"] == Undecided.verdict:
        raise exactly.CertificateError("An undecided question has no proof, so that there is nothing to verify.")
    if content["verdict"] == CertifiedModel.verdict:
        return _model(content, X, y)
    about = About(tuple(content["classes"]), content["fit_intercept"], tuple(content["shape"]), content["digest"])
    rows, signs = about.read(X, y)
    about = replace(about, problem=Problem(rows.X, signs, about.classes, about.intercept))
    return _checked(content, about, rows, signs)


def _checked(content: dict[str, Any], about: About, rows: exactly.Rows, signs: Array) -> Certificate:
    certificate = _FROM_JSON[content["verdict"]](content, about, rows, signs)
    certificate.check(rows, signs)
    return certificate


def _model(content: dict[str, Any], X: Any, y: Any) -> CertifiedModel:
    about = AboutModel(tuple(content["classes"]), True, tuple(content["shape"]), content["digest"])
    rows, codes = about.read(X, y)
    weights = tuple(tuple(_from_number(value) for value in line) for line in content["weights"])
    offsets = tuple(_from_number(value) for value in content["offsets"])
    if len(weights) != len(offsets):
        raise exactly.CertificateError("A score function has weights and an offset.")
    radius, objective = content["radius"], content["objective"]
    certificate = CertifiedModel(
        model=LinearScores(weights, offsets, about.classes),
        norm=content["norm"],
        radius=tuple(map(float, radius)) if isinstance(radius, list) else float(radius),
        wrong=tuple(content["wrong"]),
        margin=-math.inf if content["margin"] is None else float(content["margin"]),
        about=replace(about, rows=rows, codes=codes),
        objective=None
        if objective is None
        else Objective.from_json(objective | {"lam": _from_number(objective["lam"])}),
    )
    certificate.check(rows, codes)
    return certificate


def _number(value: exactly.Number) -> Any:
    """A whole number as it is; a float by its shortest name; a fraction as text, in base 16 where it is long."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    top, bottom = value.numerator, value.denominator
    if max(abs(top), bottom).bit_length() > 10_000:
        return f"{'-' * (top < 0)}{abs(top):#x}/{bottom:#x}"
    return f"{top}/{bottom}" if isinstance(value, Fraction) else float(value)


def _from_number(value: Any) -> exactly.Number:
    if not isinstance(value, str):
        return float(value)
    parts = [int(part, 0 if "x" in part else 10) for part in value.split("/")]
    return Fraction(*parts)


def _plane_to_json(plane: Any) -> dict[str, Any]:
    return {"normal": [_number(value) for value in plane[0]], "offset": _number(plane[1])}


def _plane_from_json(content: Any, d: int) -> Any:
    if len(content["normal"]) != d:
        raise exactly.CertificateError(f"A hyperplane needs {d} numbers, one for each feature.")
    return tuple(_from_number(value) for value in content["normal"]), _from_number(content["offset"])


def _hull_to_json(hull: Hull | None) -> Any:
    return None if hull is None else {"rows": hull.rows, "shares": hull.weights, "bits": hull.bits}


def _hull_from_json(content: Any) -> Hull | None:
    if content is None:
        return None
    return Hull(tuple(content["rows"]), tuple(content["shares"]), content.get("bits", Hull.bits))


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
    if isinstance(certificate, CertifiedModel):
        del common["fit_intercept"]
        model, objective = certificate.model, certificate.objective
        return common | {
            "weights": [[_number(value) for value in line] for line in model.weights],
            "offsets": [_number(value) for value in model.offsets],
            "norm": certificate.norm,
            "radius": certificate.radius,
            "wrong": certificate.wrong,
            "margin": _finite(certificate.margin),
            "objective": None if objective is None else vars(objective) | {"lam": _number(objective.lam)},
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
    if isinstance(certificate, FewestErrors):
        return common | {
            "plane": _plane_to_json(certificate.plane),
            "wrong": certificate.wrong,
            "lower": certificate.lower,
            "witnesses": [witness.rows for witness in certificate.witnesses],
            "shares": certificate.shares,
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
    plane, theorem = _plane_from_json(content["plane"], rows.d), _plane_from_json(content["theorem_plane"], rows.d)
    upper, gamma_upper = (np.inf if content[name][1] is None else content[name][1] for name in ("margin", "gamma"))
    return Separable(
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


def _fewest(content: Any, about: About, rows: exactly.Rows, signs: Array) -> FewestErrors:
    plane = _plane_from_json(content["plane"], rows.d)
    return FewestErrors(
        lower=content["lower"],
        wrong=tuple(content["wrong"]),
        witnesses=tuple(Witness(*_solved(chosen, about, rows, signs)) for chosen in content["witnesses"]),
        shares=tuple(content["shares"]),
        plane=plane,
        about=about,
    )


def _solved(named: Any, about: About, rows: exactly.Rows, signs: Array, towards: Any = None) -> tuple[Any, Any]:
    chosen = tuple(named)
    if len(set(chosen)) != len(chosen) or not all(0 <= row < rows.n for row in chosen):
        raise exactly.CertificateError("A witness names rows of the data, none of them twice.")
    weights = exactly.solve_weights(rows, signs, chosen, intercept=about.intercept, towards=towards)
    if weights is None:
        raise exactly.CertificateError("The rows of the witness must determine its weights, and they do not.")
    return chosen, tuple(weights)


def _not_separable(content: Any, about: About, rows: exactly.Rows, signs: Array) -> NotSeparable:
    chosen, weights = _solved(content["rows"], about, rows, signs)
    return NotSeparable(chosen, weights, about)


def _overlapping(content: Any, about: About, rows: exactly.Rows, signs: Array) -> Overlapping:
    share = Fraction(_from_number(content["share"]))
    means = exactly.class_means(rows, signs, intercept=about.intercept)
    towards = {column: -share * value for column, value in means.items()}
    chosen, weights = _solved(content["rows"], about, rows, signs, towards)
    return Overlapping(chosen, weights, share, about)


def _quasi_complete(content: Any, about: About, rows: exactly.Rows, signs: Array) -> QuasiComplete:
    plane = _plane_from_json(content["plane"], rows.d)
    return QuasiComplete(
        strictly=exactly.count_off(rows, signs, exactly.Plane(*plane)),
        about=about,
        plane=plane,
        witness=_not_separable(content, about, rows, signs),
    )


_FROM_JSON = {
    Separable.verdict: _separable,
    NotSeparable.verdict: _not_separable,
    Overlapping.verdict: _overlapping,
    QuasiComplete.verdict: _quasi_complete,
    FewestErrors.verdict: _fewest,
}
