"""Words of text: counted, and weighted or hashed.

A word is two or more letters, digits or underscores in a row, in lower case. A word that occurs c times in a text, and
in d of the n texts of the fit, weighs (1 + ln c)(1 + ln((1 + n)/(1 + d))); hashed words weigh 1 + ln c with a sign
from the hash, so that words that share a column cancel as often as they add up. The weights of a text are then
divided by their Euclidean length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl

from rosenblatt.models.linear import Array
from rosenblatt.stored import array, checked, names, optional, whole

WORD = r"\b\w\w+\b"


def count_words(series: pl.Series) -> pl.DataFrame:
    """One line per row and word, with the number of times it occurs there: columns row, word, count."""
    words = pl.DataFrame({"row": np.arange(len(series), dtype=np.uint32), "word": series.cast(pl.String)})
    return (
        words.drop_nulls()
        .with_columns(pl.col("word").str.to_lowercase().str.extract_all(WORD))
        .explode("word")
        .drop_nulls()
        .group_by("row", "word")
        .agg(pl.len().alias("count"))
    )


def document_frequencies(series: pl.Series) -> pl.DataFrame:
    """In how many of the texts each word occurs: columns word, texts."""
    return count_words(series).group_by("word").agg(pl.len().cast(pl.Int64).alias("texts"))


def hash_places(names: list[str], n_slots: int) -> tuple[Array, Array]:
    """Column and sign of every name, by murmurhash3 of its UTF-8 bytes, the same on every machine."""
    from sklearn.utils import murmurhash3_32

    numbers = np.array([murmurhash3_32(name) for name in names], np.int64).reshape(len(names))
    return np.abs(numbers) % n_slots, np.where(numbers >= 0, 1.0, -1.0)


@dataclass(frozen=True, eq=False)
class WordColumns:
    """What a column of text becomes: `vocabulary` and `weights`, or `n_slots` columns by hashing."""

    vocabulary: list[str] | None
    weights: Array | None
    n_slots: int = 0

    def to_state(self) -> dict[str, Any]:
        """What a model file keeps of it."""
        words = None if self.vocabulary is None else np.array(self.vocabulary, dtype=object)
        return {"vocabulary": words, "weights": self.weights, "n_slots": self.n_slots}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The words of a state, all of which is checked."""
        checked("WordColumns", state, {
            "vocabulary": optional(names("words")), "weights": optional(array("f", "words")), "n_slots": whole,
        })  # fmt: skip
        words, weights = state["vocabulary"], state["weights"]
        if (words is None) != (weights is None) or (words is None) == (state["n_slots"] == 0):
            raise ValueError("text has words with weights, or slots")
        if words is not None and (len(set(words.tolist())) != len(words) or not np.isfinite(weights).all()):
            raise ValueError("the words of a column must differ, and their weights be finite")
        return cls(None if words is None else words.tolist(), weights, state["n_slots"])

    @property
    def width(self) -> int:
        return self.n_slots if self.vocabulary is None else len(self.vocabulary)

    def transform(self, series: pl.Series) -> tuple[Array, Array, Array]:
        """(rows, columns, values) of the entries that are not 0, sorted by row and column."""
        counted = count_words(series)
        if self.vocabulary is not None:
            assert self.weights is not None
            known = pl.DataFrame(
                {
                    "word": self.vocabulary,
                    "column": np.arange(len(self.vocabulary), dtype=np.int64),
                    "weight": self.weights,
                },
                schema={"word": pl.String, "column": pl.Int64, "weight": pl.Float64},
            )
        else:
            unique = counted["word"].unique().to_list()
            places, signs = hash_places(unique, self.n_slots)
            known = pl.DataFrame(
                {"word": unique, "column": places, "weight": signs},
                schema={"word": pl.String, "column": pl.Int64, "weight": pl.Float64},
            )
        entries = counted.join(known, on="word", how="inner")
        values = entries["weight"].to_numpy() * (1.0 + np.log(entries["count"].to_numpy().astype(np.float64)))
        rows, columns = entries["row"].to_numpy().astype(np.int64), entries["column"].to_numpy()
        return _normalised(rows, columns, values, self.width)


def _normalised(rows: Array, columns: Array, values: Array, width: int) -> tuple[Array, Array, Array]:
    """Entries in order, equal places added up, every row divided by its length."""
    keys, inverse = np.unique(rows * max(1, width) + columns, return_inverse=True)
    # The order in which words that share a column are added up must not depend on the order of a hash table.
    order = np.lexsort((values, inverse))
    summed = np.bincount(inverse[order], values[order], len(keys))
    rows, columns = np.divmod(keys, max(1, width))
    lengths = np.sqrt(np.bincount(rows, summed**2)) if len(keys) else np.empty(0)
    return rows, columns, summed / np.where(lengths == 0.0, 1.0, lengths)[rows] if len(keys) else summed


def vocabulary_of(frequencies: pl.DataFrame, n_texts: int, most: int) -> WordColumns:
    """The words of at least two texts (of one, if there are no others); the most frequent if there are too many."""
    several = frequencies.filter(pl.col("texts") >= 2)
    chosen = several if several.height else frequencies
    chosen = chosen.sort(["texts", "word"], descending=[True, False]).head(most).sort("word")
    texts: Any = chosen["texts"].to_numpy().astype(np.float64)
    return WordColumns(chosen["word"].to_list(), 1.0 + np.log((1.0 + n_texts) / (1.0 + texts)))
