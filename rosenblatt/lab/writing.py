"""`rosenblatt lab --export site/`: the site as files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from rosenblatt.lab.build import files
from rosenblatt.lab.digits import digits_script


def export(folder: str | PathLike[str], mnist: bool = False) -> list[Path]:
    """Write the lab as a static site that opens from a file or from any web host, and works offline.

    Parameters
    ----------
    folder : where to; it is made if it is not there, and files of the same names are replaced
    mnist : whether to add a file with 200 images of every digit of MNIST (2 MB), if MNIST is on this machine

    Returns
    -------
    list of Path
        The files written; ``index.html`` is the one to open.
    """
    if not str(folder):
        raise ValueError("Cannot export to '': name a folder.")
    made = files()
    if mnist:
        made["mnist.js"] = digits_script()
        made["index.html"] = with_digits(made["index.html"])
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        taken = next(each for each in (place, *place.parents) if each.exists() and not each.is_dir())
        raise ValueError(f"Cannot export to {place}: {taken} is a file; name a folder.") from None
    for name, text in made.items():
        (place / name).write_text(text, "utf-8", newline="\n")
    return [place / name for name in made]


def with_digits(page: str) -> str:
    """The page, with MNIST among its sets."""
    return page.replace('<html lang="en">', '<html lang="en" data-mnist="mnist.js">')
