"""Settings of every test: the same examples in every run; HYPOTHESIS_PROFILE=all takes more, =search new ones."""

import math
import os
import shutil
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
        watch._last_interrupt[0] = -math.inf


BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests of a process: Playwright's loop cannot be started twice."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    if BROWSER is None:
        pytest.skip("there is no Chromium on this machine; .ci/run installs it")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()
