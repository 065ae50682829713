"""The weights of half-spaces: bars with names and signs, or images where the features are pixels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from rosenblatt.arguments import numbers_in, shortened, whole_number
from rosenblatt.engine.online.state import Array
from rosenblatt.features.anatomy import Anatomy, spread
from rosenblatt.plots.style import INK, NEGATIVE, POSITIVE, QUIET, axes, checked, for_and_against, pyplot
from rosenblatt.wording import counted, short

ACROSS = 5  # panels in a row


class WeightsDisplay:
    """What every feature speaks for: orange for the class of the panel, blue against it.

    Two classes are one panel, whose bars speak for the second class; several classes have a panel each. With `X` a
    weight is multiplied by the standard deviation of its feature, so that features in different units compare; the
    weights of standardised features compare as they are.

    Parameters
    ----------
    weights : array of shape (n_half_spaces, n_features)
    classes : one label per half-space, or two for one half-space; empty for a regression
    names : the names of the features, or None to number them
    image_shape : (height, width) of an image whose pixels the features are, or None for bars

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plots import WeightsDisplay
    >>> model = Perceptron(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> display = WeightsDisplay.from_estimator(model, feature_names=["left", "right"])
    >>> display.weights.tolist(), [tick.get_text() for tick in display.ax_.get_yticklabels()]
    ([[3.0, 2.0]], ['right', 'left'])
    """

    def __init__(
        self, weights: Any, *, classes: Any = (), names: list[str] | None = None, image_shape: Any = None,
        ylabel: str = "weight",
    ) -> None:  # fmt: skip
        self.weights: Array = np.atleast_2d(np.asarray(weights, np.float64))
        count, d = self.weights.shape
        self.classes, self.ylabel = list(classes), ylabel
        if names is not None and len(names) != d:
            raise ValueError(
                f"There must be {counted(d, 'name')}, one for each feature, but got {len(names)}; pass them all."
            )
        self.names = [f"feature {j}" for j in range(d)] if names is None else [str(name) for name in names]
        self.image_shape = _checked_shape(image_shape, d)
        self.titles = [short(name) for name in self.classes] if len(self.classes) == count else [""] * count
        if count == 1 and len(self.classes) == 2:
            self.titles = [f"for {short(self.classes[1])}, against {short(self.classes[0])}"]

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, *, feature_names: Any = None, image_shape: Any = None, most: int = 15,
        ax: Any = None,
    ) -> Self:  # fmt: skip
        """The weights of a fitted linear learner, or of the one at the end of a pipeline.

        Parameters
        ----------
        estimator : a fitted learner with ``coef_``, or a Pipeline that ends with one
        X : rows, whose features' standard deviations multiply the weights; or None
        feature_names : names, where the model has none
        image_shape : (height, width), where the features are pixels
        most : how many bars to draw in a panel: those of the largest weights
        ax : axes to draw in; several panels share its place
        """
        if feature_names is not None:
            feature_names = [str(name) for name in _several(feature_names)]
        anatomy = Anatomy(estimator, feature_names)
        weights = anatomy.coefficients
        if weights is None:
            raise TypeError(
                f"There is a picture of the weights of a linear model, but {anatomy.name} has no coef_; use "
                f"BoundaryDisplay or MarginDisplay."
            )
        ylabel = "weight"
        if X is not None:
            weights, ylabel = weights * spread(anatomy.seen(X)), "weight × standard deviation"
        names = anatomy.names(weights.shape[1])
        if names is None and feature_names is not None:
            names = feature_names
        classes = list(getattr(anatomy.learner, "classes_", ()))
        display = cls(weights, classes=classes, names=names, image_shape=image_shape, ylabel=ylabel)
        return display.plot(ax, most=most)

    def plot(self, ax: Any = None, *, most: int = 15) -> Self:
        whole_number("most", most, 1, "it is a number of bars")
        count = len(self.weights)
        across = min(count, ACROSS if self.image_shape else 3)
        down = -(-count // across)
        bars = min(most, self.weights.shape[1])
        if ax is None:
            figure = pyplot().figure(figsize=self._size(down, across, bars), layout="constrained")
            panels = [figure.add_subplot(down, across, 1 + k) for k in range(count)]
        else:
            panels = [checked(ax)] if count == 1 else _inside(checked(ax), down, across, count)
        self.axes_ = np.array(panels, dtype=object)
        self.ax_, self.figure_ = panels[0], panels[0].figure
        limit = float(np.quantile(np.abs(self.weights), 0.995) or np.abs(self.weights).max() or 1.0)
        for k, panel in enumerate(panels):
            if self.image_shape:
                self._image(panel, k, limit)
            else:
                self._bars(panel, k, bars)
        return self

    def _size(self, down: int, across: int, bars: int) -> tuple[float, float]:
        """Inches."""
        if self.image_shape:
            return (4.2, 4.4) if down * across == 1 else (2.1 * across, 2.3 * down)
        return max(6.4, 3.6 * across), (0.9 + 0.28 * bars) * down

    def _image(self, ax: Any, k: int, limit: float) -> None:
        ax.imshow(self.weights[k].reshape(self.image_shape), cmap=for_and_against(), vmin=-limit, vmax=limit)
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(True)
        ax.spines[:].set_color(QUIET)
        ax.set_title(self.titles[k], color=INK, fontsize=10, parse_math=False)

    def _bars(self, ax: Any, k: int, bars: int) -> None:
        axes(ax)
        values = self.weights[k]
        order = np.argsort(-np.abs(values), kind="stable")[:bars][::-1]
        colours = [POSITIVE if values[j] >= 0 else NEGATIVE for j in order]
        ax.barh(np.arange(len(order)), values[order], color=colours, height=0.72)
        ax.axvline(0, color=INK, lw=0.8)
        ax.set_yticks(np.arange(len(order)), [short(self.names[j]) for j in order], parse_math=False)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.margins(y=0.02)
        ax.locator_params(axis="x", nbins=5)
        ax.set_xlabel(self.ylabel)
        left = len(values) - len(order)
        title = self.titles[k] + (f" ({left:,} smaller not shown)" if left and len(self.weights) == 1 else "")
        ax.set_title(title.strip(), color=INK, fontsize=10, parse_math=False)


def _checked_shape(image_shape: Any, d: int) -> tuple[int, ...] | None:
    if image_shape is None:
        return None
    sides = np.atleast_1d(numbers_in("image_shape", image_shape, "(height, width)"))
    shape = tuple(int(side) if side.is_integer() else float(side) for side in sides.ravel())
    if sides.shape != (2,) or shape[0] * shape[1] != d or min(shape) < 1:
        raise ValueError(
            f"image_shape must be (height, width) with {d} pixels in all, one for each feature, but got "
            f"{shortened(image_shape)}; check the order and the product."
        )
    return int(shape[0]), int(shape[1])


def _several(names: Any) -> Iterable[Any]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"feature_names must be a list of names, but {shortened(names)} came; pass one per feature.")
    return names


def _inside(ax: Any, down: int, across: int, count: int) -> list[Any]:
    """Panels in the place of one."""
    ax.set_axis_off()
    figure, grid = ax.figure, ax.get_subplotspec()
    if grid is None:
        raise ValueError("Several panels need axes made by plt.subplots, but these are not; pass ax=None.")
    inner = grid.subgridspec(down, across)
    return [figure.add_subplot(inner[k // across, k % across]) for k in range(count)]
