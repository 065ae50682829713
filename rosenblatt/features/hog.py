"""Histograms of oriented gradients, for images (lecture row L22): scikit-image's, many images at a time."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.arguments import check_choice, shortened, threads, whole_number, yes_or_no
from rosenblatt.engine.threads import map_blocks, row_blocks, thread_count
from rosenblatt.models.linear import Array
from rosenblatt.stored import Sizes, Stored, choice, kinds, optional, row_of, small, whole
from rosenblatt.stored import threads as stored_threads

NORMS = ("L1", "L1-sqrt", "L2", "L2-Hys")
EPS = 1e-5  # scikit-image's
MOST = 10_000  # of orientations, and of pixels and cells in a row
PIXEL_WORK = 500  # multiplications that take as long as a pixel


def _check_pair(name: str, pair: Any, like: str, most: int = MOST) -> None:
    if not isinstance(pair, tuple | list | np.ndarray) or len(pair) != 2:
        raise ValueError(f"{name} must be a pair of whole numbers, but got {shortened(pair)}; write it like {like}.")
    for value in pair:
        whole_number(name, value, 1, f"write it like {like}", most)


class HOGFeatures(Stored, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Histograms of oriented gradients: where edges point, in every cell of an image.

    scikit-image computes the histogram of every cell; the blocks of cells are normalised here, for all images at once,
    and the images are spread over threads. The result is that of ``skimage.feature.hog`` for each image.

    Parameters
    ----------
    orientations : int
        Bins of the histogram, over 180 degrees.
    pixels_per_cell, cells_per_block : pair of int
        The sizes of a cell and of a block, height first.
    block_norm : {"L2-Hys", "L2", "L1", "L1-sqrt"}
        How a block is normalised.
    transform_sqrt : bool
        Take the square root of the image first.
    image_shape : pair of int or None
        The height and width of an image, where X has one row of numbers per image.
    n_jobs : int or None
        Threads over which the images are spread; None is as many as the process may use. The result is the same bits
        for any number.

    Attributes
    ----------
    image_shape_ : pair of int
    n_features_out_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import HOGFeatures
    >>> images = np.random.default_rng(0).integers(0, 256, (3, 32, 16), np.uint8)
    >>> HOGFeatures().fit_transform(images).shape
    (3, 108)

    References
    ----------
    N. Dalal, B. Triggs (2005). Histograms of oriented gradients for human detection. CVPR.
    """

    _stored = kinds({"image_shape_": row_of(small, small), "n_features_out_": whole})
    _stored_parameters = kinds({
        "orientations": small, "pixels_per_cell": row_of(small, small), "cells_per_block": row_of(small, small),
        "block_norm": choice(*NORMS), "n_jobs": stored_threads, "image_shape": optional(row_of(small, small)),
    })  # fmt: skip

    def __init__(
        self,
        orientations: int = 9,
        pixels_per_cell: tuple[int, int] = (8, 8),
        cells_per_block: tuple[int, int] = (2, 2),
        block_norm: str = "L2-Hys",
        transform_sqrt: bool = False,
        image_shape: tuple[int, int] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.orientations = orientations
        self.pixels_per_cell = pixels_per_cell
        self.cells_per_block = cells_per_block
        self.block_norm = block_norm
        self.transform_sqrt = transform_sqrt
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags._skip_test = True  # rows are images: scikit-learn's checks have none
        return tags

    def _images(self, X: Any) -> Array:
        X = np.asarray(X)
        if X.dtype.kind not in "biuf":
            raise ValueError(f"X must hold images of numbers, but got {X.dtype}; convert them first.")
        if X.ndim == 2 and self.image_shape is not None:
            _check_pair("image_shape", self.image_shape, "(28, 28)", most=10**9)
            height, width = self.image_shape
            if X.shape[1] != height * width:
                raise ValueError(
                    f"X must have {height} x {width} = {height * width} numbers per image, but has {X.shape[1]}; check "
                    f"image_shape."
                )
            X = X.reshape(len(X), height, width)
        if X.ndim != 3 or 0 in X.shape:
            raise ValueError(
                f"X must be grey images of shape (n_images, height, width), but got shape {X.shape}; set image_shape "
                f"for images as rows."
            )
        if X.dtype.kind == "f" and not np.isfinite(X).all():
            raise ValueError("X must be finite, but it holds NaN or infinity; leave such images out.")
        return X

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the shape of the images."""
        _scikit_image()
        check_choice("block_norm", self.block_norm, NORMS)
        yes_or_no(transform_sqrt=self.transform_sqrt)
        threads(self.n_jobs)
        whole_number("orientations", self.orientations, 1, "9 is usual", MOST)
        for name in ("pixels_per_cell", "cells_per_block"):
            _check_pair(name, getattr(self, name), "(8, 8)")
        X = self._images(X)
        self.n_features_out_ = self._width(X.shape[1:])
        if self.n_features_out_ < 1:
            raise ValueError(
                f"The images must hold a block of {self.cells_per_block} cells of {self.pixels_per_cell} pixels, but "
                f"they are {X.shape[1:]}; use smaller cells or blocks."
            )
        self.image_shape_ = X.shape[1:]
        return self

    def _cells(self, shape: Any) -> tuple[int, int]:
        return shape[0] // self.pixels_per_cell[0], shape[1] // self.pixels_per_cell[1]

    def _width(self, shape: Any) -> int:
        """The features of images of this shape; 0 where they do not hold a block."""
        blocks = [max(0, c - b + 1) for c, b in zip(self._cells(shape), self.cells_per_block, strict=True)]
        return int(np.prod(blocks) * np.prod(self.cells_per_block) * self.orientations)

    def transform(self, X: Any) -> Array:
        """(n_images, n_blocks · cells_per_block · orientations), float64."""
        check_is_fitted(self)
        images = self._images(X)
        if images.shape[1:] != self.image_shape_:
            raise ValueError(
                f"The images must be {self.image_shape_} as at the fit, but they are {images.shape[1:]}; resize them."
            )
        threads(self.n_jobs)
        blocks = row_blocks(len(images), 16)
        count = thread_count(self.n_jobs, work=PIXEL_WORK * images.size)
        return np.concatenate(map_blocks(lambda block: self._describe(images[block]), blocks, count))

    def _describe(self, images: Array) -> Array:
        return self._normalised(np.stack([self._histograms(image) for image in images]))

    def _histograms(self, image: Array) -> Array:
        """The histogram of every cell, (rows of cells, columns of cells, orientations).

        scikit-image normalises blocks as it goes. A single block of all cells is divided by its length only, and the
        length follows from what all votes add up to: the sum of the gradients' magnitudes, per pixel of a cell.
        """
        hog = _scikit_image()
        cells = self._cells(image.shape)
        whole = hog(
            image,
            orientations=self.orientations,
            pixels_per_cell=self.pixels_per_cell,
            cells_per_block=cells,
            block_norm="L2",
            transform_sqrt=self.transform_sqrt,
            feature_vector=False,
        )[0, 0]
        votes = float(whole.sum())
        if votes == 0.0:
            return whole
        seen: Array = image.astype(np.float32 if image.dtype == np.float32 else np.float64)
        if self.transform_sqrt:
            seen = np.sqrt(seen)
        down, across = np.zeros_like(seen), np.zeros_like(seen)
        down[1:-1] = seen[2:] - seen[:-2]
        across[:, 1:-1] = seen[:, 2:] - seen[:, :-2]
        height, width = (c * p for c, p in zip(cells, self.pixels_per_cell, strict=True))
        total = np.sqrt(down * down + across * across)[:height, :width].sum(dtype=np.float64)
        return whole * (total / np.prod(self.pixels_per_cell) / votes)

    def _normalised(self, histograms: Array) -> Array:
        """Every block of every image, normalised by itself."""
        windows = np.lib.stride_tricks.sliding_window_view(histograms, self.cells_per_block, axis=(1, 2))
        blocks = np.moveaxis(windows, 3, -1)  # (images, rows, columns, block rows, block columns, orientations)
        blocks = np.ascontiguousarray(blocks).reshape(*blocks.shape[:3], -1)
        if self.block_norm.startswith("L1"):
            blocks = blocks / (np.abs(blocks).sum(axis=-1, keepdims=True) + EPS)
            blocks = np.sqrt(blocks) if self.block_norm == "L1-sqrt" else blocks
        else:
            blocks = blocks / np.sqrt((blocks**2).sum(axis=-1, keepdims=True) + EPS**2)
        if self.block_norm == "L2-Hys":
            blocks = np.minimum(blocks, 0.2)
            blocks = blocks / np.sqrt((blocks**2).sum(axis=-1, keepdims=True) + EPS**2)
        return blocks.reshape(len(histograms), -1)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names like "hog0"."""
        check_is_fitted(self)
        return np.array([f"hog{n}" for n in range(self.n_features_out_)], dtype=object)

    def _check_fitted(self, sizes: Sizes) -> None:
        if not 0 < self.n_features_out_ == self._width(self.image_shape_):
            raise ValueError("HOGFeatures: its sizes do not belong together")


def _scikit_image() -> Any:
    try:
        from skimage.feature import hog
    except ImportError as error:
        raise ImportError(
            "HOGFeatures needs scikit-image, which is not installed; run: pip install 'rosenblatt[images]'"
        ) from error
    return hog
