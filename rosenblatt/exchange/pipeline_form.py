"""The form of scikit-learn's `Pipeline`, apart from the others: a model file of ours needs no more of scikit-learn."""

from __future__ import annotations

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from rosenblatt.exchange.checks import choice, either, instance, items, nothing, row_of, text
from rosenblatt.exchange.forms import Estimator

part = either(nothing, choice("passthrough", "drop"), instance(BaseEstimator))
steps = items(row_of(text, part))

FORMS = (Estimator(Pipeline, {}, parameters={"steps": steps, "memory": nothing}, needed=(), validates=True).form(),)
