"""Settings of every test: the same examples in every run; HYPOTHESIS_PROFILE=all takes more, =search new ones."""

import math
import os
import sys

import pytest
from hypothesis import HealthCheck, settings

quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
same = {"deadline": None, "derandomize": True, "database": None, "suppress_health_check": quiet}
settings.register_profile("same", max_examples=60, **same)
settings.register_profile("all", max_examples=100, **same)
settings.register_profile("search", deadline=None, max_examples=1000, database=None, suppress_health_check=quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


@pytest.fixture(autouse=True)
def long_after_the_last_ctrl_c():
    """A second Ctrl-C within a second ends more than one run; those of two tests have nothing to do with each other."""
    watch = sys.modules.get("rosenblatt.engine.online.stopping")
    if watch is not None:
        watch._heard[0] = -math.inf
