"""The lab in Chromium, without a graphics card: what an update, a dragged point and the first picture cost.

    python -m benchmarks.lab

Times are of the page's own thread (its processor time, by the browser's `ThreadTicks`), and wall-clock time to the next
picture; the latter means something only on an idle machine. The median of all steps, and the worst.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from rosenblatt.lab import export

PREPARE = """({ set, values, learner }) => { const app = lab.app; app.pause();
  app.change({ set, values, points: null, learners: [{ name: learner, options: {} }] }, "start"); }"""
STEP = "() => { const app = lab.app; app.go(app.frame >= app.last ? 0 : app.frame + 1); }"
DRAG = """() => { const app = lab.app, list = app.points.slice();
  list[0] = [list[0][0] + 0.01, list[0][1], list[0][2]]; app.edit(list, false); }"""
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
CASES = (
    ("an update, 1,000 points, perceptron", STEP, "overlapping", 1000, "perceptron"),
    ("an update, 1,000 points, kernel", STEP, "moons", 1000, "kernel"),
    ("a point dragged, 200 points, perceptron", DRAG, "clouds", 200, "perceptron"),
    ("a point dragged, 200 overlapping points", DRAG, "overlapping", 200, "perceptron"),
    ("a point dragged, 200 points, kernel", DRAG, "moons", 200, "kernel"),
    ("a point dragged, 200 points, support vector machine", DRAG, "clouds", 200, "svm"),
)


def processor_time(client: Any) -> float:
    """Seconds that the page's thread has worked."""
    metrics = client.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def main() -> None:
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as site, sync_playwright() as driver:
        sizes = {path.name: path.stat().st_size for path in export(site)}
        print(f"site: {sum(sizes.values()) / 1000:.0f} kB", sizes)
        browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        begun = time.perf_counter()
        page.goto(f"{Path(site, 'index.html').as_uri()}?still")
        page.wait_for_selector("body[data-ready=yes]")
        paint = page.evaluate("performance.getEntriesByType('paint').at(-1)?.startTime ?? NaN")
        print(
            f"first picture: {paint:.0f} ms after the page began, {1000 * (time.perf_counter() - begun):.0f} ms in all"
        )
        client = page.context.new_cdp_session(page)
        client.send("Performance.enable", {"timeDomain": "threadTicks"})
        for name, act, ready, n, learner in CASES:
            page.evaluate(PREPARE, {"set": ready, "values": {"n": n}, "learner": learner})
            page.wait_for_timeout(400)
            own, wall = [], []
            for _ in range(60):
                before, start = processor_time(client), time.perf_counter()
                page.evaluate(act)
                page.evaluate(PAINTED)
                wall.append(1000 * (time.perf_counter() - start))
                own.append(1000 * (processor_time(client) - before))
            print(f"{name}: {statistics.median(own):.1f} ms of the page's thread (worst {max(own):.1f}), "
                  f"{statistics.median(wall):.1f} ms to the picture (worst {max(wall):.1f})")  # fmt: skip
        browser.close()


if __name__ == "__main__":
    main()
