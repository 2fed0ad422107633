"""Whether the product can be bought: words about stock beside it, and the button that puts it in a cart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.price import ELSEWHERE
from scraping_ai.extraction.heuristic.view import View, hints
from scraping_ai.extraction.normalise import words

MAX_WORDS = 60  # characters
REACH = 600  # elements after the heading
_STOCK = re.compile(r"stock|avail|deliver|lager|verfueg|dispon|inventory")
_BUTTONS = frozenset(("button", "a", "input"))


def candidates(view: View) -> Iterator[Candidate]:
    """Texts that say it, stock notices before buttons."""
    start = view.order.get(view.heading, 0) if view.heading is not None else 0
    found = [c for node in view.nodes[start : start + REACH] if (c := _candidate(view, node)) is not None]
    yield from sorted(found, key=lambda c: -c.confidence)[:5]


def _candidate(view: View, node: etree._Element) -> Candidate | None:
    text, attribute = view.text(node), None
    if node.tag == "input" and node.get("type") in ("submit", "button"):
        text, attribute = (node.get("value") or "").strip(), "value"
    if not text or len(text) > MAX_WORDS or words.availability(text) is None:
        return None
    around = " ".join(hints(a) for a, _ in zip([node, *node.iterancestors()], range(12), strict=False))
    if ELSEWHERE.search(around.replace("cart", "")) or node.get("disabled") is not None:
        return None
    near = " ".join(hints(a) for a, _ in zip([node, *node.iterancestors()], range(2), strict=False))
    if _STOCK.search(near):
        return Candidate(text, Anchor(node, attribute), 0.8, "heuristic")
    if len(text) > MAX_WORDS // 2:
        return None
    return Candidate(text, Anchor(node, attribute), 0.7 if node.tag in _BUTTONS else 0.6, "heuristic")
