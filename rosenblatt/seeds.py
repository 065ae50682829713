"""What may be passed as `random_state`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.arguments import shortened


def random_state_of(seed: Any) -> np.random.RandomState:
    """numpy's RandomState for None, a whole number, a RandomState or a Generator.

    A Generator gives the seed, one number of its own: two calls with the same Generator differ, as they do with the
    same RandomState.

    >>> random_state_of(np.random.default_rng(0)).randint(100) == random_state_of(np.random.default_rng(0)).randint(100)
    True
    """
    from sklearn.utils import check_random_state

    if isinstance(seed, np.random.Generator):
        return np.random.RandomState(int(seed.integers(2**32)))
    check_seed(seed)
    result: np.random.RandomState = check_random_state(seed)
    return result


def check_seed(seed: Any) -> None:
    """Refuse what cannot be a random_state, without drawing from it."""
    if isinstance(seed, np.random.Generator | np.random.RandomState | type(None)) or seed is np.random:
        return
    if isinstance(seed, int | np.integer) and not isinstance(seed, bool) and 0 <= seed < 2**32:
        return
    raise ValueError(
        f"random_state must be None, a whole number from 0 to 2**32 - 1 or a numpy Generator or RandomState, but got "
        f"{shortened(seed)}; pass 0, for example."
    )
