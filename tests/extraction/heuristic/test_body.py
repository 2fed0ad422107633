"""The main text of a page."""

from __future__ import annotations

import time

import pytest
from extraction.proof import unproved

from scraping_ai.extraction import Extractor

FIRST = "The first paragraph says what this is about, at some length. " * 3
SECOND = "The second paragraph goes on about it, and on, and on. " * 3
LINKS = "<nav>" + "<p><a href=/x>A link in the navigation that is quite long</a> and text</p>" * 9 + "</nav>"


def body(html: str, field: str = "article_body") -> str | None:
    result = Extractor(field).extract(html, "https://dailynews.example/a")
    assert unproved(result, html) == []
    found: str | None = result.records[0][field]
    return found


@pytest.mark.parametrize("field", ["body", "text", "content", "article_body"])
def test_the_running_text_of_the_article(field: str) -> None:
    html = f"""<body class=has-comments>{LINKS}<div class=menu>{SECOND}</div><article><h1>A</h1><p>{FIRST}</p>
        <p>{SECOND}</p></article><div class=comments><p>{FIRST}</p></div><footer><p>{FIRST}</p></footer>"""
    assert body(html, field) == f"{FIRST.strip()}\n{SECOND.strip()}"


def test_text_between_line_breaks_counts() -> None:
    assert body(f"<div><div>{FIRST}<br>{SECOND}</div></div>") == f"{FIRST.strip()}\n{SECOND.strip()}"


def test_what_markup_says_comes_first() -> None:
    html = '<script type="application/ld+json">{"@type": "Article", "articleBody": "Short."}</script>'
    assert body(f"{html}<p>{FIRST}</p><p>{SECOND}</p>") == "Short."


def test_scripts_around_the_text_stay_out_and_scripts_in_it_leave_none() -> None:
    paragraphs = f"<p>{FIRST}</p>\n<p>{SECOND}</p>"
    assert "track" not in (body(f"<article>{paragraphs}<script>track()</script><p>Less than that.</p>") or "")
    assert body(f"<article><p>{FIRST}</p><script>track()</script><p>{SECOND}</p></article>") is None


@pytest.mark.parametrize("html", ["", "<p>Short.</p>", LINKS, "<p>Content: this</p>"])
def test_pages_without_running_text_have_none(html: str) -> None:
    assert body(html or "<p></p>") is None


@pytest.mark.parametrize("tag", ["<li>", "<div>a", "<p>" + "word " * 20, "<td><table>"])
def test_deep_pages_take_linear_time(tag: str) -> None:
    started = time.monotonic()
    Extractor("body").extract(tag * 20_000)
    assert time.monotonic() - started < 5
