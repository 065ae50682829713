"""What stands in a loaded model for a function of the user's own, which a model file does not contain."""

from __future__ import annotations

from typing import NoReturn

from rosenblatt.kernels import Kernel
from rosenblatt.stored import either, instance, number, optional, text


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


# Kinds for model files: a name, an object or a number, or a function that is not in the file.
kernel = either(text, instance(Kernel, MissingFunction))
rule = optional(either(text, number, instance(MissingFunction)))
