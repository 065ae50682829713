"""What the service asks of a model, whatever it is: to predict, and, where it can, to learn one example.

An online learner takes dicts of any names, or rows of one width. A pipeline takes dicts whose names are its columns;
its last step learns from what the steps before it, which stay as they are, make of them.
"""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Mapping
from typing import Any

from rosenblatt.exchange.model_file import rebuilt
from rosenblatt.models.file import read_file
from rosenblatt.service.bodies import NewModel, Spec
from rosenblatt.service.problems import RequestError
from rosenblatt.wording import listed, shortened

HASHED = 2**18  # slots of an open vocabulary, unless a model says otherwise
MOST_SLOTS = 2**24
MOST_CLASSES = 1000
POINTS = 256  # of a curve, at most
FIGURES = ("examples", "mistakes", "skipped", "curve", "every")
LEARNERS = ("Perceptron", "PassiveAggressive", "HalfSpace", "LinearSVM", "LogisticRegression")


def new_learner(spec: NewModel) -> Any:
    """The learner that a description names, which has learned nothing."""
    import rosenblatt

    if spec.learner not in LEARNERS:
        known = listed(LEARNERS, last=" and ")
        raise RequestError(422, f"There is no online learner {shortened(spec.learner)}; there are {known}.")
    make = getattr(rosenblatt, spec.learner)
    possible = make().get_params()
    unknown = [name for name in spec.params if name not in possible]
    if unknown:
        raise RequestError(
            422, f"{spec.learner} has no parameter {shortened(unknown[0])}; it has {listed(possible, 20)}."
        )
    slots = spec.params.get("hash_features")
    if isinstance(slots, int) and slots > MOST_SLOTS:
        raise RequestError(422, f"hash_features is at most {MOST_SLOTS:,} here, but got {slots:,}.")
    hashing = {"hash_features": HASHED} if "hash_features" in possible else {}
    learner = make(**hashing | spec.params)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            make(**hashing | spec.params).learn_one({"a": 1.0}, 0)
    except (ValueError, TypeError, OverflowError) as error:
        raise RequestError(422, one_sentence(error)) from None
    return learner


def one_sentence(error: BaseException) -> str:
    return " ".join(str(error).split())


class Served:
    """A model that answers, and the figures of what it was told.

    Examples, the mistakes made on them before they were learned, and how many were skipped because an update would
    have left the range of floats. `why_not` says why nothing can be learned, where it is so.
    """

    def __init__(self, learner: Any, spec: Spec, figures: Mapping[str, Any] | None = None) -> None:
        self.learner, self.spec = learner, spec
        self.examples = self.mistakes = self.skipped = 0
        self.curve: list[list[int]] = []  # [examples, mistakes until then], every `every` examples
        self.every = 1
        for name in FIGURES:
            setattr(self, name, (figures or {}).get(name, getattr(self, name)))
        steps = getattr(learner, "steps", None)
        self.online = hasattr(learner, "learn_one")
        can_learn = self.online or (steps is not None and hasattr(steps[-1][1], "partial_fit"))
        self.why_not = "" if can_learn else "This model only predicts: its learner does not learn from single examples."
        self._probabilities = getattr(learner, "predict_proba_one", None)

    # ------------------------------------------------------------------------------------------ what it takes

    @property
    def classes(self) -> list[Any]:
        found = getattr(self.learner, "classes_", None)
        return [] if found is None else found.tolist()

    @property
    def width(self) -> int:
        """The number of features, or of names, seen so far."""
        return int(getattr(self.learner, "n_features_in_", 0))

    @property
    def columns(self) -> list[str]:
        """The names of the columns of a table, where the model takes one."""
        found = None if self.online else getattr(self.learner, "feature_names_in_", None)
        return [] if found is None else [str(name) for name in found]

    @property
    def takes(self) -> str:
        """ "names", "rows", "columns" of a table, or "" before it has learned anything."""
        if self.columns:
            return "columns"
        if not hasattr(self.learner, "n_features_in_"):
            return ""
        return "names" if self.online and self.learner.learns_names else "rows"

    # ------------------------------------------------------------------------------------------ answers

    def predict(self, xs: list[Any]) -> list[dict[str, Any]]:
        """For each example the label and the score of every class; probabilities where the model has them."""
        try:
            return list(map(self._predict_one, xs)) if self.online else self._predict_table(xs)
        except (ValueError, TypeError) as error:
            raise RequestError(422, one_sentence(error)) from None

    def _predict_one(self, x: Any) -> dict[str, Any]:
        scores = self.learner.decision_function_one(x)
        if not scores:
            return {"y": None, "scores": {}}
        answer = {"y": self.learner.predict_one(x), "scores": _by_text(scores)}
        if self._probabilities is not None:
            answer["probabilities"] = _by_text(self._probabilities(x))
        return answer

    def _predict_table(self, xs: list[Any]) -> list[dict[str, Any]]:
        table = self._table(xs)
        labels = self.learner.predict(table).tolist()
        if not hasattr(self.learner, "decision_function"):
            return [{"y": label} for label in labels]
        found, classes = self.learner.decision_function(table).tolist(), self.classes
        scores = [[-score, score] if len(classes) == 2 else score for score in found]
        return [
            {"y": label, "scores": _by_text(dict(zip(classes, row, strict=True)))}
            for label, row in zip(labels, scores, strict=True)
        ]

    def _table(self, xs: list[Any]) -> Any:
        """Examples as the rows of a table; a column that an example has not is missing in its row."""
        import polars

        if not self.columns:
            return xs
        columns = {name: [x.get(name) for x in xs] for name in self.columns}
        for name, cells in columns.items():
            if len({isinstance(cell, str) for cell in cells if cell is not None}) > 1:
                raise RequestError(422, f"{shortened(name)} has numbers and text in one request; send them apart.")
        return polars.DataFrame(columns)

    def prepared(self, x: Any) -> Any:
        """What the last step of a pipeline learns from."""
        return self.learner[:-1].transform(self._table([x]))

    # ------------------------------------------------------------------------------------------ learning

    def learn(self, x: Any, y: Any, w: float) -> None:
        """Predict, then learn. An update that would leave the range of floats changes nothing but the counts."""
        self.examples += 1
        if self.examples % self.every == 0:
            self._draw()
        try:
            if self.online:
                self.mistakes += bool(self.learner.predict_one(x) != y)
                self.learner.learn_one(x, y, w)
                return
            self.mistakes += bool(self.predict([x])[0]["y"] != y)
            if w > 0.0:
                self.learner[-1].partial_fit(self.prepared(x), [y], sample_weight=[w])
        except (ValueError, TypeError, ArithmeticError, RequestError):
            self.skipped += 1

    def _draw(self) -> None:
        """A point of the curve; with too many, every other one is left."""
        self.curve.append([self.examples - 1, self.mistakes])
        if len(self.curve) >= POINTS:
            self.curve, self.every = self.curve[1::2], 2 * self.every

    @property
    def figures(self) -> dict[str, Any]:
        """What a version says beside the weights."""
        return {name: copy.copy(getattr(self, name)) for name in FIGURES}


def _by_text(scores: Mapping[Any, float]) -> dict[str, float | None]:
    """Scores by the text of their classes; null for one that is beyond the range of floats."""
    return {
        (str(label).lower() if isinstance(label, bool) else str(label)): score if math.isfinite(score) else None
        for label, score in scores.items()
    }


class Contract:
    """What a model takes next: kept ahead of the model, for the examples that are accepted but not yet learned."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.takes, self.width = served.takes, served.width
        self.names = set(served.learner.known_names) if served.online else set()
        self.classes = set(served.classes)
        self.kind = kind_of(next(iter(self.classes))) if self.classes else None

    def admit(self, examples: list[tuple[Any, Any, float]]) -> None:
        """Accept examples, all or none."""
        if self.served.why_not:
            raise RequestError(409, self.served.why_not)
        before = self.takes, self.width, self.kind, self.classes
        self.classes = set(self.classes)
        new: set[str] = set()
        try:
            for x, y, _ in examples:
                self.check(x, learning=True)
                self._admit_label(y)
                new |= self._new_names(x)
            self._admit_names(new)
        except RequestError:
            self.takes, self.width, self.kind, self.classes = before
            raise

    def _new_names(self, x: Any) -> set[str]:
        """The names of an example that need a weight of their own and have none yet."""
        if self.takes != "names" or getattr(self.served.learner, "hash_features", None) is not None:
            return set()
        return {f"{name}={value}" if isinstance(value, str) else name for name, value in x.items()} - self.names

    def _admit_names(self, new: set[str]) -> None:
        most = self.served.spec.max_names
        if most is not None and len(self.names) + len(new) > most:
            raise RequestError(
                422, f"This model knows {len(self.names):,} names of at most {most:,}, and {len(new):,} would be new; "
                f"hash them (Perceptron with hash_features), or create the model with another max_names.",
            )  # fmt: skip
        self.names |= new

    def check(self, x: Any, learning: bool = False) -> None:
        """Refuse an example of another form than those before it."""
        named = isinstance(x, Mapping)
        if self.takes == "columns":
            self._check_columns(x)
            if learning:
                self._check_cells(x)
            return
        if self.takes and named != (self.takes == "names"):
            wanted = "named features" if self.takes == "names" else f"rows of {self.width} numbers"
            raise RequestError(422, f"This model takes {wanted}, but got {'named features' if named else 'a row'}.")
        if not named:
            if self.takes and len(x) != self.width:
                raise RequestError(422, f"This model takes rows of {self.width} numbers, but got {len(x)}.")
            if learning:
                self.takes, self.width = "rows", len(x)
            return
        if learning:
            self.takes = "names"

    def _check_columns(self, x: Any) -> None:
        columns = self.served.columns
        if not isinstance(x, Mapping):
            raise RequestError(422, f"This model takes the columns {listed(columns)}, but got a row without names.")
        unknown = [name for name in x if name not in columns]
        if unknown:
            raise RequestError(422, f"This model has no column {shortened(unknown[0])}; it has {listed(columns)}.")

    def _check_cells(self, x: Any) -> None:
        try:
            self.served.prepared(x)
        except (ValueError, TypeError) as error:
            raise RequestError(422, one_sentence(error)) from None

    def _admit_label(self, y: Any) -> None:
        kind = kind_of(y)
        if self.kind is not None and kind != self.kind:
            raise RequestError(
                422, f"The labels of this model are {self.kind}, but got {shortened(y)}, which is {kind}."
            )
        self.kind = kind
        self.classes.add(y)
        if len(self.classes) > MOST_CLASSES:
            raise RequestError(422, f"This model has {MOST_CLASSES:,} classes, and {shortened(y)} would be one more.")


def kind_of(label: Any) -> str:
    """What labels of one model have in common."""
    if isinstance(label, str):
        return "text"
    return "truth values" if isinstance(label, bool) else "whole numbers"


def restored(path: Any, spec: Spec) -> tuple[Served, int]:
    """(model, sequence number) of a snapshot."""
    header, arrays = read_file(path)
    about = header["about"]
    return Served(rebuilt(header, arrays), spec, about), about["seq"]
