"""The bodies of requests: their types, which are also those of the OpenAPI document, and what else is checked."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from rosenblatt.service.problems import RequestError
from rosenblatt.wording import shortened

MOST_LETTERS = 200  # of an id, a key or a label
Value = bool | float | str
Label = bool | Annotated[int, Meta(ge=-(2**53), le=2**53)] | Annotated[str, Meta(max_length=MOST_LETTERS)]
Features = dict[str, Value] | list[float]
Name = Annotated[str, Meta(min_length=1, max_length=MOST_LETTERS)]


class Example(Struct, forbid_unknown_fields=True):
    """One labelled example: named features or a row of numbers, the label, and how much it weighs."""

    x: Features
    y: Label
    w: Annotated[float, Meta(ge=0.0)] = 1.0


class Examples(Struct, forbid_unknown_fields=True):
    """Several labelled examples, learned in this order, all or none."""

    examples: Annotated[list[Example], Meta(min_length=1)]


class Question(Struct, forbid_unknown_fields=True):
    """One example to predict; with an id its features are kept for a label that comes later."""

    x: Features
    id: Name | None = None


class Questions(Struct, forbid_unknown_fields=True):
    """Several examples to predict."""

    examples: Annotated[list[Question], Meta(min_length=1)]


class LabelOnly(Struct, forbid_unknown_fields=True):
    """The label of what was predicted with an id."""

    y: Label
    w: Annotated[float, Meta(ge=0.0)] = 1.0


class NewModel(Struct, forbid_unknown_fields=True):
    """A learner and those of its parameters that differ from its defaults.

    `max_names` bounds the feature names of a learner that does not hash them; null lifts the bound.
    """

    learner: str
    params: dict[str, Any] = {}
    max_names: Annotated[int, Meta(ge=1)] | None = 2**18


class Spec(NewModel):
    """What a folder says of its model; an uploaded one begins with its version 0."""

    uploaded: bool = False


class Rollback(Struct, forbid_unknown_fields=True):
    """Back to what the model was after this sequence number."""

    to: Annotated[int, Meta(ge=0)]


T = TypeVar("T")
_MANY = re.compile(rb'\s*\{\s*"examples"\s*:')
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_packed = msgspec.msgpack.Encoder()
_unpack = msgspec.msgpack.Decoder(list[tuple[Features, Label, float]])
_unpack_x = msgspec.msgpack.Decoder(Features)


def read(body: bytes, kind: type[T]) -> T:
    """A body as one of the types above, or a refusal that says where it differs."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise RequestError(422, f"The body does not fit: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(400, f"The body is not JSON: {error}.") from None


def read_one_or_many(body: bytes, one: type[Any], many: type[Any]) -> tuple[list[Any], bool]:
    """(the examples, whether there was a list of them)."""
    if _MANY.match(body):
        return read(body, many).examples, True
    return [read(body, one)], False


def check_features(x: Mapping[str, Value] | Sequence[float], most: int, place: str = "x") -> None:
    """Refuse too many features, none where a row is expected, and numbers that are not finite."""
    if len(x) > most:
        raise RequestError(422, f"{place} has {len(x):,} features; at most {most:,} are taken.")
    if isinstance(x, Mapping):
        for name, value in x.items():
            if value.__class__ is float and not math.isfinite(value):
                raise RequestError(422, f"The feature {shortened(name)} in {place} must be finite; leave it out.")
    elif not len(x):
        raise RequestError(422, f"{place} is a row without numbers.")
    elif not all(map(math.isfinite, x)):
        raise RequestError(422, f"{place} must hold finite numbers only.")


def packed(examples: Sequence[tuple[Any, Any, float]]) -> bytes:
    """Examples as the journal has them."""
    return _packed.encode(examples)


def unpacked(body: bytes) -> list[tuple[Any, Any, float]]:
    return _unpack.decode(body)


def packed_features(x: Any) -> bytes:
    return _packed.encode(x)


def unpacked_features(x: bytes) -> Any:
    return _unpack_x.decode(x)


def body_hash(*parts: bytes | str) -> bytes:
    """What tells two bodies apart, however they are spaced."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()
