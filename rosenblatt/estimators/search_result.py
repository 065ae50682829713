"""What a search found: the scores of every setting on every fold, and the best one, refitted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array


@dataclass
class Search:
    """The scores of every setting of a grid on every fold, and the best setting, refitted on all rows.

    Attributes
    ----------
    params : list of dict
        The settings, in the order of the grid.
    fold_scores : array of shape (n_settings, n_folds)
        NaN where Ctrl-C came first. Settings are compared by all folds, or, where Ctrl-C left none with all of its
        scores, by the folds that all settings have.
    best_ : estimator or None
        The best setting, fitted on all rows; None where `refit` was False.
    fused_ : int
        How many of the fits were half-spaces of a common pass; the others were made one by one.
    seconds_ : float
        What the search took, the refit included.
    interrupted_ : bool
        Whether Ctrl-C ended it.
    """

    learner: str
    params: list[dict[str, Any]]
    fold_scores: Array
    best_: Any = field(default=None, repr=False)
    fused_: int = 0
    seconds_: float = 0.0
    interrupted_: bool = False

    @property
    def folds_compared(self) -> Array:
        """The folds that settings are compared by, counted from 0."""
        there = ~np.isnan(self.fold_scores)
        common = np.flatnonzero(there.all(axis=0))
        return common if len(common) and not there.all(axis=1).any() else np.arange(there.shape[1])

    @property
    def mean_scores(self) -> Array:
        return self.fold_scores[:, self.folds_compared].mean(axis=1)

    @property
    def std_scores(self) -> Array:
        return self.fold_scores[:, self.folds_compared].std(axis=1)

    @property
    def ranks(self) -> Array:
        """1 is best; equal means have equal ranks; settings without all their scores come last."""
        means = np.nan_to_num(self.mean_scores, nan=-np.inf)
        return np.array([1 + int((means > mean).sum()) for mean in means])

    @property
    def best_index_(self) -> int:
        """The place of the best setting in the grid, the first of equals."""
        return int(np.argmin(self.ranks))

    @property
    def best_params_(self) -> dict[str, Any]:
        return self.params[self.best_index_]

    @property
    def best_score_(self) -> float:
        """The mean of the best setting's scores."""
        return float(self.mean_scores[self.best_index_])

    @property
    def names(self) -> list[str]:
        """The parameters that the grid names."""
        return list(dict.fromkeys(name for setting in self.params for name in setting))

    @property
    def scores(self) -> Any:
        """A polars frame: one row per setting, with its parameters, mean, std, rank, and the score on each fold."""
        import polars

        columns: dict[str, Any] = {name: [_plain(setting.get(name)) for setting in self.params] for name in self.names}
        columns["mean"] = self.mean_scores
        columns["std"] = self.std_scores
        columns["rank"] = self.ranks
        for fold, scores in enumerate(self.fold_scores.T, 1):
            columns[f"fold_{fold}"] = scores
        return polars.DataFrame(columns, strict=False)

    @property
    def cv_results_(self) -> dict[str, Any]:
        """The same in the shape of scikit-learn's GridSearchCV, but for times: what learns together has none."""
        results: dict[str, Any] = {"params": self.params}
        for name in self.names:
            values = np.empty(len(self.params), object)
            values[:] = [setting.get(name) for setting in self.params]
            results[f"param_{name}"] = np.ma.MaskedArray(values, [name not in setting for setting in self.params])
        for fold, scores in enumerate(self.fold_scores.T):
            results[f"split{fold}_test_score"] = scores
        results["mean_test_score"] = self.mean_scores
        results["std_test_score"] = self.std_scores
        results["rank_test_score"] = self.ranks.astype(np.int32)
        return results

    def __repr__(self) -> str:
        best = ", ".join(f"{name}={_short(value)}" for name, value in self.best_params_.items())
        spread = self.std_scores[self.best_index_]
        return (
            f"Search of {len(self.params)} settings on {self.fold_scores.shape[1]} folds with {self.learner}: "
            f"best {best} with {self.best_score_:.4f} ± {spread:.4f}"
        )


def _short(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{float(value):.4g}"
    return getattr(value, "__name__", None) or repr(value)


def _plain(value: Any) -> Any:
    """Numbers, text and truth values as they are; anything else as text."""
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, str | float | int | None) else _short(value)
