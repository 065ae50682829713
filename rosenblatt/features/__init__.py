"""Features: maps in front of a learner, and the way back from scaled features to the original ones."""

from __future__ import annotations

from rosenblatt.features.hog import HOGFeatures
from rosenblatt.features.original_space import OriginalSpace, to_original_space
from rosenblatt.features.pair_products import PairProducts
from rosenblatt.features.radial import RadialFeatures

__all__ = ["HOGFeatures", "OriginalSpace", "PairProducts", "RadialFeatures", "to_original_space"]
