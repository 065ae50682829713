"""What is private in scikit-learn and used here, under names of our own: from version 1.7 on, last looked at in 1.9.1.

Its searches cut rows of any make (arrays, sparse matrices, frames, lists) and count them by these functions. Ours do
the same to the same rows, kernels between pairs of rows among them, and there are no public names for it. Nor is there
one for the columns that a part of a fitted ColumnTransformer reads, which may be given by name, number, slice or mask.
"""

from typing import Any

from sklearn.utils import _safe_indexing as rows_at
from sklearn.utils.metaestimators import _safe_split as split_at
from sklearn.utils.validation import _num_samples as count_samples

__all__ = ["columns_of_part", "count_samples", "rows_at", "split_at"]


def columns_of_part(transformer: Any, name: str) -> list[int]:
    """The numbers of the columns that a part of a fitted ColumnTransformer reads."""
    return [int(column) for column in transformer._transformer_to_input_indices[name]]
