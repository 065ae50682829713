"""`python -m rosenblatt.lab`: the same as `rosenblatt lab`."""

from __future__ import annotations

import argparse
import sys

from rosenblatt.lab import serve


def main() -> int:
    parser = argparse.ArgumentParser(prog="rosenblatt lab", description="A page where the theorem can be watched.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: this machine alone)")
    parser.add_argument("--port", type=int, default=0, help="the port (default: a free one)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    given = parser.parse_args()
    try:
        serve(given.host, given.port, not given.no_browser)
    except (ImportError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
