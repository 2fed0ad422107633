"""The main text of a page: the lowest element that holds most of its running text, from the first block to the last.

The text is a slice of the element's string-value, as evidence has to be; where scripts or styles stand inside, the run
of blocks between two of them, if that is nearly all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.view import View

CONFIDENCE = 0.6
LEAST_BLOCK, LEAST_BODY = 40, 200  # characters
MOST = 0.75  # share of the page's running text that its main element holds
NEARLY_ALL = 0.9  # share of that text in one run
MAX_BODY = 150_000  # characters
MAX_BELOW = 200  # elements in a paragraph
_PARAGRAPHS = frozenset(("p", "pre", "li", "td", "dd"))
_BLOCKS = _PARAGRAPHS | {"blockquote", "div", "section", "article", "main"}
_UNSEEN = ("script", "style", "noscript", "template", "svg", "iframe", "object", "select")
_TAGS_ELSEWHERE = frozenset(("nav", "aside", "footer", "form", "button", "figcaption"))
_ELSEWHERE = re.compile(
    r"comment|related|sidebar|recommend|footer|cookie|consent|newsletter|subscri|promo|popular|widget|disclaimer|"
    r"copyright|share|author-?(?:bio|box)|breadcrumb|modal|popup|banner|menu"
)


def candidates(view: View) -> Iterator[Candidate]:
    """The main text, or nothing on a page without running text."""
    blocks = _blocks(view)
    total = sum(blocks.values())
    if total < LEAST_BODY:
        return
    holder = _holder(view, blocks, total)
    inside = [node for node in blocks if view.order[holder] <= view.order[node] < view.end(holder)]
    run = _run(holder, inside, blocks)
    if not run or not 0 < view.length(holder) <= 4 * MAX_BODY:
        return
    whole = string_value(holder)
    first, last = string_value(run[0]).strip(), string_value(run[-1]).strip()
    start, end = whole.find(first), whole.rfind(last) + len(last)
    if 0 <= start < end <= start + MAX_BODY:
        yield Candidate(whole[start:end], Anchor(holder), CONFIDENCE, "heuristic")


def _blocks(view: View) -> dict[etree._Element, int]:
    """Elements with text of their own, in page order, and how many characters of it are no links."""
    found: dict[etree._Element, int] = {}
    after = 0  # index of the first element past the last block: what is inside belongs to it
    for index, node in enumerate(view.nodes):
        if index < after or node.tag not in _BLOCKS or view.length(node) < LEAST_BLOCK:
            continue
        own = _own(view, node)
        if own < LEAST_BLOCK or _is_elsewhere(view, node):
            continue
        found[node] = own
        after = view.end(node)
    return found


def _own(view: View, node: etree._Element) -> int:
    """Characters of an element's own text: a paragraph's without its links, a container's that stand directly in it."""
    if node.tag in _PARAGRAPHS and view.end(node) - view.order[node] <= MAX_BELOW:
        return view.length(node) - sum(view.length(a) for a in node.iter("a"))
    return len((node.text or "").strip()) + sum(len((child.tail or "").strip()) for child in node)


def _is_elsewhere(view: View, node: etree._Element) -> bool:
    """Whether an element stands in a part of the page that is no article; what holds a third of the page is no part."""
    limit = view.length(view.nodes[0]) / 3
    around = [node, *(a for a in islice(node.iterancestors(), 12) if view.length(a) < limit)]
    return any(a.tag in _TAGS_ELSEWHERE for a in around) or view.hinted(_ELSEWHERE, around)


def _holder(view: View, blocks: dict[etree._Element, int], total: int) -> etree._Element:
    """The lowest element that holds most of the running text."""
    held: dict[etree._Element, int] = {}
    for node in reversed(view.nodes):
        held[node] = held.get(node, 0) + blocks.get(node, 0)
        parent = node.getparent()
        if parent is not None:
            held[parent] = held.get(parent, 0) + held[node]
    node = view.nodes[0]
    while (below := next((c for c in node if held.get(c, 0) >= MOST * total), None)) is not None:
        node = below
    return node


def _run(
    holder: etree._Element, inside: list[etree._Element], blocks: dict[etree._Element, int]
) -> list[etree._Element]:
    """The blocks between two unseen elements that are nearly all the text of an element; none when it is cut up."""
    known = set(inside)
    runs: list[list[etree._Element]] = [[]]
    for node in holder.iter(etree.Element):
        if node in known:
            runs[-1].append(node)
        elif node.tag in _UNSEEN and runs[-1] and string_value(node).strip():
            runs.append([])
    best = max(runs, key=lambda run: sum(blocks[node] for node in run))
    enough = sum(blocks[node] for node in best) >= NEARLY_ALL * sum(blocks[node] for node in inside)
    return best if enough else []
