"""Fits of `KernelPerceptron` with blocks of another size, for the law that the size changes nothing."""

from contextlib import contextmanager

import pytest

from rosenblatt.estimators import kernel_perceptron


@contextmanager
def blocks(rows, cache_bytes=None):
    """Blocks of so many rows, and so much memory for kernel columns; None is what users have."""
    with pytest.MonkeyPatch.context() as patch:
        if rows is not None:
            patch.setattr(kernel_perceptron, "CPU_BLOCK", rows)
            patch.setattr(kernel_perceptron, "GPU_BLOCK", rows)
        if cache_bytes is not None:
            patch.setattr(kernel_perceptron, "CACHE_BYTES", cache_bytes)
        yield
