"""The pictures of docs/lab.md: every ready set and every step of the tour, light and dark, wide and narrow.

    python -m benchmarks.lab_pictures docs/_static/lab [set tour-01 …]

Small files: a wide page is drawn at half its size, and of a narrow one the first screens at two thirds. MNIST's need
ROSENBLATT_DATA.
"""

from __future__ import annotations

import argparse
import io
import shutil
from dataclasses import replace
from pathlib import Path

from PIL import Image
from playwright.sync_api import Error, sync_playwright

from rosenblatt.lab import tour
from rosenblatt.lab.learners import Choice
from rosenblatt.lab.server import in_background
from rosenblatt.lab.state import State, to_address

END = 10**6  # the last frame
WIDE, NARROW = (1280, 900), (390, 844)
MOST_TALL = 1500  # of a narrow page
AS_THEY_ARE = {"order": "as they are"}


def screens() -> dict[str, State]:
    """Each picture's name, and what is on its screen."""
    kernel = {"kernel": "polynomial"}
    petals = {"pair": "versicolor and virginica", "across": "petal length", "up": "petal width"}
    clouds = State.of("blobs", {"margin": 0.2, "seed": 21}, Choice.of("perceptron", AS_THEY_ARE), frame=18)
    sets = {
        "and": State.of("and", None, Choice.of("passive_aggressive")),
        "or": State.of("or", None, Choice.of("margin")),
        "xor": State.of("xor", None, Choice.of("kernel", kernel)),
        "xor-layers": State.of("xor", None, Choice.of("layers")),
        "overlapping": State.of("overlapping", None, Choice.of("averaged")),
        "circles": State.of("circles", None, Choice.of("kernel", {"kernel": "gaussian"})),
        "moons": State.of("moons", None, Choice.of("kernel", {**kernel, "degree": 3}), Choice.of("svm")),
        "spirals": State.of("spirals", None, Choice.of("kernel", {"gamma": 20.0})),
        "iris": State.of("iris", petals, Choice.of("pocket"), Choice.of("voted")),
        "mnist-pixels": State.of("mnist", {"view": "two pixels"}, Choice.of("logistic")),
        "mnist-axes": State.of("mnist", None, Choice.of("perceptron", {"max_iter": 3})),
        "mnist-784": State.of("mnist", {"view": "all 784 pixels"}, Choice.of("perceptron")),
    }
    found = {"set-blobs": clouds} | {f"set-{name}": replace(state, frame=END) for name, state in sets.items()}
    steps = {f"tour-{n:02d}": replace(tour.state_of(n), frame=END) for n in range(1, len(tour.STEPS) + 1)}
    return found | steps


def shot(page, size: tuple[int, int]) -> Image.Image:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(400)
    if page.evaluate("document.documentElement.scrollWidth") > size[0]:
        print(f"wider than {size[0]}: {page.url[:80]}")
    image = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    if size is WIDE:
        return image.resize((640, image.height * 640 // image.width), Image.Resampling.LANCZOS)
    image = image.crop((0, 0, size[0], min(image.height, MOST_TALL)))
    return image.resize((260, image.height * 260 // image.width), Image.Resampling.LANCZOS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help="what the names begin with; all of them otherwise")
    given = parser.parse_args()
    lab = in_background()
    with sync_playwright() as driver:
        path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for name, state in screens().items():
            if given.names and not name.startswith(tuple(given.names)):
                continue
            page = browser.new_page(color_scheme="light")
            page.on("pageerror", lambda error, name=name: print(f"{name}: {error}"))
            page.goto(lab.url + "?s=" + to_address(state))
            page.wait_for_selector("body[data-ready=yes]", timeout=60_000)
            try:
                page.wait_for_function("lab.state().proofs.length > 0", timeout=20_000)
            except Error:
                print(f"{name}: no proof in time")
            for theme in ("light", "dark"):
                if theme == "dark":
                    page.click("#theme")
                for size, width in ((WIDE, "wide"), (NARROW, "narrow")):
                    file = given.folder / f"{name}-{theme}-{width}.webp"
                    shot(page, size).save(file, quality=55, method=6)
            page.close()
            print(name, flush=True)
        browser.close()


if __name__ == "__main__":
    main()
