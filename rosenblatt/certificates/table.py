"""The verdicts for several classes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.certificate import THROUGH, Certificate, Verification
from rosenblatt.certificates.reading import read_labels, read_rows, same_label
from rosenblatt.certificates.results import NotSeparable, Separable, Undecided
from rosenblatt.engine.online.state import Array
from rosenblatt.wording import shortened

REST = "the rest"


class SeparabilityTable:
    """The verdicts for several classes: every pair, and every class against the rest.

    `pairs[a, b]` and `rest[a]` are certificates, all with an intercept or all without (`intercept`). Printed as a
    table: above the diagonal the pairs.
    """

    def __init__(self, classes: Sequence[Any]) -> None:
        self.classes = list(classes)
        self.pairs: dict[tuple[Any, Any], Certificate] = {}
        self.rest: dict[Any, Certificate] = {}

    def __iter__(self) -> Iterator[tuple[str, Certificate]]:
        for (a, b), certificate in self.pairs.items():
            yield f"{a} against {b}", certificate
        for a, certificate in self.rest.items():
            yield f"{a} against the rest", certificate

    def __len__(self) -> int:
        return len(self.pairs) + len(self.rest)

    def __bool__(self) -> bool:
        raise ValueError("A table holds several verdicts, which is neither yes nor no; look at .pairs and .rest.")

    def _repr_html_(self) -> str:
        return "<pre>" + str(self).replace("&", "&amp;").replace("<", "&lt;") + "</pre>"

    def missing(self) -> list[str]:
        """The questions that a whole table would answer and this one does not."""
        pairs = [pair for pair in itertools.combinations(self.classes, 2) if pair not in self.pairs]
        return [f"{a} against {b}" for a, b in pairs] + [
            f"{a} against the rest" for a in self.classes if a not in self.rest
        ]

    @property
    def intercept(self) -> bool:
        """Whether the hyperplanes may leave the origin, which is the same for every question."""
        return all(part.about.intercept for _, part in self)

    @property
    def proofs(self) -> int:
        """How many of the questions are decided: each has its proof."""
        return sum(not isinstance(part, Undecided) for _, part in self)

    def number(self, name: Any) -> int:
        """The place of a class among the classes."""
        places = [place for place, known in enumerate(self.classes) if same_label(name, known)]
        if len(places) != 1:
            raise exactly.CertificateError(f"A part of the table is about a class {name!r}, which is none of its own.")
        return places[0]

    def wrong_classes(self, names: Array) -> str:
        """A sentence if the classes of the table are not those of the labels."""
        known = names.tolist()
        alike = len(known) == len(self.classes) and all(map(same_label, self.classes, known))
        return "" if alike else f"This table is about the classes {shortened(self.classes)}, but y has others."

    def flaw(self, names: Array) -> str:
        """A sentence if this is no whole table of these classes: each pair, and each class against the rest."""
        if wrong := self.wrong_classes(names):
            return wrong
        whole = set(self.pairs) <= set(itertools.combinations(self.classes, 2)) and set(self.rest) <= set(self.classes)
        if not whole or self.missing():
            return (
                "A table must answer every pair and every class against the rest of the data, and nothing else, and "
                "this one does not."
            )
        if not all(isinstance(part, Separable | NotSeparable | Undecided) for _, part in self):
            return "A table must say separable, not separable or undecided, but this one says something else."
        if len({bool(part.about.intercept) for _, part in self}) > 1:
            return (
                "All questions of a table must be with an intercept, or all without, but this one mixes the two: some "
                "hyperplanes must pass through the origin, others need not."
            )
        return ""

    def records(self) -> list[dict[str, Any]]:
        """One dictionary for each question, ready for a frame."""
        found = []
        for name, certificate in self:
            record: dict[str, Any] = {"question": name, "verdict": certificate.verdict}
            if isinstance(certificate, Separable):
                record |= {"margin": certificate.margin, "margin_upper": certificate.margin_upper}
                record |= {"mistake_bound": certificate.mistake_bound, "rows": len(certificate.support_vectors)}
            elif isinstance(certificate, NotSeparable):
                record |= {"margin": 0.0, "margin_upper": 0.0, "mistake_bound": None, "rows": len(certificate.rows)}
            found.append(record)
        return found

    def _cell(self, certificate: Certificate | None) -> str:
        if isinstance(certificate, Separable):
            return f"{certificate.margin:.3g}"
        if certificate is None:
            return ""
        return "no" if isinstance(certificate, NotSeparable) else "?"

    def __str__(self) -> str:
        names = [str(name) for name in self.classes]
        lines = [["", *names[1:], "rest"]]
        for i, a in enumerate(self.classes):
            cells = [self._cell(self.pairs.get((a, b))) for b in self.classes[1:]]
            lines.append([names[i], *cells, self._cell(self.rest.get(a))])
        widths = [max(len(line[j]) for line in lines) for j in range(len(lines[0]))]
        table = "\n".join("  ".join(cell.rjust(w) for cell, w in zip(line, widths, strict=True)) for line in lines)
        counts = {name: sum(c.verdict == name for _, c in self) for name in ("separable", "not separable", "undecided")}
        told = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        through = "" if self.intercept else f", each by a {THROUGH}"
        return f"{table}\n{told}{through} (a number is the margin of a separable pair)"

    __repr__ = __str__

    def verify(self, X: Any, y: Any) -> Verification:
        """Check every certificate in exact arithmetic."""
        try:
            X = read_rows(X)
            names, codes = read_labels(y, X.shape[0])
        except ValueError as error:
            return Verification(False, str(error))
        if flaw := self.flaw(names):
            return Verification(False, flaw)
        for question, certificate, chosen, signs in self._questions(codes):
            try:
                rows, _ = certificate.about.recognise(X if chosen is None else X[chosen], signs)
            except exactly.CertificateError as error:
                return Verification(False, f"{question}: {error}")
            if not (found := certificate.verify_signs(rows, signs)):
                return Verification(False, f"{question}: {found.reason}")
        through = "" if self.intercept else f", each about a {THROUGH}"
        return Verification(True, f"{len(self)} certificates checked in exact arithmetic{through}")

    def _questions(self, codes: Array) -> Iterator[tuple[str, Certificate, Array | None, Array]]:
        """Each question: its name, its certificate, its rows (None for all of them), and their signs."""
        for (a, b), certificate in self.pairs.items():
            rows = np.flatnonzero((codes == self.classes.index(a)) | (codes == self.classes.index(b)))
            signs = np.where(codes[rows] == self.classes.index(b), 1, -1).astype(np.int8)
            yield f"{a} against {b}", certificate, rows, signs
        for a, certificate in self.rest.items():
            signs = np.where(codes == self.classes.index(a), 1, -1).astype(np.int8)
            yield f"{a} against the rest", certificate, None, signs

    def save(self, path: Any) -> None:
        """Write all certificates in one JSON file; `load_certificate` reads and verifies it."""
        from rosenblatt.certificates.files import write

        write(self, path)
