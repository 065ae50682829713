"""The lab as a static site: its ES modules joined into one classic script.

Browsers load neither modules nor data from ``file://``, so the site has one script without imports. Each module becomes
a function that returns its exports; its imports become constants at the top. A module may import only modules that do
not import it again.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent / "site"
ENTRY = "main.js"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE)


def script(folder: Path = HERE, entry: str = ENTRY) -> str:
    """All modules that the entry needs, each after those it imports, as one script."""
    done: list[str] = []
    parts: list[str] = []
    _add(folder, entry, [], done, parts)
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def _add(folder: Path, name: str, above: list[str], done: list[str], parts: list[str]) -> None:
    if name in above:
        raise ValueError(f"Modules import each other in a circle: {' → '.join([*above, name])}.")
    if name in done:
        return
    text = (folder / name).read_text("utf-8")
    for match in _IMPORT.finditer(text):
        _add(folder, match[2], [*above, name], done, parts)
    done.append(name)
    parts.append(joined(name, text))


def joined(name: str, text: str) -> str:
    """One module as a constant that holds its exports.

    >>> print(joined("b.js", 'import { a } from "./a.js";\\nexport const b = a + 1;\\n'), end="")
    const b_js = (() => {
    const { a } = a_js;
    const b = a + 1;
    return { b };
    })();
    """
    exports = _EXPORT.findall(text)
    body = _IMPORT.sub(lambda m: f"const {{ {m[1].replace(' as ', ': ').strip()} }} = {_constant(m[2])};\n", text)
    body = re.sub(r"^export ", "", body, flags=re.MULTILINE)
    left = re.search(r"^(?:import|export)\b.*", body, re.MULTILINE)
    if left:
        raise ValueError(f"{name} has an import or export that the build does not read: {left[0]}")
    return f"const {_constant(name)} = (() => {{\n{body}return {{ {', '.join(exports)} }};\n}})();\n"


def _constant(name: str) -> str:
    return name.replace(".", "_")


def files(folder: Path = HERE) -> dict[str, str]:
    """The files of the site by name: page, style, script."""
    return {
        "index.html": (folder / "index.html").read_text("utf-8"),
        "lab.css": (folder / "lab.css").read_text("utf-8"),
        "lab.js": script(folder),
    }


def one_page(folder: Path = HERE) -> str:
    """The whole site in one HTML text, for a notebook cell."""
    made = files(folder)
    page = made["index.html"]
    page = page.replace('<link rel="stylesheet" href="lab.css">', f"<style>\n{made['lab.css']}</style>")
    return page.replace('<script src="lab.js"></script>', f"<script>\n{made['lab.js']}</script>")
