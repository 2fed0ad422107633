"""Dates that a page shows: `<time>`, and short texts where class or id speaks of dates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import View

_HINT = re.compile(r"date|publish|posted|time|byline|meta\b|datum|fecha")
_MODIFIED = re.compile(r"modif|updat|edited")
_DATE_LIKE = re.compile(r"(?<!\d)(?:1[89]|2[01])\d\d(?!\d)|令和|平成")
_ELSEWHERE = re.compile(r"related|similar|recommend|sidebar|comment|footer|popular|copyright|latest")
MAX_DATE = 80  # characters
NEAR = 40  # elements after the heading


def candidates(view: View, modified: bool = False) -> Iterator[Candidate]:
    """Publication dates (`modified`: dates of the last change), the likeliest first."""
    scored: list[tuple[float, etree._Element, str, str | None]] = []
    start = view.order.get(view.heading, 0) if view.heading is not None else 0
    for node in view.nodes:
        if node.tag == "time" and (stamp := (node.get("datetime") or "").strip()):
            scored.append((_score(view, node, modified) + 1, node, stamp, "datetime"))
        text = view.text(node) if view.length(node) <= 2 * MAX_DATE else ""
        dated = 0 < len(text) <= MAX_DATE and _DATE_LIKE.search(text)
        near = len(text) <= MAX_DATE // 2 and 0 <= view.order[node] - start <= NEAR
        if dated and (near or node.tag == "time" or view.hinted(_HINT, [node])):
            scored.append((_score(view, node, modified), node, text, None))
    for score, node, text, attribute in sorted(scored, key=lambda s: -s[0])[:6]:
        if score > -2:
            yield Candidate(text, Anchor(node, attribute), 0.7 if score >= 1 else 0.5, "heuristic")


def _score(view: View, node: etree._Element, modified: bool) -> float:
    around = [node, *(a for a, _ in zip(node.iterancestors(), range(10), strict=False))]
    score = 2.0 * (node.tag == "time") + 1.0 * any(a.tag in ("article", "main") for a in around)
    score -= 3.0 * (view.hinted(_MODIFIED, around[:2]) != modified) + 3.0 * view.hinted(_ELSEWHERE, around)
    return score - 2.0 * any(a.tag in ("footer", "aside", "nav") for a in around)
