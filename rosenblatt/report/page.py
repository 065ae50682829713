"""report.html: one self-contained page about a model.

Nothing is fetched from anywhere and no script runs. Whatever comes from data or from the user is escaped.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.features.anatomy import Anatomy, Array, labels_of
from rosenblatt.models.whole_file import write_whole
from rosenblatt.plain import plain
from rosenblatt.report.drivers import Driver
from rosenblatt.report.pictures import Album, Picture
from rosenblatt.report.scores import Share, percent
from rosenblatt.report.summary import Summary
from rosenblatt.trace import STOP_REASONS
from rosenblatt.wording import LONGEST, counted, listed, short

CLASSES_IN_TABLE = 40
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
"""


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    summary: Summary,
    X_test: Any = None,
    y_test: Any = None,
    *,
    about: dict[str, Any] | None = None,
    image_shape: Any = None,
    title: str | None = None,
) -> None:
    """Write the report of a model as one HTML page, whole or not at all.

    Parameters
    ----------
    path : where to
    model : the fitted estimator or pipeline that `summary` is about
    summary : the result of `summarise`
    X_test, y_test : held-out rows for the pictures; without them the page has text and tables only
    about : more about the model, all optional: ``source`` (where the rows came from), ``digest`` of the data, ``seed``,
        ``model`` (the model file), ``command`` (how it was trained), ``predict`` (how to use it)
    image_shape : (height, width), where the features are pixels
    title : of the page

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.report import summarise, write_report
    >>> from rosenblatt.sources import digits
    >>> data = digits(random_state=0)
    >>> model = Perceptron(answer="averaged", max_iter=20, random_state=0).fit(data.X_train, data.y_train)
    >>> summary = summarise(model, data.X_test, data.y_test, target="digit")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = pathlib.Path(folder) / "report.html"
    ...     write_report(page, model, summary, data.X_test, data.y_test, image_shape=(8, 8))
    ...     print(page.read_text(encoding="utf-8")[:15])
    <!doctype html>
    """
    if not isinstance(summary, Summary):
        raise TypeError(f"summary must be the result of summarise, got {type(summary).__name__}.")
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test must be passed together.")
    test = None if X_test is None else (X_test, labels_of(X_test, y_test, "_test"))
    page = Page(Anatomy(model), summary, test, dict(about or {}), image_shape, title)
    write_whole(path, page.html().encode("utf-8", errors="replace"))


class Page:
    """The sections of the page, one method each; an empty text leaves a section out."""

    def __init__(
        self, anatomy: Anatomy, summary: Summary, test: tuple[Any, Array] | None, about: dict[str, Any],
        image_shape: Any, title: str | None,
    ) -> None:  # fmt: skip
        self.anatomy, self.summary, self.test, self.about = anatomy, summary, test, about
        self.album = Album(anatomy, summary, image_shape)
        if about.get("source") is not None:  # the names of files without their folders
            source = about["source"]
            names = [source] if isinstance(source, str | os.PathLike) else list(source)
            about["source"] = listed([Path(str(name)).name or str(name) for name in names], 3, last=" and ")
        self.title = title or (f"Predicting {short(summary.target, LONGEST)}" if summary.target else "Model report")

    def html(self) -> str:
        sections = [
            self.hero(), self.errors(), self.features(), self.margins(), self.separation(),
            self.training(), self.advice(), self.use(),
        ]  # fmt: skip
        style = files("rosenblatt.report").joinpath("page.css").read_text(encoding="utf-8")
        return (
            f'{HEAD}<meta name="generator" content="rosenblatt {escape(self.summary.version)}">\n'
            f"<title>{escape(self.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
            f"{self.head()}\n<main>\n{chr(10).join(filter(None, sections))}\n</main>\n{self.foot()}\n</body>\n</html>\n"
        )

    # ------------------------------------------------------------------ sections

    def head(self) -> str:
        summary = self.summary
        rows = "" if summary.rows_train is None else f", trained on {counted(summary.rows_train, 'row')}"
        source = f" of {self.about['source']}" if rows and self.about.get("source") else ""
        classes = f" Classes: {listed([f'“{name}”' for name in summary.classes], 6)}." if summary.classes else ""
        lead = f"{summary.learner}{rows}{source}.{classes}"
        return (
            f'<header class="top"><p class="eyebrow">Model report</p><h1>{escape(self.title)}</h1>'
            f'<p class="lead">{escape(lead)}</p></header>'
        )

    def hero(self) -> str:
        summary, base = self.summary, self.summary.baseline
        share, figures, low = summary.accuracy, summary.regression, "" if summary.beats_baseline else " low"
        basis = f"{counted(summary.rows_test, 'held-out row')} ({escape(summary.held_out)})"
        if share is not None and base.accuracy is not None:
            large = f"{escape(percent(share.value).removesuffix('%'))}<small>%</small>"
            told = f"Accuracy on {basis}. The 95% interval is {percent(share.low)} to {percent(share.high)}."
            bars = [_bar("this model", share.value, share, ours=True, good=summary.beats_baseline)]
            bars.append(_bar(f"always “{base.answer}”", base.accuracy.value))
            if summary.train_accuracy is not None:
                bars.append(_bar("this model on training rows", summary.train_accuracy.value))
        else:
            assert figures is not None and base.mean_error is not None
            large, error, other = (
                "–" if figures.r2 is None else f"{figures.r2:.3f}",
                figures.mean_error,
                base.mean_error,
            )
            interval = f"(95% interval {figures.low:.4g} to {figures.high:.4g})"
            told = f"R² on {basis}. The mean absolute error is {error:.4g} {interval}."
            largest = max(error, other) or 1.0
            bars = [_bar("mean absolute error", error / largest, ours=True, good=not low, text=f"{error:.3g}")]
            bars.append(_bar(f"always {base.answer:.4g}", other / largest, text=f"{other:.3g}"))
        return (
            f'<div class="hero"><div><div class="figure-large{low}">{large}</div><p class="says">{told}</p></div>'
            f'<div><p>{escape(summary.against_baseline())}</p><div class="bars">{"".join(bars)}</div></div></div>'
        )

    def errors(self) -> str:
        confusion = self.summary.confusion
        if confusion is None:
            if self.test is None or self.summary.cross_validated:
                return ""
            X, y = self.test
            answers = np.asarray(self.anatomy.model.predict(X), np.float64)
            return _section("Errors", _pictures([self.album.regression(y.astype(np.float64), answers)]))
        pictures = [self.album.confusion(), None if self.test is None else self.album.roc(*self.test)]
        rows = [
            [str(each.name), f"{each.rows:,}", _percent(each.precision), _percent(each.recall), _percent(each.f1)]
            for each in confusion.per_class[:CLASSES_IN_TABLE]
        ]
        count = len(confusion.classes)
        caption = f"The first {CLASSES_IN_TABLE} of {count} classes." if count > CLASSES_IN_TABLE else "Every class."
        table = _table(caption, ["Class", "Rows", "Precision", "Recall", "F1"], rows)
        return _section("Errors", f"{_pictures(pictures)}{table}")

    def features(self) -> str:
        found = self.summary.drivers
        note = f'<p class="note">{escape(found.note)}</p>'
        pictures = self.album.weights() if found.top else []
        if self.album.image_shape is not None and pictures:
            return _section("Weights of the pixels", _pictures(pictures))
        table = self._table_of(found.top) if found.top else ""
        body = _beside(table, pictures) if len(pictures) == 1 else _pictures(pictures) + table
        return _section("Most important features", body + note)

    def _table_of(self, top: list[Driver]) -> str:
        if self.summary.drivers.kind == "weights":
            head = ["Feature", "Weight", "Share", "Favours" if self.summary.classes else "Effect"]
            rows = [[d.title, f"{d.weight:+.4g}", _percent(d.share), self._favours(d)] for d in top]
            return _table("Weights in the units of the data.", head, rows, words_from=3)
        head = ["Feature", "Accuracy lost" if self.summary.classes else "Error added"]
        rows = [[d.feature, _percent(d.effect) if self.summary.classes else f"{d.effect:.3g}"] for d in top]
        return _table("Permutation importance.", head, rows)

    def _favours(self, driver: Driver) -> str:
        if not self.summary.classes:
            return "raises" if driver.effect >= 0 else "lowers"
        if driver.towards is not None:
            return short(driver.towards, 24)
        return "" if driver.against is None else f"not {short(driver.against, 20)}"

    def margins(self) -> str:
        picture = None if self.test is None else self.album.margins(*self.test)
        return _section("Margins", _pictures([picture])) if picture is not None else ""

    def separation(self) -> str:
        found = self.summary.separation
        if found is None:
            return ""
        kind = {"separable": "", "not separable": " no"}.get(found.verdict, " open")
        body = f'<p class="verdict{kind}">{found.verdict}</p><p>{escape(found.sentence)}</p>'
        return _section("Linear separability", body)

    def training(self) -> str:
        picture, reason = self.album.trace(), self.summary.stop_reason
        if picture is None and not reason:
            return ""
        told = counted(self.summary.epochs or 0, "epoch") + (f", {STOP_REASONS[reason]}." if reason else ".")
        return _section("Training", _beside(f"<p>{escape(told)}</p>", [picture]), keep=True)

    def advice(self) -> str:
        items = "".join(f"<li><p>{escape(each.sentence)}</p></li>" for each in self.summary.advice)
        return _section("Advice", f'<ol class="next">{items}</ol>') if items else ""

    def use(self) -> str:
        model, command, trained = (self.about.get(name) for name in ("model", "predict", "command"))
        if command is None and model is not None:
            command = f"rosenblatt predict {shlex.quote(str(model))} new_rows.csv --out answers.csv"
        python = f"import rosenblatt\n\nmodel = rosenblatt.load({str(model)!r})\nanswers = model.predict(new_rows)"
        parts = [("Predict new rows:", command), ("In Python:", python if model is not None else None),
                 ("Trained with:", trained)]  # fmt: skip
        body = "".join(f"<p>{head}</p><pre>{escape(str(text))}</pre>" for head, text in parts if text is not None)
        return _section("How to use the model", body) if body else ""

    def foot(self) -> str:
        summary, about = self.summary, self.about
        rows = f"{summary.rows_train or 0:,} for training, {summary.rows_test:,} held out"
        entries = {
            "Learner": summary.learner,
            "Settings": ", ".join(f"{name}={plain(value)!r}" for name, value in summary.settings.items()) or None,
            "Target": summary.target,
            "Data": about.get("source"),
            "SHA-256 of the data": about.get("digest"),
            "Seed": about.get("seed"),
            "Rows": f"{summary.rows_test:,}, cross-validated" if summary.cross_validated else rows,
            "Features": f"{summary.n_features:,} as the learner sees them" if summary.n_features else None,
            "Made with": f"rosenblatt {summary.version}",
        }
        items = [
            f"<dt>{name}</dt><dd>{escape(str(value))}</dd>" for name, value in entries.items() if value is not None
        ]
        return f'<footer><h2 class="eyebrow">How it was made</h2><dl>{"".join(items)}</dl></footer>'


# ------------------------------------------------------------------ pieces


def _section(title: str, body: str, *, keep: bool = False) -> str:
    return f"<section{' class=keep' if keep else ''}><h2>{escape(title)}</h2>{body}</section>"


def _pictures(found: Sequence[Picture | None]) -> str:
    shown = "".join(picture.html() for picture in found if picture is not None)
    return f'<div class="pictures">{shown}</div>' if shown else ""


def _beside(text: str, found: Sequence[Picture | None]) -> str:
    """Text and a picture beside each other."""
    return f'<div class="beside"><div>{text}</div>{_pictures(found)}</div>' if any(found) else text


def _table(caption: str, head: list[str], rows: list[list[str]], words_from: int = 99) -> str:
    """A table; columns from `words_from` on hold words. Its caption stays in sight where the table is scrolled."""

    def cell(tag: str, number: int, text: str) -> str:
        kind = ' class="words"' if number >= words_from else ""
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{scope}{kind}>{escape(text)}</{tag}>"

    top = "".join(cell("th", number, text) for number, text in enumerate(head))
    body = ""
    for first, *others in rows:
        cells = "".join(cell("td", number, text) for number, text in enumerate(others, 1))
        body += f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>'
    return (
        f'<p class="caption">{escape(caption)}</p>'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(head[0], quote=True)} table">'
        f'<table aria-label="{escape(caption, quote=True)}"><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _bar(
    name: str, share: float, interval: Share | None = None, *, ours: bool = False, good: bool = True, text: str = ""
) -> str:
    kind, line = "bar" + (" ours" if ours else "") + ("" if good else " low"), ""
    if interval is not None:
        left, width = 100 * interval.low, 100 * (interval.high - interval.low)
        line = f'<span class="range" style="left:{left:.2f}%;width:{width:.2f}%"></span>'
    return (
        f'<div class="{kind}"><span class="name">{escape(name)}</span><span class="track">'
        f'<span class="fill" style="width:{100 * min(max(share, 0.0), 1.0):.2f}%"></span>{line}</span>'
        f'<span class="value">{escape(text or _percent(share))}</span></div>'
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else percent(share)
