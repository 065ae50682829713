"""Print the lowest version that pyproject.toml declares of every dependency, as constraints for pip."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

DECLARED = re.compile(r"^([\w.-]+)(?:\[[\w,]*\])?>=([\w.]+)")

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"].values()
for requirement in [*project["dependencies"], *(each for extra in extras for each in extra)]:
    found = DECLARED.match(requirement)
    if found and found[1] != "rosenblatt":
        print(f"{found[1]}=={found[2]}.*" if found[2].count(".") < 2 else f"{found[1]}=={found[2]}")
