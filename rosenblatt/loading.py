"""Loading large libraries with the garbage collector at rest.

Importing scikit-learn and numba makes some 500,000 objects that live as long as the process does. While they are made,
Python looks through them again and again for garbage, which is a tenth of the time that a short program takes in all.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """No collection meanwhile; what was made counts as old afterwards, so that the next ones do not look through it.

    Examples
    --------
    >>> with collector_at_rest():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():  # what somebody has frozen stays so
                gc.freeze()
                gc.unfreeze()  # into the oldest generation
            gc.enable()
