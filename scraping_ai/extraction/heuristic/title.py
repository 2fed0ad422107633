"""The page's title without the site's name: what structured data, head and heading agree on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.structured.entity import Entity

_SEPARATOR = re.compile(r"\s+[|\-–—·•:»«/~]+\s+|\s*[｜|]\s*|\s+::\s+|(?<=\w)[-–—]\s+(?=[^-–—]{3,40}\Z)")
_HEADS = (("og:title", 0.8), ("twitter:title", 0.75))
AGREED = 0.04  # confidence for each other source that says the same


def candidates(view: View, head: Entity, structured: Iterable[Candidate]) -> Iterator[Candidate]:
    """Titles of every source without the site's name, the one that most sources agree on first."""
    sites = _Sites(view, head)
    sources = [*list(structured)[:3], *_of_head(view, head), *_of_headings(view)]
    cut = [replace(c, text=sites.without(c.text)) for c in sources]
    texts = [fold(c.text) for c in cut]
    rated = [
        replace(c, confidence=sites.rated(c, AGREED * sum(other == text for other in texts)))
        for c, text in zip(cut, texts, strict=True)
        if text
    ]
    yield from sorted(rated, key=lambda c: -c.confidence)[:5]


def _of_head(view: View, head: Entity) -> Iterator[Candidate]:
    for name, confidence in _HEADS:
        yield from (Candidate(leaf.text, leaf.anchor, confidence, "structured") for leaf in head.leaves(name)[:1])
    for node in list(view.document.root.iter("title"))[:1]:
        yield Candidate(string_value(node).strip(), Anchor(node), 0.72, "heuristic")


def _of_headings(view: View) -> Iterator[Candidate]:
    """`<h1>`s: a page's only one is a likelier title than one of many."""
    nodes = [n for n in view.nodes if n.tag == "h1" and view.text(n)]
    for node in nodes[:3]:
        confidence = 0.8 if len(nodes) == 1 else 0.74
        yield Candidate(view.text(node), Anchor(node), confidence, "heuristic")


class _Sites:
    """The names a site goes by on the page, and how to tell them in a title."""

    def __init__(self, view: View, head: Entity) -> None:
        names = [leaf.text for name in ("og:site_name", "application-name") for leaf in head.leaves(name)]
        self.names = {fold(name) for name in names} - {""}
        try:
            parts = urlsplit(view.document.url)
        except ValueError:
            parts = urlsplit("")
        labels = (parts.hostname or "").replace("-", "").split(".")[:-1]
        self.host = max((label for label in labels if label != "www"), key=len, default="")
        self.is_home = parts.path in ("", "/")
        headings = [view.text(n) for n in view.nodes if n.tag == "h1"]
        self.headings = {fold(text) for text in headings} - {""}
        title = view.document.title
        last = list(_SEPARATOR.finditer(title))[-1:]
        self.ending = fold(title[last[0].end() :]) if last else ""

    def without(self, title: str) -> str:
        """`title` without its part that is the site's name, verbatim inside."""
        cuts = list(_SEPARATOR.finditer(title))
        for cut in cuts:  # a heading that the title starts with is the title
            if fold(title[: cut.start()]) in self.headings and not self.is_name(title[: cut.start()]):
                return title[: cut.start()].strip()
        if cuts and self._ends_in_name(title, cuts[-1]):
            return self.without(title[: cuts[-1].start()].strip())
        if cuts and self.is_name(title[: cuts[0].start()]):
            return title[cuts[0].end() :].strip()
        colon = title.rfind(":")
        if colon > 0 and self.is_name(title[colon + 1 :]):
            return title[:colon].strip()
        return title.rstrip(" ¶#")

    def _ends_in_name(self, title: str, cut: re.Match[str]) -> bool:
        rest = title[cut.end() :]
        return self.is_name(rest) or (cut[0].strip() in ("|", "｜") and len(rest.split()) <= 4 and len(title) > 25)

    def is_name(self, text: str) -> bool:
        folded = fold(text)
        squeezed = folded.replace(" ", "")
        if folded in self.names:
            return True
        held = len(self.host) > 3 and self.host in squeezed and len(squeezed) <= len(self.host) + 15
        return held or (len(squeezed) > 3 and squeezed in self.host)

    def rated(self, candidate: Candidate, agreement: float) -> float:
        """Confidence after agreement; a title that is only the site's name fits no page but its first."""
        folded = fold(candidate.text)
        if not self.is_home and (self.is_name(candidate.text) or (folded == self.ending and folded not in self.names)):
            return 0.3
        return min(0.97, candidate.confidence + agreement)
