"""The page in a real browser: what it shows is what the library computes."""

import re
import shutil
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.lab import tour
from rosenblatt.lab.state import from_address

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="there is no Chromium on this machine; .ci/run installs it"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # the browser's and the server's own loops
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SHOWN = """() => {
  const { frame, playing, runs, data, screen } = lab.state();
  const at = (r) => 3 * Math.min(frame, r.frames - 1);
  const weights = runs.map((r) => r.weights && Array.from(r.weights.slice(at(r), at(r) + 3)));
  return { frame, playing, weights, frames: runs.map((r) => r.frames), x: Array.from(data.x), y: Array.from(data.y),
           side: Array.from(data.side), message: screen.message, trouble: screen.trouble,
           generation: screen.generation };
}"""

BOTTOMS = """["transport", "proof-plot"].map((id) => document.getElementById(id).getBoundingClientRect().bottom)"""
INKED = """() => { const canvas = document.querySelector("#plane0 > canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((byte) => byte).length; }"""


def heed_interrupts():
    """A process that was started in the background of a script has been told to ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(scope="module")
def server():
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt.lab", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    url = re.search(r"http://\S+", process.stdout.readline()).group()
    yield url
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    process.stdout.close()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


class Tab:
    """One page of the lab, with what it says about itself."""

    def __init__(self, context, url):
        self.requests, self.errors = [], []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        self.page.goto(url)
        self.page.wait_for_selector("body[data-ready=yes]")

    def shown(self):
        return self.page.evaluate(SHOWN)

    def after(self, act):
        """What is shown once the server has answered."""
        before = self.shown()["generation"]
        act()
        self.page.wait_for_function(f"lab.state().screen.generation !== {before} && lab.idle()")
        return self.shown()

    def at(self, x, y):
        """Where a place of the picture is on the screen."""
        return self.page.evaluate(
            """([x, y]) => {
              const plot = Bokeh.documents[0].get_model_by_name("plane0"), view = lab.state().data.view;
              const box = document.getElementById("plane0").getBoundingClientRect();
              const frame = Bokeh.index.find_one_by_id(plot.id).frame.bbox;
              return [box.x + 1 + frame.left + frame.width * (x - view[0]) / (view[1] - view[0]),
                      box.y + 1 + frame.top + frame.height * (view[3] - y) / (view[3] - view[2])];
            }""",
            [x, y],
        )

    def click(self, x, y):
        self.page.mouse.click(*self.at(x, y))

    def pause(self):
        if self.shown()["playing"]:
            self.page.click("#play")


@pytest.fixture
def open_tab(server, browser):
    contexts = []

    def opened(query="", **settings):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        contexts.append(context)
        tab = Tab(context, server + query)
        tabs.append(tab)
        return tab

    tabs = []
    yield opened
    for tab in tabs:
        assert tab.errors == []
        assert all(re.match(rf"(http|ws)://localhost:{server.split(':')[2]}|data:|blob:", u) for u in tab.requests)
    for context in contexts:
        context.close()


def weights_of(shown, **arguments):
    """What the library learns from the points on the page."""
    X, y = np.column_stack([shown["x"], shown["y"]]), np.array(shown["side"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = Perceptron(max_iter=20, shuffle=False, random_state=0, **arguments).fit(X, y)
    return [*model.coef_[0], model.intercept_[0]]


def test_a_strangers_first_minute(open_tab):
    tab = open_tab()
    assert tab.shown()["playing"]
    assert "Click anywhere in the picture" in tab.page.inner_text("#hint")
    early = tab.shown()["frame"]
    tab.page.wait_for_function(f"lab.frame > {early + 1}")
    tab.page.wait_for_function("lab.state().proofs.length > 0")
    assert "at most ⌊R′²/γ′²⌋ = 502 updates" in tab.page.inner_text("#proof-sentence")
    tab.pause()


def test_drawing(open_tab):
    tab = open_tab()
    tab.pause()
    tab.page.keyboard.press("End")
    shown = tab.after(lambda: tab.click(-3, 3))
    assert len(shown["x"]) == 61 and shown["side"][60] == 1
    assert abs(shown["x"][60] + 3) < 0.1 and abs(shown["y"][60] - 3) < 0.1
    assert shown["weights"][0] == weights_of(shown)
    place = shown["x"][60], shown["y"][60]

    def drag():
        tab.page.mouse.move(*tab.at(*place))
        tab.page.mouse.down()
        tab.page.mouse.move(*tab.at(-2, 4), steps=5)
        tab.page.mouse.up()

    shown = tab.after(drag)
    assert abs(shown["x"][60] + 2) < 0.1 and abs(shown["y"][60] - 4) < 0.1 and len(shown["x"]) == 61
    style = "getComputedStyle(document.getElementById('plane0')).userSelect"
    assert tab.page.evaluate(style) == "none"  # or a drag would select the words beside the picture
    tab.page.keyboard.press("f")
    shown = tab.after(lambda: tab.click(shown["x"][60], shown["y"][60]))
    assert shown["side"][60] == -1 and shown["trouble"] == ""
    tab.page.keyboard.press("d")
    shown = tab.after(lambda: tab.click(shown["x"][60], shown["y"][60]))
    assert len(shown["x"]) == 60
    shown = tab.after(lambda: tab.page.keyboard.press("u"))
    assert len(shown["x"]) == 61
    shown = tab.after(lambda: tab.page.keyboard.press("r"))
    assert len(shown["x"]) == 60
    tab.page.keyboard.press("1")
    tab.page.keyboard.press("s")
    shown = tab.after(lambda: tab.click(-4, -4))
    assert len(shown["x"]) == 66 and shown["side"][60:] == [-1] * 6


def test_keyboard_alone(open_tab):
    tab = open_tab()
    page = tab.page
    page.keyboard.press("Space")
    assert not tab.shown()["playing"]
    page.keyboard.press("Home")
    assert tab.shown()["frame"] == 0 and tab.shown()["weights"][0] == [0, 0, 0]
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert tab.shown()["frame"] == 2
    page.keyboard.press("n")
    first_epoch = tab.shown()["frame"]
    page.keyboard.press("End")
    assert first_epoch < tab.shown()["frame"] == tab.shown()["frames"][0] - 1
    page.focus("#plane0")
    page.keyboard.press("Shift+ArrowUp")
    page.keyboard.press("ArrowLeft")
    shown = tab.after(lambda: page.keyboard.press("Enter"))
    assert len(shown["x"]) == 61
    place = shown["x"][60], shown["y"][60]
    page.keyboard.press("m")
    page.keyboard.press("Shift+ArrowRight")
    shown = tab.after(lambda: page.keyboard.press("m"))
    assert len(shown["x"]) == 61 and shown["x"][60] > place[0] and shown["y"][60] == pytest.approx(place[1])
    shown = tab.after(lambda: page.keyboard.press("Delete"))
    assert len(shown["x"]) == 60
    page.focus("#play")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, input, select, summary, [tabindex='0']")].filter((e) =>
           !e.textContent.trim() && !e.ariaLabel && !e.labels?.length).map((e) => e.id)"""
    )
    assert unnamed == []


def test_steps_and_formula(open_tab):
    tab = open_tab()
    page = tab.page
    tab.pause()
    page.evaluate("document.getElementById('scrub').value = 5; document.getElementById('scrub').oninput()")
    before, shown = page.evaluate("Array.from(lab.state().runs[0].weights.slice(12, 15))"), tab.shown()
    row = page.evaluate("lab.state().runs[0].rows[4]")
    sign = shown["side"][row]
    moved = np.array(before) + sign * np.array([shown["x"][row], shown["y"][row], 1.0])
    assert shown["frame"] == 5 and shown["weights"][0] == moved.tolist()
    text = page.inner_text("#formula")
    assert "w ← w + η y x" in text
    for value in (*before, *moved):
        assert (f"{value:.2f}" if value % 1 else f"{value:.0f}").replace("-", "−") in text
    assert f"point {row + 1} " in page.inner_text("#sentence")


def test_a_link_opens_the_same_screen_and_tabs_are_independent(open_tab):
    tab = open_tab()
    tab.pause()
    tab.after(lambda: tab.page.select_option("#learner0", "pocket"))
    tab.pause()
    tab.after(lambda: tab.page.select_option("#learner1", "svm"))
    tab.pause()
    tab.after(lambda: tab.click(-3, 3))
    tab.page.evaluate("document.getElementById('scrub').value = 4; document.getElementById('scrub').oninput()")
    tab.page.wait_for_function("location.search.length > 9")
    tab.page.wait_for_timeout(500)
    query = tab.page.evaluate("location.search")
    assert from_address(query[3:]).frame == 4
    other = open_tab(query)
    one, two = tab.shown(), other.shown()
    assert not two["playing"]
    for key in ("frame", "weights", "x", "y", "side", "frames"):
        assert one[key] == two[key]
    other.after(lambda: other.page.click("#clear"))
    assert "no points yet" in other.page.inner_text("#message")
    assert len(tab.shown()["x"]) == 61


@pytest.mark.slow
def test_a_bad_link_is_said(open_tab):
    tab = open_tab("?s=nonsense")
    assert "This link does not hold a screen of the lab" in tab.page.inner_text("#message")
    assert len(tab.shown()["x"]) == 60


def test_own_data(open_tab):
    tab = open_tab()
    tab.pause()
    page = tab.page
    file = {"name": "notes.csv", "mimeType": "text/csv", "buffer": b"\x89PNG\r\n\x1a\n\x00\x00"}
    page.set_input_files("#file", file)
    page.wait_for_function("document.getElementById('message').textContent.includes('text in UTF-8')")
    rows = "".join(f"{i % 7},{i * i % 11},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(30))
    page.set_input_files("#file", {**file, "buffer": ("a,b,kind\n" + rows).encode()})
    page.wait_for_selector("#columns:not([hidden])")
    shown = tab.after(lambda: page.click("#columns button"))
    assert len(shown["x"]) == 30 and shown["weights"][0] == weights_of(shown)
    assert page.input_value("#set") == "own"


def test_show_me_in_python(open_tab, capsys):
    tab = open_tab()
    tab.pause()
    tab.after(lambda: tab.click(-3, 3))
    tab.page.click("#python-box summary")
    tab.page.wait_for_function("document.getElementById('script').textContent.includes('Perceptron')")
    names = {}
    exec(tab.page.evaluate("document.getElementById('script').textContent"), names)
    assert names["shown"]["Perceptron"].tolist() == tab.shown()["weights"][0]
    capsys.readouterr()


def test_the_tour(open_tab):
    tab = open_tab()
    page = tab.page
    tab.after(lambda: page.click("#tour-open"))
    with page.expect_popup() as opened:
        page.click("#tour-place a")
    assert "Lecture row L2" in opened.value.inner_text("h1")
    opened.value.close()  # a page behind another is painted once a second
    with page.expect_popup() as opened:
        page.click("#links a >> nth=1")
    assert opened.value.inner_text("h1") == "Tutorial"
    opened.value.close()  # a page behind another is painted once a second
    for number, step in enumerate(tour.STEPS, start=1):
        assert page.inner_text("#tour-title") == f"{number} · {step.title}"
        assert step.task in page.inner_text("#tour-task") and tab.shown()["trouble"] == ""
        assert max(page.evaluate(BOTTOMS)) <= 900  # above the fold
        tab.after(lambda: page.click("#tour-next"))
    assert page.is_hidden("#tour")


@pytest.mark.slow
def test_exports(open_tab):
    tab = open_tab()
    tab.pause()
    for kind, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("csv", b"x,y,class")):
        tab.page.click("#export summary")
        with tab.page.expect_download() as waiting:
            tab.page.click(f"[data-export={kind}]")
        with open(waiting.value.path(), "rb") as file:
            assert file.read().startswith(start)


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.slow), "dark"])
def test_narrow_and_wide_light_and_dark(open_tab, scheme):
    tab = open_tab(viewport={"width": 390, "height": 844}, color_scheme=scheme, reduced_motion="reduce")
    page = tab.page
    assert not tab.shown()["playing"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    box = page.locator("#play").bounding_box()
    assert box["y"] + box["height"] < 844  # on the first screen
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") != scheme


@pytest.mark.slow
def test_a_server_that_stops_is_said(browser):
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt.lab", "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    url = re.search(r"http://\S+", process.stdout.readline()).group()
    context = browser.new_context()
    tab = Tab(context, url)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    process.stdout.close()
    tab.page.wait_for_selector("#lost:not([hidden])", timeout=10_000)
    assert "server has stopped" in tab.page.inner_text("#lost")
    tab.page.click("#share")
    assert "server has stopped" in tab.page.inner_text("#message")
    tab.page.click("#python-box summary")
    tab.page.wait_for_function("document.getElementById('script').textContent.includes('server has stopped')")
    context.close()


def test_the_sentence_names_the_point_as_it_is(open_tab):
    tab = open_tab()
    tab.after(lambda: tab.page.select_option("#learner0", "adaline"))
    tab.pause()
    said = tab.page.evaluate(
        """() => { const { runs, data } = lab.state(), run = runs[0], found = [];
          for (let k = 1; k <= 40; k++) {
            document.getElementById("scrub").value = k; document.getElementById("scrub").oninput();
            const j = run.places[k - 1], w = run.weights.slice(3 * k - 3, 3 * k);
            found.push([data.side[j], data.side[j] * (w[0] * data.x[j] + w[1] * data.y[j] + w[2]),
                        document.getElementById("sentence").textContent]);
          }
          return found; }"""
    )
    assert len({margin <= 0 for _, margin, _ in said}) == 2 and max(margin for _, margin, _ in said) > 1
    for side, margin, text in said:
        assert ("orange" if side > 0 else "blue") + " point" in text
        assert ("was a mistake" if margin <= 0 else "was right") in text


def test_clearing_leaves_nothing_behind(open_tab):
    tab = open_tab()
    tab.pause()
    tab.page.keyboard.press("End")
    assert tab.page.evaluate(INKED) > 0
    tab.after(lambda: tab.page.click("#clear"))
    assert tab.page.evaluate(INKED) == 0


def test_a_refusal_keeps_the_proof_and_the_frame(open_tab):
    tab = open_tab()
    tab.pause()
    tab.page.wait_for_function("lab.state().proofs.length > 0")
    tab.page.keyboard.press("Home")
    said = tab.page.inner_text("#proof-sentence")
    tab.page.keyboard.press("u")
    tab.page.wait_for_function("document.getElementById('message').textContent.includes('nothing to undo')")
    assert tab.page.inner_text("#proof-sentence") == said and tab.shown()["frame"] == 0
    tab.page.fill("#set-options-margin", "99")
    tab.page.keyboard.press("Tab")
    tab.page.wait_for_function("document.getElementById('message').textContent.includes('margin must be')")
    tab.page.wait_for_function("document.getElementById('set-options-margin').value === '0.2'")


def test_scrubbing_while_it_plays(open_tab):
    tab = open_tab()
    assert tab.shown()["playing"]
    tab.page.evaluate("document.getElementById('scrub').value = 30; document.getElementById('scrub').oninput()")
    assert tab.shown()["frame"] == 30 and not tab.shown()["playing"]


def test_two_quick_deletes_remove_the_point_that_was_meant(open_tab):
    tab = open_tab()
    tab.pause()
    tab.page.keyboard.press("d")
    shown = tab.shown()
    place = shown["x"][7], shown["y"][7]
    tab.after(lambda: tab.page.mouse.dblclick(*tab.at(*place)))
    tab.page.wait_for_timeout(300)
    assert list(place) not in [list(p) for p in zip(tab.shown()["x"], tab.shown()["y"], strict=True)]
    assert len(tab.shown()["x"]) == 59


def test_an_edit_in_the_tour_shows_its_line(open_tab):
    tab = open_tab()
    page = tab.page
    tab.after(lambda: page.click("#tour-open"))
    tab.after(lambda: page.click("#tour-next"))
    tab.pause()
    page.keyboard.press("f")
    for key, corner in (("Home", (0, 1)), ("End", (1, 0))):
        page.keyboard.press(key)
        shown = tab.after(lambda corner=corner: tab.click(*corner))
        assert shown["frame"] == shown["frames"][0] - 1 > 0 and any(shown["weights"][0])


def test_an_edit_while_paused_stays_at_its_step_and_is_named(open_tab):
    tab = open_tab()
    page = tab.page
    tab.pause()
    page.evaluate("document.getElementById('scrub').value = 5; document.getElementById('scrub').oninput()")
    shown = tab.after(lambda: tab.click(-3, 3))
    assert shown["frame"] == 5 < shown["frames"][0] - 1 and not shown["playing"]
    assert "same step of the new run" in page.inner_text("#hint")
    name = "document.getElementById('set').selectedOptions[0].text"
    assert page.evaluate(name) == "Two clouds with a margin, edited"
    shown = tab.after(lambda: page.select_option("#set", "blobs"))
    assert len(shown["x"]) == 60 and page.evaluate(name) == "Two clouds with a margin"
    tab.after(lambda: page.click("#clear"))
    assert page.evaluate(name) == "Your own points" and page.inner_text("#set-options") == ""


def test_a_finger_scrolls_past_the_picture_and_still_drags_points(open_tab):
    tab = open_tab(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, reduced_motion="reduce")
    touch = tab.page.context.new_cdp_session(tab.page)

    def swipe(x, y, down):
        for kind, moved in (("touchStart", 0), *(("touchMove", 0.1 * j * down) for j in range(1, 11))):
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y + moved}]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        tab.page.wait_for_timeout(400)

    before = tab.shown()
    swipe(*tab.at(-4, 4), -200)
    assert tab.page.evaluate("window.scrollY") > 50 and tab.shown() == before
    tab.page.evaluate("window.scrollTo(0, 0)")
    lowest = before["y"].index(min(before["y"]))
    tab.after(lambda: swipe(*tab.at(before["x"][lowest], before["y"][lowest]), -100))
    assert tab.page.evaluate("window.scrollY") == 0 and tab.shown()["y"][lowest] > before["y"][lowest] + 1


def test_what_is_regressed_and_what_has_two_layers(open_tab):
    tab = open_tab()
    tab.after(lambda: tab.page.select_option("#set", "xor"))
    tab.pause()
    for name, wrong in (("least_squares", 0.5), ("layers", 0.0)):
        tab.after(lambda name=name: tab.page.select_option("#learner0", name))
        tab.pause()
        tab.page.keyboard.press("End")
        assert tab.page.evaluate(INKED) > 100_000
        assert tab.page.evaluate("lab.state().runs[0].errors.at(-1)") == wrong
        assert ("unit 2" in tab.page.inner_text("#formula")) == (name == "layers")


def test_two_learners_and_the_names_of_the_classes(open_tab):
    tab = open_tab()
    page = tab.page
    tab.after(lambda: page.select_option("#set", "iris"))
    tab.pause()
    tab.after(lambda: page.select_option("#learner0", "averaged"))
    tab.pause()
    tab.after(lambda: page.select_option("#learner1", "svm"))
    tab.pause()
    page.evaluate("document.getElementById('scrub').value = 3; document.getElementById('scrub').oninput()")
    assert page.inner_text("#class-minus") == "● blue (setosa)"
    sentence, formula = page.inner_text("#sentence"), page.inner_text("#formula")
    assert sentence.startswith("Averaged perceptron: Update 3")
    assert re.search(r"\((setosa|versicolor)\) point", sentence)
    assert "perceptron underneath" in formula and "The answer, mean so far" in formula
    assert "Averaged perceptron, update 3 of" in page.inner_text("#caption0")
    assert "Support vector machine, epoch 3 of" in page.inner_text("#caption1")
    assert page.evaluate("Bokeh.documents[0].get_model_by_name('curve').below[0].axis_label") == (
        "updates of Averaged perceptron, epochs of Support vector machine"
    )
    for name in ("kernel", "voted"):
        tab.after(lambda name=name: page.select_option("#learner0", name))
        tab.pause()
        page.evaluate("document.getElementById('scrub').value = 2; document.getElementById('scrub').oninput()")
        assert re.search(r"≤ 0", page.inner_text("#sentence")) and re.search(r"\d", page.inner_text("#formula"))
