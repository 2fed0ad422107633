"""Where an item leads to, and its picture."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.regions.marks import keys_of
from scraping_ai.schema import FieldSchema

if TYPE_CHECKING:
    from scraping_ai.extraction.regions.item import Item

_PLATFORMS = frozenset(
    json.loads(files("scraping_ai.extraction.regions").joinpath("platforms.json").read_text("utf-8"))
)
_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-lazy", "src")  # lazy ones first: `src` holds the blank
_SETS = ("data-srcset", "srcset")
_NO_PAGE = re.compile(r"\s*(?:#|\?add|javascript:|mailto:|tel:|data:|\Z)", re.I)
_FIRST = re.compile(r"[^\s,]+")


def hrefs(view: View) -> list[tuple[str, etree._Element]]:
    """The links of a view that lead to pages."""
    found = ((n.get("href") or "", n) for n in view.nodes if n.tag in ("a", "area"))
    return [(href, node) for href, node in found if not _NO_PAGE.match(href)]


def urls(item: Item, field: FieldSchema) -> Iterator[Candidate]:
    """Links that a field asks for: for `url` the item's own page, for others those marked with the field's name."""
    concept = concept_of(field)
    name = concept.name if concept else ""
    marked = [a.node for a in item.marked(*keys_of(field)) if a.attribute is None]
    own = name == "url"
    for node in marked if not own else ():
        for link in [a for a in (node, *node.iter("a")) if a.get("href")][:1]:
            yield Candidate((link.get("href") or "").strip(), Anchor(link, "href"), 0.7, "heuristic")
    if own and (main := main_link(item)) is not None:
        yield Candidate((main.get("href") or "").strip(), Anchor(main, "href"), 0.8, "heuristic")
    if name == "website":
        yield from _elsewhere(item)


def _elsewhere(item: Item) -> Iterator[Candidate]:
    """The one link of an item that leads to another site, those to its accounts and to maps left out."""
    own = host_of(item.view.document.base_url)
    hosts: dict[str, etree._Element] = {}
    for href, node in item.hrefs:
        host = host_of(href)
        if host and host != own and host not in _PLATFORMS and host.partition(".")[2] not in _PLATFORMS:
            hosts.setdefault(host, node)
    for node in hosts.values() if len(hosts) == 1 else ():
        yield Candidate((node.get("href") or "").strip(), Anchor(node, "href"), 0.6, "heuristic")


def host_of(href: str) -> str:
    """The host of an absolute link, without "www."; "" for others and for what is no address."""
    try:
        return (urlsplit(href.strip()).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def main_link(item: Item) -> etree._Element | None:
    """The title's link, else the link that stands most often in the item."""
    if not item.hrefs:
        return None
    nodes = {node for _, node in item.hrefs}
    for title in item.title[:1]:
        around = [title.anchor.node, *title.anchor.node.iterancestors("a"), *title.anchor.node.iter("a")]
        if (link := next((n for n in around if n in nodes), None)) is not None:
            return link
    often = Counter(href for href, _ in item.hrefs).most_common(1)[0][0]
    return next(node for href, node in item.hrefs if href == often)


def images(view: View) -> Iterator[Candidate]:
    """Addresses of the first pictures, the first one's first."""
    nodes = [n for n in view.nodes if n.tag in ("img", "source")]
    for rank, node in enumerate(nodes[:4]):
        for name in (*_SOURCES, *_SETS):
            text = (node.get(name) or "").strip()
            first = _FIRST.search(text) if name in _SETS else None
            text = first[0] if first else text
            if text and not text.startswith("data:"):
                yield Candidate(text, Anchor(node, name), 0.75 - 0.05 * rank, "heuristic")
