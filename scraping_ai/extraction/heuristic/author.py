"""Who wrote a page: links marked as author, bylines, "by NAME" near the heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import named
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import View

MAX_NAME = 60  # characters
NEAR = 80  # elements before the heading; after it twice as many
_HINT = re.compile(r"author|byline|writer|autor|auteur|contributor|posted-?by|vcard|fn\b")
_NOT_HINT = re.compile(
    r"bio|description|avatar|image|img|date|time|social|follow|comment|related|count|title|role|job|link-?list"
)
_PREFIX = re.compile(
    r"(?:written\s+by|posted\s+by|by|von|par|por|di|de|автор|文|著者|作者|執筆)\s*[:：]?\s+|(?:文|著者|作者|執筆)\s*[:：/／]\s*",
    re.I,
)
_ENDING = re.compile(
    r"\s*(?:[|•·/]|\bon\b|\bam\b|,?\s*(?:published|updated|posted)\b|\s[-–—]\s|\d{1,2}[./]|\d{4}).*\Z", re.I | re.S
)
_NAME = re.compile(r"[^\W\d_][\w.'’\-&]*(?:[ \u3000・,]+(?:and |und |et |y )?[\w.'’\-&()]+){0,7}\Z")


_ELSEWHERE = re.compile(r"comment|review|testimonial|related|sidebar|recommend")


def candidates(view: View) -> Iterator[Candidate]:
    """Names, the likeliest first; the text is the name alone, without "by"."""
    start = view.order.get(view.heading, 0) if view.heading is not None else 0
    nodes = view.nodes[max(0, start - NEAR) : start + 2 * NEAR]
    rated = [(c, rate) for node in nodes if (rate := _rate(view, node)) > 0 and (c := _name(view, node, rate))]
    yield from (c for c, _ in sorted(rated, key=lambda pair: -pair[1])[:5])


def _rate(view: View, node: etree._Element) -> float:
    if view.length(node) > 4 * MAX_NAME or not view.text(node):
        return 0.0
    near = view.hints(node)
    if "author" in (node.get("rel") or "").split():
        return 0.8
    if _HINT.search(near) and not _NOT_HINT.search(near):
        return 0.7
    starts = _PREFIX.match(view.text(node)) is not None and node.tag not in ("h1", "h2", "h3", "li")
    return 0.6 if starts and len(view.text(node)) <= MAX_NAME else 0.0


def _name(view: View, node: etree._Element, rate: float) -> Candidate | None:
    link = next((a for a in node.iter("a") if view.text(a)), node)
    node = link if _NAME.match(view.text(link)) else node
    text = view.text(node)
    text = _ENDING.sub("", _PREFIX.sub("", text, count=1).strip()).strip(" ,:：")
    if not text or len(text) > MAX_NAME or not _NAME.match(text) or text.islower() or named(text) is not None:
        return None
    if rate < 0.8 and len(text.split()) < 2 and text.isascii():  # a single word is as often a button or a label
        return None
    elsewhere = any(a.tag in ("aside", "footer", "nav") or view.hinted(_ELSEWHERE, [a]) for a in node.iterancestors())
    return Candidate(text, Anchor(node), rate - 0.3 * elsewhere, "heuristic")
