"""Inline code that is a public name links to its page in the reference."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import rosenblatt

NAME = re.compile(r"([A-Za-z_][\w.]*)(\(.*\))?")


class LinkNames(SphinxPostTransform):
    """`Perceptron`, `Perceptron("averaged")` and `separability(X, y)` become links where they stand in prose."""

    default_priority = 5  # before references are resolved

    def run(self, **_: object) -> None:
        for literal in list(self.document.findall(nodes.literal)):
            found = NAME.fullmatch(literal.astext())
            if not found or found[1] not in rosenblatt.__all__ or self._is_linked(literal):
                continue
            target = addnodes.pending_xref(
                "", refdomain="py", reftype="obj", reftarget=f"rosenblatt.{found[1]}", refexplicit=True,
                refdoc=self.env.docname, refwarn=False,
            )  # fmt: skip
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
