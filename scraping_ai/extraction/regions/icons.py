"""Texts that an icon stands for the label of: a map pin before an address, a clock before opening hours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import SHORT, View

CONFIDENCE = 0.6
MAX_CLASS = 100  # characters
MAX_NODES = 20  # elements around an icon with its text
MAX_CLIMB = 3  # elements around an icon alone
_FILE = files("scraping_ai.extraction.regions").joinpath("icons.json")
_WORDS = {concept: frozenset(names) for concept, names in json.loads(_FILE.read_text("utf-8")).items()}
_TAGS = frozenset(("i", "span", "em", "img"))
_PREFIX = re.compile(r"(?:.* )?(?:fa|fas|far|icon|icons|bi|ti|glyphicon|mdi|la|ion|dashicons|ico) ")


def candidates(view: View, concept: str) -> Iterator[Candidate]:
    """Texts beside the icons that stand for a concept, in page order."""
    wanted = _WORDS.get(concept, frozenset())
    for node in view.nodes if wanted else ():
        if node.tag in _TAGS and len(node) == 0 and not wanted.isdisjoint(_names(node)):
            around = _labelled(view, node)
            if around is not None and not any(_is_other(icon, node) for icon in around.iter(*_TAGS)):
                yield Candidate(view.text(around), Anchor(around), CONFIDENCE, "heuristic")


def _labelled(view: View, icon: etree._Element) -> etree._Element | None:
    """The first element around an icon that has a text, if it is small."""
    for around in islice(icon.iterancestors(), MAX_CLIMB):
        if around not in view.order or view.end(around) - view.order[around] > MAX_NODES:
            return None
        if text := view.text(around):
            return around if len(text) <= SHORT and not view.text(icon) else None
    return None


def _is_other(node: etree._Element, icon: etree._Element) -> bool:
    return node is not icon and bool(_names(node))


@lru_cache(maxsize=2048)
def _called(classes: str) -> frozenset[str]:
    """What icons are called: "map marker" of `fa fa-map-marker`."""
    words = (fold(name) for name in classes.split())
    return frozenset(name[prefix.end() :] for name in words if (prefix := _PREFIX.match(name)))


def _names(node: etree._Element) -> frozenset[str]:
    return _called((node.get("class") or "")[:MAX_CLASS])
