"""Text as ONNX operators: words in lower case, counted, weighted or hashed.

Lower case is ONNX's StringNormalizer, words are the Tokenizer of onnxruntime's own operators (com.microsoft), with the
letters that Python's (for scikit-learn) or polars' (for `ColumnEncoder`) regular expressions take for letters, found
out code point by code point when the model is exported. The lower case of two letters is another there: İ, and Σ at the
end of a word.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from rosenblatt.engine.online.state import Array
from rosenblatt.exchange.onnx_graph import CONTRIB, Graph, Value, refuse

LOCALE = "C.UTF-8"  # the one that every Linux has
PATTERNS = {r"(?u)\b\w\w+\b": 2, r"\b\w\w+\b": 2, r"(?u)\b\w+\b": 1, r"\b\w+\b": 1, r"\w+": 1, r"(?u)\w+": 1}


# ------------------------------------------------------------------------------------------------------- words


def lowered(graph: Graph, texts: str) -> str:
    return graph.add("StringNormalizer", texts, case_change_action="LOWER", is_case_sensitive=1, locale=LOCALE)


def words(graph: Graph, texts: str, letters: str, least: int) -> str:
    """(rows, most words of a row), with "" where a row has fewer."""
    expression = f"{letters}{{{least},}}"
    return graph.add(
        "Tokenizer", texts, domain=CONTRIB, mark=0, pad_value="", mincharnum=1, tokenexp=expression
    )  # fmt: skip


def _class_of(points: Array) -> str:
    """A character class of these code points, in ranges."""
    breaks = np.flatnonzero(np.diff(points) > 1)
    starts, ends = points[np.concatenate([[0], breaks + 1])], points[np.concatenate([breaks, [len(points) - 1]])]
    return (
        "[" + "".join(f"\\x{{{a:X}}}-\\x{{{b:X}}}" for a, b in zip(starts.tolist(), ends.tolist(), strict=True)) + "]"
    )


def _characters() -> list[str]:
    return [chr(point) for point in range(1, 0x110000) if not 0xD800 <= point <= 0xDFFF]


@functools.cache
def python_letters() -> str:
    letter = re.compile(r"\w")
    return _class_of(np.array([ord(one) for one in _characters() if letter.match(one)]))


@functools.cache
def polars_letters() -> str:
    import polars

    series = polars.Series(_characters())
    return _class_of(np.array([ord(one) for one in series.filter(series.str.contains(r"^\w$")).to_list()]))


def _sklearn_words(graph: Graph, step: Any, value: Value) -> str:
    name = type(step).__name__
    if step.analyzer != "word":
        refuse(name, f"takes text apart by analyzer={step.analyzer!r}", "use analyzer='word'")
    if any(part is not None for part in (step.preprocessor, step.tokenizer, step.strip_accents)):
        refuse(name, "prepares or cuts text by a function or strips accents", "do that before the model")
    if step.token_pattern not in PATTERNS:
        refuse(name, f"has the pattern {step.token_pattern!r}", f"use one of {', '.join(PATTERNS)}")
    texts = graph.flat(value).name
    return words(
        graph, lowered(graph, texts) if step.lowercase else texts, python_letters(), PATTERNS[step.token_pattern]
    )


# ------------------------------------------------------------------------------------------------------ counts


def _occurrences(graph: Graph, tokens: str, vocabulary: list[str]) -> str:
    """(rows, vocabulary): how often each word, or words one after another, occurs. Whole numbers: float32 is exact."""
    by_length: dict[int, list[tuple[int, list[str]]]] = {}
    for place, entry in enumerate(vocabulary):
        parts = entry.split(" ")
        by_length.setdefault(len(parts), []).append((place, parts))
    longest = max(by_length)
    starts: list[int] = []
    indexes: list[int] = []
    pool: list[str] = []
    for length in range(1, longest + 1):
        starts.append(len(pool))
        for place, parts in by_length.get(length, []):
            indexes.append(place)
            pool += parts
    counts = graph.add(
        "TfIdfVectorizer", tokens, mode="TF", min_gram_length=min(by_length), max_gram_length=longest,
        max_skip_count=0, ngram_counts=starts, ngram_indexes=indexes, pool_strings=pool,
    )  # fmt: skip
    return graph.numbers(counts)


def counted(graph: Graph, step: Any, value: Value) -> Value:
    name = type(step).__name__
    tokens = _sklearn_words(graph, step, value)
    if step.stop_words is not None and step.ngram_range[1] > 1:
        refuse(name, "leaves words out between others", "use stop_words=None or ngram_range=(1, 1)")
    vocabulary = sorted(step.vocabulary_, key=lambda word: step.vocabulary_[word])
    low, high = step.ngram_range
    possible = re.compile(rf"\w+( \w+){{{low - 1},{high - 1}}}")
    if not all(possible.fullmatch(word) for word in vocabulary) or not vocabulary:
        refuse(name, "has entries in its vocabulary that are no words", "use the vocabulary of a fit")
    counts = _occurrences(graph, tokens, vocabulary)
    if step.binary:
        counts = graph.add("Min", counts, np.float64(1.0))
    return Value(counts, len(vocabulary))


def weighted(graph: Graph, step: Any, value: Value) -> Value:
    from rosenblatt.exchange.onnx_steps import normalised

    name = value.name
    if step.sublinear_tf:
        name = _logarithmic(graph, name)
    if step.use_idf:
        name = graph.add("Mul", name, np.asarray(step.idf_, np.float64)[None, :])
    return Value(normalised(graph, name, step.norm), value.width)


def tfidf(graph: Graph, step: Any, value: Value) -> Value:
    return weighted(graph, step._tfidf, counted(graph, step, value))


def _logarithmic(graph: Graph, counts: str) -> str:
    """1 + ln c, and 0 for 0."""
    seen = graph.add("Greater", counts, np.float64(0.0))
    safe = graph.add("Where", seen, counts, np.ones((1, 1)))
    return graph.add("Where", seen, graph.add("Add", graph.add("Log", safe), np.float64(1.0)), np.zeros((1, 1)))


# ----------------------------------------------------------------------------------------------------- hashing


def _hashes(graph: Graph, tokens: str, slots: int) -> tuple[str, str, str]:
    """(numbers, places, signs) of every token; the sign of what is no token is 0."""
    numbers = graph.whole(graph.add("MurmurHash3", tokens, domain=CONTRIB, seed=0, positive=0))
    places = graph.add("Mod", graph.add("Abs", numbers), np.array(slots))
    upper = graph.add("GreaterOrEqual", numbers, np.array(0))
    signs = graph.add("Where", upper, np.ones((1, 1)), np.full((1, 1), -1.0))
    none = graph.add("Equal", tokens, np.array([[""]]))
    return numbers, places, graph.add("Where", none, np.zeros((1, 1)), signs)


def _added_up(graph: Graph, places: str, values: str, slots: int) -> str:
    """(rows, slots): the values at their places, equal places added up."""
    rows = graph.add("Gather", graph.add("Shape", places), np.array([0]), axis=0)
    shape = graph.add("Concat", rows, np.array([slots]), axis=0)
    empty = graph.add("Expand", np.zeros((1, 1)), shape)
    return graph.add("ScatterElements", empty, places, values, axis=1, reduction="add")


def hashed(graph: Graph, step: Any, value: Value) -> Value:
    """scikit-learn's HashingVectorizer."""
    from rosenblatt.exchange.onnx_steps import normalised

    name = type(step).__name__
    if tuple(step.ngram_range) != (1, 1) or step.stop_words is not None:
        refuse(name, "joins words, or leaves some out", "use ngram_range=(1, 1) and stop_words=None")
    tokens = _sklearn_words(graph, step, value)
    _, places, signs = _hashes(graph, tokens, int(step.n_features))
    if not step.alternate_sign:
        signs = graph.add("Abs", signs)
    counts = _added_up(graph, places, signs, int(step.n_features))
    if step.binary:
        counts = graph.numbers(graph.add("Not", graph.add("Equal", counts, np.zeros((1, 1)))))
    return Value(normalised(graph, counts, step.norm), int(step.n_features))


def hashed_values(graph: Graph, column: Value, slots: int) -> str:
    """Whole values of a column by their hash, as `ColumnEncoder` has them."""
    _, places, signs = _hashes(graph, column.name, slots)
    return _added_up(graph, places, signs, slots)


def weighted_words(graph: Graph, texts: Value, known: Any) -> str:
    """A column of text as `ColumnEncoder` has it."""
    from rosenblatt.exchange.onnx_steps import normalised

    tokens = words(graph, lowered(graph, texts.name), polars_letters(), 2)
    if known.vocabulary is not None:
        counts = _occurrences(graph, tokens, list(known.vocabulary))
        weights = np.asarray(known.weights, np.float64)[None, :]
        return normalised(graph, graph.add("Mul", _logarithmic(graph, counts), weights), "l2")
    numbers, places, signs = _hashes(graph, tokens, known.n_slots)
    # How often each token occurs in its row: tokens are the same word where their hashes are the same.
    same = graph.add(
        "Equal", graph.add("Unsqueeze", numbers, np.array([2])), graph.add("Unsqueeze", numbers, np.array([1]))
    )
    present = graph.add("Unsqueeze", graph.add("Abs", signs), np.array([1]))
    counts = graph.sum(graph.add("Mul", graph.numbers(same), present), keep=False, axis=2)
    safe = graph.add("Max", counts, np.float64(1.0))
    shares = graph.add("Div", graph.add("Add", graph.add("Log", safe), np.float64(1.0)), safe)
    return normalised(graph, _added_up(graph, places, graph.add("Mul", signs, shares), known.n_slots), "l2")
