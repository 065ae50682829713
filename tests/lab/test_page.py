"""The page as a reader uses it, in a real browser, from a file and without a network."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from rosenblatt import Perceptron

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

PROJECTORS = [(1280, 720), (1024, 768), (1920, 1080)]


def test_a_whole_session_from_a_file_without_a_request(tab, site):
    one = tab("")
    assert one.app("app.playing")  # something alive
    one.page.keyboard.press(" ")
    assert not one.app("app.playing")
    one.page.click("[data-set=xor]")
    assert "never stops" in one.page.inner_text("#proof-title") and one.page.locator(".star").count()
    one.page.click("[aria-label=Clear]")
    assert "no points" in one.page.inner_text("#update-words")
    one.page.keyboard.press("1")
    one.click(-1, 0)
    one.click(-1.5, 0.5)
    one.page.keyboard.press("2")
    one.click(1, 0.2)
    assert [p[2] for p in one.app("app.points")] == [0, 0, 1]
    one.page.keyboard.press("End")
    one.page.keyboard.press("Home")
    one.page.keyboard.press("ArrowRight")
    assert one.app("app.frame") == 1 and "update 1 of" in one.page.inner_text("#where")
    last = one.app("app.last")
    one.page.evaluate(
        """() => { const slider = document.getElementById("scrub");
           slider.value = slider.max; slider.dispatchEvent(new Event("input")); }"""
    )
    assert one.app("app.frame") == last and "All 3 points are right" in one.page.inner_text("#status")
    assert re.search(r"At most ⌊R²/γ²⌋ = \d+ updates", one.page.inner_text("#proof-words"))
    one.page.click("#share")
    link = one.page.evaluate("location.href")
    one.page.click("#tour-button")
    one.page.keyboard.press("PageDown")
    assert "Gates" in one.page.inner_text("#tour")
    two = tab("")
    assert two.app("app.playing")
    two.page.goto(link)  # the same page: only hashchange tells it, a moment later
    two.page.wait_for_function("lab.app.points.length === 3")
    assert two.app("app.frame") == last and not two.app("app.playing")
    for each in (one, two):
        assert {url.split("#")[0].split("?")[0] for url in each.requests if not url.startswith("data:")} == {
            site, site.replace("index.html", "lab.css"), site.replace("index.html", "lab.js"),
        }  # fmt: skip


def test_a_link_shows_its_frame_whatever_was_on_view(tab):
    one = tab()
    one.page.click("[data-set=and]")
    one.page.evaluate("lab.app.go(lab.app.last - 1)")
    frame, link = one.app("app.frame"), one.page.evaluate("`#${lab.app.address()}`")
    assert frame > 2
    one.page.click("[aria-label=Clear]")
    for key, x in (("1", -1), ("2", 1)):
        one.page.keyboard.press(key)
        one.click(x, 0)
    assert 0 < one.app("app.last") < frame  # a shorter run, which the frame of the link is beyond
    one.page.evaluate("link => { lab.app.address(); location.hash = link; }", link)
    one.page.wait_for_function("lab.app.points.length === 4")
    assert one.app("app.frame") == frame == one.app("app.last") - 1


def test_dragging_a_point_retrains_while_it_moves(tab):
    one = tab()
    one.page.click("[data-set=and]")
    one.page.keyboard.press("End")
    before = one.app("app.runs[0].updates")
    x, y = one.at(1, 1)
    one.page.mouse.move(x, y)
    one.page.mouse.down()
    seen = set()
    for step in range(1, 9):
        one.page.mouse.move(x - 18 * step, y)
        one.page.wait_for_timeout(20)
        seen.add(one.app("app.proofs[0].bound"))
    moved = one.app("app.points")[3]
    one.page.mouse.up()
    assert len(seen) > 4 and moved[0] < 0.9
    one.page.keyboard.press("Control+z")
    assert one.app("app.points")[3] == [1, 1, 1] and one.app("app.runs[0].updates") == before
    one.page.keyboard.press("Control+y")
    assert one.app("app.points")[3] == moved


def test_the_python_on_show_gives_the_weights_on_the_screen(tab):
    one = tab()
    one.page.keyboard.press("End")
    code = one.app("app.exportPython()")
    made = {}
    exec(code, made)
    shown = one.app("Array.from(app.runs[0].path.at(app.frame))")
    model = made["model"]
    assert isinstance(model, Perceptron)
    assert np.allclose([*model.coef_[0], model.intercept_[0]], shown, rtol=1e-12, atol=1e-12)


# ------------------------------------------------------------------------------------------------ defects of old


def csv_file(tmp_path, text, name="own.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


def upload(one, path):
    one.page.set_input_files("#file", path)


def test_a_reload_keeps_two_thousand_uploaded_rows(tab, tmp_path):
    rows = "\n".join(
        f"{(i * 37 % 101) / 7},{(i * 53 % 97) / 3},{'cat' if i * 37 % 101 < 50 else 'dog'}" for i in range(2000)
    )
    one = tab()
    upload(one, csv_file(tmp_path, f"long,tall,kind\n{rows}\n"))
    one.page.click("#use")
    one.page.wait_for_function("lab.app.points.length === 2000 && location.hash.startsWith('#local=')")
    assert "too many for a link" in one.toast()
    before = one.app("app.points")
    one.page.reload()
    one.page.wait_for_selector("body[data-ready=yes]")
    assert one.app("app.points") == before and one.app("app.data.names") == ["dog", "cat"][::-1]
    two = tab("#local=12345")
    assert "another browser" in two.toast() and two.app("app.data.n") > 0


def test_long_work_shows_progress_can_be_cancelled_and_blocks_nobody(tab):
    one = tab()
    one.page.evaluate(
        """() => { const n = 200000, r = new lab.core.Orders(Int32Array.from({ length: n }, (_, i) => i), 1).next();
           const points = Array.from(r, (k, i) => [k / 40000, (i * 7919 % n) / 40000, (k * 31 + i) % 2]);
           const learners = [{ name: "kernel", options: { max_iter: 200 } }];
           lab.app.load(lab.core.newState({ points, learners }), "start"); }"""
    )
    one.page.wait_for_selector("#working", timeout=5000)
    assert "Training" in one.page.inner_text("#working")
    longest = one.page.evaluate(
        """async () => { let worst = 0;
           for (let i = 0; i < 10; i++) { const t = performance.now();
             await new Promise((r) => setTimeout(r, 5)); worst = Math.max(worst, performance.now() - t); }
           return worst; }"""
    )
    assert longest < 1500  # the page answers between slices
    one.page.click("#cancel")
    assert "Cancelled" in one.toast() and one.page.locator("#working").count() == 0


def test_twelve_megabytes_of_quotes_are_refused_in_one_sentence(tab, tmp_path):
    one = tab()
    upload(one, csv_file(tmp_path, 'a,b,c\n"' + '""' * 6_000_000))
    one.page.wait_for_selector("#toast p")
    assert "own.csv: it needs two columns of numbers" in one.toast()
    one.page.click("#step")
    assert one.app("app.frame") == 1  # and the page goes on


def test_arrow_keys_step_after_a_click_in_the_picture(tab):
    one = tab()
    one.click(-2.9, -1.5)
    n = len(one.app("app.points"))
    one.page.keyboard.press("Home")
    one.page.keyboard.press("ArrowRight")
    assert one.app("app.frame") == 1
    one.page.keyboard.press("Control+z")
    assert len(one.app("app.points")) == n - 1


def test_the_export_menu_closes_by_choice_click_outside_and_escape(tab):
    one = tab()
    for leave in (
        lambda: one.page.click("#export-csv"),
        lambda: one.page.mouse.click(640, 500),
        lambda: one.page.keyboard.press("Escape"),
    ):
        one.page.click("#export summary")
        assert one.page.locator("#export[open]").count() == 1
        leave()
        assert one.page.locator("#export[open]").count() == 0


def test_words_and_picture_are_of_one_frame_while_playing_fast(tab):
    one = tab()
    one.page.click("[data-set=overlapping]")
    late = one.page.evaluate(
        """async () => { const app = lab.app; app.speed = 60; app.play(); let late = 0;
           for (let i = 0; i < 40; i++) { await new Promise((r) => requestAnimationFrame(r));
             const said = document.getElementById("where").textContent.match(/update ([\\d,]+)/)[1];
             const shown = [...document.querySelectorAll("#sum mtable")].at(-1).textContent;
             const w = String(app.runs[0].path.at(app.frame)[2]).replace("-", "−");
             late += Number(said.replace(",", "")) !== app.frame || !shown.endsWith(w) ? 1 : 0; }
           app.pause(); return [late, app.frame]; }"""
    )
    assert late[0] == 0 and late[1] > 10


def test_a_message_moves_nothing(tab):
    one = tab()
    before = one.page.locator(".picture").bounding_box()
    one.app("app.view.toast('Something to say.')")
    assert one.page.locator(".picture").bounding_box() == before


def fragment(points):
    """A link to these points, as someone might have damaged it."""
    text = f'{{"v":2,"set":"clouds","learners":[["perceptron",{{}}]],"seed":0,"frame":0,"p":{points}}}'
    return "s=" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def test_damaged_links_and_impossible_points_give_a_live_page(tab):
    one = tab("?still#" + fragment("[1, 1, 7]"))
    assert "damaged" in one.toast() and "a point is not" in one.toast()
    one.page.click("#end")
    assert one.app("app.frame") > 0
    broken = [fragment(each) for each in ("[NaN, 1, 0]", "[null, 1, 0]", "[1e308, 1, 0, 1, 1, 1]", "[1, 1]", "{}")]
    for each in [*broken, "s=%%%", "s=AAAA", "s=eyJ2IjoxfQ", "s=eyJ2IjoyLCJzZXQiOiJfX3Byb3RvX18ifQ"]:
        one.app("app.view.toast('')")
        one.page.evaluate("(text) => { location.hash = text; }", each)
        one.page.wait_for_function("document.getElementById('toast').textContent.includes('damaged')")
        assert one.app("app.runs.length") == 1 and one.app("app.data.n") == 60, each


def test_after_a_good_upload_a_refused_one_leaves_everything_in_place(tab, tmp_path):
    one = tab()
    upload(one, csv_file(tmp_path, "a;b;c\n1;2;x\n3;4;y\n2;1;x\n;5;y\n"))
    one.page.click("#use")
    assert one.app("app.points") == [[1, 2, 0], [3, 4, 1], [2, 1, 0]] and "1 rows with an empty" in one.toast()
    upload(one, csv_file(tmp_path, "no table at all", "bad.csv"))
    one.page.wait_for_function("document.getElementById('toast').textContent.includes('bad.csv')")
    assert one.page.is_visible("#upload") and len(one.app("app.points")) == 3
    upload(one, csv_file(tmp_path, "a,b,c\n1,2,x\n3,4,y\n", "again.csv"))
    one.page.click("#use")
    assert len(one.app("app.points")) == 2


def test_any_class_name_and_latin_1_are_read_and_exported(tab, tmp_path):
    one = tab()
    upload(one, csv_file(tmp_path, 'größe,höhe,"kind, of"\n1,2,$\\unknowncmd{$\n3,4,"<b>é</b>"\n', encoding="latin-1"))
    one.page.click("#use")
    assert one.app("app.data.names") == ["$\\unknowncmd{$", "<b>é</b>"] and one.app("app.data.axes") == [
        "größe",
        "höhe",
    ]
    assert "$\\unknowncmd{$" in one.page.inner_text("#legend")
    for name in ("svg", "png", "csv", "state"):
        one.page.click("#export summary")
        with one.page.expect_download() as got:
            one.page.click(f"#export-{name}")
        assert got.value.failure() is None
    one.page.click("#export summary")
    one.page.click("#export-python")
    compile(one.page.inner_text("#code"), "shown", "exec")


def test_names_from_a_file_or_a_link_are_text_and_stay_in_their_place(tab, tmp_path):
    one = tab(viewport={"width": 1280, "height": 900})
    bad = "<img src=x onerror=alert(1)>"
    upload(one, csv_file(tmp_path, f'"{bad}",b,c\n1,2,"{bad}"\n3,4,{"long" * 40}\n'))
    one.page.click("#use")
    link = one.app("app.address()")
    two = tab(f"?still#{link}", viewport={"width": 1280, "height": 900})
    for each in (one, two):
        each.page.keyboard.press("Home")
        each.page.keyboard.press("ArrowRight")
        each.page.keyboard.press("ArrowRight")
        assert each.page.locator("img").count() == 0
        assert each.page.inner_text("#legend").startswith(bad)
        assert each.page.text_content(".picture .axis >> nth=0") == bad
        assert each.page.evaluate(
            """[...document.querySelectorAll("#legend, #legend span, #update-words")].every(
                 (e) => e.getBoundingClientRect().right <= e.parentElement.getBoundingClientRect().right + 1)"""
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_exported_picture_is_the_one_on_the_screen(tab, scheme):
    one = tab(color_scheme=scheme)
    for name, learner in (("overlapping", "perceptron"), ("spirals", "kernel"), ("three", "perceptron")):
        one.page.evaluate(
            """([set, learner]) => { const app = lab.app;
               app.change({ set, values: {}, points: null, learners: [{ name: learner, options: {} }] }, "end");
               app.go(Math.min(5, app.last)); }""",
            [name, learner],
        )
        one.page.wait_for_timeout(150)
        screen = Image.open(io.BytesIO(one.page.locator("svg.picture").screenshot())).convert("RGB")
        one.page.click("#export summary")
        with one.page.expect_download() as got:
            one.page.click("#export-png")
        file = Image.open(got.value.path()).convert("RGB")
        assert file.width >= 2 * (screen.width - 1)
        file = file.resize((file.width // 2, file.height // 2), Image.Resampling.BOX)
        inner = [np.asarray(each, float)[20 : file.height - 20, 20 : file.width - 20] for each in (screen, file)]
        far = np.abs(inner[0] - inner[1]).max(axis=2) > 60
        assert far.mean() < 0.01, (name, far.mean())  # edges are smoothed twice in the file
        assert np.abs(inner[0] - inner[1]).mean() < 3


def test_no_private_words(site):
    from rosenblatt.lab.build import HERE

    words = (HERE / "strings.js").read_text("utf-8").lower()
    for private in ("lecture row", "beside: nobody", "seed of the set", "comes to rest", "lesson"):
        assert private not in words


def test_mnist_is_offered_only_where_it_is(tab):
    one = tab()
    assert one.page.locator("[data-set=mnist]").count() == 0 and "MNIST" not in one.page.inner_text("body")


def test_two_error_curves_have_a_legend(tab):
    one = tab()
    one.page.select_option("#learner1", "pocket")
    one.page.wait_for_selector(".error-plot .legend")
    assert one.page.locator(".error-plot .legend").all_text_contents() == ["Perceptron", "Pocket perceptron"]
    assert one.page.locator(".picture").count() == 2


# ------------------------------------------------------------------------------------------------ teaching


def test_projector_mode_needs_no_scrolling_on_any_slide(tab):
    one = tab("?still&projector")
    for number, size in [(n, PROJECTORS[0]) for n in range(1, 16)] + [
        (n, s) for s in PROJECTORS[1:] for n in (4, 5, 9, 10)
    ]:
        one.page.set_viewport_size({"width": size[0], "height": size[1]})
        one.app(f"app.tour({number})")
        low = one.page.evaluate(
            """Math.max(...["pictures", "proof", "transport", "tour", "tools"].map(
                 (id) => document.getElementById(id).getBoundingClientRect().bottom))"""
        )
        tall = one.page.evaluate("document.querySelector('#pictures').getBoundingClientRect().height")
        wide = one.page.evaluate("document.documentElement.scrollWidth")
        assert low <= size[1] and tall > 0.4 * size[1] and wide <= size[0], (number, size)
    assert float(one.page.evaluate("getComputedStyle(document.body).fontSize").removesuffix("px")) >= 1.55 * 14
    one.page.keyboard.press("PageUp")
    assert one.app("app.state.tour") == 9
    one.page.keyboard.press("p")
    assert not one.page.locator("body.projector").count()


def test_every_step_of_the_tour_notices_when_its_task_was_done(tab):
    one = tab()
    tasks = {
        1: "app.edit(app.points.map((p, i) => i ? p : [p[0] + 1, p[1], p[2]]))",
        2: "app.edit(app.points.map((p) => [p[0], p[1], p[0] + p[1] > 0 ? 1 : 0]))",
        3: "[1, 1, 1].forEach(() => app.step(1))",
        4: "app.change({ values: { ...app.state.values, margin: 1.5 } })",
        5: "app.edit([[-0.25, 0.25, 1], [0, 0, 0], [-0.25, -0.25, 1], [0, 0.25, 0], [-0.25, 0, 1]])",
        6: "app.edit([[0, 0, 0], [0, 1, 1], [1, 0, 1], [2, 2, 1]])",
        7: "app.change({ learners: [{ name: 'kernel', options: { ...app.state.learners[0].options, degree: 1 } }] })",
        8: "app.change({ learners: [{ name: 'kernel', options: { ...app.state.learners[0].options, gamma: 8 } }] })",
        9: "app.go(100)",
        10: "app.go(app.last)",
        11: "app.edit(app.points.map((p, i) => i ? p : [p[0] + 0.1, p[1], p[2]]))",
        12: "app.edit([...app.points, [6, 6, 1]])",
        13: "app.change({ learners: [{ name: 'neuron', options: { learning_rate: 30 } }] })",
        14: "app.go(app.last)",
        15: "app.change({ learners: [{ name: 'kernel', options: { gamma: 50 } }] })",
    }
    for number, act in tasks.items():
        one.app(f"app.tour({number})")
        assert not one.app("app.task.done"), number
        one.page.evaluate(f"() => {{ const app = lab.app; {act}; }}")
        one.page.wait_for_function("lab.app.task.done", timeout=5000)
        assert "Done" in one.page.inner_text("#tour"), number


def test_predictions_are_checked(tab):
    one = tab()
    one.page.keyboard.press("q")
    assert "Which way" in one.page.inner_text("#quiz") and one.page.locator(".now.asked").count() == 1
    before, answer = one.app("app.frame"), one.app("app.question.answer")
    one.page.click(f"#quiz button:has-text('{answer}')")
    assert "Right." in one.page.inner_text("#quiz") and one.app("app.frame") == before + 1
    one.page.keyboard.press("q")
    wrong = one.app("app.question.choices.find((c) => c !== app.question.answer)")
    one.page.click(f"#quiz button:text-is('{wrong}')")
    assert "No:" in one.page.inner_text("#quiz") and "1 of 2 right" in one.page.inner_text("#quiz")


def test_the_challenge_keeps_its_best_score(tab):
    one = tab()
    one.page.click("[data-set=slow]")
    assert "54 % of the bound; your best: 54 %." in one.page.inner_text("#score")


def test_test_points_are_never_learned_from(tab):
    one = tab()
    one.page.check("#test")
    used, kept = one.app("[...new Set(app.runs[0].path.row.slice(1))]"), one.app("[...app.data.test]")
    assert kept and not set(used) & set(kept)
    one.page.keyboard.press("End")
    assert "test:" in one.page.inner_text("#status")


# ------------------------------------------------------------------------------------------------ every reader


def test_the_keyboard_does_everything(tab):
    one = tab()
    one.page.click("[data-set=or]")
    one.page.focus("#tools [aria-label=Clear]")
    one.page.keyboard.press("Tab")
    assert one.page.evaluate("document.activeElement.classList.contains('picture')")
    one.page.keyboard.press("Shift+ArrowRight")
    one.page.keyboard.press("Enter")
    assert len(one.app("app.points")) == 5
    one.page.keyboard.press("m")
    one.page.keyboard.press("ArrowUp")
    one.page.keyboard.press("m")
    moved = one.app("app.points")[4]
    one.page.keyboard.press("ArrowDown")
    assert one.app("app.points")[4] == moved
    one.page.keyboard.press("Delete")
    assert len(one.app("app.points")) == 4
    one.page.keyboard.press("Escape")
    one.page.keyboard.press("ArrowRight")
    assert one.app("app.frame") == 1
    one.page.keyboard.press("t")
    assert one.page.is_visible("#tour")
    one.page.keyboard.press("?")
    assert one.page.is_visible("dialog[open]")
    one.page.keyboard.press("Escape")
    one.page.keyboard.press("q")
    one.page.keyboard.press("Enter")  # the first choice
    assert one.app("app.asked") == 1
    one.page.keyboard.press("Escape")
    assert one.page.locator("#quiz").count() == 0
    one.page.focus("#export summary")
    for key in ("Enter", "Tab", "Escape"):
        one.page.keyboard.press(key)
    assert one.page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_what_was_used_with_a_mouse_gives_the_keys_back(tab):
    one = tab()
    one.page.click("[data-set=xor]")
    one.page.keyboard.press("ArrowRight")
    assert one.app("app.frame") == 1
    slider = one.page.locator("[data-option=learning_rate]").bounding_box()
    one.page.mouse.click(slider["x"] + 20, slider["y"] + slider["height"] / 2)
    rate = one.app("app.state.learners[0].options.learning_rate")
    assert rate != 1
    frame = one.app("app.frame")
    one.page.keyboard.press("ArrowRight")
    assert one.app("app.frame") == frame + 1
    assert one.app("app.state.learners[0].options.learning_rate") == rate
    one.page.click("[data-set=and]")
    one.page.keyboard.press(" ")
    assert one.app("app.playing")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(tab, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python")
    one = tab(color_scheme=scheme)
    for act in (
        "app.tour(10)",
        "(app.view.projector(true), app.tour(4))",
        "(app.view.projector(false), app.ask())",
        "document.getElementById('keys-button').click()",
    ):
        one.app(act)
        found = [
            (v["id"], [n["html"][:120] for n in v["nodes"]][:3])
            for v in axe.Axe().run(one.page, options={"preload": False}).response["violations"]
            if v["impact"] in ("serious", "critical")
        ]
        assert found == [], act


def test_a_telephone_has_large_controls_beside_the_picture(tab):
    one = tab(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    for selector in ("button", "select", "input[type=range]", "summary"):
        for box in one.page.locator(selector).all():
            found = box.bounding_box()
            if found and found["height"]:  # a closed menu has none
                assert found["height"] >= 40, box.evaluate("(e) => e.outerHTML.slice(0, 90)")
    for selector in (".brush", "#play", ".picture"):
        box = one.page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] <= 844
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 390
    x, y = one.at(2.5, -2.3)
    before = len(one.app("app.points"))
    one.page.touchscreen.tap(x, y)
    assert len(one.app("app.points")) == before + 1
