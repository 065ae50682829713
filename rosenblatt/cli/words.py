"""Sentences of the library in the words of the command line: options instead of Python's arguments."""

from __future__ import annotations

import re

from rosenblatt.verbs.errors import with_keep

_CALL = re.compile(r"\b([A-Z]\w+)\(([^()]*=[^()]*)\)")  # LinearSVM(lam=0.1)
OPTIONS = "missing|text|encoding|separator|format|header|positive|holdout|cv|seed"
SETTINGS = "answer|class_weight|max_iter|lam|C|kernel|rule|tol|multi_class"
_REWRITTEN = (
    (r"\s*\(--encoding [\w-]+\)", ""),  # said twice
    (rf"\b({OPTIONS})='([\w.-]+)'", r"--\1 \2"),
    (rf"\b({OPTIONS})=([\w.-]+)", r"--\1 \2"),
    (rf"(?<!--set )\b({SETTINGS})='([\w.-]+)'", r"--set \1=\2"),
    ("pass zero_based=True", "pass --zero-based"),
    (r"\bpass (format|encoding|separator|header)\b", r"pass --\1"),
)


def in_options(sentence: str) -> str:
    """A sentence with the options that stand for arguments.

    Examples
    --------
    >>> in_options("No value may be missing with missing='error', but one is; use missing='median'.")
    'No value may be missing with --missing error, but one is; use --missing median.'
    >>> in_options("Use answer='pocket', which this same fit has.")
    'Use --set answer=pocket, which this same fit has.'
    >>> in_options("Try a curved boundary, KernelPerceptron(kernel='rbf', max_iter=20): it answers more.")
    'Try a curved boundary, KernelPerceptron with kernel=rbf, max_iter=20: it answers more.'
    """
    sentence = _CALL.sub(lambda call: f"{call[1]} with {call[2]}".replace("'", ""), sentence)
    sentence = with_keep(sentence)
    for pattern, text in _REWRITTEN:
        sentence = re.sub(pattern, text, sentence)
    return sentence
