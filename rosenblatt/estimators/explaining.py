"""What the weights of a linear classifier say in words: weights by the names of features, and why it predicted so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.estimators import one_by_one
from rosenblatt.estimators.validation import check_positive

if TYPE_CHECKING:
    from rosenblatt.estimators.linear import LinearClassifier

INTERCEPT = "(intercept)"


def _names(estimator: LinearClassifier) -> list[str]:
    if "_names" not in vars(estimator):
        found = getattr(estimator, "feature_names_in_", None)
        return [f"x{j}" for j in range(estimator.n_features_in_)] if found is None else [str(name) for name in found]
    if estimator._names.size is not None:
        raise ValueError(
            "hash_features lets names share weights, so no weight belongs to one name; use explain_one(x), or learn "
            "with hash_features=None."
        )
    return list(estimator._names.codes)  # in the order of their slots


def weights_by_name(estimator: LinearClassifier) -> dict[Any, dict[str, float]]:
    model, names, labels = estimator._weights("weights_by_name"), _names(estimator), estimator.classes_.tolist()
    found = []
    for weights, bias in zip(model.coef.tolist(), model.intercept.tolist(), strict=True):
        found.append(dict(zip(names, weights, strict=True)) | {INTERCEPT: bias})
    if len(labels) == 2:  # one half-space: what speaks for the second class speaks against the first
        found.insert(0, {name: 0.0 - weight for name, weight in found[0].items()})
    return dict(zip(labels, found, strict=False))


def explain_one(estimator: LinearClassifier, x: Any, most: int | None) -> list[tuple[str, float]]:
    check_positive("most", most, "it is a number of features; use None for all of them", whole=True, none=True)
    model = estimator._weights("explain_one")
    example = one_by_one.read(estimator, x)
    code = estimator.classes_.tolist().index(estimator.predict_one(x))
    row, sign = (0, 1.0 if code == 1 else -1.0) if len(model.intercept) == 1 else (code, 1.0)
    weights = model.coef[row]
    found = [(INTERCEPT, sign * model.intercept.item(row))]
    if isinstance(example, dict):
        for name, value in example.items():
            values, slots = estimator._names.row({name: value})
            found += [(str(name), sign * weights.item(slots.item(0)) * values.item(0))] if len(slots) else []
    else:
        products = sign * weights * example
        found += list(zip(_names(estimator), products.tolist(), strict=True))
    used = [(name, product) for name, product in found if product != 0.0]
    return sorted(used, key=lambda pair: -abs(pair[1]))[:most]
