"""Words for people who have never heard of a half-space."""

from __future__ import annotations

from typing import Any

from rosenblatt.report.scores import percent
from rosenblatt.report.summary import Summary
from rosenblatt.wording import LONGEST, short

KINDS = {
    "Perceptron": ("a perceptron", "flat"),
    "PassiveAggressive": ("a passive-aggressive learner", "flat"),
    "HalfSpace": ("a linear threshold", "flat"),
    "LinearSVM": ("a linear support vector machine", "flat"),
    "LogisticRegression": ("a logistic regression", "flat"),
    "SigmoidNeuron": ("a sigmoid neuron", "flat"),
    "GaussianDiscriminant": ("a Gaussian discriminant", "flat"),
    "LeastSquares": ("a linear regression", "line"),
    "KernelPerceptron": ("a kernel perceptron", "curved"),
    "Layer": ("a layer of units", "curved"),
}
HOW = {
    "flat": (
        "It multiplies every feature with a weight that it has learned, adds everything up, and answers by the sum: "
        "the boundary between the answers is flat."
    ),
    "several": (
        "For every class it multiplies the features with weights that it has learned and adds them up; the class with "
        "the largest sum is the answer. The boundaries between the answers are flat."
    ),
    "line": "It multiplies every feature with a weight that it has learned; the sum is the answer.",
    "curved": (
        "It compares a new row with rows that it remembers from training, and answers like those most like it: the "
        "boundary between the answers may be curved."
    ),
}


PIXELS = "The features are the pixels of an image, so that the weights of a class are an image, too."


def quoted(name: Any) -> str:
    """The name of a class or a feature inside a sentence."""
    return f"“{name}”"


def learner_in_words(summary: Summary) -> str:
    words = KINDS.get(summary.learner, (f"a {summary.learner}", ""))[0]
    answer = {"averaged": "an averaged perceptron", "voted": "a voted perceptron", "pocket": "a pocket perceptron"}
    if summary.learner == "Perceptron":
        return answer.get(str(summary.settings.get("answer")), words)
    return words


def how_it_answers(summary: Summary) -> str:
    kind = KINDS.get(summary.learner, ("", ""))[1]
    if kind == "flat" and len(summary.classes) > 2:
        kind = "several"
    return HOW.get(kind, "")


def listed(names: list[Any], most: int = 6, join: str = "and") -> str:
    shown = [str(name) for name in names[:most]]
    if len(names) > most + 1:
        return f"{', '.join(shown)} {join} {'one of ' if join == 'or' else ''}{len(names) - most:,} more"
    shown = [str(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {join} {shown[-1]}"


def what_was_learned(summary: Summary, source: str | None) -> str:
    """From what, what for: the first sentence of the report."""
    rows = "rows" if summary.rows_train is None else f"{summary.rows_train:,} rows"
    where = f" of {source}" if source else ""
    learner = learner_in_words(summary)
    start = learner[0].upper() + learner[1:]
    target = short(summary.target or "", LONGEST)
    if summary.kind == "regression":
        return f"{start} has learned from {rows}{where} to estimate {target or 'a number'}."
    names = [quoted(name) for name in summary.classes]
    if not summary.target:
        return f"{start} has learned from {rows}{where} to tell {listed(names)} apart."
    return f"{start} has learned from {rows}{where} to predict {target}: {listed(names, join='or')}."


def what_separability_means(summary: Summary) -> str:
    found = summary.separation
    assert found is not None
    if found.verdict == "separable":
        return (
            "For you this means: the columns hold all that is needed to tell the training rows apart, and training "
            "can go on until it makes no mistake there. It does not promise the same for new rows."
        )
    if found.verdict == "not separable" and found.witness_rows == 2 and found.certificate.about.intercept:
        return (
            "For you this means: some mistakes are in the data. Rows that look the same need other columns to be told "
            "apart, or are mislabelled."
        )
    if found.verdict == "not separable":
        return (
            "For you this means: some mistakes on the training rows are in the data, not in the training. More "
            "training cannot remove them; other columns, or a curved boundary, might."
        )
    return "Deciding it is a long calculation on some data; the command rosenblatt separable takes the time it needs."


def which_mistakes(summary: Summary) -> str:
    assert summary.confusion is not None and summary.accuracy is not None
    wrong = summary.accuracy.total - summary.accuracy.count
    if not wrong:
        return f"None on the {summary.accuracy.total:,} held-out rows."
    worst = summary.confusion.worst(2)
    worst = worst[:1] + [each for each in worst[1:] if each[2] > 1 or wrong == 2]
    told = " and ".join(
        f"{quoted(truth)} was taken for {quoted(answer)} ({_times(count)})" for truth, answer, count in worst
    )
    most = "" if sum(count for *_, count in worst) == wrong else "most often "
    return f"{wrong:,} of {summary.accuracy.total:,} held-out rows got the wrong answer: {most}{told}."


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def what_drives(summary: Summary) -> str:
    top = summary.drivers.top
    if not top:
        return ""
    names = listed([quoted(driver.feature) for driver in top[:3]])
    if len(top) == 1:
        return f"The decision rests on {names}."
    if summary.drivers.kind == "shuffling":
        return f"The model depends most on {names}: without them it makes the most additional mistakes."
    return f"The features that move the decision most are {names}."


def fit_in_words(summary: Summary) -> str:
    """Training against held-out accuracy."""
    if summary.train_accuracy is None or summary.accuracy is None:
        return ""
    train, test = summary.train_accuracy, summary.accuracy
    told = (
        f"On rows that it was trained on it is right in {percent(train.value)}, on held-out rows in "
        f"{percent(test.value)}"
    )
    if train.low > test.high:
        return f"{told}: it has partly learned the training rows by heart."
    if train.value < test.low:
        return f"{told}."
    return f"{told}: it does on new rows about what it does on known ones."


def kept_aside(split: Any) -> str | None:
    """How the held-out rows came about; None where there is nothing to say.

    Examples
    --------
    >>> kept_aside({"share": 0.2}), kept_aside({"share": 0.0}), kept_aside(None)
    ('20% of the rows, at random', None, None)
    """
    share = split.get("share") if isinstance(split, dict) else None
    return f"{share:.0%} of the rows, at random" if share else None
