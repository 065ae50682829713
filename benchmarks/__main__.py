"""`python -m benchmarks [part …]`: the table. Parts: images, text, short_rows, online, rules, gradient,
memory, start, certificates, kernels, search.

`kernels_gpu`, `files`, `cores`, `service`, `cluster` and `lab` run only when they are named: they need a GPU, gigabytes
of disk, many cores, a browser, and a machine that does nothing else.
"""

from __future__ import annotations

import importlib
import platform
import sys
import warnings
from importlib.metadata import PackageNotFoundError, version

from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning

PARTS = (
    "images", "text", "short_rows", "online", "rules", "gradient", "memory", "start",
    "certificates", "kernels", "search",
)  # fmt: skip
ON_REQUEST = ("kernels_gpu", "files", "cores", "service", "cluster", "lab")


def named_version(name: str) -> str:
    """The package with its version; nothing where it is not installed."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return ""


def main(parts: list[str]) -> int:
    unknown = [part for part in parts if part not in PARTS + ON_REQUEST]
    if unknown:
        known = ", ".join(PARTS + ON_REQUEST)
        print(f"A part must be one of {known}, but got {unknown[0]!r}; name one of them or none for all.")
        return 2
    console = Console(width=None if sys.stdout.isatty() else 150)
    table = Table(title="Beside peers, in this run", title_justify="left", box=None, padding=(0, 1))
    for name, side in (
        ("work", "left"), ("ours", "right"), ("peer", "right"), ("ratio", "right"), ("wanted", "right"), ("", "left"),
        ("test error or objective", "left"),
    ):  # fmt: skip
        table.add_column(name, justify=side)
    all_met = True
    warnings.simplefilter("ignore", ConvergenceWarning)
    for part in parts or PARTS:
        module = importlib.import_module(f"benchmarks.{part}")
        try:
            for row in module.rows():
                console.print(f"[dim]{row.work}: {row.ours} beside {row.peer}, {row.ratio}[/dim]", highlight=False)
                mark = "" if not row.wanted else "[green]yes[/green]" if row.met else "[red]no[/red]"
                table.add_row(row.work, row.ours, row.peer, row.ratio, row.wanted, mark, row.errors)
                all_met &= row.met
        except (FileNotFoundError, ConnectionError) as error:
            console.print(f"[yellow]{part}: {error}[/yellow]")
    console.print(table)
    packages = ", ".join(filter(None, map(named_version, ("numpy", "numba", "scikit-learn", "river"))))
    console.print(
        f"[dim]{platform.processor() or platform.machine()}, Python {platform.python_version()}, {packages}[/dim]"
    )
    return 0 if all_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
