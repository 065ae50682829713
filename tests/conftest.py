"""Settings of every test: the same examples in every run; HYPOTHESIS_PROFILE=search looks for new ones."""

import os

from hypothesis import HealthCheck, settings

quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("same", deadline=None, derandomize=True, database=None, suppress_health_check=quiet)
settings.register_profile("search", deadline=None, max_examples=1000, database=None, suppress_health_check=quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
