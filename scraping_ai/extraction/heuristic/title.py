"""The page's title without the site's name: what structured data, head and heading agree on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.site import Site
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.structured.entity import Entity

_HEADS = (("og:title", 0.8), ("twitter:title", 0.75))
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
AGREED = 0.04  # confidence for each other source that says the same
MAX_NAMED = 0.94  # confidence of markup and head: they are written for search engines, the heading for readers
RELATED = 0.25  # share of words that a page's heading has in common with its title; a logo's has fewer
MAX_HEADINGS = 6
OTHER = 0.6  # confidence of what the rest of the page does not bear out
FULLER = 0.965  # confidence of a title that goes on where the heading ends: "Reviews", "Reviews of our tours"
THING = 0.97  # confidence of the name that markup gives a thing
ONLY = 0.96  # confidence of a page's only main heading
MAIN = 0.73  # and of one, in the main part, of which a bare `<title>` says nothing: that names the site
LOWER = 0.79  # confidence of a heading below the first level


def candidates(
    view: View, head: Entity, structured: Iterable[Candidate], is_thing: bool = False
) -> Iterator[Candidate]:
    """Titles of every source without the site's name, the likeliest first: the heading, else what most agree on.

    `is_thing`: `structured` names a thing (a product, a recipe) that the page is about, which comes before its heading.
    """
    site = Site(view, head)
    heads = [replace(c, text=site.without(c.text)) for c in _of_head(view, head)]
    headings = [_unlabelled(replace(c, text=site.without(c.text)), heads) for c in _of_headings(view, site)]
    markup = [c if is_thing else replace(c, text=site.without(c.text)) for c in islice(structured, 3)]
    related = list(_related(headings, [*markup, *heads]))
    named = _agreed(_of_markup(markup, [*heads, *headings], is_thing), heads)
    rated = [*(_weighed(c, related) for c in named), *related]
    rated = [replace(c, confidence=0.3) if site.is_all_of(c.text) else c for c in rated if fold(c.text)]
    yield from sorted(rated, key=lambda c: -c.confidence)[:5]


def _of_markup(markup: list[Candidate], others: list[Candidate], is_thing: bool) -> Iterator[Candidate]:
    """What markup names; a name that no title and no heading of the page knows is that of something else."""
    for candidate in markup:
        if others and not any(_are_related(candidate.text, other.text) for other in others):
            yield replace(candidate, confidence=OTHER)
        else:
            yield replace(candidate, confidence=THING) if is_thing else candidate


def _agreed(markup: Iterable[Candidate], heads: list[Candidate]) -> Iterator[Candidate]:
    """Surer for each other source that says the same."""
    named = [*markup, *heads]
    texts = [fold(c.text) for c in named]
    for candidate, text in zip(named, texts, strict=True):
        agreed = min(MAX_NAMED, candidate.confidence + AGREED * (texts.count(text) - 1))
        yield candidate if candidate.confidence in (THING, OTHER) else replace(candidate, confidence=agreed)


def _weighed(candidate: Candidate, headings: list[Candidate]) -> Candidate:
    """A title that the head gives for being shared, and that starts with the page's heading, is the whole of it."""
    text = fold(candidate.text)
    shared = candidate.anchor.attribute == "content" and candidate.confidence > OTHER
    fuller = shared and any(text.startswith(fold(h.text) + " ") for h in headings if h.confidence > OTHER)
    return replace(candidate, confidence=FULLER) if fuller else candidate


def _related(headings: list[Candidate], named: list[Candidate]) -> Iterator[Candidate]:
    """A heading that shares words with the titles that markup and head give is the page's own."""
    for heading in headings:
        if not named or any(_are_related(heading.text, other.text) for other in named):
            yield heading
        else:
            only = heading.confidence == ONLY and _is_in_main(heading.anchor.node)
            yield replace(heading, confidence=MAIN if only else min(OTHER, heading.confidence))


def _of_head(view: View, head: Entity) -> Iterator[Candidate]:
    for name, confidence in _HEADS:
        yield from (Candidate(leaf.text, leaf.anchor, confidence, "structured") for leaf in head.leaves(name)[:1])
    for node in list(view.document.root.iter("title"))[:1]:
        yield Candidate(string_value(node).strip(), Anchor(node), 0.72, "heuristic")


def _of_headings(view: View, site: Site) -> Iterator[Candidate]:
    """The `<h1>`s that are no logo, then a lower heading that the page's title begins with."""
    nodes = [n for n in view.nodes if n.tag == "h1" and view.text(n)][:MAX_HEADINGS]
    for node in nodes:
        confidence = OTHER if site.is_home_link(node) else ONLY if len(nodes) == 1 else 0.95
        yield Candidate(view.text(node), Anchor(node), confidence, "heuristic")
    lower = view.text(view.heading) if view.heading is not None and view.heading.tag != "h1" else ""
    if view.heading is not None and lower and fold(view.document.title).startswith(fold(lower)):
        yield Candidate(lower, Anchor(view.heading), LOWER, "heuristic")


def _is_in_main(node: etree._Element) -> bool:
    return any(parent.tag in ("main", "article") or parent.get("role") == "main" for parent in node.iterancestors())


def _unlabelled(heading: Candidate, heads: list[Candidate]) -> Candidate:
    """A heading without what stands before the page's title: "Thread: Squeaky brakes"."""
    _, colon, rest = heading.text.partition(":")
    known = colon and any(fold(rest) == fold(head.text) for head in heads)
    return replace(heading, text=rest.strip()) if known else heading


def _are_related(one: str, other: str) -> bool:
    """Whether two titles name one thing: many words in common, or all of the shorter."""
    words, others = set(_WORD.findall(fold(one))), set(_WORD.findall(fold(other)))
    common = len(words & others)
    return common > 0 and (common >= RELATED * len(words | others) or common == min(len(words), len(others)))
