"""Where to read on: a small page for each row of the lectures, and the documentation where it lies beside the package.

What a page says comes from the tour and the learners, so it is there wherever the lab is; the section of
`docs/lectures.md`, and whole pages of `docs/`, are shown below it in a checkout of the repository.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

import rosenblatt
from rosenblatt.lab import tour
from rosenblatt.lab.learners import LEARNERS

DOCS = Path(rosenblatt.__file__).parent.parent / "docs"
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<style>:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 24px auto; padding: 0 16px; }}
pre, code {{ font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; background: #8881; border-radius: 4px; }}
pre {{ padding: 10px 14px; overflow-x: auto; }} pre code {{ background: none; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ border: 1px solid #8886; padding: 4px 10px; vertical-align: top; text-align: left; }}</style></head>
<body>{body}</body></html>"""


def rows() -> list[str]:
    """The rows of the lectures that the lab has something to say about."""
    found = {step.row for step in tour.STEPS} | {learner.row for learner in LEARNERS.values()}
    return sorted(found, key=lambda row: int(row[1:]))


def lecture(row: str) -> str | None:
    """The page of a row, or None where there is no such row.

    >>> "Rosenblatt's rule" in lecture("L4").replace("&#x27;", "'"), lecture("L999")
    (True, None)
    """
    if row not in rows():
        return None
    parts = [f"<h2>{escape(step.title)}</h2><p>{escape(step.text)}</p>" for step in tour.STEPS if step.row == row]
    parts += [
        f"<h2>{escape(learner.title)}</h2><pre>{escape(learner.formula)}</pre><p>{escape(learner.about)}</p>"
        for learner in LEARNERS.values()
        if learner.row == row
    ]
    section = _section(row)
    if section:
        parts.append(f"<h2>In the documentation</h2>{as_html(f'### {section}')}")
    return PAGE.format(title=f"Lecture row {row}", body="\n".join([f"<h1>Lecture row {row}</h1>", *parts]))


def _section(row: str) -> str:
    text = _text("lectures") or ""
    found = re.search(rf"^## ({row} — .*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(1).strip() if found else ""


def documentation(name: str) -> str | None:
    """A page of the documentation, or None where it is not on this machine."""
    text = _text(name)
    return None if text is None else PAGE.format(title=f"docs/{escape(name)}.md", body=as_html(text))


def as_html(text: str) -> str:
    """Markdown as HTML. Links lead to pages that the lab can show; others, and pictures, become their words.

    >>> as_html("See [here](kernels.md#which-kernel), [the gallery](gallery/plot_gates) and *a < b*.").strip()
    '<p>See <a href="../docs/kernels">here</a>, the gallery and <em>a &lt; b</em>.</p>'
    """
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for token in tokens:
        if token.children:
            token.children = _within_reach(token.children)
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _within_reach(tokens: list[Any]) -> list[Any]:
    kept, leads_on = [], True
    for token in tokens:
        if token.type == "link_open":
            name, _, _ = str(token.attrGet("href")).partition("#")
            leads_on = name.endswith(".md") and has_documentation(name.removesuffix(".md"))
            token.attrSet("href", f"../docs/{name.removesuffix('.md')}")
        elif token.type == "image":
            token.type = "text"
        if leads_on or token.type not in ("link_open", "link_close"):
            kept.append(token)
    return kept


def has_documentation(name: str) -> bool:
    return re.fullmatch(r"[a-z_]+", name) is not None and (DOCS / f"{name}.md").is_file()


def _text(name: str) -> str | None:
    return (DOCS / f"{name}.md").read_text("utf-8") if has_documentation(name) else None
