"""Preprocessing as ONNX operators: scikit-learn's scalers, imputer, encoders and maps, our features and tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
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

from rosenblatt.engine.online.state import Array
from rosenblatt.exchange import onnx_text
from rosenblatt.exchange.onnx_graph import ML, Graph, Value, refuse
from rosenblatt.exchange.onnx_learners import kernel_values
from rosenblatt.features.column import Column
from rosenblatt.features.columns import ColumnEncoder
from rosenblatt.features.pair_products import PairProducts
from rosenblatt.features.radial import RadialFeatures
from rosenblatt.scikit_private import columns_of_part

Step = Callable[[Graph, Any, Value], Value]


def add_step(graph: Graph, step: Any, value: Value) -> Value:
    """What a fitted step makes of a value."""
    if step is None or (isinstance(step, str) and step == "passthrough"):
        return value
    if isinstance(step, Pipeline):
        for _, part in step.steps:
            value = add_step(graph, part, value)
        return value
    known = STEPS.get(type(step))
    if known is None:
        refuse(type(step).__name__, "has no ONNX form here", "leave it out, or apply it before the model")
    return known(graph, step, value)


def reads_text(step: Any) -> bool:
    """Whether a step takes text rather than numbers."""
    if isinstance(step, Pipeline):
        return reads_text(step.steps[0][1])
    if isinstance(step, CountVectorizer | HashingVectorizer):
        return True
    if isinstance(step, OneHotEncoder | OrdinalEncoder):
        return any(known.dtype.kind in "OUS" for known in step.categories_)
    return isinstance(step, SimpleImputer) and step.statistics_.dtype.kind == "O"


def reads_list(step: Any) -> bool:
    """Whether a step takes a list of texts rather than a table."""
    if isinstance(step, Pipeline):
        return reads_list(step.steps[0][1])
    return isinstance(step, CountVectorizer | HashingVectorizer)


# ---------------------------------------------------------------------------------------------------- scalers


def row(values: Any) -> Array:
    return np.asarray(values, np.float64)[None, :]


def affine(graph: Graph, value: Value, *operations: tuple[str, Any]) -> Value:
    """Operations with one number per column, one after another; None leaves one out."""
    name = value.name
    for operator, numbers in operations:
        if numbers is not None:
            name = graph.add(operator, name, row(numbers))
    return Value(name, value.width)


def clipped(graph: Graph, value: Value, low: float, high: float) -> Value:
    return Value(graph.add("Min", graph.add("Max", value.name, np.float64(low)), np.float64(high)), value.width)


def standard(graph: Graph, step: Any, value: Value) -> Value:
    mean, scale = step.mean_ if step.with_mean else None, step.scale_ if step.with_std else None
    return affine(graph, value, ("Sub", mean), ("Div", scale))


def min_max(graph: Graph, step: Any, value: Value) -> Value:
    scaled = affine(graph, value, ("Mul", step.scale_), ("Add", step.min_))
    return clipped(graph, scaled, *step.feature_range) if step.clip else scaled


def max_abs(graph: Graph, step: Any, value: Value) -> Value:
    scaled = affine(graph, value, ("Div", step.scale_))
    return clipped(graph, scaled, -1.0, 1.0) if getattr(step, "clip", False) else scaled


def robust(graph: Graph, step: Any, value: Value) -> Value:
    center, scale = step.center_ if step.with_centering else None, step.scale_ if step.with_scaling else None
    return affine(graph, value, ("Sub", center), ("Div", scale))


def normalizer(graph: Graph, step: Any, value: Value) -> Value:
    return Value(normalised(graph, value.name, step.norm), value.width)


def normalised(graph: Graph, name: str, norm: str | None) -> str:
    if norm is None:
        return name
    if norm == "l2":
        return graph.divided(name, graph.add("Sqrt", graph.add("ReduceSumSquare", name, np.array([1]))))
    sizes = graph.add("Abs", name)
    return graph.divided(name, graph.sum(sizes) if norm == "l1" else graph.add("ReduceMax", sizes, np.array([1])))


def binarizer(graph: Graph, step: Any, value: Value) -> Value:
    return Value(graph.numbers(graph.add("Greater", value.name, np.float64(step.threshold))), value.width)


def nothing(graph: Graph, step: Any, value: Value) -> Value:
    if step.func is not None:
        refuse("FunctionTransformer", "runs a function of your own", "do what it does before the model")
    return value


def imputer(graph: Graph, step: Any, value: Value) -> Value:
    if value.text:
        refuse("SimpleImputer on text", "has no ONNX form here", "fill text in before the model")
    if not isinstance(step.missing_values, int | float):
        refuse("SimpleImputer", "looks for something other than a number", "use missing_values=np.nan")
    gone = np.isnan(step.missing_values)
    missing = graph.add("IsNaN" if gone else "Equal", value.name, *([] if gone else [np.float64(step.missing_values)]))
    known = np.asarray(step.statistics_, np.float64)
    filled = Value(graph.add("Where", missing, np.nan_to_num(known)[None, :], value.name), value.width)
    if not step.keep_empty_features and np.isnan(known).any():
        filled = graph.columns(filled, np.flatnonzero(~np.isnan(known)))
    if step.indicator_ is None:
        return filled
    told = Value(graph.numbers(missing), value.width)
    return graph.beside([filled, graph.columns(told, step.indicator_.features_)])


# ------------------------------------------------------------------------------------------------- categories


def among(graph: Graph, column: Value, categories: Array) -> str:
    """(rows, categories): 1 where the value is that category."""
    if column.text:
        texts = [str(category) for category in categories.tolist()]
        codes = graph.add("LabelEncoder", column.name, domain=ML, keys_strings=texts,
                          values_int64s=list(range(len(texts))), default_int64=-1)  # fmt: skip
        return graph.numbers(graph.add("Equal", codes, np.arange(len(texts))[None, :]))
    return graph.numbers(graph.add("Equal", column.name, np.asarray(categories, np.float64)[None, :]))


def _plain_categories(step: Any) -> None:
    if step._infrequent_enabled and any(rare is not None for rare in step._infrequent_indices):
        refuse(type(step).__name__, "puts rare categories together", "use min_frequency=None")
    for known in step.categories_:
        texts = known.dtype.kind in "OUS"
        if texts and not all(isinstance(item, str) for item in known.tolist()):
            refuse(type(step).__name__, "has categories that are no text", "fill missing values in before the model")


def one_hot(graph: Graph, step: Any, value: Value) -> Value:
    _plain_categories(step)
    parts = []
    for j, categories in enumerate(step.categories_):
        found = Value(among(graph, graph.columns(value, np.array([j])), categories), len(categories))
        dropped = None if step.drop_idx_ is None else step.drop_idx_[j]
        if dropped is not None:
            found = graph.columns(found, np.delete(np.arange(len(categories)), int(dropped)))
        parts.append(found)
    return graph.beside(parts)


def ordinal(graph: Graph, step: Any, value: Value) -> Value:
    _plain_categories(step)
    unknown = step.unknown_value if step.handle_unknown == "use_encoded_value" else np.nan
    parts = []
    for j, categories in enumerate(step.categories_):
        found = among(graph, graph.columns(value, np.array([j])), categories)
        codes = graph.add("MatMul", found, np.arange(len(categories), dtype=np.float64)[:, None])
        seen = graph.add("Greater", graph.sum(found), np.float64(0.0))
        parts.append(Value(graph.add("Where", seen, codes, np.full((1, 1), float(unknown))), 1))
    return graph.beside(parts)


# ------------------------------------------------------------------------------------------------------- maps


def polynomial(graph: Graph, step: Any, value: Value) -> Value:
    parts = []
    for powers in step.powers_:
        factors = list(chain.from_iterable([j] * int(power) for j, power in enumerate(powers)))
        if not factors:
            zero = graph.add("Mul", graph.columns(value, np.array([0])).name, np.float64(0.0))
            parts.append(Value(graph.add("Add", zero, np.float64(1.0)), 1))
            continue
        name = graph.columns(value, np.array(factors[:1])).name
        for j in factors[1:]:
            name = graph.add("Mul", name, graph.columns(value, np.array([j])).name)
        parts.append(Value(name, 1))
    return graph.beside(parts)


def pca(graph: Graph, step: Any, value: Value) -> Value:
    centred = affine(graph, value, ("Sub", step.mean_ if isinstance(step, PCA) else None))
    components = np.ascontiguousarray(np.asarray(step.components_, np.float64).T)
    found = Value(graph.add("MatMul", centred.name, components), components.shape[1])
    if not getattr(step, "whiten", False):
        return found
    scale = np.sqrt(step.explained_variance_)
    return affine(graph, found, ("Div", np.maximum(scale, np.finfo(scale.dtype).eps)))


def nystroem(graph: Graph, step: Any, value: Value) -> Value:
    names = {"rbf": "rbf", "poly": "polynomial", "polynomial": "polynomial", "linear": "linear", "sigmoid": "sigmoid"}
    if step.kernel not in names or step.kernel_params:
        refuse("Nystroem", f"has the kernel {step.kernel!r}", f"use one of {', '.join(names)}")
    given = {
        "gamma": 1.0 / value.width if step.gamma is None else step.gamma,
        "coef0": 1.0 if step.coef0 is None else step.coef0,
        "degree": 3 if step.degree is None else step.degree,
    }
    if int(given["degree"]) != given["degree"]:
        refuse("Nystroem", "has a degree that is not whole", "use a whole degree")
    values = kernel_values(graph, names[step.kernel], given, value, np.asarray(step.components_, np.float64))
    name = graph.add("MatMul", values, np.ascontiguousarray(step.normalization_.T, np.float64))
    return Value(name, len(step.components_))


def rbf_sampler(graph: Graph, step: Any, value: Value) -> Value:
    projected = graph.add("MatMul", value.name, np.asarray(step.random_weights_, np.float64))
    turned = graph.add("Cos", graph.add("Add", projected, row(step.random_offset_)))
    width = step.random_weights_.shape[1]
    return Value(graph.add("Mul", turned, np.float64((2.0 / step.n_components) ** 0.5)), width)


def pair_products(graph: Graph, step: Any, value: Value) -> Value:
    scaled = value
    if step.scale_ != 1.0:
        scaled = Value(graph.add("Mul", value.name, np.float64(step.scale_)), value.width)
    products = graph.add("Mul", *(graph.add("Gather", scaled.name, side.astype(np.int64), axis=1)
                                  for side in (step.left_, step.right_)))  # fmt: skip
    found = Value(products, len(step.left_))
    return graph.beside([scaled, found]) if step.keep else found


def radial(graph: Graph, step: Any, value: Value) -> Value:
    centres = np.asarray(step.centres_, np.float64)
    dots = graph.add("MatMul", value.name, np.ascontiguousarray(-2.0 * centres.T))
    norms = graph.add("ReduceSumSquare", value.name, np.array([1]))
    squares = graph.add("Add", graph.add("Add", dots, norms), row(np.einsum("ij,ij->i", centres, centres)))
    far = graph.add("Max", squares, np.float64(0.0))
    if step.kind == "distance":
        far = graph.add("Sqrt", far)
    elif step.kind == "gaussian":
        far = graph.add("Exp", graph.add("Mul", far, np.float64(-float(step.gamma))))
    found = Value(far, len(centres))
    return graph.beside([value, found]) if step.keep else found


# ------------------------------------------------------------------------------------------------------ tables


def add_columns(graph: Graph, step: ColumnTransformer, read: Callable[[int, bool], Value]) -> Value:
    """Its parts beside each other; `read` gives a column by its number, as text or as numbers."""
    parts = []
    for name, part, _ in step.transformers_:
        places = columns_of_part(step, name)
        if (isinstance(part, str) and part == "drop") or not places:
            continue
        text = not isinstance(part, str) and reads_text(part)
        whole = [read(place, text) for place in places]
        value = whole[0] if len(whole) == 1 else Value(
            graph.add("Concat", *(one.name for one in whole), axis=1), len(whole), text
        )  # fmt: skip
        if not isinstance(part, str) and reads_list(part):
            value = graph.flat(value)
        parts.append(add_step(graph, part, value))
    return graph.beside(parts)


def column_transformer(graph: Graph, step: Any, value: Value) -> Value:
    """Of an array: every column is a column of it."""

    def read(place: int, text: bool) -> Value:
        if text or value.text:
            refuse("ColumnTransformer on an array", "has columns of text and of numbers", "fit it on a frame")
        return graph.columns(value, np.array([place]))

    return add_columns(graph, step, read)


def _described(column: Column) -> str:
    """What an input of a table takes."""
    if column.kind == "boolean":
        return f"{column.categories[0]} or {column.categories[1]}" if column.categories else "0 or 1"
    if column.kind != "number":
        return {"category": "one of the categories, as text"}.get(column.kind, "text")
    unit = column.why if column.measure else ""
    return f"date or time, {unit}" if unit else "number"


def add_encoder(graph: Graph, encoder: ColumnEncoder) -> Value:
    """A `ColumnEncoder` with an input for each column that is used; NaN and "" are missing values."""
    parts = []
    for column in encoder.columns_:
        if not column.width:
            continue
        text = column.kind in ("category", "hashed", "text") or (column.kind == "boolean" and bool(column.categories))
        value = graph.input(column.name, 1, text=text, description=_described(column))
        parts.append(_encoded(graph, column, value))
        if column.indicator:
            missing = graph.add("Equal", value.name, np.array([[""]])) if text else graph.add("IsNaN", value.name)
            parts.append(Value(graph.numbers(missing), 1))
    together = graph.beside(parts)
    if encoder.dtype_ == np.float32:
        return Value(graph.single(together.name), together.width)
    return together


def _encoded(graph: Graph, column: Column, value: Value) -> Value:
    width = column.width - column.indicator
    if column.kind == "category":
        if "" in column.categories:
            refuse(f"the column {column.name!r}", "has a category without a name", "rename the category")
        return Value(among(graph, value, np.array(column.categories, dtype=object)), width)
    if column.kind == "hashed":
        return Value(onnx_text.hashed_values(graph, value, width), width)
    if column.kind == "text":
        assert column.words is not None
        return Value(onnx_text.weighted_words(graph, graph.flat(value), column.words), width)
    if column.kind == "boolean" and column.categories:
        lowered = graph.add("Reshape", onnx_text.lowered(graph, graph.flat(value).name), np.array([-1, 1]))
        found = among(graph, Value(lowered, 1, True), np.array(column.categories, dtype=object))
        known = graph.add("Greater", graph.sum(found), np.float64(0.0))
        yes = graph.columns(Value(found, 2), np.array([1])).name
        return Value(graph.add("Where", known, yes, np.full((1, 1), column.median)), 1)
    missing = graph.add("IsNaN", value.name)
    name = graph.add("Where", missing, np.full((1, 1), column.median), value.name)
    if column.kind == "number" and (column.factor != 1.0 or column.shift != 0.0):
        name = graph.add("Add", graph.add("Mul", name, np.float64(column.factor)), np.float64(column.shift))
    return Value(name, 1)


STEPS: dict[type, Step] = {
    StandardScaler: standard,
    MinMaxScaler: min_max,
    MaxAbsScaler: max_abs,
    RobustScaler: robust,
    Normalizer: normalizer,
    Binarizer: binarizer,
    FunctionTransformer: nothing,
    SimpleImputer: imputer,
    OneHotEncoder: one_hot,
    OrdinalEncoder: ordinal,
    PolynomialFeatures: polynomial,
    PCA: pca,
    TruncatedSVD: pca,
    Nystroem: nystroem,
    RBFSampler: rbf_sampler,
    PairProducts: pair_products,
    RadialFeatures: radial,
    ColumnTransformer: column_transformer,
    CountVectorizer: onnx_text.counted,
    TfidfVectorizer: onnx_text.tfidf,
    TfidfTransformer: onnx_text.weighted,
    HashingVectorizer: onnx_text.hashed,
}
