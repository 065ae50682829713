"""The pages of the documentation are run: every block of Python that begins with >>> is a doctest.

Each page is one session, in the order of its blocks.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import rosenblatt
import rosenblatt.certificates

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"]
    if "_build" not in page.parts and ">>>" in page.read_text(encoding="utf-8")
)
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def session(text: str) -> str:
    """Return the blocks of Python on a page, each on the lines where it stands, and blank lines for the rest."""
    kept = [""] * (text.count("\n") + 1)
    for block in FENCE.finditer(text):
        first = text.count("\n", 0, block.start(1))
        for n, line in enumerate(block.group(1).splitlines()):
            kept[first + n] = line
    return "\n".join(kept) + "\n"


def test_session_leaves_out_the_fences() -> None:
    assert session("a\n```python\n>>> 1\n1\n```\nb\n") == "\n\n>>> 1\n1\n\n\n\n"


def test_pages_are_found() -> None:
    assert {"index.md", "tutorial.md", "choosing.md", "online.md", "lectures.md", "certificates.md"} <= {
        page.name for page in PAGES
    }


# A page shows what happens when a run does not converge; that it warns is tested where the warning is.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path) -> None:
    text = session(page.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, page.name, str(page), 0)
    assert test.examples
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_every_public_name_has_its_place_in_the_reference() -> None:
    """Once on one of its pages, and so in the tables of the first, which are read off them."""
    index = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    described: list[str] = []
    for page in re.findall(r"^reference/\w+$", index, re.MULTILINE):
        module = "rosenblatt"
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        for kind, name in re.findall(r"^\.\. (currentmodule|auto\w+):: (\S+)$", text, re.MULTILINE):
            if kind == "currentmodule":
                module = name
            else:
                described.append(name if name.startswith("rosenblatt.") else f"{module}.{name}")
    assert described == re.findall(r"^   ~(\S+)$", index, re.MULTILINE) and len(set(described)) == len(described)
    assert {f"rosenblatt.{name}" for name in rosenblatt._HOMES} <= set(described)
    for name in described:  # where the reference says it is, it can be imported from
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name
    results = {f"rosenblatt.certificates.{name}" for name in rosenblatt.certificates.__all__}
    assert results == {name for name in described if name.startswith("rosenblatt.certificates.")}


def test_every_row_of_the_lectures_can_be_typed() -> None:
    """L1 to L25 each have a heading, a block that runs, and a test or tests that exist under the name given."""
    page = (ROOT / "docs" / "lectures.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^## L(\d+) — (.*?)(?=^## )", page, re.MULTILINE | re.DOTALL))
    assert list(rows) == [str(n) for n in range(1, 26)]
    for number, text in rows.items():
        assert ">>>" in text, f"L{number} has nothing to type"
        assert re.search(r"\bTests?:\s+`tests/", text), f"L{number} names no test"


def test_tests_that_pages_name_exist() -> None:
    folder = ROOT / "tests" / "lectures"
    defined = set(re.findall(r"def (test_\w+)", "".join(file.read_text("utf-8") for file in folder.glob("test_*.py"))))
    for page in ("lectures.md", "errata.md"):
        named = re.findall(r"`(?:[\w/]+\.py)?(?:::)?(test_\w+)(…?)`", (ROOT / "docs" / page).read_text("utf-8"))
        assert named
        for name, more in named:
            found = name in defined or (more and any(known.startswith(name) for known in defined))
            assert found, f"{page} names {name}, which is not there"


def test_layouts_have_the_functions_of_the_contract() -> None:
    from rosenblatt.engine.layouts.table import LAYOUTS, Layout

    named = {name for name in vars(Layout) if not name.startswith("_")} | {"LAYOUT"}
    assert len(named) > 10
    for layout in LAYOUTS.values():
        for name in named:
            assert hasattr(layout, name), f"{layout.LAYOUT} has no {name}"
            if name != "LAYOUT":
                wanted = list(inspect.signature(getattr(Layout, name)).parameters)[1:]
                assert list(inspect.signature(getattr(layout, name)).parameters) == wanted, f"{layout.LAYOUT}.{name}"


@pytest.mark.parametrize("name", sorted(set(rosenblatt.__all__) - {"__version__"}))
def test_public_docstring(name: str) -> None:
    """Everything public has an example that runs; arguments are listed, and functions say what they raise."""
    public = getattr(rosenblatt, name)
    text = inspect.getdoc(public) or ""
    if isinstance(public, type) and issubclass(public, Warning | Exception):
        assert text
        return
    assert ">>>" in text, f"{name} has no example"
    made_by_others = {"NotOneUnit", "RuleNetwork"}  # nobody calls these
    short = {"chow_parameters", "margin", "explain"}  # arguments that are those of a neighbour
    if name not in made_by_others | short and inspect.signature(public).parameters:
        assert re.search(r"^Parameters\n-+$", text, re.MULTILINE), f"{name} does not list its parameters"
    if inspect.isfunction(public) and name not in short | {"open_source"}:
        assert re.search(r"^Raises\n-+$", text, re.MULTILINE), f"{name} does not say what it raises"
