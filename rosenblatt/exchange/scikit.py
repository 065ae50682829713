"""What a model file keeps of scikit-learn's preprocessing and pipelines: parameters and fitted attributes, as `stored`.

Functions are refused, as they are code. scikit-learn checks the parameters (`_validate_params`, which has no public
name). Where its transform follows a private attribute without a check, the attribute is compared with what it follows
from, so that no number in a file leads a compiled loop astray. Why not skops: docs/decisions/033.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.pipeline import Pipeline
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

from rosenblatt.stored import (
    Check,
    Sizes,
    array,
    choice,
    either,
    flag,
    indices,
    instance,
    is_whole,
    items,
    make_estimator,
    mapping,
    maybe,
    nothing,
    number,
    optional,
    row_of,
    simple,
    size,
    take_fitted,
    text,
    whole,
)  # fmt: skip

WIDEST = 2**31  # features
vector = array("f", "features")
part = either(nothing, choice("passthrough", "drop"), instance(BaseEstimator))
Values = dict[str, Any]


def dtype(value: Any, sizes: Sizes) -> bool:
    return isinstance(value, np.dtype)


@dataclass(frozen=True)
class Form:
    """The kinds of one class's parameters and fitted attributes, and hooks for those that are stored in another form.

    `look` returns what is wrong with an estimator that is complete.
    """

    kind: Any
    fitted: Mapping[str, Check] = field(default_factory=dict)
    parameters: Mapping[str, Check] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    before: Callable[[Values], None] | None = None
    after: Callable[[Values], None] | None = None
    look: Callable[[Any, Sizes], str | None] | None = None

    def take(self, estimator: Any) -> Values:
        left = {*estimator.get_params(deep=False), *self.left_out}
        fitted = {name: value for name, value in vars(estimator).items() if name not in left}
        if self.before is not None:
            self.before(fitted)
        return dict(take_fitted(estimator, fitted, self.fitted, ()))

    def make(self, state: Values) -> Any:
        estimator, fitted, sizes = make_estimator(self.kind, state, self.fitted, self.parameters)
        estimator._validate_params()
        if self.after is not None:
            self.after(fitted)
        vars(estimator).update(fitted)
        wrong = self.look(estimator, sizes) if self.look is not None and fitted else None
        if wrong:
            raise ValueError(f"{self.kind.__name__}: {wrong}")
        return estimator


# ---------------------------------------------------------------------------------------------------- text


def before_words(fitted: Values) -> None:
    """The words in the order of their columns."""
    words = fitted.get("vocabulary_")
    if words is not None:
        fitted["vocabulary_"] = np.array(sorted(words, key=lambda word: words[word]), dtype=object)


def after_words(fitted: Values) -> None:
    if "vocabulary_" in fitted:
        words = fitted["vocabulary_"].tolist()
        fitted["vocabulary_"] = {word: place for place, word in enumerate(words)}
        if len(fitted["vocabulary_"]) != len(words) or not all(isinstance(word, str) for word in words):
            raise ValueError("its words are not all different")


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


WORDS: dict[str, Check] = {"vocabulary_": array("OU", "words"), "fixed_vocabulary_": maybe(flag)}
WORD_HOOKS: dict[str, Any] = {
    "before": before_words, "after": after_words, "look": look_at_words, "left_out": ("_stop_words_id",),
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
    "_infrequent_indices": maybe(items(optional(array("iu", "rare")), "features")),
    "_default_to_infrequent_mappings": maybe(items(optional(array("iu", "categories")), "features")),
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


def steps(value: Any, sizes: Sizes) -> bool:
    """The steps of a pipeline, of which all but the last transform."""
    if not items(row_of(text, part))(value, sizes) or len({name for name, _ in value}) != len(value):
        return False
    return all(step is None or isinstance(step, str) or hasattr(step, "transform") for _, step in value[:-1])


needed = {"n_features_in_": size("features")}
components = array("f", "components", "features")
per_component = maybe(array("f", "components"))
FORMS = {form.kind.__name__: form for form in (
    Form(Pipeline, parameters={"steps": steps, "memory": nothing}),
    Form(ColumnTransformer, {
        **needed, "transformers_": parts, "_columns": maybe(items(columns)), "sparse_output_": flag,
        "_transformer_to_input_indices": mapping(text, items(whole)), "_remainder": maybe(row_of(text, part, columns)),
        "output_indices_": maybe(mapping(text, instance(slice))),
    }, {"transformers": parts, "remainder": part}, look=look_at_columns),
    Form(StandardScaler, {
        **needed, "mean_": optional(vector), "var_": maybe(optional(vector)), "scale_": optional(vector),
        "n_samples_seen_": maybe(either(number, array("fi", "features"))),
    }),
    Form(MinMaxScaler, {
        **needed, "scale_": vector, "min_": vector, "data_min_": maybe(vector), "data_max_": maybe(vector),
        "data_range_": maybe(vector), "n_samples_seen_": maybe(number),
    }),
    Form(MaxAbsScaler, {**needed, "scale_": vector, "max_abs_": maybe(vector), "n_samples_seen_": maybe(number)}),
    Form(RobustScaler, {**needed, "center_": optional(vector), "scale_": optional(vector)}),
    Form(Normalizer, needed),
    Form(Binarizer, needed),
    Form(FunctionTransformer, {}, dict.fromkeys(("func", "inverse_func", "kw_args", "inv_kw_args"), nothing)),
    Form(SimpleImputer, {
        **needed, "statistics_": array("fiubO", "features"), "indicator_": optional(instance(MissingIndicator)),
        "_fit_dtype": maybe(dtype), "_fill_dtype": maybe(dtype),
    }),
    Form(MissingIndicator, {
        "n_features_in_": maybe(size("features")), "features_": indices("chosen", below="features"),
        "_n_features": maybe(whole), "_precomputed": maybe(flag),
    }, look=look_at_missing),
    Form(OneHotEncoder, {
        **needed, "categories_": categories, **RARE, "drop_idx_": optional(array("O", "features")),
        "_drop_idx_after_grouping": optional(array("O", "features")), "_n_features_outs": items(whole, "features"),
    }, look=look_at_one_hot),
    Form(OrdinalEncoder, {**needed, "categories_": categories, **RARE, "_missing_indices": mapping(whole, whole)},
         look=look_at_ordinal),
    Form(PolynomialFeatures,
         {**needed, "_min_degree": whole, "_max_degree": whole, "n_output_features_": whole, "_n_out_full": whole},
         look=look_at_polynomial),
    Form(CountVectorizer, WORDS, **WORD_HOOKS),
    Form(TfidfVectorizer, WORDS | {"_tfidf": instance(TfidfTransformer)}, **WORD_HOOKS),
    Form(HashingVectorizer, {}, {
        "token_pattern": pattern, "n_features": lambda value, sizes: whole(value, {}) and value < WIDEST,
    }, ("_stop_words_id",)),
    Form(TfidfTransformer, {"idf_": maybe(array("f", "features"))}),
    Form(PCA, {
        **needed, "components_": components, "mean_": vector, "explained_variance_": array("f", "components"),
        "n_components_": maybe(whole), "explained_variance_ratio_": per_component, "singular_values_": per_component,
        "noise_variance_": maybe(number), "n_samples_": maybe(whole), "_fit_svd_solver": maybe(text),
    }, look=look_at_components),
    Form(TruncatedSVD, {
        **needed, "components_": components, "explained_variance_": per_component,
        "explained_variance_ratio_": per_component, "singular_values_": per_component,
    }),
    Form(Nystroem, {
        **needed, "components_": components, "normalization_": array("f", "components", "components"),
        "component_indices_": maybe(array("i", "components")), "_n_features_out": whole,
    }, {"kernel": text, "kernel_params": optional(mapping(text, simple))}, look=look_at_components),
    Form(RBFSampler, {
        **needed, "random_weights_": array("f", "features", "components"), "random_offset_": array("f", "components"),
        "_n_features_out": size("components"), "_gamma": maybe(number),
    }),
)}  # fmt: skip
