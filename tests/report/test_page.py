"""report.html: what it says, that it is safe, whole, and readable in a browser."""

from __future__ import annotations

import html.parser
import os
import re
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import ColumnEncoder, KernelPerceptron, LeastSquares, LinearSVM, Perceptron
from rosenblatt.report import summarise, write_report
from rosenblatt.report.pictures import inline
from rosenblatt.sources import digits, iris

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def render(*given, **options):
    """The text of the page that `write_report` writes."""
    with tempfile.TemporaryDirectory() as folder:
        write_report(Path(folder) / "report.html", *given, **options)
        return (Path(folder) / "report.html").read_text(encoding="utf-8")


EVIL = "<script>alert(1)</script>"
ABOUT = {"source": "folder/people.csv", "digest": "ab" * 32, "seed": 7, "model": "people model.safetensors"}
VOID = {"meta", "path", "rect", "use", "image", "br", "stop"}


class Outline(html.parser.HTMLParser):
    """The tags of a page: that they close, which there are, and which addresses they name."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.headings, self.addresses, self.ids = [], [], [], [], []
        self.images = 0

    def handle_startendtag(self, tag, attributes):
        self.seen(tag, dict(attributes))

    def handle_starttag(self, tag, attributes):
        self.seen(tag, dict(attributes))
        if tag not in VOID:
            self.open.append(tag)

    def seen(self, tag, attributes):
        self.tags.append(tag)
        self.images += attributes.get("role") == "img"
        assert attributes.get("role") != "img" or attributes["aria-label"].strip()
        assert not any(name.startswith("on") for name in attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.addresses += [attributes[name] for name in ("src", "href", "xlink:href") if name in attributes]
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def outline(page):
    found = Outline()
    found.feed(page)
    assert not found.open
    return found


def people(n=300, seed=0):
    """Two numbers, a category and a target, as a frame."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    city = np.array(["Rome", "Paris", "Oslo"])[random.integers(0, 3, n)]
    age = random.normal(40, 10, n) + 12 * y
    frame = pl.DataFrame({"age": age, "income": random.normal(3000, 500, n), "city": city})
    return frame, np.array(["stays", "leaves"])[y]


def trained(frame, y, learner=None):
    A, B, a, b = train_test_split(frame, y, test_size=0.3, random_state=0)
    learner = Perceptron(answer="averaged", max_iter=10, random_state=0) if learner is None else learner
    model = Pipeline([("columns", ColumnEncoder()), ("learner", learner)]).fit(A, a)
    return model, A, B, a, b


def whole_page(frame, y, learner=None, target="plan", **more):
    model, A, B, a, b = trained(frame, y, learner)
    summary = summarise(model, B, b, X_train=A, y_train=a, target=target, advise=True)
    return render(model, summary, B, b, about=ABOUT, **more), summary


@pytest.fixture(scope="module")
def page():
    return whole_page(*people())


def test_page_says_what_the_summary_found(page):
    text, summary = page
    found = outline(text)
    share = summary.accuracy
    assert f"The 95% interval is {share.low:.1%} to {share.high:.1%}." in text
    for wanted in (
        "Predicting plan",
        "Baseline, always “",
        *("Errors", "Most important features", "Margins", "Linear separability", "Training", "Advice"),
        *("Precision", "Recall", "F1"),
        "people.csv",
        "ab" * 32,
        "rosenblatt predict &#x27;people model.safetensors&#x27; new_rows.csv --out answers.csv",
    ):
        assert wanted in text
    assert found.headings[0] == 1 and set(found.headings[1:]) == {2}
    assert text.count('<p class="caption">') == text.count("<table aria-label=") == found.tags.count("table") == 2
    assert found.images == found.tags.count("figure") >= 4


def test_page_needs_nothing_from_anywhere_and_runs_nothing(page):
    text, _ = page
    found = outline(text)
    assert not set(found.tags) & {"script", "link", "iframe", "object", "embed", "img"}
    assert all(address.startswith(("#", "data:image/png;base64,")) for address in found.addresses)
    assert not re.search(r"url\((?!#)", text) and "@import" not in text
    assert "http://" not in text and "https://" not in text
    assert len(found.ids) == len(set(found.ids))


def test_everything_from_data_is_escaped():
    frame, y = people()
    frame = frame.rename({"age": f"age{EVIL}", "income": '"><img src=x onerror=alert(1)>', "city": "a&b $x^2$"})
    frame = frame.with_columns(pl.col("a&b $x^2$") + "<b>")
    y = np.where(y == "stays", f"_{EVIL}", "'\"><svg onload=alert(1)>")
    text, _ = whole_page(frame, y, target=EVIL, title=None)
    found = outline(text)
    assert "script" not in found.tags and "img" not in found.tags and "b" not in found.tags
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_about_is_escaped_too():
    frame, y = people()
    model, _, B, _, b = trained(frame, y)
    summary = summarise(model, B, b)
    about = {"source": EVIL, "model": EVIL, "command": EVIL, "predict": EVIL, EVIL: EVIL, "digest": EVIL}
    text = render(model, summary, B, b, about=about, title=EVIL)
    assert "script" not in outline(text).tags


def test_footer_says_how_the_model_was_made():
    frame, y = people()
    model, _, B, _, b = trained(frame, y)
    text = render(model, summarise(model, B, b), about={"summary": {"secret": 1}, "seed": 0})
    assert "<dt>Seed</dt><dd>0</dd>" in text and "answer=&#x27;averaged&#x27;" in text
    assert "secret" not in text and "How to use the model" not in text


@pytest.mark.parametrize("learner", [LinearSVM(random_state=0), KernelPerceptron(random_state=0), LeastSquares()])
def test_other_learners(learner):
    frame, y = people()
    if isinstance(learner, LeastSquares):
        y = frame["age"].to_numpy() * 2 + np.random.default_rng(1).normal(size=len(y))
    text, summary = whole_page(frame, y, learner)
    outline(text)
    assert summary.learner in text


def test_several_classes_and_images():
    data = digits(random_state=0)
    model = Perceptron(answer="averaged", max_iter=5, random_state=0).fit(data.X_train, data.y_train)
    summary = summarise(model, data.X_test, data.y_test, target="digit")
    text = render(model, summary, data.X_test, data.y_test, image_shape=(8, 8))
    assert text.count("data:image/png;base64,") >= 10 and "Weights of the pixels" in text
    outline(text)
    assert "Weights of the pixels" not in render(model, summary, data.X_test, data.y_test)


def test_rows_that_the_model_has_seen_are_not_called_held_out():
    frame, y = people()
    model = Pipeline([("columns", ColumnEncoder()), ("learner", Perceptron(random_state=0))]).fit(frame, y)
    summary = summarise(model, frame, y, predictions=y, held_out="5-fold cross-validation")
    text = render(model, summary, frame, y)
    assert "The margins of training rows" in text and "ROC curve" not in text and "5-fold" in text


def test_without_rows_there_are_words_only():
    frame, y = people()
    model, _, B, _, b = trained(frame, y)
    text = render(model, summarise(model, B, b))
    assert outline(text).headings and "Margins" not in text


def test_many_rows_are_sampled_and_it_is_said():
    random = np.random.default_rng(0)
    X = random.normal(size=(60_000, 2))
    y = (X[:, 0] > 0).astype(int)
    model = make_pipeline(StandardScaler(), Perceptron(max_iter=2, random_state=0)).fit(X, y)
    text = render(model, summarise(model, X, y), X, y)
    assert "sample of 20,000 of 60,000 rows" in text
    assert len(text) < 1_000_000


def test_colours_become_variables_and_ids_are_apart():
    svg = '<?xml?>\n<svg width="9" viewBox="0 0 9 9"><g id="a" style="fill: #222222"/><use href="#a"/></svg>'
    found = inline(svg, "p3")
    assert found.startswith('<svg viewBox="0 0 9 9"') and 'id="p3-a"' in found and 'href="#p3-a"' in found
    assert "fill: var(--ink)" in found


def test_same_report_is_the_same_bytes():
    frame, y = people()
    first, second = (whole_page(frame, y)[0] for _ in range(2))
    assert first == second


# ------------------------------------------------------------------ the file


def test_written_whole_or_not_at_all(tmp_path, monkeypatch):
    frame, y = people()
    model, _, B, _, b = trained(frame, y)
    summary, path = summarise(model, B, b), tmp_path / "report.html"
    write_report(path, model, summary)
    before = path.read_bytes()
    assert before.startswith(b"<!doctype html>") and before.endswith(b"</html>\n")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_report(path, model, summary, title="another")
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["report.html"]


def test_bad_input(tmp_path):
    frame, y = people()
    model, _, B, _, b = trained(frame, y)
    summary = summarise(model, B, b)
    with pytest.raises(TypeError, match="the result of summarise"):
        write_report(tmp_path / "a.html", model, {"accuracy": 1})
    with pytest.raises(ValueError, match="passed together"):
        write_report(tmp_path / "a.html", model, summary, B)
    with pytest.raises(IsADirectoryError, match="is a directory"):
        write_report(tmp_path, model, summary)
    with pytest.raises(FileNotFoundError, match="could not be written"):
        write_report(tmp_path / "no" / "a.html", model, summary)
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------ in a browser


@pytest.fixture(scope="module")
def addresses(tmp_path_factory, page):
    """Reports of several kinds, one with very long names."""
    folder = tmp_path_factory.mktemp("reports")
    frame, y = people()
    long = frame.rename({"age": "age_of_the_customer_at_the_time_of_the_last_purchase_in_years" * 2})
    pages = {
        "table": page[0],
        "long": whole_page(long, np.array([f"{name}_" * 12 for name in y]))[0],
        "plane": whole_page(frame.select("age", "income"), y)[0],
    }
    found = {}
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
        found[name] = (folder / f"{name}.html").as_uri()
    return found


@pytest.mark.parametrize("name", ["table", "long", "plane"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_in_a_browser(browser, addresses, name, scheme, width):
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    requests, messages = [], []
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda message: messages.append(message.text))
    tab.goto(addresses[name])
    assert [url for url in requests if not url.startswith("data:")] == [addresses[name]] and not messages
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    paper, ink = tab.evaluate(
        "[getComputedStyle(document.querySelector('section')).backgroundColor,"
        " getComputedStyle(document.querySelector('.picture svg text')).fill]"
    )
    assert contrast(paper, ink) > 4.5
    if scheme == "light" and width == 1280:
        assert tab.pdf(format="A4")[:4] == b"%PDF"
    tab.close()


def test_cards_have_one_column_on_a_phone(browser, addresses):
    columns = "getComputedStyle(document.querySelector('{}')).gridTemplateColumns.split(' ').length"
    for width, expected in ((1280, 2), (390, 1)):
        tab = browser.new_page(viewport={"width": width, "height": 800})
        tab.goto(addresses["table"])
        assert [tab.evaluate(columns.format(card)) for card in (".hero", ".beside")] == [expected, expected]
        figure = "document.querySelector('.figure-large')"
        assert tab.evaluate(f"{figure}.scrollWidth <= {figure}.clientWidth")
        tab.close()


def test_legends_lie_above_bars_and_lines(monkeypatch):
    from matplotlib.figure import Figure

    from rosenblatt.features.anatomy import Anatomy
    from rosenblatt.report.pictures import Album

    figures = []
    drawn = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda self, *a, **k: figures.append(self) or drawn(self, *a, **k))
    frame, y = people()
    X, Z = frame.select("age", "income").to_numpy(), frame.select("age", "income").to_numpy()[:50]
    model = Perceptron(max_iter=5, random_state=0).fit(X, y, eval_set=(Z, y[:50]))
    album = Album(Anatomy(model), summarise(model, X, y))
    assert album.trace() is not None and album.margins(X, y) is not None and len(figures) == 2
    for figure in figures:
        axes = figure.axes[0]
        assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1 - 1
        texts = {text.get_text() for text in axes.get_legend().get_texts()}
        assert texts == {label for each in figure.axes for label in each.get_legend_handles_labels()[1]}


def test_print_is_on_white_paper_in_the_dark_too(browser, addresses):
    tab = browser.new_page(color_scheme="dark")
    tab.goto(addresses["table"])
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.evaluate("getComputedStyle(document.querySelector('figure')).breakInside") == "avoid"
    tab.close()


def contrast(one, other):
    """The contrast ratio of the Web Content Accessibility Guidelines."""

    def light(colour):
        parts = np.array([float(part) for part in re.findall(r"[\d.]+", colour)[:3]]) / 255
        parts = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return parts @ [0.2126, 0.7152, 0.0722]

    low, high = sorted([light(one), light(other)])
    return (high + 0.05) / (low + 0.05)


def test_roc_curves_of_several_classes_agree_with_what_is_found():
    data = iris(random_state=0)
    model = make_pipeline(StandardScaler(), Perceptron(multi_class="coupled", answer="averaged", random_state=0))
    model.fit(data.X_train, data.y_train)
    summary = summarise(model, data.X_test, data.y_test)
    page = render(model, summary, data.X_test, data.y_test)
    areas = [float(found) for found in re.findall(r"AUC = ([0-9.]+)", page)]
    assert len(areas) == 3 and min(areas) > 0.9
