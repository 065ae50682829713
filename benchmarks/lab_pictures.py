"""Pictures of the lab: every step of the tour, in three sizes, light and dark.

    python -m benchmarks.lab_pictures FOLDER [--only tour-04] [--scale 0.5]

For docs/lab.md: `python -m benchmarks.lab_pictures docs/_static/lab --docs`.
"""

from __future__ import annotations

import argparse
import io
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from rosenblatt.lab import export

SIZES = {"projector": (1280, 720), "wide": (1280, 900), "phone": (390, 844)}
STEPS = 15
FOR_DOCS = (
    *("opening-wide-light", "opening-wide-dark", "opening-phone-light", "tour-04-projector-light"),
    *(f"tour-{n:02d}-wide-{'light' if n % 2 else 'dark'}" for n in range(1, STEPS + 1)),
)


def screens() -> Iterator[tuple[str, str, str, tuple[str, str]]]:
    """(name, size, colours, what to do before and after training) of every picture."""
    for size in SIZES:
        for colours in ("light", "dark"):
            yield f"opening-{size}-{colours}", size, colours, ("", "app.go(6)")
            for step in range(1, STEPS + 1):
                frame = 60 if step in (9, 10) else 4
                go = f"if (!app.frame) app.go(Math.min(app.last, {frame}))"
                yield f"tour-{step:02d}-{size}-{colours}", size, colours, (f"app.tour({step})", go)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="a part of the names")
    parser.add_argument("--scale", type=float, default=0.5)
    parser.add_argument("--docs", action="store_true", help="those of docs/lab.md")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as site, sync_playwright() as driver:
        export(site)
        browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        for name, size, colours, act in screens():
            if given.only not in name or (given.docs and name not in FOR_DOCS):
                continue
            width, height = SIZES[size]
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=colours)
            page.goto(f"{Path(site, 'index.html').as_uri()}?still{'&projector' if size == 'projector' else ''}")
            page.wait_for_selector("body[data-ready=yes]")
            page.evaluate(f"() => {{ const app = lab.app; {act[0]}; }}")
            page.wait_for_function("lab.app.training.finished")
            page.evaluate(f"() => {{ const app = lab.app; {act[1]}; }}")
            page.wait_for_timeout(400)
            image = Image.open(io.BytesIO(page.screenshot()))
            scale = given.scale if size != "phone" else min(1.0, 1.4 * given.scale)
            image = image.convert("RGB").resize((round(width * scale), round(height * scale)), Image.Resampling.LANCZOS)
            image.save(given.folder / f"{name}.webp", quality=82, method=6)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
