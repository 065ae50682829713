"""MNIST for the page: some images of every digit as one script, which a page may load even from a file."""

from __future__ import annotations

import base64
import functools

import numpy as np

EACH = 200  # images of every digit: the first in the order of the training set


def has_digits() -> bool:
    """Whether MNIST is on this machine."""
    from rosenblatt.sources.fetch import stored

    return all(stored(f"mnist/train-{part}-ubyte") for part in ("images-idx3", "labels-idx1"))


@functools.cache
def digits_script() -> str:
    """A line of JavaScript that gives the page its digits."""
    from rosenblatt.sources import mnist

    if not has_digits():
        raise ValueError("MNIST is not on this machine. Set ROSENBLATT_DATA, or run rosenblatt.sources.mnist() once.")
    split = mnist()
    chosen = np.concatenate([np.flatnonzero(split.y_train == digit)[:EACH] for digit in range(10)])
    packed = base64.b64encode(np.ascontiguousarray(split.X_train[chosen]).tobytes()).decode()
    return f'lab.digits("{packed}", {EACH});\n'
