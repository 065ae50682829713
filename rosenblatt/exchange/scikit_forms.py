"""The forms of scikit-learn's preprocessing: its usual scalers, encoders, vectorizers and maps, and pipelines of them.

Functions are refused, as they are code. scikit-learn itself judges the parameters. What follows from other values is
computed again and compared, so that no number in a file leads a compiled loop astray.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)  # fmt: skip

from rosenblatt.exchange.checks import (
    Check,
    Sizes,
    array,
    either,
    flag,
    indices,
    instance,
    is_whole,
    items,
    mapping,
    nothing,
    number,
    optional,
    row_of,
    simple,
    size,
    text,
    whole,
)  # fmt: skip
from rosenblatt.exchange.forms import Estimator, Form, Values
from rosenblatt.exchange.pipeline_form import part

WIDEST = 2**31  # features
vector = array("f", "features")


def dtype(value: Any, sizes: Sizes) -> bool:
    return isinstance(value, np.dtype)


def form(kind: Any, attributes: dict[str, Check], **others: Any) -> Form:
    return Estimator(kind, attributes, validates=True, **others).form()


# ---------------------------------------------------------------------------------------------------- text


def before_words(vectorizer: Any, fitted: Values) -> None:
    """The words in the order of their columns."""
    words = fitted.get("vocabulary_")
    if words is not None:
        fitted["vocabulary_"] = np.array(sorted(words, key=lambda word: words[word]), dtype=object)


def after_words(vectorizer: Any, fitted: Values) -> None:
    if "vocabulary_" in fitted:
        words = fitted["vocabulary_"].tolist()
        fitted["vocabulary_"] = {word: place for place, word in enumerate(words)}
        if len(fitted["vocabulary_"]) != len(words) or not all(isinstance(word, str) for word in words):
            raise ValueError(f"{type(vectorizer).__name__}: its words are not all different")


def look_at_words(vectorizer: Any, sizes: Sizes) -> str | None:
    inner = vars(vectorizer).get("_tfidf")
    if inner is None:
        return None
    idf = vars(inner).get("idf_")
    if inner.use_idf != (idf is not None) or (idf is not None and len(idf) != len(vectorizer.vocabulary_)):
        return "its weights are not those of its words"
    return None


def pattern(value: Any, sizes: Sizes) -> bool:
    """A regular expression that can be read."""
    try:
        re.compile(value)
    except (re.error, TypeError, RecursionError, OverflowError):
        return value is None
    return isinstance(value, str)


WORDS: dict[str, Check] = {
    "vocabulary_": array("OU", "words"), "fixed_vocabulary_": flag, "_tfidf": instance(TfidfTransformer),
}  # fmt: skip
WORD_HOOKS: dict[str, Any] = {
    "before": before_words, "after": after_words, "last_look": look_at_words, "cached": ("_stop_words_id",),
    "parameters": {"token_pattern": pattern},
}  # fmt: skip

# ------------------------------------------------------------------------------------------------ categories


def categories(value: Any, sizes: Sizes) -> bool:
    return items(array("fiubUSO", "categories"), "features")(value, sizes)


def groups(encoder: Any) -> list[int] | None:
    """How many values each feature can take after rare categories have become one, or None if that is not known."""
    result = []
    for n, known in enumerate(encoder.categories_):
        rare = encoder._infrequent_indices[n] if encoder._infrequent_enabled else None
        mapped = encoder._default_to_infrequent_mappings[n] if encoder._infrequent_enabled else None
        count = len(known) if rare is None else len(known) - len(rare) + 1
        if rare is not None and (len(rare) == 0 or rare.min() < 0 or rare.max() >= len(known)):
            return None
        if (rare is None) != (mapped is None):
            return None
        if mapped is not None and (len(mapped) != len(known) or mapped.min() < 0 or mapped.max() >= count):
            return None
        result.append(count)
    return result


def look_at_one_hot(encoder: Any, sizes: Sizes) -> str | None:
    counts = groups(encoder)
    dropped = encoder._drop_idx_after_grouping
    left = [None] * len(encoder.categories_) if dropped is None else list(dropped)
    if counts is None or len(left) != len(counts) or (dropped is None) != (encoder.drop_idx_ is None):
        return "its categories do not belong together"
    for place, count in zip(left, counts, strict=True):
        if place is not None and not (is_whole(place) and 0 <= place < count):
            return "it drops a category that is not there"
    wide = [count - (place is not None) for place, count in zip(left, counts, strict=True)]
    return None if wide == list(encoder._n_features_outs) else "its columns are not those of its categories"


def look_at_ordinal(encoder: Any, sizes: Sizes) -> str | None:
    if groups(encoder) is None:
        return "its categories do not belong together"
    for feature, place in encoder._missing_indices.items():
        if feature >= len(encoder.categories_) or place >= len(encoder.categories_[feature]):
            return "a missing value is no category"
    return None


RARE: dict[str, Check] = {
    "_infrequent_enabled": flag,
    "_infrequent_indices": items(optional(array("iu", "rare")), "features"),
    "_default_to_infrequent_mappings": items(optional(array("iu", "categories")), "features"),
}

# --------------------------------------------------------------------------------------------------- columns

name_or_number = either(text, lambda value, sizes: is_whole(value))
columns = either(
    name_or_number, items(either(name_or_number, flag)), instance(slice), array("iubO", "chosen"),
)  # fmt: skip
parts = items(row_of(text, part, columns))


def look_at_columns(transformer: Any, sizes: Sizes) -> str | None:
    width = transformer.n_features_in_
    if any(place >= width for places in transformer._transformer_to_input_indices.values() for place in places):
        return "it reads a column that is not there"
    names = {name for name, _, _ in transformer.transformers_}
    if not names <= set(transformer._transformer_to_input_indices):
        return "a part of it reads nothing"
    return None


def look_at_polynomial(features: Any, sizes: Sizes) -> str | None:
    count = features._num_combinations(
        n_features=features.n_features_in_, min_degree=features._min_degree, max_degree=features._max_degree,
        interaction_only=features.interaction_only, include_bias=features.include_bias,
    )  # fmt: skip
    if features._max_degree > 64 or count != features.n_output_features_ or count >= WIDEST:
        return "its features are not those of its degree"
    return None


def look_at_components(model: Any, sizes: Sizes) -> str | None:
    count = len(model.components_)
    outside = vars(model).get("n_components_", count), vars(model).get("_n_features_out", count)
    return None if set(outside) == {count} else "its components are not as many as it says"


def look_at_missing(indicator: Any, sizes: Sizes) -> str | None:
    return None if indicator._n_features == indicator.n_features_in_ else "its features are not as many as it says"


nothing_but = {"func": nothing, "inverse_func": nothing, "kw_args": nothing, "inv_kw_args": nothing}

FORMS = (
    form(
        ColumnTransformer,
        {
            "transformers_": parts, "_columns": items(columns), "sparse_output_": flag,
            "_transformer_to_input_indices": mapping(text, items(whole)),
            "_remainder": row_of(text, part, columns), "output_indices_": mapping(text, instance(slice)),
        },
        parameters={"transformers": parts, "remainder": part},
        needed=("n_features_in_", "transformers_", "_transformer_to_input_indices", "sparse_output_"),
        last_look=look_at_columns,
    ),
    form(
        StandardScaler,
        {"mean_": optional(vector), "var_": optional(vector), "scale_": optional(vector),
         "n_samples_seen_": either(number, array("fi", "features"))},
        needed=("n_features_in_", "mean_", "scale_"),
    ),
    form(
        MinMaxScaler,
        {"scale_": vector, "min_": vector, "data_min_": vector, "data_max_": vector, "data_range_": vector,
         "n_samples_seen_": number},
        needed=("n_features_in_", "scale_", "min_"),
    ),
    form(MaxAbsScaler, {"max_abs_": vector, "scale_": vector, "n_samples_seen_": number},
         needed=("n_features_in_", "scale_")),
    form(RobustScaler, {"center_": optional(vector), "scale_": optional(vector)},
         needed=("n_features_in_", "center_", "scale_")),
    form(Normalizer, {}),
    form(Binarizer, {}),
    form(FunctionTransformer, {}, parameters=nothing_but, needed=()),
    form(
        SimpleImputer,
        {"statistics_": array("fiubO", "features"), "indicator_": optional(instance(MissingIndicator)),
         "_fit_dtype": dtype, "_fill_dtype": dtype},
        needed=("n_features_in_", "statistics_", "indicator_"),
    ),
    form(
        MissingIndicator,
        {"features_": indices("chosen", below="features"), "_n_features": whole, "_precomputed": flag},
        needed=("features_",),
        last_look=look_at_missing,
    ),
    form(
        OneHotEncoder,
        {"categories_": categories, **RARE, "drop_idx_": optional(array("O", "features")),
         "_drop_idx_after_grouping": optional(array("O", "features")), "_n_features_outs": items(whole, "features")},
        needed=("n_features_in_", "categories_", "_infrequent_enabled", "drop_idx_", "_drop_idx_after_grouping",
                "_n_features_outs"),
        last_look=look_at_one_hot,
    ),
    form(
        OrdinalEncoder, {"categories_": categories, **RARE, "_missing_indices": mapping(whole, whole)},
        needed=("n_features_in_", "categories_", "_infrequent_enabled", "_missing_indices"), last_look=look_at_ordinal,
    ),
    form(
        PolynomialFeatures,
        {"_min_degree": whole, "_max_degree": whole, "n_output_features_": whole, "_n_out_full": whole},
        needed=("n_features_in_", "_min_degree", "_max_degree", "n_output_features_", "_n_out_full"),
        last_look=look_at_polynomial,
    ),
    form(CountVectorizer, WORDS, needed=("vocabulary_",), **WORD_HOOKS),
    form(TfidfVectorizer, WORDS, needed=("_tfidf", "vocabulary_"), **WORD_HOOKS),
    form(
        HashingVectorizer, {}, needed=(), cached=("_stop_words_id",),
        parameters={"token_pattern": pattern, "n_features": lambda value, sizes: whole(value, {}) and value < WIDEST},
    ),
    form(TfidfTransformer, {"idf_": array("f", "features")}, needed=()),
    form(
        PCA,
        {"components_": array("f", "components", "features"), "mean_": vector, "n_components_": whole,
         "explained_variance_": array("f", "components"), "explained_variance_ratio_": array("f", "components"),
         "singular_values_": array("f", "components"), "noise_variance_": number, "n_samples_": whole,
         "_fit_svd_solver": text},
        needed=("n_features_in_", "components_", "mean_", "explained_variance_"), last_look=look_at_components,
    ),
    form(
        TruncatedSVD,
        {"components_": array("f", "components", "features"), "explained_variance_": array("f", "components"),
         "explained_variance_ratio_": array("f", "components"), "singular_values_": array("f", "components")},
        needed=("n_features_in_", "components_"),
    ),
    form(
        Nystroem,
        {"components_": array("f", "components", "features"), "normalization_": array("f", "components", "components"),
         "component_indices_": array("i", "components"), "_n_features_out": whole},
        parameters={"kernel": text, "kernel_params": optional(mapping(text, simple))},
        needed=("n_features_in_", "components_", "normalization_", "_n_features_out"), last_look=look_at_components,
    ),
    form(
        RBFSampler,
        {"random_weights_": array("f", "features", "components"), "random_offset_": array("f", "components"),
         "_n_features_out": size("components"), "_gamma": number},
        needed=("n_features_in_", "random_weights_", "random_offset_", "_n_features_out"),
    ),
)  # fmt: skip
