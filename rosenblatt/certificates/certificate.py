"""A verdict with its proof, and which question it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from rosenblatt.certificates import verify as exactly
from rosenblatt.certificates.problem import Problem, digest
from rosenblatt.certificates.reading import read_labels, read_rows, same_label
from rosenblatt.engine.online.state import Array
from rosenblatt.wording import counted, shortened

THROUGH = "hyperplane through the origin"


@dataclass(frozen=True)
class Verification:
    """Whether a certificate holds for some data; true or false by itself, with the reason."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True)
class About:
    """Which question a certificate answers: the classes, the shape of the data and its digest.

    A question that the time limit left out has no digest yet, but `later`, which computes it when it is needed.
    """

    classes: tuple[Any, ...]
    intercept: bool
    shape: tuple[int, int]
    digest: str
    problem: Problem | None = field(default=None, repr=False, compare=False)
    later: Callable[[], str] | None = field(default=None, repr=False, compare=False)

    def known_by(self) -> str:
        """The digest of the data."""
        return self.later() if self.later is not None and not self.digest else self.digest

    def through(self) -> str:
        """The words for the hyperplanes in question, where they are not all of them."""
        return "" if self.intercept else THROUGH

    @staticmethod
    def of(problem: Problem) -> About:
        return About(problem.classes, problem.intercept, (problem.n, problem.d), problem.digest(), problem)

    def read(self, X: Any, y: Any) -> tuple[exactly.Rows, Array]:
        """The rows and signs that the certificate is about."""
        X = self._rows(X)
        names, codes = read_labels(y, self.shape[0])
        negative, positive = ([same_label(name, label) for label in names.tolist()] for name in self.classes)
        if len(names) != 2 or sorted([negative, positive]) != [[False, True], [True, False]]:
            known = shortened(self.classes)
            raise exactly.CertificateError(f"This certificate is about the classes {known}, but y has others.")
        return self.recognise(X, np.where(codes == positive.index(True), 1, -1).astype(np.int8))

    def _rows(self, X: Any) -> Any:
        X = read_rows(X)
        if X.shape != self.shape:
            raise exactly.CertificateError(
                f"This certificate is about {counted(self.shape[0], 'row')} of {counted(self.shape[1], 'feature')}, "
                f"but X has shape {X.shape}."
            )
        return X

    def recognise(self, X: Any, signs: Array) -> tuple[exactly.Rows, Array]:
        """These rows and signs, if they are what the certificate is about."""
        if X.shape != self.shape or digest(X, signs) != self.known_by():
            raise exactly.CertificateError("The data is not the data that this certificate is about: digests differ.")
        return exactly.Rows(X), signs


class Certificate(ABC):
    """A verdict with its proof. As a condition it says whether the classes are separable."""

    verdict: ClassVar[str]
    about: About

    @abstractmethod
    def check(self, rows: exactly.Rows, signs: Array) -> None:
        """Raise `CertificateError` unless the whole proof holds for these rows."""

    def verify(self, X: Any, y: Any) -> Verification:
        """Check the whole proof in exact arithmetic on these very numbers.

        The answer is true or false by itself, and its `reason` says what failed.
        """
        try:
            rows, signs = self.about.read(X, y)
        except ValueError as error:
            return Verification(False, str(error))
        return self.verify_signs(rows, signs)

    def verify_signs(self, rows: exactly.Rows, signs: Array) -> Verification:
        """Check the whole proof for rows with labels -1 and +1."""
        try:
            self.check(rows, signs)
        except exactly.CertificateError as error:
            return Verification(False, str(error))
        except (ValueError, OverflowError, TypeError, IndexError, ZeroDivisionError) as error:
            return Verification(False, f"The certificate is not made of proper numbers ({error}).")
        question = f" by a {self.about.through()}" if self.about.through() else ""
        told = f"{self.verdict}{question}: checked in exact arithmetic on all {self.about.shape[0]:,} rows"
        return Verification(True, told)

    def save(self, path: Any) -> None:
        """Write the certificate as JSON; `load_certificate` reads and verifies it."""
        from rosenblatt.certificates.files import write

        write(self, path)

    def _problem(self) -> Problem:
        if self.about.problem is None:
            raise ValueError("This certificate has no data with it; load it with load_certificate(path, X, y).")
        return self.about.problem

    def _title(self) -> str:
        negative, positive = self.about.classes
        through = f", {self.about.through()}" if self.about.through() else ""
        return f"{positive!r} against {negative!r}, {self.about.shape[0]:,} x {self.about.shape[1]:,}{through}"

    def _repr_html_(self) -> str:
        return "<pre>" + str(self).replace("&", "&amp;").replace("<", "&lt;") + "</pre>"
