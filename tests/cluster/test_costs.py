"""The page about costs has the tables that its script prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_tables_of_the_page_are_those_of_the_script() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.cluster_schedule"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    printed = [line for line in found.stdout.splitlines() if line.startswith("|")]
    page = (ROOT / "docs" / "cluster_costs.md").read_text()
    assert printed == [line for line in page.splitlines() if line.startswith("|")] and len(printed) > 10
