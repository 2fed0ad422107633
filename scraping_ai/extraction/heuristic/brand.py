"""The product's brand: where class names, addresses of links, logos and scripts speak of one near the heading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold, named
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.scope import Scope
from scraping_ai.extraction.heuristic.view import nearest

MAX_BRAND = 40  # characters
MAX_SHOWN = 300  # characters, whitespace included, of an element that shows a brand
BEFORE, AFTER = -60, 150  # elements from the heading
_HINT = re.compile(
    r"brand|manufacturer|hersteller|marke\b|marque|marca\b|fabricante?|byline|designer|vendor|vyrobce|vyrobca|producent"
)
_NOT_HINT = re.compile(
    r"branding|brands?-(?:list|menu|nav|slider)|brandbar|site-?brand|navbar-brand|follow|description"
)
_LINK = re.compile(
    r"/(?:brands?|marken?|marcas?|marques?|merken|manufacturers?|hersteller|vyrobce|vyrobca|znacka|producers?|designers?|"
    r"stores?|brend|proizvoditel|maker)[/=_-]|[?&](?:brand|manufacturer|marque|marca|marke)(?:_id)?=",
    re.I,
)
_FILE = files("scraping_ai.extraction.heuristic").joinpath("brand_words.json")
_AROUND = tuple(
    re.compile(re.escape(phrase).replace(r"\{\}", r"(?P<name>\S.{0,38}?)").replace(r"\ ", r"\s+") + r"\s*\Z", re.I)
    for phrase in json.loads(_FILE.read_text("utf-8"))["around"]
)
_ATTRIBUTES = ("data-brand", "data-product-brand", "data-manufacturer")
_CRUMBS = re.compile(r"crumb|categor")
_NO_NAME = re.compile(r"[\W\d_]*\Z|https?:|.*[!?:{}<>=]|(?:true|false|null|undefined|none|n/a|other|brands?)\Z", re.I)


def candidates(scope: Scope) -> Iterator[Candidate]:
    """Names near the heading that markup hints at, those that the title holds first."""
    title = _title(scope)
    found = [*_shown(scope), *_attributes(scope), *_beside_heading(scope, title), *_scripts(scope)]
    rated = [(0.08 * (f" {fold(c.text)} " in title) + c.confidence, c) for c in found]
    for confidence, c in sorted(rated, key=lambda r: -r[0])[:5]:
        yield Candidate(c.text, c.anchor, min(confidence, 0.8), "heuristic")


def _title(scope: Scope) -> str:
    """The words of title and heading, a space around each."""
    heading = scope.view.text(scope.heading) if scope.heading is not None else ""
    return f" {fold(scope.view.document.title)} {fold(heading)} "


def name_in(text: str) -> str | None:
    """The name that a short text gives, verbatim: "Visit the Acme store" is "Acme"."""
    text = text.strip()
    match = next((m for pattern in _AROUND if (m := pattern.match(text))), None)
    text = match["name"] if match else text
    if len(text) > MAX_BRAND or "\n" in text or _NO_NAME.match(text) or len(text.split()) > 5:
        return None
    return None if named(text) is not None else text


def _shown(scope: Scope) -> Iterator[Candidate]:
    for node in scope.view.nodes[max(0, scope.start + BEFORE) : scope.start + AFTER]:
        view = scope.view
        hinted = view.hinted(_HINT, (node,)) and not view.hinted(_NOT_HINT, (node,))
        if not (hinted or (node.tag == "a" and _LINK.search(node.get("href") or ""))):
            continue
        if view.length(node) <= MAX_SHOWN and not scope.is_aside(node) and not scope.is_in_card(node):
            yield from _named(scope, node, 0.68 if hinted else 0.66)


def _named(scope: Scope, node: etree._Element, confidence: float) -> Iterator[Candidate]:
    """The name that an element shows: its link's text, its own, else its picture's."""
    for part in (*node.iter("a"), node):
        name = name_in(scope.view.text(part))
        if name is not None:
            yield Candidate(name, Anchor(part), confidence, "heuristic")
            return
    for image in islice(node.iter("img"), 2) if scope.view.length(node) < 3 * MAX_BRAND else ():
        for attribute in ("alt", "title"):
            if (name := name_in(image.get(attribute) or "")) is not None:
                yield Candidate(name, Anchor(image, attribute), confidence - 0.04, "heuristic")
                return


def _attributes(scope: Scope) -> Iterator[Candidate]:
    found: dict[str, Candidate] = {}
    for node, attribute, text in (shown for key in _ATTRIBUTES for shown in scope.attributes.get(key, ())):
        name = name_in(text)
        if name is not None and not scope.is_in_card(node):
            found.setdefault(fold(name), Candidate(name, Anchor(node, attribute), 0.66, "heuristic"))
    if len(found) == 1:
        yield from found.values()


def _beside_heading(scope: Scope, title: str) -> Iterator[Candidate]:
    """A short link, heading or logo right at the heading, that the title names too."""
    heading = fold(scope.view.text(scope.heading)) if scope.heading is not None else ""
    for node in scope.view.nodes[max(0, scope.start - 8) : scope.start + 40]:
        image = node.tag == "img"
        if not image and (node.tag not in ("a", "h2", "h3", "h4") or abs(scope.distance(node)) > 12):
            continue
        name = name_in((node.get("alt") or "") if image else scope.view.text(node))
        folded = fold(name or "")
        if name is not None and folded != heading and f" {folded} " in title and not _in_crumbs(scope, node):
            yield Candidate(name, Anchor(node, "alt" if image else None), 0.55, "heuristic")


def _in_crumbs(scope: Scope, node: etree._Element) -> bool:
    return scope.view.hinted(_CRUMBS, nearest(node, 5))


def _scripts(scope: Scope) -> Iterator[Candidate]:
    """Brands in inline scripts: the only one, or those that the title names."""
    found = [c for c in scope.scripted.get("brand", ()) if name_in(c.text) == c.text]
    only = len({fold(c.text) for c in found}) == 1
    title = f" {fold(scope.view.document.title)} "
    yield from (c for c in found[: 1 if only else None] if only or f" {fold(c.text)} " in title)
