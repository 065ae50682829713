"""Words that were retired (docs/glossary.md) do not come back."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent
RETIRED = re.compile(
    r"\b(lessons?|parted|judg(?:e[sd]?|ing)|noted|let go|heard|said|somebody|nobody|whoever|anew|afresh)\b", re.I
)
TITLES = ("James L. Crowley, lesson 7",)


def test_retired_words_stay_retired():
    places = ["rosenblatt", "docs", "examples", "benchmarks", "README.md", "CHANGELOG.md", "ARCHITECTURE.md"]
    listed = subprocess.run(["git", "ls-files", *places], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = []
    for name in listed.splitlines():
        path = ROOT / name
        if path.suffix not in (".py", ".md", ".js", ".html", ".css") or name.startswith("docs/lectures/"):
            continue
        text = path.read_text("utf-8").partition("## Words we do not use")[0]
        for number, line in enumerate(text.splitlines(), 1):
            if RETIRED.search(line) and not any(title in line for title in TITLES):
                found.append(f"{name}:{number}: {line.strip()[:100]}")
    assert found == []


def test_the_glossary_has_every_retired_word():
    table = (ROOT / "docs" / "glossary.md").read_text("utf-8").partition("## Words we do not use")[2]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("|")][2:]
    words = [word.strip() for row in rows for word in row.split(",")]
    assert len(words) > 8 and all(RETIRED.fullmatch(word) for word in words)
