"""What a page shows of other things: what stands under a heading such as "Customers also bought"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice

from lxml import etree

from scraping_ai.extraction.heuristic.view import View

MAX_HEADING = 60  # characters
MAX_FOLLOWING = 100  # siblings of a heading
CLIMB = 3  # elements around a heading that it may stand first in
_LEVELS = {"h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_WORDS = json.loads(files("scraping_ai.extraction.heuristic").joinpath("others.json").read_text("utf-8"))
_STARTS, _WHOLE, _ENDS = ("|".join(map(re.escape, _WORDS[part])) for part in ("headings", "whole", "ends"))
_SAYS = re.compile(rf"(?:{_STARTS})|(?:{_WHOLE})\s*[:：…!]*\Z|.*\s(?:{_ENDS})\Z", re.I | re.S)


def parts(view: View, around_heading: frozenset[etree._Element]) -> frozenset[etree._Element]:
    """The elements that stand under such headings, none of them around the page's own heading."""
    headings = (node for node in view.filled if node.tag in _LEVELS and view.length(node) <= 2 * MAX_HEADING)
    other = [n for n in headings if len(text := view.text(n)) <= MAX_HEADING and _SAYS.match(text)]
    return frozenset(part for heading in other for part in _under(view, heading) if part not in around_heading)


def _under(view: View, heading: etree._Element) -> Iterator[etree._Element]:
    """What follows a heading, or the first element that it opens, up to the next heading as high."""
    node = heading
    for _ in range(CLIMB):
        following = list(_following(node, _LEVELS[str(heading.tag)]))
        if any(view.length(part) for part in following):
            yield from following
            return
        parent = node.getparent()
        if parent is None:
            return
        node = parent


def _following(node: etree._Element, level: int) -> Iterator[etree._Element]:
    for sibling in islice(node.itersiblings(etree.Element), MAX_FOLLOWING):
        if sibling.tag == "h1" or _LEVELS.get(str(sibling.tag), 7) <= level:
            return
        yield sibling
