"""The lab in Chromium, without a graphics card: what an update, a dragged point and the first picture cost.

Times are of the page's own thread (its processor time, by the browser's `ThreadTicks`): the median of all steps. Beside
them the wall-clock time to the next picture, which means something only on an idle machine. There is no peer.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Row
from rosenblatt.lab import export

PREPARE = """({ set, values, learner }) => { const app = lab.app; app.pause();
  app.change({ set, values, points: null, learners: [{ name: learner, options: {} }] }, "start"); }"""
STEP = "() => { const app = lab.app; app.go(app.frame >= app.last ? 0 : app.frame + 1); }"
DRAG = """() => { const app = lab.app, list = app.points.slice();
  list[0] = [list[0][0] + 0.01, list[0][1], list[0][2]]; app.edit(list, false); }"""
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
UPDATE, MOVED = 16, 1000 / 30  # milliseconds at most
CASES = (
    ("an update, 1,000 points, perceptron", STEP, "overlapping", 1000, "perceptron", UPDATE),
    ("an update, 1,000 points, kernel", STEP, "moons", 1000, "kernel", UPDATE),
    ("a point dragged, 200 points, perceptron", DRAG, "clouds", 200, "perceptron", MOVED),
    ("a point dragged, 200 overlapping points", DRAG, "overlapping", 200, "perceptron", MOVED),
    ("a point dragged, 200 points, kernel", DRAG, "moons", 200, "kernel", MOVED),
    ("a point dragged, 200 points, support vector machine", DRAG, "clouds", 200, "svm", MOVED),
)


def processor_time(client: Any) -> float:
    """Seconds that the page's thread has worked."""
    metrics = client.send("Performance.getMetrics")["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def rows() -> Iterator[Row]:
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        raise FileNotFoundError("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as site, sync_playwright() as driver:
        size = sum(path.stat().st_size for path in export(site)) / 1000
        yield Row("the exported site", f"{size:.0f} KB", "", "", "600 KB", size < 600)
        browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(f"{Path(site, 'index.html').as_uri()}?still")
        page.wait_for_selector("body[data-ready=yes]")
        paint = page.evaluate("performance.getEntriesByType('paint').at(-1)?.startTime ?? Infinity")
        yield Row("the first picture, from a file", f"{paint:.0f} ms", "", "", "1000 ms", paint < 1000)
        client = page.context.new_cdp_session(page)
        client.send("Performance.enable", {"timeDomain": "threadTicks"})
        for name, act, ready, n, learner, limit in CASES:
            page.evaluate(PREPARE, {"set": ready, "values": {"n": n}, "learner": learner})
            page.wait_for_timeout(400)
            own, wall = [], []
            for _ in range(60):
                before, start = processor_time(client), time.perf_counter()
                page.evaluate(act)
                page.evaluate(PAINTED)
                wall.append(1000 * (time.perf_counter() - start))
                own.append(1000 * (processor_time(client) - before))
            taken = statistics.median(own)
            told = f"{statistics.median(wall):.1f} ms to the picture"
            yield Row(name, f"{taken:.1f} ms", "", "", f"{limit:.0f} ms", taken <= limit, told)
        browser.close()
