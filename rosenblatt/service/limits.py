"""What the service takes at most, and how long it keeps things."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    body: int = 1_000_000  # bytes of a request
    model_file: int = 256_000_000  # bytes of a model file that is uploaded
    features: int = 10_000  # of one example
    queue: int = 1_000  # requests of one model that wait to be made durable
    key_hours: float = 24.0  # that an idempotency key is remembered
    label_hours: float = 7 * 24.0  # that features wait for their label
    snapshot_every: int = 100_000  # examples between two versions
    versions: int = 10  # that are kept
