"""How the site is built. Nothing is fetched while building, and no page asks the network for fonts or scripts."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # linked_names
import rosenblatt

project = "rosenblatt"
author = "the rosenblatt developers"
copyright = author
version = release = rosenblatt.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "linked_names",
]
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = [
    "_build", "gallery/*.ipynb", "gallery/*.py", "gallery/*.md5", "gallery/*.json", "certificates",
    "command_line/*.md",
]  # fmt: skip
suppress_warnings = ["config.cache"]  # the gallery's own settings hold a function

# Formulas are plain text in docstrings and on most pages, as at a prompt; the lectures set theirs with MathJax.
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# The lectures are notebooks: their cells are run while the site is built. Cells that are hidden are solutions.
nb_execution_mode = "auto"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_code_prompt_show = "Show the solution in code"
nb_code_prompt_hide = "Hide the solution"

# MathJax comes from a package that holds its files; this one of them draws formulas without fonts or further scripts.
mathjax_spec = find_spec("sphinx-mathjax-offline")
assert mathjax_spec is not None and mathjax_spec.origin is not None, "install the docs extra: pip install '.[docs]'"
mathjax_file = Path(mathjax_spec.origin).parent / "static" / "mathjax" / "tex-svg.js"
mathjax_path = mathjax_file.name

autosummary_generate = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

SHOWN_FIRST = (
    "plot_picture.py",
    "plot_updates.py",
    "plot_mistake_bound.py",
    "plot_proof.py",
    "plot_separating_band.py",
    "plot_common_point.py",
    "plot_fewest_errors.py",
    "plot_certified_accuracy.py",
    "plot_objective_interval.py",
    "plot_not_mercer.py",
    "plot_epoch_table.py",
    "plot_four_answers.py",
    "plot_digit_weights.py",
    "plot_displays.py",
    "plot_rules.py",
    "plot_late_class.py",
    "plot_kernels.py",
    "plot_gates.py",
    "plot_xor_network.py",
    "plot_credit_rules.py",
    "plot_adder.py",
)


def in_order(name):
    """Sort the gallery: those named above in this order, others after them by name."""
    return SHOWN_FIRST.index(name) if name in SHOWN_FIRST else len(SHOWN_FIRST), name


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": in_order,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "rosenblatt"
html_static_path = ["_static", str(mathjax_file)]
html_css_files = ["site.css"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 7,
    "show_prev_next": True,
    "navigation_with_keys": False,
    "footer_start": [],
    "footer_end": ["sphinx-version"],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"certificates": [], "lab": []}  # pages without others below them
html_context = {"default_mode": "light"}


# In a docstring coef_ is an attribute of a fitted model; in reStructuredText it would be a link to "coef".
ATTRIBUTE = re.compile(r"(?<![`\w.])([A-Za-z]\w*_)(?![`\w])")


def mark_attributes(app, what, name, obj, options, lines):
    """Set attributes in indented text in the typewriter face; names at the left are numpydoc's own business."""
    for n, line in enumerate(lines):
        if line.startswith("    ") and ">>>" not in line and "..." not in line:
            lines[n] = ATTRIBUTE.sub(r"``\1``", line)


def close_blocks(app, name, source):
    """Leave out the empty line that ends a doctest in Markdown: on the page it would be an empty line of code."""
    source[0] = source[0].replace("\n\n```\n", "\n```\n")


def setup(app):
    app.connect("autodoc-process-docstring", mark_attributes, priority=1)
    app.connect("source-read", close_blocks)
