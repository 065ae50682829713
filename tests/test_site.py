"""The site as a reader meets it: every page is there, every link leads somewhere, and every page fits a screen."""

import html.parser
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("sphinx", reason="sphinx is not installed: make .venv/.with-docs")
pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
PARTS = ("_build", "api", "certificates", "command_line", "gallery")  # of other pages, or written by the build
SPHINX = {"search", "genindex", "py-modindex"}  # pages that Sphinx writes over ours


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the site, built without a warning."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert built.returncode == 0, built.stderr[-5000:]
    return folder


class Page(html.parser.HTMLParser):
    """The links of a page, what it loads, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("script", "img", "source", "iframe") and found.get("src"):
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") not in ("canonical", "search", "next", "prev", "index"):
            self.loaded.append(found["href"])


def pages(site):
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)


def test_no_page_is_lost_and_every_page_is_linked(site):
    sources = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    written = {str(path.with_suffix("")) for path in sources if path.parts[0] not in PARTS}
    assert written & SPHINX == set()
    assert {name for name in written if not (site / f"{name}.html").exists()} == set()
    linked = {
        (path.parent / unquote(urlsplit(link).path)).resolve()
        for path in pages(site)
        for link in Page(path).links
        if not urlsplit(link).scheme
    }
    assert [name for name in sorted(written) if (site / f"{name}.html").resolve() not in linked] == []


def test_every_link_inside_the_site_leads_somewhere(site):
    known = {path: Page(path) for path in pages(site)}
    broken = []
    for path, page in known.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme not in ("https", "mailto"):
                    broken.append((path.name, link))
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() or (
                parts.fragment and target in known and unquote(parts.fragment) not in known[target].anchors
            ):
                broken.append((path.name, link))
    assert broken == []


def test_pages_load_nothing_from_elsewhere(site):
    for path in pages(site):
        for source in Page(path).loaded:
            parts = urlsplit(source)
            assert parts.scheme in ("", "data") and not parts.netloc, (path.name, source)
            assert parts.scheme or (path.parent / unquote(parts.path)).is_file(), (path.name, source)


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_opens_without_errors_and_fits(site, browser, width):
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append((page.url, str(error))))
    page.on("console", lambda message: message.type == "error" and errors.append((page.url, message.text)))
    too_wide = []
    for path in pages(site):
        page.goto(path.as_uri(), wait_until="load")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            too_wide.append(path.name)
    context.close()
    assert (errors, too_wide) == ([], [])
