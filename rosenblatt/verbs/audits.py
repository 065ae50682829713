"""`audit`: the run behind a model, made again and held against the convergence theorem."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.sources import ReadOptions
from rosenblatt.verbs.errors import InputError, UsageError, check_number, reading
from rosenblatt.verbs.examples import Examples
from rosenblatt.verbs.models import SavedModel, load_model, read_for, rows_for
from rosenblatt.verbs.pipelines import seen
from rosenblatt.verbs.splits import hold_out


@dataclass(frozen=True, eq=False)
class AuditedRun:
    """A run that was made again and held against the convergence theorem.

    Attributes
    ----------
    audits : one `Audit` for two classes, one for each class against the rest for more, by name
    holds : whether the theorem holds for every one; None where it is not about this run
    """

    model: str
    data: str
    audits: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool | None:
        if any(audit.holds is False for audit in self.audits.values()):
            return False
        return True if all(audit.holds for audit in self.audits.values()) else None

    def to_dict(self) -> dict[str, Any]:
        fields = ("mistakes", "radius", "gamma", "bound", "applies", "holds", "note", "arithmetic")
        audits = {name: {key: getattr(audit, key) for key in fields} for name, audit in self.audits.items()}
        return {**vars(self), "holds": self.holds, "audits": audits}


def audit(
    model: str,
    data: str | Sequence[str],
    *,
    time_limit: float | None = None,
    reading_options: ReadOptions | None = None,
) -> AuditedRun:
    """Make the run behind a model again, and hold it against the convergence theorem, update by update.

    A model file keeps the weights, not the way to them. The seed, the split and the order are known, so that the run
    is made again from the same data; that it ends at the very same weights is checked before anything else is reported.

    Parameters
    ----------
    model : a model file that `train` wrote with a perceptron of any kind
    data : the data that it was trained on
    time_limit : as for `rosenblatt.audit`
    reading_options : how to read the data

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rosenblatt.verbs import train
    >>> folder = Path(tempfile.mkdtemp())
    >>> path, kept = folder / "and.csv", str(folder / "and.safetensors")
    >>> _ = path.write_text("a,b,both\\n0,0,no\\n0,1,no\\n1,0,no\\n1,1,yes\\n")
    >>> _ = train(str(path), "both", learner="perceptron", holdout=0, out=kept)
    >>> audit(kept, str(path)).holds
    True
    """
    from rosenblatt.certificates.audit import Audits
    from rosenblatt.certificates.audit import audit as audited

    check_number("--time-limit", time_limit, 0, above=True)
    saved = load_model(model)
    _check_can_repeat(saved)
    found = read_for(saved, data, None, reading_options, labelled=True, digest=True)
    learned = _learned_rows(saved, found)
    rows, notes = rows_for(saved, learned)
    with reading(found.name):
        rows = seen(saved.model, rows)
        run = _repeated(saved, rows, learned)
        result = audited(run, rows, learned.labels(), time_limit=time_limit)
    parts = dict(result.audits) if isinstance(result, Audits) else {result.name: result}
    return AuditedRun(model, found.name, {str(name): part for name, part in parts.items()}, [*found.notes, *notes])


def _check_can_repeat(saved: SavedModel) -> None:
    kind = type(saved.learner).__name__
    if kind not in ("Perceptron", "HalfSpace", "KernelPerceptron"):
        raise UsageError(
            f"The theorem is about perceptrons, and the model is a {kind}; train one with --learner perceptron."
        )
    if not saved.about.get("split"):
        raise UsageError(
            f"{saved.path} does not say how its rows were split; audit a model that rosenblatt train wrote, with "
            "--no-stream and a random hold-out."
        )


def _learned_rows(saved: SavedModel, found: Examples) -> Examples:
    """The rows that the model learned from, by the split that its file tells."""
    if found.digest is not None and saved.about.get("digest") not in (None, found.digest):
        raise InputError(
            f"{found.name} differs from what the model was trained on, {saved.about.get('source')} as it was then; "
            "train again, or audit with that file."
        )
    share = saved.about["split"].get("share", 0.0)
    if not share:
        return found
    return found.take(hold_out(found.labels(), share, int(saved.about["seed"]))[0])


def _repeated(saved: SavedModel, rows: Any, learned: Examples) -> Any:
    """The run once more, with every update recorded."""
    run = clone(saved.learner).set_params(time_limit=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        run.fit(rows, learned.labels(), sample_weight=learned.weights, record="updates")
    if run.stop_reason_ == "interrupted" != saved.learner.stop_reason_:
        raise KeyboardInterrupt
    if not np.array_equal(_last(run), _last(saved.learner)):
        raise InputError(
            f"The run, made again, does not end at the weights of {saved.path} (it was interrupted, or made by another "
            f"version); train again without a time limit."
        )
    return run


def _last(learner: Any) -> Any:
    model = learner.answers_["last"]
    return model.coef if hasattr(model, "coef") else learner.decision_function(learner.support_vectors_)
