"""Where on a page its product is told of: the heading that names it, and what is another thing's."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import bare
from scraping_ai.extraction.document import path_of
from scraping_ai.extraction.heuristic import others, scripts
from scraping_ai.extraction.heuristic.amounts import Amount, read
from scraping_ai.extraction.heuristic.view import View, nearest

REACH = 1_000  # elements about the heading
MAX_HEADINGS = 20
MIN_NAME = 6  # characters
CARD_LEVELS = 8  # elements above an amount that may be its card
_ASIDE = re.compile(
    r"related|similar|recommend|upsell|cross-?sell|mini-?cart|cart-?(?:block|drawer|dropdown|preview|content)|"
    r"header-?cart|basket-?(?:drawer|preview)|(?:^|[\s_-])(?:nav|menu|header|footer)(?:$|[\s_-])|navbar|navigation|megamenu|shipping|"
    r"install?ment|viewed|bought|bundle|accessor|teaser|review|compar|cookie|consent|modal|popup|popover|newsletter|sponsor|"
    r"frequently|suggest|also-?like|wishlist|cross-?sales"
)
_ASIDE_TAGS = frozenset(("nav", "footer", "aside", "dialog"))


@lru_cache(maxsize=8192)
def _speaks_of_another(hints: str) -> bool:
    return bool(hints) and _ASIDE.search(hints) is not None


class Scope:
    """The product's place on one page, or, when all of the view is the product's `own`, the whole of it."""

    def __init__(self, view: View, own: bool = False) -> None:
        self.view, self.own = view, own
        self._asides: dict[etree._Element, bool] = {}

    @cached_property
    def heading(self) -> etree._Element | None:
        """The `<h1>` that says most of the page's title or address; if none does, the element that says most of it."""
        if self.own:
            return None
        words = _words(self.view.document.title) | _words(path_of(self.view.document.url))
        headings = [n for n in self.view.nodes if n.tag == "h1" and self.view.text(n)][:MAX_HEADINGS]
        best = max(headings, key=lambda n: _shared(self.view.text(n), words), default=None)
        says = _shared(self.view.text(best), words) if best is not None else 0.0
        if best is not None and (not words or says > 0.4 * len(_words(self.view.text(best)))):
            return best
        named = self._named_by(words)
        return best if named is None or _shared(self.view.text(named), words) <= says else named

    def _named_by(self, words: frozenset[str]) -> etree._Element | None:
        longest = 2 * len(self.view.document.title)
        short = (n for n in self.view.nodes if MIN_NAME <= len(self.view.text(n)) <= longest)
        best = max(short, key=lambda n: _shared(self.view.text(n), words), default=None)
        return best if best is not None and _shared(self.view.text(best), words) >= 1 else None

    @cached_property
    def start(self) -> int:
        return self.view.order[self.heading] if self.heading is not None else 0

    @cached_property
    def around_heading(self) -> frozenset[etree._Element]:
        node = self.heading
        return frozenset(() if node is None else (node, *node.iterancestors()))

    def is_aside(self, node: etree._Element) -> bool:
        """Whether an element, or what it stands in, is about something else, or is not visible; asked once each."""
        if self.own or node not in self.view.order:
            return not self.own
        asked: list[etree._Element] = []
        around: etree._Element | None = node
        while around is not None and around not in self._asides and around in self.view.order:
            asked.append(around)
            around = around.getparent()
        aside = around is not None and self._asides.get(around, False)
        for inner in reversed(asked):
            aside = inner not in self.around_heading and (
                aside or inner.tag in _ASIDE_TAGS or inner in self._others or _speaks_of_another(self.view.hints(inner))
            )
            self._asides[inner] = aside
        return aside

    @cached_property
    def _others(self) -> frozenset[etree._Element]:
        return others.parts(self.view, self.around_heading)

    def is_of_others(self, node: etree._Element) -> bool:
        """Whether an element stands under a heading of other things; an `<aside>` alone may tell of this one."""
        return bool(self._others) and not self._others.isdisjoint((node, *node.iterancestors()))

    @cached_property
    def around_others(self) -> frozenset[etree._Element]:
        """The elements that hold what is told of other things: their text speaks of both."""
        return frozenset(above for part in self._others for above in part.iterancestors())

    def distance(self, node: etree._Element) -> int:
        """Elements between the heading and a node, negative before it."""
        return self.view.order[node] - self.start

    @property
    def texts(self) -> list[tuple[etree._Element, str]]:
        return self.view.short_texts

    @property
    def numbered(self) -> list[tuple[etree._Element, str]]:
        return self.view.numbered

    @cached_property
    def attributes(self) -> dict[str, list[tuple[etree._Element, str, str]]]:
        """Data attributes near the heading and inputs' values: by name, the element, the attribute and its text."""
        found: dict[str, list[tuple[etree._Element, str, str]]] = {}
        start = self.start if self.heading is not None else len(self.view.nodes)
        for node in self.view.nodes[max(0, start - REACH) : start + REACH]:
            if node.tag == "input" and (value := node.get("value")) is not None:
                found.setdefault(node.get("name") or "", []).append((node, "value", value.strip()))
            for name in map(str, node.keys()):
                if name.startswith("data-"):
                    found.setdefault(name, []).append((node, name, (node.get(name) or "").strip()))
        return found

    @cached_property
    def scripted(self) -> dict[str, list[Candidate]]:
        return scripts.read(self.view.document)

    @cached_property
    def amounts(self) -> list[Amount]:
        return read(self.view, self.numbered)

    @cached_property
    def cards(self) -> frozenset[etree._Element]:
        """Elements of lists of other products: alike siblings, each with an amount and a link of its own."""
        rows: dict[tuple[etree._Element, str, str], dict[etree._Element, None]] = {}
        seen: set[etree._Element] = set()
        for amount in self.amounts:
            node = amount.node
            for _ in range(CARD_LEVELS):
                parent = node.getparent()
                if parent is None or node in seen or node in self.around_heading:
                    break
                seen.add(node)
                rows.setdefault((parent, str(node.tag), node.get("class") or ""), {})[node] = None
                node = parent
        return frozenset(n for row in rows.values() if len(row) > 1 and _links(row) > 1 for n in row)

    def is_in_card(self, node: etree._Element) -> bool:
        return not self.own and not self.cards.isdisjoint(nearest(node, CARD_LEVELS))


def _links(row: dict[etree._Element, None]) -> int:
    """How many pages a row of siblings leads to."""
    links = (next((href for a in node.iter("a") if (href := a.get("href")) is not None), "") for node in row)
    return len({link for link in links if link and not link.startswith(("#", "javascript:"))})


def _words(text: str) -> frozenset[str]:
    """Words without case and accents."""
    return frozenset(bare(text).split())


def _shared(text: str, words: frozenset[str]) -> float:
    """Words that a heading has in common with the title, its other words weighing against it."""
    own = _words(text)
    common = len(own & words)
    return common - 0.3 * (len(own) - common) if common else 0.0
