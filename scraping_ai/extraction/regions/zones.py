"""Parts of a page that are not what it is about: navigation, pagination, other offers."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from lxml import etree

from scraping_ai.extraction.heuristic.view import View

_WORDS = json.loads(files("scraping_ai.extraction.regions").joinpath("zones.json").read_text("utf-8"))
_BARRED, _ASIDE = frozenset(_WORDS["barred"]), frozenset(_WORDS["aside"])
_BARRED_TAGS, _ASIDE_TAGS = frozenset(("nav",)), frozenset(("header", "footer", "aside"))
_ROLES = {"navigation": 2, "menu": 2, "menubar": 2, "tablist": 2, "banner": 1, "contentinfo": 1, "complementary": 1}
_WORD = re.compile(r"[a-z]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
MAX_SHARE = 0.6  # of the page's text: what holds more is no side matter, whatever it is called
MAX_NAME = 200  # characters

MAIN, ASIDE, BARRED = 0, 1, 2


def zones(view: View) -> dict[etree._Element, int]:
    """For each visible element: MAIN, ASIDE (lists of other things) or BARRED (never the records of a page)."""
    whole = MAX_SHARE * view.length(view.nodes[0]) if view.nodes else 0
    found: dict[etree._Element, int] = {}
    for node in view.nodes:
        parent = node.getparent()
        around = found.get(parent, MAIN) if parent is not None else MAIN
        own = _zone(node) if around < BARRED and view.length(node) <= whole else MAIN
        found[node] = max(around, own)
    return found


def _zone(node: etree._Element) -> int:
    name = f"{node.get('class') or ''} {node.get('id') or ''}"[:MAX_NAME]
    words = frozenset(_WORD.findall(_CAMEL.sub(" ", name).lower()))
    if node.tag in _BARRED_TAGS or words & _BARRED:
        return BARRED
    aside = node.tag in _ASIDE_TAGS and not any(a.tag in ("article", "li") for a in node.iterancestors("article", "li"))
    return max(_ROLES.get(node.get("role") or "", MAIN), ASIDE if aside or words & _ASIDE else MAIN)
