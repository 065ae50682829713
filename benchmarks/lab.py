"""The page of the lab in a real browser, opened from a file: what a picture takes. It has no peer."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Row
from rosenblatt.lab import export

# Pictures are drawn as fast as they can be, not sixty a second.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-frame-rate-limit", "--disable-gpu-vsync"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Milliseconds from one picture to the next while `work(k)` is done before each.
PICTURES = """
async ([count, kind]) => {
  const app = lab.app, svg = app.view.pictures[0].svg, waits = [], works = [];
  const points = app.points.slice(), row = 0;
  const work = { step: (k) => app.go(k % (app.last + 1)), drag: (k) => {
    const moved = points.slice();
    moved[row] = [points[row][0] + 0.5 * Math.sin(k / 9), points[row][1] + 0.5 * Math.cos(k / 9), points[row][2]];
    app.edit(moved, false);
  } }[kind];
  const next = () => new Promise((done) => requestAnimationFrame(done));
  let before = await next();
  for (let k = 1; k <= count; k++) {
    const begun = performance.now();
    work(k);
    svg.getBoundingClientRect();
    works.push(performance.now() - begun);
    const now = await next();
    waits.push(now - before);
    before = now;
  }
  const sorted = (list) => list.sort((a, b) => a - b);
  const at = (list, share) => list[Math.floor(share * (list.length - 1))];
  sorted(waits), sorted(works);
  return { work: at(works, 0.5), slow: at(waits, 0.95), wait: waits.reduce((a, b) => a + b) / count };
}
"""


def rows() -> Iterator[Row]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise FileNotFoundError("playwright is not installed: pip install 'rosenblatt[test]'") from error
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise FileNotFoundError("there is no Chromium on this machine")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        made = export(Path(folder) / "site")
        size = sum(path.stat().st_size for path in made) / 1000
        yield Row("the exported site", f"{size:.0f} KB", "", "", "600 KB", size < 600)
        chromium = driver.chromium.launch(executable_path=browser, args=FLAGS)
        address = (Path(folder) / "site" / "index.html").as_uri()
        yield from _first_picture(chromium, address)
        yield from _pictures(chromium, address)
        chromium.close()


def _first_picture(chromium: Any, address: str) -> Iterator[Row]:
    found = []
    for _ in range(3):
        page = chromium.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
        page.goto(address)
        page.wait_for_selector("body[data-ready=yes]")
        found.append(
            page.evaluate("""() => new Promise((done) => requestAnimationFrame(() =>
            done(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now())))""")
        )
        page.context.close()
    yield Row("the first picture, from a file", f"{min(found):.0f} ms", "", "", "1000 ms", min(found) < 1000)


def _pictures(chromium: Any, address: str) -> Iterator[Row]:
    for kind, points, learner, wanted in (
        ("step", 1000, "perceptron", 1000 / 60),
        ("step", 1000, "averaged", 1000 / 60),
        ("drag", 200, "perceptron", 1000 / 30),
        ("drag", 200, "svm", 1000 / 30),
    ):
        page = chromium.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
        page.goto(f"{address}?still")
        page.wait_for_selector("body[data-ready=yes]")
        page.evaluate(
            """([n, name]) => lab.app.change({ values: { n, margin: 0.05, seed: 4 }, points: undefined,
               learners: [{ name, options: {} }] }, "start")""",
            [points, learner],
        )
        page.wait_for_function(f"lab.app.points.length === {points} && lab.app.last > 3")
        found = page.evaluate(PICTURES, [120, kind])
        name = f"{'an update' if kind == 'step' else 'a point dragged, and all learned again'}, {points:,} points"
        told = f"script {found['work']:.1f} ms, 95 % within {found['slow']:.1f} ms"
        yield Row(f"{name}, {learner}", f"{found['wait']:.1f} ms", told, "", f"{wanted:.0f} ms",
                  found["wait"] <= wanted)  # fmt: skip
        page.context.close()
