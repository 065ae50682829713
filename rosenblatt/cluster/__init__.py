"""The same learners on rows that no machine holds, by Dask.

    model = rosenblatt.cluster.fit(Perceptron("averaged"), X, y)

X is a dask array, a dask dataframe or a list of delayed CSR blocks; the model is an ordinary fitted estimator.
"""

from __future__ import annotations

try:
    import dask.array
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        "rosenblatt.cluster needs Dask, which is not installed; run: pip install 'rosenblatt[cluster]'"
    ) from error

from rosenblatt.cluster.answers import decision_function, predict, score
from rosenblatt.cluster.auditing import audit
from rosenblatt.cluster.fitting import fit
from rosenblatt.cluster.searching import search
from rosenblatt.cluster.separability import separability
from rosenblatt.cluster.shuffling import shuffled

__all__ = ["audit", "decision_function", "fit", "predict", "score", "search", "separability", "shuffled"]
