"""One short paragraph for what is on the screen, and where to read on."""

from __future__ import annotations

import numpy as np

from rosenblatt.lab.history import Run
from rosenblatt.lab.learners import Learner
from rosenblatt.lab.reading import has_documentation
from rosenblatt.lab.sets import Data
from rosenblatt.wording import counted


def paragraph(run: Run, data: Data) -> str:
    """What this learner does, and how this run went."""
    wrong = round(float(run.errors[-1]) * len(data.y)) if len(run.errors) else 0
    went = {
        "updates": f"In the end it has made {counted(run.updates, 'update')} on {counted(len(data.y), 'point')}",
        "epochs": f"In the end it has taken {counted(run.updates, 'epoch')} over {counted(len(data.y), 'point')}",
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
    """The row of the lectures and, where it is on this machine, the page of the documentation: words and addresses."""
    there = has_documentation(learner.page)
    return {
        "row": learner.row, "lecture": f"lecture/{learner.row}",
        "page": f"docs/{learner.page}.md" if there else "", "docs": f"docs/{learner.page}" if there else "",
    }  # fmt: skip
