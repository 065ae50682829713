"""The exported site opened from a file."""

import pytest

from rosenblatt.lab import export


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The exported site, as an address."""
    folder = tmp_path_factory.mktemp("site")
    export(folder)
    return (folder / "index.html").as_uri()


@pytest.fixture(scope="session")
def core(browser, site):
    """A page whose functions are called from here; the site never asks the network."""
    page = browser.new_context(offline=True).new_page()
    page.goto(site)
    page.wait_for_function("window.lab")
    yield page
    page.close()


class Tab:
    """One page of the lab, opened from a file without a network, with what it did wrong."""

    def __init__(self, browser, address, **context):
        self.errors, self.requests = [], []
        self.context = browser.new_context(offline=True, **{"viewport": {"width": 1280, "height": 900}, **context})
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        self.page.goto(address)
        self.page.wait_for_selector("body[data-ready=yes]")

    def app(self, expression):
        """What an expression about the app gives."""
        return self.page.evaluate(f"(() => {{ const app = lab.app; return {expression}; }})()")

    def at(self, x, y, picture=0):
        """Where a place of the picture is on the screen."""
        return self.page.evaluate(
            """([x, y, n]) => { const p = lab.app.view.pictures[n], box = p.svg.getBoundingClientRect();
               return [box.x + p.x(x), box.y + p.y(y)]; }""",
            [x, y, picture],
        )

    def click(self, x, y):
        self.page.mouse.click(*self.at(x, y))

    def toast(self):
        return self.page.inner_text("#toast")

    def close(self):
        self.context.close()


@pytest.fixture
def tab(browser, site):
    """Open a tab; afterwards nothing may have gone wrong in any of them."""
    opened = []

    def open_tab(query="?still", **context):
        opened.append(Tab(browser, site + query, **context))
        return opened[-1]

    yield open_tab
    for each in opened:
        each.close()
        assert each.errors == []
