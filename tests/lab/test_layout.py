"""Nothing is cut off, covered or below the fold: every step of the tour, measured in the browser at each size."""

import pytest

from rosenblatt.lab.build import HERE

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

FAULTS = """() => {
  const found = [], seen = (e) => {
    const s = getComputedStyle(e), r = e.getBoundingClientRect();
    return e.checkVisibility() && s.clipPath === "none" && r.width > 2 && r.height > 2 && !(e.closest("details:not([open])") && e.tagName !== "SUMMARY");
  };
  if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const e of document.querySelectorAll("h1, h2, p, button, summary, label, output, select, #formula")) {
    if (!seen(e) || e.id === "tagline") continue;
    const r = e.getBoundingClientRect(), name = e.id || e.textContent.slice(0, 30), card = e.closest(".card")?.getBoundingClientRect();
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth && getComputedStyle(e).display !== "inline") found.push(`cut: ${name}`);
    if (card && r.bottom > card.bottom + 1) found.push(`below its card: ${name}`);
    if (innerWidth > 900 && r.bottom > innerHeight + 1 && !e.closest(".panel")) found.push(`below the fold: ${name}`);
  }
  for (const svg of document.querySelectorAll("svg.plot, svg.picture")) {
    if (!seen(svg)) continue;
    const box = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim()), boxes = texts.map((t) => t.getBoundingClientRect());
    boxes.forEach((a, i) => {
      const name = `${texts[i].textContent} in ${svg.getAttribute("class")}`;
      if (a.left < box.left - 1 || a.right > box.right + 1 || a.top < box.top - 2 || a.bottom > box.bottom + 2) found.push(`cut: ${name}`);
      boxes.slice(0, i).forEach((b, j) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left), high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 3 && high > 5) found.push(`${texts[j].textContent} covers ${name}`);
      });
    });
  }
  return found;
}"""  # noqa: E501
SIZES = [
    (1280, 720, True),
    (1280, 720, False),
    *(
        pytest.param(*size, marks=pytest.mark.slow)
        for size in [
            (1024, 768, True),
            (1920, 1080, True),
            (1280, 900, False),
            (1024, 768, False),
            (1920, 1080, False),
            (390, 844, False),
        ]
    ),
]


def settled(one):
    one.page.wait_for_function("lab.app.training.finished")
    one.page.wait_for_timeout(100)  # curves are drawn a little later


@pytest.mark.parametrize(("width", "height", "projector"), SIZES)
def test_no_text_is_cut_covered_or_below_the_fold(tab, width, height, projector):
    one = tab(f"?still{'&projector' * projector}", viewport={"width": width, "height": height})
    for number in range(16):
        one.app(f"app.tour({number})") if number else one.app("app.go(6)")
        settled(one)
        for act in ("app.go(Math.min(4, app.last))", "app.go(app.last)"):
            one.app(act)
            assert one.page.evaluate(FAULTS) == [], (number, act)


def test_the_check_itself_sees_faults(tab):
    one = tab(viewport={"width": 1280, "height": 720})
    one.app("app.go(6)")
    settled(one)
    one.page.add_style_tag(content="#where { width: 40px }")
    one.page.evaluate(
        """() => { const { x, y } = lab.app.view.proof.dial, name = document.querySelector(".floor-name");
           name.setAttribute("x", x - 60); name.setAttribute("y", y); }"""
    )
    found = "\n".join(one.page.evaluate(FAULTS))
    assert "cut: where" in found and "covers angle to w*" in found
    one.page.add_style_tag(content="#status { position: relative; top: 300px }")
    assert "below its card: status" in one.page.evaluate(FAULTS) and "below the fold: status" in one.page.evaluate(
        FAULTS
    )


@pytest.mark.parametrize("query", ["?still", "?still&projector"])
def test_the_curves_that_a_step_speaks_of_are_on_the_screen(tab, query):
    one = tab(query, viewport={"width": 1280, "height": 720})
    for number in range(1, 16):
        one.app(f"app.tour({number})")
        assert one.page.is_visible("#errors") == (number in (9, 10, 15)), number
        assert one.page.is_visible("#weights") or number != 3
    one.page.keyboard.press("e")
    assert not one.page.is_visible("#errors")
    one.page.click("#to-errors" if one.page.is_visible("#to-errors") else "#to-update")
    assert one.page.is_visible("#errors") or one.page.is_visible("#weights")


def test_tasks_are_done_with_what_the_card_holds_on_a_projector_too(tab):
    one = tab("?still&projector", viewport={"width": 1280, "height": 720})
    for number, keys in ((4, ["End"]), (7, ["Home"]), (8, ["End"]), (13, ["End"]), (15, ["End"])):
        one.app(f"app.tour({number})")
        one.page.focus(".tour-control input")
        for key in keys:
            one.page.keyboard.press(key)
        one.page.wait_for_function("lab.app.task.done", timeout=20_000)
        assert one.page.locator(".tour-task.done").count() == 1
        assert one.page.evaluate("document.activeElement.closest('.tour-control') !== null"), "a slider stays in place"
    one.app("app.tour(2)")
    one.page.click(".tour-control button")
    for corner in ((0, 1), (1, 0)):
        one.click(*corner)
    assert one.app("app.task.done")


def test_nothing_lies_over_the_points_on_a_projector(tab):
    one = tab("?still&projector", viewport={"width": 1280, "height": 720})
    for number in range(1, 16):
        one.app(f"app.tour({number})")
        settled(one)
        for point in one.app("app.points.slice(0, 8)"):
            x, y = one.at(*point[:2])
            assert one.page.evaluate(
                "([x, y]) => Boolean(document.elementFromPoint(x, y)?.closest('.picture'))", [x, y]
            )


def test_a_margin_of_minus_zero_is_zero_to_a_reader(tab):
    one = tab()
    one.app("app.tour(2)")
    one.page.keyboard.press("End")
    assert "its margin was 0." in one.page.inner_text("#update-words")


def test_every_word_is_used_and_every_used_word_is_there(core):
    source = "".join(path.read_text("utf-8") for path in HERE.glob("*.js") if path.name != "strings.js")
    words = core.evaluate("lab.core.S")
    for group, entries in words.items():
        if not isinstance(entries, dict):
            assert f"S.{group}" in source, group
            continue
        for name in entries:
            assert any(use in source for use in (f"S.{group}.{name}", f"S.{group})", f"S.{group}[", f"S.{group},")), (
                f"{group}.{name}"
            )


@pytest.mark.parametrize(
    ("width", "height", "query"),
    [(1280, 720, ""), (1280, 720, "&projector"), (1024, 768, "&projector"), (390, 844, "")],
)
def test_a_question_does_not_cover_what_it_is_about(tab, width, height, query):
    one = tab(f"?still{query}", viewport={"width": width, "height": height})
    for name in ("clouds", "overlapping", "and"):
        one.app(f"app.change({{ set: '{name}', values: {{}}, points: null }}, 'start')")
        settled(one)
        one.page.keyboard.press("q")
        ring, box = one.page.locator(".now.asked").bounding_box(), one.page.locator("#quiz").bounding_box()
        picture = one.page.locator(".picture").first.bounding_box()
        assert ring["y"] + ring["height"] < box["y"] and box["y"] + box["height"] <= height
        assert box["y"] > picture["y"] + 0.75 * picture["height"]
        assert one.page.evaluate(FAULTS) == []
