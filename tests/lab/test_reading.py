"""The pages behind the lab's links are read as pages, not as Markdown."""

import re

import pytest

from rosenblatt.lab import reading


@pytest.mark.parametrize("row", reading.rows())
def test_every_row_that_is_linked_has_its_section(row):
    page = reading.lecture(row)
    assert f"<h3>{row} — " in page and '<code class="language-python">' in page
    assert "```" not in page and "](" not in page


@pytest.mark.parametrize("name", ["tutorial", "choosing", "kernels", "gradient", "errata"])
def test_pages_of_the_documentation(name):
    page = reading.documentation(name)
    assert "<h1>" in page and "```" not in page and "](" not in page
    for link in re.findall(r'href="\.\./docs/(\w+)"', page):
        assert reading.documentation(link) is not None


def test_a_table_is_a_table_and_html_is_text():
    assert "<td>1</td>" in reading.as_html("| a |\n|---|\n| 1 |\n")
    assert "<script>" not in reading.as_html("<script>alert(1)</script>")


def test_links_outside_and_pages_that_are_not_there_are_words():
    html = reading.as_html("[a](https://example.org) [b](nowhere.md) ![c](_static/c.png) [d](decisions/001-x.md)")
    assert "<a" not in html and "<img" not in html
    assert "a b c d" in re.sub(r"<.*?>", "", html)


def test_no_page():
    assert reading.documentation("no_such_page") is None
    assert reading.documentation("../pyproject") is None
