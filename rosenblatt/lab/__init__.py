"""The lab: a page where the theorem can be watched.

`rosenblatt lab` (or ``python -m rosenblatt.lab``) opens it in the browser; ``rosenblatt.lab.show()`` in a notebook.
"""

from __future__ import annotations

from typing import Any

_NEEDED = 'The lab needs bokeh, which is not installed; run: pip install "rosenblatt[lab]"'
_shown: list[Any] = []  # the one lab of this process, for notebooks


def _server() -> Any:
    try:
        import bokeh  # noqa: F401
    except ImportError:
        raise ImportError(_NEEDED) from None
    from rosenblatt.lab import server

    return server


def serve(host: str = "127.0.0.1", port: int = 0, open_browser: bool = True) -> None:
    """Open the lab and serve it until Ctrl-C.

    Parameters
    ----------
    host : the address to listen at; the loopback address keeps it on this machine
    port : 0 takes a free one
    open_browser : whether to open the page
    """
    _server().serve(host, port, open_browser)


def show(height: int = 900, address: str = "") -> Any:
    """The lab in a notebook cell. The server runs on a thread of this process and ends with it.

    Parameters
    ----------
    height : pixels of the cell
    address : what follows ``?s=`` in a link from the lab, to open that screen
    """
    server = _server()
    if not _shown:
        _shown.append(server.in_background())
    url = _shown[0].url + (f"?s={address}" if address else "")
    return Frame(url, height)


class Frame:
    """A page inside a notebook cell; its address anywhere else."""

    def __init__(self, url: str, height: int) -> None:
        self.url, self.height = url, height

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="{int(self.height)}" style="border:0"></iframe>'

    def __repr__(self) -> str:
        return f"The lab is at {self.url}"


__all__ = ["serve", "show"]
