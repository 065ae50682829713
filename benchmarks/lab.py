"""The lab in a real browser: how soon an update is on the screen, frames a second, and a class of thirty tabs.

    python -m benchmarks.lab [--tabs 30] [--playing 5] [--clicks 100] [--only alone]

One update: 1,000 points, a press of → until the browser has painted the new line. Playing: frames painted in a second.
A class: tabs in one browser, some of them playing, and clicks that add points, one after another in tabs chosen at
random; a click is answered when the new run is drawn. All of it is on this machine, browser and server together.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

from playwright.sync_api import sync_playwright

from rosenblatt.lab.learners import Choice
from rosenblatt.lab.state import State, to_address

ONE_UPDATE = """() => new Promise((done) => {
  const begun = performance.now();
  document.getElementById("step").click();
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun), 0));
})"""
ANSWERED = """([x, y]) => new Promise((done) => {
  const box = document.getElementById("plane0"), begun = performance.now(), before = lab.state().screen.generation;
  const at = box.getBoundingClientRect(), place = { clientX: at.x + x * at.width, clientY: at.y + y * at.height,
    bubbles: true, composed: true, button: 0, pointerId: 1 };
  box.dispatchEvent(new PointerEvent("pointerdown", place));
  box.dispatchEvent(new PointerEvent("pointerup", place));
  const look = () => lab.state().screen.generation !== before ? done(performance.now() - begun) : setTimeout(look, 1);
  look();
})"""
PLAYED = """(seconds) => new Promise((done) => {
  document.getElementById("first").click();
  document.getElementById("speed").value = 70;
  document.getElementById("play").click();
  const begun = performance.now(), first = lab.timings.frames;
  setTimeout(() => { const s = (performance.now() - begun) / 1000, n = lab.timings.frames - first;
    document.getElementById("play").click(); done(n / s); }, 1000 * seconds);
})"""


def screen(name: str, learner: str, count: int) -> str:
    return "?s=" + to_address(State.of(name, {"n": count}, Choice.of(learner)))


def tell(what: str, told: str, met: bool | None = None) -> bool:
    """One line of the table; `met` says whether the figure that was asked for is reached, where one was."""
    print(f"{'' if met is None else 'yes' if met else 'NO':4} {told:>24}  {what}", flush=True)
    return met is not False


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def opened(browser, url):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(url)
    page.wait_for_selector("body[data-ready=yes]")
    page.evaluate(
        """() => { const tool = document.querySelector("input[value=spray]"); tool.checked = true; tool.onchange(); }"""
    )
    return page


def alone(browser, url: str) -> list[bool]:
    rows = []
    for learner in ("perceptron", "kernel"):
        page = opened(browser, url + screen("overlapping", learner, 1000))
        page.click("#first")
        for _ in range(5):
            page.evaluate(ONE_UPDATE)
        steps = [page.evaluate(ONE_UPDATE) for _ in range(60)]
        rows.append(tell(f"one update on the screen, 1,000 points, {learner}: median / worst",
                     f"{statistics.median(steps):.0f} / {max(steps):.0f} ms", max(steps) < 50))  # fmt: skip
        rate = page.evaluate(PLAYED, 3)
        rows.append(tell(f"playing, 1,000 points, {learner}", f"{rate:.0f} frames a second", rate >= 20))
        clicks = [page.evaluate(ANSWERED, [0.3 + 0.02 * n, 0.4]) for n in range(12)]
        rows.append(tell(f"a click that adds points and learns anew, 1,000 points, {learner}: median / worst",
                     f"{statistics.median(clicks):.0f} / {max(clicks):.0f} ms"))  # fmt: skip
        page.close()
    return rows


def together(browser, url: str, tabs: int, playing: int, clicks: int) -> list[bool]:
    chance = random.Random(0)
    pages = [opened(browser, url + screen("overlapping", "perceptron", 100)) for _ in range(tabs)]
    for page in pages[:playing]:
        page.evaluate(
            """() => { document.getElementById("play").click();
            setInterval(() => { if (!lab.state().playing) document.getElementById("play").click(); }, 200); }"""
        )
    drawn, answered = [], []
    for _ in range(clicks):
        page = chance.choice(pages[playing:])
        drawn.append(page.evaluate(ANSWERED, [chance.uniform(0.2, 0.9), chance.uniform(0.1, 0.8)]))
        answered.append(page.evaluate("lab.timings.answered"))
    rows = []
    for name, times in (("the answer is in the page", answered), ("and drawn", drawn)):
        told = f"{statistics.median(times):.0f} / {percentile(times, 0.95):.0f} / {max(times):.0f} ms"
        met = sum(value <= 300 for value in times) >= 0.95 * len(times)
        rows.append(tell(f"{tabs} tabs, {playing} playing, {clicks} clicks, {name}: median / 95 % / worst", told, met))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("tabs", 30), ("playing", 5), ("clicks", 100)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--only", choices=("alone", "together"), help="a part of it")
    given = parser.parse_args()
    browser_path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    server = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt.lab", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        url = re.search(r"http://\S+", server.stdout.readline()).group()
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
            begun = time.perf_counter()
            opened(browser, url).close()
            rows = [
                tell("the page, from its address to its first picture", f"{time.perf_counter() - begun:.1f} s", True)
            ]
            if given.only != "together":
                rows += alone(browser, url)
            if given.only != "alone":
                rows += together(browser, url, given.tabs, given.playing, given.clicks)
            browser.close()
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)
    return 0 if all(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
