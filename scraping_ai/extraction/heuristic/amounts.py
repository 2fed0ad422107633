"""Amounts of money that a page shows, each with what the words beside it say it is."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from itertools import accumulate, pairwise
from typing import Any

from lxml import etree

from scraping_ai.extraction.heuristic.phrases import Phrases
from scraping_ai.extraction.heuristic.view import SHORT, View, nearest
from scraping_ai.extraction.normalise import money, tokens

BEFORE, AFTER = 40, 25  # characters of context
UP = 3  # levels to climb for a label

_FILE = files("scraping_ai.extraction.heuristic").joinpath("price_words.json")
_READ: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))
_WORDS: dict[str, list[str]] = _READ["roles"]
_BARE = re.compile(rf"\s*(?P<number>{money.NUMBER})\s*\Z")
_JOINED = re.compile(r"\d\d")
_BOUNDARIES = ("td", "th", "tr", "li", "dt", "dd", "p", "br")  # a number never goes on past them


_AFTER_ROLES = ("saving", "part", "unit", "net")


def _phrases(roles: Iterable[str]) -> Phrases:
    return Phrases({phrase.casefold(): role for role in roles for phrase in _WORDS[role]})


_ROLES_BEFORE = _phrases(role for role in _WORDS if role not in ("old_alone", "to"))
_ROLES_AFTER = _phrases(_AFTER_ROLES)
_OLD_ALONE = frozenset(_WORDS["old_alone"])
_TO = frozenset(_WORDS["to"])
_ONLY_IN: dict[str, list[str]] = _READ["only_in"]  # words that mean something else in other languages
_WORD = re.compile(r"[^\W\d_]+")
_HEADINGS = frozenset(("h1", "h2"))
MAX_REST = 1  # words between the one that names a role and the amount
MOSTLY = 0.5  # of a label
MIN_TITLE = 4  # characters
PRICE_HINT = re.compile(r"price|preis|prix|precio|prezzo|preco|cost\b|цена|cena|hind")
_SAYS = re.compile(r"\w")
# "Add an album for $12", never "Add to cart for $12".
_ADDED = re.compile(
    r"\b(?:add (?!to )\S.{0,40} for|fügen sie .{1,40} für|dazu .{1,40} für|ajoutez .{1,40} pour|"
    r"(?:añade|agrega) .{1,40} por|"
    r"aggiungi .{1,40} (?:a|per)|voeg .{1,40} toe voor|adicione .{1,40} por|"
    r"lägg till .{1,40} för|dodaj .{1,40} za|přidejte .{1,40} za)"
    r"(?: only| just| nur| solo| seulement)?\s*\Z"
)
# Words right before an amount of which a sentence tells: "We began with €500", "a vase like ours sold for €900".
_TOLD = re.compile(
    r"(?:\b(?:with|raised|won|donated|spent|invested|borrowed|fined|charged at|of (?:the|a|our|about|over))|"
    r"\w (?:was |were )?sold (?:for|at))\s\Z",
    re.I,
)
_ASKED = re.compile(r"pric|\bcost|\bnow\b|\bonly\b|\bjust\b|\bbuy\b|\byours\b|\boffer", re.I)


@dataclass(frozen=True)
class Amount:
    """A text such as "$1,299.00" and the smallest element that shows it whole."""

    view: View = field(repr=False)
    node: etree._Element
    text: str
    around: tuple[str, str]  # what stands before and behind it in its element
    alone: bool  # nothing else of weight stands in the element
    marked: bool  # has a currency
    glued: bool = False  # its digits are of several elements: "$229" and "99"
    ends_range: bool = False

    @cached_property
    def role(self) -> str:
        """What the words beside it say it is, of price_words.json; "" when no word says."""
        return "high" if self.ends_range else _role(self.view, self.node, *self.around)

    @cached_property
    def told(self) -> bool:
        """Whether it stands in a sentence that tells of money and of no price."""
        before = self.around[0] if _SAYS.search(self.around[0]) else _text_before(self.node)
        return _TOLD.search(before) is not None and not _ASKED.search(before + self.around[1])


def read(view: View, texts: list[tuple[etree._Element, str]]) -> list[Amount]:
    """The amounts in short texts with digits, in page order; numbers without a currency only where they stand alone,
    whole ones only where class names speak of a price.
    """
    found: list[Amount] = []
    shown: dict[etree._Element, list[str]] = {}  # amounts of an element that elements below it show
    wrapped: dict[etree._Element, str] = {}  # texts of elements below that were read: one that has no more is not
    for node, text in reversed(texts):
        below, parent = shown.pop(node, []), node.getparent()
        here = list(_amounts_in(view, node, text, list(below))) if wrapped.pop(node, "") != text else []
        found += reversed(here)
        if parent is not None:
            wrapped[parent] = text
        if parent is not None and (below or here):
            shown.setdefault(parent, []).extend([*below, *(amount.text for amount in here)])
    return found[::-1]


def _amounts_in(view: View, node: etree._Element, text: str, below: list[str]) -> Iterator[Amount]:
    """Amounts of an element that no element below shows."""
    seams = _seams(node, text)
    spans = _spans(node, text, below, seams)
    if not spans and not below and (match := _BARE.match(tokens.plain(text))):
        marked = money.is_mark(_following(view, node)) or money.is_mark(_just_before(view, node))
        if marked or not text.isdigit() or view.hinted(PRICE_HINT, nearest(node, 1)):
            yield Amount(view, node, text[slice(*match.span("number"))], ("", ""), True, marked)
    last = 0
    for start, end in spans:
        if text[start:end] in below:
            below.remove(text[start:end])
        else:
            rest = sum(c.isalpha() for c in text[:start] + text[end:])
            ends_range = last > 0 and text[last:start].strip().lower() in _TO
            around = text[last:start][-BEFORE:], text[end : end + AFTER]
            glued = any(start < seam < end for seam in seams)
            yield Amount(view, node, text[start:end], around, rest <= BEFORE, True, glued, ends_range)
        last = end


def _spans(node: etree._Element, text: str, below: list[str], seams: list[int]) -> list[tuple[int, int]]:
    """Where a text shows amounts; those of its parts where numbers of several parts would run together."""
    whole = [(_of_one_text(node, text, start), end) for start, end, _ in money.marked(text)]
    joined = any(start < s < end for start, end in whole for s in seams)
    if not seams or (whole and not (joined and next(node.iterdescendants(*_BOUNDARIES), None) is not None)):
        return [span for span in whole if not _cuts(text, span, below)]
    parts = pairwise([0, *seams, len(text)])
    return [(left + start, left + end) for left, right in parts for start, end in money.amounts(text[left:right])]


def _of_one_text(node: etree._Element, text: str, start: int) -> int:
    """Where an amount begins: letters before a sign are of its mark where they stand in one text with it or alone, not
    where they end another element's ("Vitamin A" and "$40"; "Lamp" and "A$40").
    """
    sign = start
    while text[sign : sign + 1].isalpha():
        sign += 1
    has_letters = sign > start or (start > 0 and text[start - 1].isalpha())
    if not has_letters or len(node) == 0 or unicodedata.category(text[sign : sign + 1] or " ") != "Sc":
        return start
    edges = _edges(node, text)
    if sign in edges and start not in (0, *edges):
        return sign
    first = start
    while first > 0 and first not in edges and text[first - 1].isalpha():
        first -= 1
    return first if first in edges and money.is_mark(text[first : sign + 1]) else start


def _cuts(text: str, span: tuple[int, int], below: list[str]) -> bool:
    """Whether an amount takes only a part of one that an element below shows whole."""
    start, end = span
    for whole in below:
        at = text.find(whole, max(0, start - len(whole) + 1), end + len(whole) - 1)
        if at >= 0 and not (start <= at and at + len(whole) <= end):
            return True
    return False


def _seams(node: etree._Element, text: str) -> list[int]:
    """Where digits of an element's parts run into each other, as offsets into its text without outer whitespace."""
    if len(node) == 0 or not _JOINED.search(text):
        return []
    seams = _edges(node, text)
    return [s for s in seams if 0 < s < len(text) and text[s - 1].isdigit() and text[s].isdigit()]


def _edges(node: etree._Element, text: str) -> list[int]:
    """Where the parts of an element's text meet."""
    pieces = list(map(str, node.itertext(etree.Element)))
    whole = "".join(pieces)
    outer = len(whole) - len(whole.lstrip())
    return [offset - outer for offset in accumulate(map(len, pieces[:-1]))]


def _role(view: View, node: etree._Element, before: str, after: str) -> str:
    """What the words around an amount say it is: those right behind it, else the last before it."""
    if before[-1:] in ("-", "\u2212"):
        return "saving"
    if before[-1:] == "+" or _ADDED.search(before.lower()):
        return "part"  # of a choice: "Red (+$2.00)"
    behind = (after if after.strip() else _following(view, node)).lstrip(" (*\n\t").lower()
    if behind and (found := _ROLES_AFTER.at(behind, 0)) and behind[found[1] : found[1] + 1] not in (":", "："):
        return found[0]  # with a colon it is of the amount that follows
    before = before if _SAYS.search(before) else _preceding(view, node)
    if before.strip(" :：\n\t").casefold() in _OLD_ALONE:
        return "old"
    return _labelled(before.lower(), (view.document.language or "").split("-")[0])


def _labelled(label: str, language: str) -> str:
    """The role that a text names whose last words say it, or that says little else."""
    found = _ROLES_BEFORE.last(label)
    if found is None:
        return ""
    role, start, end = found
    said = sum(map(str.isalnum, label[start:end]))
    if len(_WORD.findall(label, end)) > MAX_REST and said < MOSTLY * sum(map(str.isalnum, label)):
        return ""
    languages = _ONLY_IN.get(label[start:end])
    return role if languages is None or (language or "en") in languages else ""


def _preceding(view: View, node: etree._Element) -> str:
    """The label before an element: the text that stands before it, at most a few levels up."""
    for _ in range(UP):
        parent, sibling = node.getparent(), node.getprevious()
        if parent is None:
            break
        for _ in range(UP):
            text = (sibling.tail if sibling is not None else parent.text) or ""
            if sibling is not None and not text.strip() and isinstance(sibling.tag, str):
                text = view.text(sibling)
                if not text and view.length(sibling) > SHORT:
                    return ""
            if text.strip() and not money.is_mark(text):
                return "" if _is_title(view, sibling, text.strip()) else _label(text.strip())
            if sibling is None:
                break
            sibling = sibling.getprevious()
        node = parent
    return ""


def _is_title(view: View, node: etree._Element | None, text: str) -> bool:
    """Whether a text before an amount is the page's or a section's heading, which names no amount."""
    if node is not None and not (node.tail or "").strip() and next(node.iter(*_HEADINGS), None) is not None:
        return True
    heading = view.heading
    return heading is not None and len(text) >= MIN_TITLE and text == view.text(heading)


def _just_before(view: View, node: etree._Element) -> str:
    parent, sibling = node.getparent(), node.getprevious()
    if sibling is None:
        return (parent.text or "") if parent is not None else ""
    return sibling.tail if sibling.tail and sibling.tail.strip() else view.text(sibling)


def _text_before(node: etree._Element) -> str:
    """The text right before an element in the one it stands in."""
    parent, sibling = node.getparent(), node.getprevious()
    text = sibling.tail if sibling is not None else parent.text if parent is not None else None
    return (text or "")[-BEFORE:]


def _label(text: str) -> str:
    return text[-BEFORE:] if len(text) <= BEFORE + AFTER and next(money.amounts(text), None) is None else ""


def _following(view: View, node: etree._Element) -> str:
    if (node.tail or "").strip():
        return (node.tail or "").strip()[:AFTER]
    following = next(node.itersiblings(etree.Element), None)
    text = view.text(following) if following is not None and view.length(following) <= SHORT else ""
    return text if len(text) <= AFTER and next(money.amounts(text), None) is None else ""
