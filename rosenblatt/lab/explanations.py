"""One short paragraph for what is on the screen, and where to read on."""

from __future__ import annotations

import numpy as np

from rosenblatt.lab.history import Run, counted
from rosenblatt.lab.learners import Learner
from rosenblatt.lab.sets import Data


def paragraph(run: Run, data: Data) -> str:
    """What this learner does, and how this run went."""
    wrong = round(float(run.errors[-1]) * len(data.y)) if len(run.errors) else 0
    went = {
        "updates": f"It made {counted(run.updates, 'update')} on {counted(len(data.y), 'point')}",
        "epochs": f"It took {counted(run.updates, 'epoch')} over {counted(len(data.y), 'point')}",
        "once": f"It looked once at {counted(len(data.y), 'point')}",
    }[run.kind]
    right = "and has them all right" if wrong == 0 else f"and has {wrong:,} of them wrong"
    return f"{run.choice.learner.about} {went}, {right}. {_extra(run)}".strip()


def _extra(run: Run) -> str:
    if run.choice.name in ("kernel", "svm") and len(run.support):
        number = len(np.unique(run.support))
        return f"{counted(number, 'point')} {'is a support vector' if number == 1 else 'are support vectors'}, ringed."
    return ""


def links(learner: Learner) -> dict[str, str]:
    """The page of the documentation and the row of the lectures."""
    return {"page": f"docs/{learner.page}.md", "row": learner.row, "lecture": f"docs/lectures.md#{learner.row.lower()}"}
