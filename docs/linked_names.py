"""Inline code that is a public name links to its page in the reference, and scikit-learn's names to scikit-learn's.

Nothing is fetched while building, so scikit-learn's addresses are made from the modules of its estimators.
"""

from __future__ import annotations

import re

from docutils import nodes
from sklearn.utils.discovery import all_estimators
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import rosenblatt

NAME = re.compile(r"([A-Za-z_][\w.]*)(\(.*\))?")
PAGE = "https://scikit-learn.org/stable/modules/generated/{}.{}.html"
THEIRS = {
    name: PAGE.format(re.sub(r"\._.*", "", estimator.__module__), name)
    for name, estimator in all_estimators()
    if name not in rosenblatt.__all__
}


class LinkNames(SphinxPostTransform):
    """`Perceptron`, `Perceptron("averaged")` and `separability(X, y)` become links where they stand in prose."""

    default_priority = 5  # before references are resolved

    def run(self, **_: object) -> None:
        for literal in list(self.document.findall(nodes.literal)):
            found = NAME.fullmatch(literal.astext())
            if not found or self._is_linked(literal):
                continue
            target: nodes.Element
            if found[1] in rosenblatt.__all__:
                target = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=f"rosenblatt.{found[1]}", refexplicit=True,
                    refdoc=self.env.docname, refwarn=False,
                )  # fmt: skip
            elif found[1] in THEIRS:
                target = nodes.reference("", refuri=THEIRS[found[1]], internal=False)
            else:
                continue
            literal.replace_self(target)
            target += literal

    @staticmethod
    def _is_linked(node: nodes.Node) -> bool:
        while node.parent is not None:
            node = node.parent
            if isinstance(node, nodes.reference | addnodes.pending_xref | nodes.title | addnodes.desc_signature):
                return True
        return False


def setup(app):
    app.add_post_transform(LinkNames)
    return {"parallel_read_safe": True}
