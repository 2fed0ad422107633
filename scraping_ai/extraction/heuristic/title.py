"""The page's title without the site's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.structured.entity import Entity

_SEPARATOR = re.compile(r"\s+[|\-–—·•:»«/~]+\s+|\s*[｜|]\s*|\s+::\s+|:\s+(?=\S+\Z)")


def candidates(view: View, head: Entity) -> Iterator[Candidate]:
    """The `<h1>` that the head repeats, then the head's titles without the site's name, then any `<h1>`."""
    heads = [(leaf.text, leaf.anchor) for name in ("og:title", "twitter:title") for leaf in head.leaves(name)[:1]]
    heads += [(string_value(n).strip(), Anchor(n)) for n in list(view.document.root.iter("title"))[:1]]
    headings = [n for n in view.nodes if n.tag == "h1" and view.text(n)]
    for node in headings:
        if any(fold(view.text(node)) in fold(text) for text, _ in heads):
            yield Candidate(view.text(node), Anchor(node), 0.92, "heuristic")
    sites = [fold(leaf.text) for leaf in head.leaves("og:site_name")]
    for text, anchor in heads:
        yield Candidate(without_site(text, sites), anchor, 0.8, "heuristic")
    for node in headings[:1]:
        yield Candidate(view.text(node), Anchor(node), 0.6, "heuristic")


def without_site(title: str, sites: list[str]) -> str:
    """`title` without the part that is the site's name, the text inside as it stands."""
    cuts = [(m.start(), m.end()) for m in _SEPARATOR.finditer(title)]
    for start, end in cuts:
        if fold(title[end:]) in sites:
            return title[:start].strip()
        if fold(title[:start]) in sites:
            return title[end:].strip()
    return title
