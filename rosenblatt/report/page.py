"""report.html: one self-contained page about a model, in words that need no knowledge of learning.

Nothing is fetched from anywhere and no script runs. Whatever comes from data or from the user is escaped.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt.features.anatomy import Anatomy, Array, labels_of, plain
from rosenblatt.models.whole_file import write_whole
from rosenblatt.report import words
from rosenblatt.report.drivers import Driver
from rosenblatt.report.pictures import Album, Picture, figure
from rosenblatt.report.scores import Share, percent
from rosenblatt.report.summary import Summary
from rosenblatt.trace import STOP_REASONS
from rosenblatt.wording import LONGEST, short

CLASSES_IN_TABLE = 40
TITLES = {"source": "Data", "digest": "Digest of the data (SHA-256)", "seed": "Seed", "command": "Command"}
IN_THE_TEXT = {"summary", "drivers", "columns", "image_shape", "target", "command", "model", "predict"}
SAID_ALREADY = {"rows", "learned_rows", "held_out", "learner"}  # what the summary says itself


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    summary: Summary,
    X_test: Any = None,
    y_test: Any = None,
    *,
    X_train: Any = None,
    y_train: Any = None,
    about: dict[str, Any] | None = None,
    image_shape: Any = None,
    title: str | None = None,
) -> None:
    """Write the report of a model as one HTML page, whole or not at all.

    Parameters
    ----------
    path : where to
    model : the fitted estimator or pipeline that `summary` is about
    summary : what `summarise` found
    X_test, y_test : held-out rows for the pictures; without them the page has words and tables only
    X_train, y_train : training rows, for the picture of the proof of separability
    about : what is known besides, all optional: ``source`` (where the rows came from), ``digest`` of the data,
        ``seed``, ``model`` (the model file), ``command`` (how it was trained), ``predict`` (how to use it); others are
        listed in the footnote
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
        raise TypeError(f"summary must be what summarise returned, but got {type(summary).__name__}; call it first.")
    html = render(
        model, summary, X_test, y_test, X_train=X_train, y_train=y_train, about=about, image_shape=image_shape,
        title=title,
    )  # fmt: skip
    write_whole(path, html.encode("utf-8", errors="replace"))


def render(
    model: Any,
    summary: Summary,
    X_test: Any = None,
    y_test: Any = None,
    *,
    X_train: Any = None,
    y_train: Any = None,
    about: dict[str, Any] | None = None,
    image_shape: Any = None,
    title: str | None = None,
) -> str:
    """The page as a text; see `write_report`."""
    for rows, labels, which in ((X_test, y_test, "test"), (X_train, y_train, "train")):
        if (rows is None) != (labels is None):
            raise ValueError(f"X_{which} and y_{which} belong together, but only one came; pass both or neither.")
    page = _Page(
        Anatomy(model),
        summary,
        None if X_test is None else (X_test, labels_of(X_test, y_test, "_test")),
        None if X_train is None else (X_train, labels_of(X_train, y_train, "_train")),
        dict(about or {}),
        image_shape,
        title,
    )
    return page.html()


class _Page:
    """The sections of the page, one method each; an empty text leaves a section out."""

    def __init__(
        self,
        anatomy: Anatomy,
        summary: Summary,
        test: tuple[Any, Array] | None,
        train: tuple[Any, Array] | None,
        about: dict[str, Any],
        image_shape: Any,
        title: str | None,
    ) -> None:
        self.anatomy, self.summary, self.test, self.train = anatomy, summary, test, train
        self.about = about
        self.album = Album(anatomy, summary, image_shape)
        self.source = None if about.get("source") is None else _file_name(about["source"])
        self.title = title or (
            f"Predicting {short(summary.target, LONGEST)}" if summary.target else "What the model has learned"
        )

    def html(self) -> str:
        sections = (
            self.hero(), self.baseline(), self.mistakes(), self.drivers(), self.sureness(), self.separation(),
            self.training(), self.next_steps(), self.use(),
        )  # fmt: skip
        style = files("rosenblatt.report").joinpath("page.css").read_text(encoding="utf-8")
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="referrer" content="no-referrer">\n'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            'img-src data:">\n'
            f'<meta name="generator" content="rosenblatt {escape(self.summary.version)}">\n'
            f"<title>{escape(self.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
            f"{self.head()}\n<main>\n{chr(10).join(filter(None, sections))}\n</main>\n{self.foot()}\n</body>\n</html>\n"
        )

    # ------------------------------------------------------------------ sections

    def head(self) -> str:
        lead = words.what_was_learned(self.summary, self.source)
        return (
            f'<header class="top"><p class="eyebrow">Model report</p><h1>{escape(self.title)}</h1>'
            f'<p class="lead">{escape(lead)} {escape(words.how_it_answers(self.summary))}</p></header>'
        )

    def hero(self) -> str:
        if self.summary.accuracy is None:
            return self._hero_of_regression()
        share, low = self.summary.accuracy, "" if self.summary.beats_baseline else " low"
        right, least, most = (round(1000 * value) for value in (share.value, share.low, share.high))
        says = f"Of 1,000 new rows about <strong>{right:,}</strong> would be right, between {least:,} and {most:,}."
        basis = (
            f"Judged by {share.total:,} held-out rows ({escape(self.summary.held_out)}); {share.count:,} were right."
        )
        keys = [("right", f"right, at the least ({least:,})"), ("wrong", f"wrong ({1000 - most:,} at the least)")]
        if most > least:
            keys.insert(1, ("right-soft", f"may be either ({most - least:,})"))
        legend = " ".join(
            f'<span class="key"><i style="background:var(--{colour})"></i>{text}</span>' for colour, text in keys
        )
        alt = f"A thousand squares: {least:,} right, {most - least:,} that may be either, {1000 - most:,} wrong."
        return (
            f'<div class="hero"><div><div class="figure-large{low}">{_large_percent(share.value)}</div>'
            f'<p class="says">{says}</p><p>{basis} The range is a 95% interval.</p>'
            f'</div><figure class="dots"><div role="img" aria-label="{alt}">{thousand(least, most)}</div>'
            f"<figcaption>{legend}</figcaption></figure></div>"
        )

    def _hero_of_regression(self) -> str:
        figures = self.summary.regression
        assert figures is not None
        low = "" if self.summary.beats_baseline else " low"
        large = "–" if figures.r2 is None else f"{100 * max(figures.r2, 0):.0f}<small>%</small>"
        picture = ""
        if self.test is not None and not self.summary.cross_validated:
            X, y = self.test
            answers = np.asarray(self.anatomy.model.predict(X), np.float64)
            picture = figure(self.album.regression(y.astype(np.float64), answers))
        return (
            f'<div class="hero"><div><div class="figure-large{low}">{large}</div>'
            f'<p class="says">of what makes the values differ is explained (R²). The mean error is '
            f"<strong>{figures.mean_error:.4g}</strong>, between {figures.low:.4g} and {figures.high:.4g}.</p>"
            f"<p>Judged by {self.summary.rows_test:,} held-out rows ({escape(self.summary.held_out)}).</p></div>"
            f"{picture}</div>"
        )

    def baseline(self) -> str:
        summary, base = self.summary, self.summary.baseline
        if summary.accuracy is not None and base.accuracy is not None:
            always = f"always {words.quoted(base.answer)}"
            bars = _bar("this model", summary.accuracy.value, summary.accuracy, ours=True, good=summary.beats_baseline)
            bars += _bar(always, base.accuracy.value)
            verdict = {
                True: "Yes: better than always giving the same answer, beyond chance.",
                False: "Not clearly: always giving the same answer may be as good.",
            }[summary.beats_baseline]
            if summary.accuracy.value <= base.accuracy.value:
                verdict = "No: always giving the same answer is right as often or more often."
            fit = words.fit_in_words(summary)
            same = words.quoted(base.answer)
            note = (
                f"The comparison is with whoever answers {same}, the commonest class, without looking at the row. The "
                f"line below the bar is the 95% interval."
            )
            body = f'<div class="bars">{bars}</div><p>{escape(note)}</p><p>{escape(fit)}</p>'
        else:
            assert summary.regression is not None and base.mean_error is not None
            largest = max(summary.regression.high, base.mean_error) or 1.0
            bars = _bar(
                "this model", summary.regression.mean_error / largest, ours=True, good=summary.beats_baseline,
                text=f"{summary.regression.mean_error:.3g}",
            )  # fmt: skip
            bars += _bar(f"always {base.answer:.4g}", base.mean_error / largest, text=f"{base.mean_error:.3g}")
            verdict = "Yes, beyond chance." if summary.beats_baseline else "Not beyond chance."
            body = (
                f'<div class="bars">{bars}</div><p>Mean error, smaller is better; the comparison is with the mean.</p>'
            )
        return _section("Is that better than guessing?", f"<p><strong>{escape(verdict)}</strong></p>{body}", keep=True)

    def mistakes(self) -> str:
        summary = self.summary
        if summary.confusion is None:
            return ""
        pictures = [self.album.confusion()]
        if self.test is not None:
            pictures.append(self.album.roc(*self.test))
        head = ["Class", "Rows", "Found", "Of its answers right"]
        rows = []
        for each in summary.confusion.per_class[:CLASSES_IN_TABLE]:
            rows.append([str(each.name), f"{each.rows:,}", _percent(each.recall), _percent(each.precision)])
        caption = (
            "Every class among the held-out rows: how many there are, how many of them were found, and how often an "
            "answer of this class is right."
        )
        if len(summary.confusion.classes) > CLASSES_IN_TABLE:
            caption += f" The first {CLASSES_IN_TABLE} of {len(summary.confusion.classes)} classes."
        body = f"<p>{escape(words.which_mistakes(summary))}</p>{_pictures(pictures)}{_table(caption, head, rows)}"
        return _section("Which mistakes does it make?", body)

    def drivers(self) -> str:
        found = self.summary.drivers
        if not found.top:
            return _section("What drives the decision?", f"<p>{escape(found.note)}</p>") if found.note else ""
        pictures = self.album.weights(None if self.test is None else self.test[0])
        if self.album.image_shape is not None and pictures:
            return _section("What drives the decision?", f"<p>{words.PIXELS}</p>{_pictures(pictures)}")
        body = f"<p>{escape(words.what_drives(self.summary))}</p>"
        table = self._table_of_drivers(found.top)
        body += _beside(table, pictures, picture_first=True) if len(pictures) == 1 else _pictures(pictures) + table
        return _section("What drives the decision?", f'{body}<p class="note">{escape(found.note)}</p>')

    def _table_of_drivers(self, top: list[Driver]) -> str:
        by_weight = self.summary.drivers.kind == "weights"
        if by_weight:
            head = ["Feature", "Weight", "Share", "More of it" if self.summary.kind == "regression" else "Speaks for"]
            rows = [[d.title, f"{d.weight:+.4g}", _percent(d.share), self._speaks(d)] for d in top]
            caption = (
                "The most important features: the weight in the units of the data, the share in all that moves the "
                "score, and what a larger value speaks for."
            )
        else:
            head = ["Feature", "Additional mistakes without it"]
            rows = [[d.feature, _percent(d.effect)] for d in top]
            if self.summary.kind == "regression":
                head, rows = ["Feature", "Additional error without it"], [[d.feature, f"{d.effect:.3g}"] for d in top]
            caption = "The features that the model depends on most."
        return _table(caption, head, rows, words_from=3)

    def _speaks(self, driver: Driver) -> str:
        if self.summary.kind == "regression":
            return "raises" if driver.effect >= 0 else "lowers"
        if driver.towards is not None:
            return short(driver.towards, 24)
        return "" if driver.against is None else f"not {short(driver.against, 20)}"

    def sureness(self) -> str:
        if self.test is None:
            return ""
        pictures = [self.album.margins(*self.test), self.album.boundary(*self.test)]
        if not any(pictures):
            return ""
        body = "<p>A row far from the boundary is a clear case; one near to it could tip either way.</p>"
        return _section("How clear are the cases?", _beside(body, pictures))

    def separation(self) -> str:
        found = self.summary.separation
        if found is None:
            return ""
        kind = {"separable": "", "not separable": " no"}.get(found.verdict, " open")
        picture = None if self.train is None else self.album.certificate(*self.train)
        body = (
            f'<p class="verdict{kind}">{found.verdict}</p><p>{escape(found.sentence)}</p>'
            f"<p>{escape(words.what_separability_means(self.summary))}</p>"
        )
        return _section("Could a flat boundary be perfect?", _beside(body, [picture]))

    def training(self) -> str:
        picture = self.album.trace()
        reason = self.summary.stop_reason
        if picture is None and not reason:
            return ""
        epochs = self.summary.epochs or 0
        told = f"Training went through the rows {epochs:,} time{'s' * (epochs != 1)}"
        told += f" and ended because {STOP_REASONS[reason]}." if reason else "."
        return _section("How did it learn?", _beside(f"<p>{escape(told)}</p>", [picture]), keep=True)

    def next_steps(self) -> str:
        if not self.summary.advice:
            return ""
        items = "".join(f"<li><p>{escape(each.sentence)}</p></li>" for each in self.summary.advice)
        tried = any(each.trial is not None for each in self.summary.advice)
        note = "<p>What is named with a figure was tried: trained on training rows, judged by the held-out ones.</p>"
        return _section("What to try next", f'<ol class="next">{items}</ol>{note if tried else ""}')

    def use(self) -> str:
        model = self.about.get("model")
        commands = self.about.get("predict")
        if commands is None and model is not None:
            commands = f"rosenblatt predict {_shell(str(model))} new_rows.csv --out answers.csv"
        if commands is None and self.about.get("command") is None:
            return ""
        body = ""
        if commands is not None:
            body += f"<p>New rows get their answers with this command:</p><pre>{escape(str(commands))}</pre>"
        if model is not None:
            python = f"import rosenblatt\n\nmodel = rosenblatt.load({str(model)!r})\nanswers = model.predict(new_rows)"
            body += f"<p>Or in Python:</p><pre>{escape(python)}</pre>"
        if self.about.get("command") is not None:
            body += "<p>This is how it was trained; the same command gives the same model:</p>"
            body += f"<pre>{escape(str(self.about['command']))}</pre>"
        return _section("How to use the model", body)

    def foot(self) -> str:
        summary = self.summary
        entries: list[tuple[str, Any]] = [("Learner", summary.learner), ("Target", summary.target)]
        settings = ", ".join(f"{name.replace('_', ' ')} {_told(value)}" for name, value in summary.settings.items())
        if settings:
            entries.insert(1, ("Settings", settings))
        known = self.about if self.source is None else self.about | {"source": self.source}
        for name, value in known.items():
            empty = value is None or value is False or (hasattr(value, "__len__") and len(value) == 0)
            if name == "split":
                entries.append(("Kept aside", words.kept_aside(value)))
            elif name not in IN_THE_TEXT | SAID_ALREADY and not empty:
                entries.append((TITLES.get(name, name.replace("_", " ").capitalize()), _told(value)))
        rows = f"{summary.rows_train or 0:,} for training, {summary.rows_test:,} held out"
        if summary.cross_validated:
            rows = f"{summary.rows_test:,}, each judged by a fit that had not seen it"
        entries.append(("Rows", rows))
        entries.append(("Features", f"{summary.n_features:,} as the learner sees them" if summary.n_features else None))
        entries.append(("Made with", f"rosenblatt {summary.version}"))
        listed = "".join(
            f"<dt>{escape(str(name))}</dt><dd>{escape(str(value))}</dd>" for name, value in entries if value is not None
        )
        return f'<footer><h2 class="eyebrow">To do it again</h2><dl>{listed}</dl></footer>'


# ------------------------------------------------------------------ pieces


def thousand(least: int, most: int) -> str:
    """1,000 squares in 20 rows of 50: the first `least` right, up to `most` perhaps, the rest wrong."""
    parts = []
    for start, end, colour in ((0, least, "right"), (least, most, "right-soft"), (most, 1000, "wrong")):
        squares = [f"M{10 * (k % 50)} {10 * (k // 50)}h8v8h-8z" for k in range(start, end)]
        if squares:
            parts.append(f'<path fill="var(--{colour})" d="{"".join(squares)}"/>')
    return f'<svg viewBox="0 0 498 198" aria-hidden="true" focusable="false">{"".join(parts)}</svg>'


def _section(title: str, body: str, *, keep: bool = False) -> str:
    return f"<section{' class=keep' if keep else ''}><h2>{escape(title)}</h2>{body}</section>"


def _pictures(found: Sequence[Picture | None]) -> str:
    shown = [picture for picture in found if picture is not None]
    if not shown:
        return ""
    return f'<div class="pictures">{"".join(figure(picture) for picture in shown)}</div>'


def _beside(text: str, found: Sequence[Picture | None], *, picture_first: bool = False) -> str:
    """Words and one picture beside each other; several pictures come below."""
    if sum(picture is not None for picture in found) != 1:
        return text + _pictures(found)
    parts = [f"<div>{text}</div>", _pictures(found)]
    return f'<div class="beside">{"".join(parts[::-1] if picture_first else parts)}</div>'


def _table(caption: str, head: list[str], rows: list[list[str]], words_from: int = 99) -> str:
    """A table; columns from `words_from` on hold words."""

    def cell(tag: str, number: int, text: str) -> str:
        kind = ' class="words"' if number >= words_from else ""
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{scope}{kind}>{escape(text)}</{tag}>"

    top = "".join(cell("th", number, text) for number, text in enumerate(head))
    body = ""
    for row in rows:
        body += f'<tr><th scope="row">{escape(row[0])}</th>'
        body += "".join(cell("td", number, text) for number, text in enumerate(row[1:], 1)) + "</tr>"
    return (
        f'<p class="caption">{escape(caption)}</p>'  # outside: it stays in sight where the table is scrolled
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(head[0], quote=True)} table">'
        f'<table aria-label="{escape(caption, quote=True)}"><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _bar(
    name: str, share: float, interval: Share | None = None, *, ours: bool = False, good: bool = True, text: str = ""
) -> str:
    kind = "bar" + (" ours" if ours else "") + ("" if good else " low")
    line = ""
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


def _large_percent(share: float) -> str:
    return f"{escape(percent(share).removesuffix('%'))}<small>%</small>"


def _file_name(source: Any) -> str:
    """What a reader calls the data: the names of files without their folders."""
    names = [source] if isinstance(source, str | os.PathLike) else list(source)
    return words.listed([Path(str(name)).name or str(name) for name in names], most=3)


def _told(value: Any) -> str:
    """A value of the footnote, lists and dictionaries without brackets."""
    value = plain(value)
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, dict):
        return ", ".join(f"{name} {_told(each)}" for name, each in value.items())
    return ", ".join(map(_told, value)) if isinstance(value, list) else str(value)


def _shell(text: str) -> str:
    import shlex

    return shlex.quote(text)
