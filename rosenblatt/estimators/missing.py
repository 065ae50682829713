"""What stands in a loaded model for a function of the user's own, which a model file does not contain."""

from __future__ import annotations

from typing import Any, NoReturn

from rosenblatt.kernels import Kernel
from rosenblatt.stored import Sizes, number, text


class MissingFunction:
    """A parameter that was a Python function when the model was saved."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"MissingFunction({self.name!r})"

    def refuse(self, parameter: str) -> NoReturn:
        raise ValueError(
            f"{parameter} was the function {self.name} when this model was saved, and a model file holds no code: it "
            f"predicts as before, but to train it further set the function again with set_params({parameter}=...)."
        )


def kernel(value: Any, sizes: Sizes) -> bool:
    """A kind for model files: a kernel's name, a kernel, or a function that is not in the file."""
    return isinstance(value, str | Kernel | MissingFunction)


def rule(value: Any, sizes: Sizes) -> bool:
    """A kind for model files: a name, a number, or a function that is not in the file."""
    return isinstance(value, MissingFunction) or text(value, sizes) or number(value, sizes) or value is None
