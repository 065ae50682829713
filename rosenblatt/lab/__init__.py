"""The lab: a page where the theorem can be watched. It is a static site, and needs nothing that is not in it.

`rosenblatt lab` opens it in the browser, ``rosenblatt lab --export site/`` writes it for any web host, and
``rosenblatt.lab.show()`` puts it into a notebook.
"""

from __future__ import annotations

from rosenblatt.lab.notebook import Frame, show
from rosenblatt.lab.server import DEFAULT_PORT, serve
from rosenblatt.lab.writing import export

__all__ = ["DEFAULT_PORT", "Frame", "export", "serve", "show"]
