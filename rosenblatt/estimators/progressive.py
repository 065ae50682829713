"""Predict, then learn: the error of a learner on a stream, every example is predicted before it is learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from rosenblatt.arguments import check_positive


@dataclass
class ProgressiveError:
    """How a stream went: `examples` seen, `mistakes` made, and the error so far at the recorded `curve` points."""

    examples: int = 0
    mistakes: int = 0
    curve: list[tuple[int, float]] = field(default_factory=list)

    @property
    def error(self) -> float:
        """The fraction of examples that were answered wrongly when they came."""
        return self.mistakes / max(1, self.examples)


def progressive_error(
    model: Any,
    stream: Iterable[tuple[Any, Any]],
    *,
    every: int = 1000,
    on_progress: Callable[[ProgressiveError], object] | None = None,
) -> ProgressiveError:
    """Ask the model for the label of every example of the stream, then let it learn the true one.

    An answer of None, which a model gives before it has learned anything, counts as a mistake.

    Parameters
    ----------
    model : object
        With ``predict_one(x)`` and ``learn_one(x, y)``: ours, or river's.
    stream : iterable of (x, y)
        Rows or dicts, and labels.
    every : int
        A point of the curve is kept after this many examples.
    on_progress : callable, optional
        Told of the figures at every point; returning something true ends the stream.

    Raises
    ------
    ValueError
        If `every` is below 1.

    Examples
    --------
    >>> from rosenblatt import Perceptron, progressive_error
    >>> from rosenblatt.sources import blobs
    >>> toy = blobs(1000, random_state=0)
    >>> result = progressive_error(Perceptron(), zip(toy.X, toy.y.tolist()), every=250)
    >>> result.examples, result.error < 0.05, [n for n, _ in result.curve]
    (1000, True, [250, 500, 750, 1000])
    """
    check_positive("every", every, "it is a number of examples", whole=True)
    result = ProgressiveError()
    for x, y in stream:
        result.mistakes += bool(model.predict_one(x) != y)
        model.learn_one(x, y)
        result.examples += 1
        if result.examples % every == 0:
            result.curve.append((result.examples, result.error))
            if on_progress is not None and on_progress(result):
                break
    return result
