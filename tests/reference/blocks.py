"""Fits of `KernelPerceptron` with blocks of another size, for the law that the size changes nothing."""

from contextlib import contextmanager

import pytest

from rosenblatt.estimators import kernel_perceptron


@contextmanager
def blocks(rows):
    """Blocks of so many rows; None is what users have."""
    with pytest.MonkeyPatch.context() as patch:
        if rows is not None:
            patch.setattr(kernel_perceptron, "CPU_BLOCK", rows)
            patch.setattr(kernel_perceptron, "GPU_BLOCK", rows)
        yield
