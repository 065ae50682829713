"""The lab in a notebook cell: the whole page inside the cell, so that it works wherever the notebook is shown."""

from __future__ import annotations

from html import escape

from rosenblatt.arguments import whole_number
from rosenblatt.lab.build import one_page
from rosenblatt.lab.server import state_of


class Frame:
    """The page as a cell's output."""

    def __init__(self, height: int, link: str) -> None:
        self.height, self.link = height, link

    def _repr_html_(self) -> str:
        page = one_page()
        if self.link:
            page = page.replace('<html lang="en">', f'<html lang="en" data-link="{escape(self.link, quote=True)}">')
        return (
            f'<iframe srcdoc="{escape(page, quote=True)}" width="100%" height="{self.height}" style="border:0" '
            f'title="The perceptron lab" allow="clipboard-write" allowfullscreen></iframe>'
        )

    def __repr__(self) -> str:
        return "The lab is shown in notebooks; in a terminal, run: rosenblatt lab"


def show(height: int = 860, link: str = "") -> Frame:
    """The lab in a notebook cell, on this machine, JupyterHub or Colab alike: the page needs no server.

    Parameters
    ----------
    height : pixels of the cell
    link : a link from the lab, to open what it shows

    Examples
    --------
    >>> import rosenblatt
    >>> rosenblatt.lab.show(height=700)
    The lab is shown in notebooks; in a terminal, run: rosenblatt lab
    """
    return Frame(whole_number("height", height, 100, "it is a number of pixels"), state_of(link))
