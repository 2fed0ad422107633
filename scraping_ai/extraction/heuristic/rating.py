"""What people think of a thing: "4.6 from 312 reviews", "4,5 von 5", "Rated 4 out of 5", stars with a label."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor, attribute_of, string_value
from scraping_ai.extraction.heuristic.view import View, hints
from scraping_ai.extraction.seams import BLOCKS

MAX_TEXT = 100  # characters
MAX_FOUND = 5
MAX_WEIGHED = 500  # texts that speak of reviews
AROUND = 8  # elements whose hints count
_LABELS = ("aria-label", "title", "alt")
_WORDS = json.loads(files("scraping_ai.extraction.heuristic").joinpath("ratings.json").read_text("utf-8"))
_REVIEWS, _FROM, _OUT_OF = ("|".join(map(re.escape, _WORDS[key])) for key in ("reviews", "from", "out_of"))
_SCORE = r"(?<![\d.,/])(?P<score>\d{1,2}(?:[.,]\d{1,2})?)"
_DIGITS = r"\d{1,3}(?:[.,\u00a0\u202f ]\d{3})*|\d{1,9}"
_COUNT = rf"(?P<count>{_DIGITS})"
_BEST = rf"(?:\s*(?:/|{_OUT_OF})\s*(?P<best>5|10|100)\b)"
# The score, perhaps of how many, and the number of those who gave it.
_COUNTED = re.compile(
    rf"{_SCORE}{_BEST}?(?:[\s,(|·-]|\bstars?\b|\bsterne?n?\b|\b(?:{_FROM})\b){{1,8}}{_COUNT}[\s\w]{{0,12}}?(?:{_REVIEWS})",
    re.I,
)
# A number before the very word that is asked for: "210 ratings, 88 reviews".
_OF = {
    concept: re.compile(rf"(?<![\d.,/]){_COUNT}\s(?:[^\W\d_]+\s)?(?:{'|'.join(map(re.escape, words))})", re.I)
    for concept, words in _WORDS["of"].items()
}
_RATED = re.compile(rf"{_SCORE}{_BEST}", re.I)
_STARRED = re.compile(rf"[★☆⭐]\s*\(\s*(?P<count>{_DIGITS})\s*\)\Z")
_DIGIT = re.compile(r"[\d★]")
_SPEAKS_OF_REVIEWS = re.compile(_REVIEWS, re.I)
_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,4})?\Z")
_SCORE_ATTRIBUTE = re.compile(r"data-(?:[\w-]+-)?(?:rating|average|score)\Z")
_COUNT_ATTRIBUTE = re.compile(r"data-[\w-]*(?:count|total|votes|reviews|ratings)[\w-]*\Z")
_HINT = re.compile(r"rating|star|score|review|vote|bewert|note\b|ocen")
_ELSEWHERE = re.compile(r"comment|related|similar|recommend|sidebar|footer|testimonial|widget|teaser|carousel|upsell")


def candidates(view: View, count: bool = False, own: bool = False, of: str = "") -> Iterator[Candidate]:
    """Scores (`count`: how many gave one), those with a count first, in page order.

    `own`: all of the view speaks of one thing, whatever it stands in. `of`: the concept (`rating_count`,
    `review_count`) whose number is meant where a text tells the two apart.
    """
    found = [_meant(c, of) for c in islice(_found(view, count, own), 4 * MAX_FOUND)]
    yield from sorted(found, key=lambda c: -c.confidence)[:MAX_FOUND]


def _meant(candidate: Candidate, of: str) -> Candidate:
    """The count in a candidate's element, or attribute, that stands before the word for what is asked."""
    anchor = candidate.anchor
    text = attribute_of(anchor.node, anchor.attribute) if anchor.attribute else string_value(anchor.node)
    match = _OF[of].search(text[: 2 * MAX_TEXT]) if of else None
    return candidate if match is None else replace(candidate, text=match["count"])


def _found(view: View, count: bool, own: bool) -> Iterator[Candidate]:
    left = MAX_WEIGHED
    for node in view.nodes:
        for text, attribute in texts(view, node):
            match = _COUNTED.search(text) if _SPEAKS_OF_REVIEWS.search(text) and (left := left - 1) > 0 else None
            match = match or (_STARRED if count else _RATED).search(text)
            if match is not None and _is_score(match) and (own or not _is_elsewhere(node)):
                confidence = 0.76 if match.re is _COUNTED else 0.6
                yield Candidate(match["count" if count else "score"], Anchor(node, attribute), confidence, "heuristic")
        if (pair := _attributes(node)) is not None and (own or not _is_elsewhere(node)):
            name = pair[1] if count else pair[0]
            yield Candidate(node.get(name) or "", Anchor(node, name), 0.72, "heuristic")


def texts(view: View, node: etree._Element) -> Iterator[tuple[str, str | None]]:
    """The texts of an element that may tell a rating, each with the attribute that it stands in."""
    if 0 < view.length(node) <= 2 * MAX_TEXT and not any(child.tag in BLOCKS for child in node):
        text = view.text(node)
        if len(text) <= MAX_TEXT and _DIGIT.search(text):
            yield text, None
    for name in _LABELS:
        if (label := node.get(name)) and len(label) <= MAX_TEXT and _HINT.search(f"{label.lower()} {hints(node)}"):
            yield label, name


def _is_score(match: re.Match[str]) -> bool:
    if match.re is _STARRED:
        return True
    score = float(match["score"].replace(",", "."))
    return 0 < score <= float(match["best"] or 5)


def _attributes(node: etree._Element) -> tuple[str, str] | None:
    """Names of an element's attributes that hold a score and how many gave it."""
    if len(node.attrib) < 2:
        return None
    names = [str(name) for name in node.attrib if str(name).startswith("data-")]
    score = next((n for n in names if _SCORE_ATTRIBUTE.match(n) and _NUMBER.match(attribute_of(node, n))), None)
    if score is None:
        return None
    count = next(
        (n for n in names if n != score and _COUNT_ATTRIBUTE.match(n) and attribute_of(node, n).isdecimal()), None
    )
    return (score, count) if count is not None and (node.get(count) or "0").strip("0") else None


def _is_elsewhere(node: etree._Element) -> bool:
    around = [node, *islice(node.iterancestors(), AROUND)]
    return any(a.tag in ("footer", "aside", "nav") or _ELSEWHERE.search(hints(a)) for a in around)
