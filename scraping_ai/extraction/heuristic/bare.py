"""Pairs that only their place tells: alternating siblings, a heading over a short text, lines of one element."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from scraping_ai.extraction.heuristic.view import SHORT, View
from scraping_ai.extraction.seams import broken

MAX_SIBLINGS = 60
MAX_LABEL = 40  # characters
MAX_VALUE = 80
MAX_LINES = 2_000  # characters of an element whose lines are read
MAX_NODES = 200  # elements in it
HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
_SIBLINGS = frozenset(("div", "p", "span"))
_VALUES = frozenset(("p", "div", "span", "time"))
_EMPHASIS = frozenset(("b", "strong", "em", "span"))

Pair = tuple[etree._Element, etree._Element]


def is_label(text: str) -> bool:
    return 0 < len(text) <= MAX_LABEL and text[0].isalpha() and not any(map(str.isdigit, text))


def alternating(view: View, node: etree._Element) -> Iterator[Pair]:
    """The children of an element that holds label, value, label, value, told apart by class or by digits."""
    if not 4 <= len(node) <= MAX_SIBLINGS or len(node) % 2 or any(child.tag not in _SIBLINGS for child in node):
        return
    children = list(node)
    labels, values = children[::2], children[1::2]
    if not all(is_label(view.text(label)) for label in labels):
        return
    texts = [view.text(value) for value in values]
    classes = {label.get("class") for label in labels}, {value.get("class") for value in values}
    apart = len(classes[0]) == len(classes[1]) == 1 and classes[0] != classes[1]
    if all(0 < len(text) <= SHORT for text in texts) and (apart or 2 * _with_digits(texts) >= len(texts)):
        yield from zip(labels, values, strict=True)


def headed(view: View, heading: etree._Element) -> etree._Element | None:
    """The element below a heading, if it is a short text."""
    below = next(heading.itersiblings(etree.Element), None)
    if below is None or below.tag not in _VALUES or not is_label(view.text(heading)):
        return None
    return below if 0 < len(view.text(below)) <= MAX_VALUE and len(below) == 0 else None


def emphasised(view: View, node: etree._Element) -> tuple[str, etree._Element] | None:
    """The label of "Rent <b>1,200</b>" and the element with its value."""
    label = (node.text or "").strip()
    if not label or len(node) != 1 or node[0].tag not in _EMPHASIS or (node[0].tail or "").strip():
        return None
    return (label, node[0]) if is_label(label) and label[-1].isalnum() and view.text(node[0]) else None


def lines(view: View, node: etree._Element) -> list[str]:
    """The lines that `<br>` sets apart in an element that holds one."""
    if view.length(node) > MAX_LINES or view.end(node) - view.order[node] > MAX_NODES:
        return []
    return [line for part in broken(node) if (line := part.strip())]


def is_row_of_pairs(view: View, cells: list[etree._Element]) -> bool:
    """Whether more than four cells are label, value, label, value, and no row of data."""
    labels, values = cells[::2], cells[1::2]
    if {cell.tag for cell in labels} == {"th"} and {cell.tag for cell in values} == {"td"}:
        return True
    named = all(is_label(view.text(label)) for label in labels)
    return named and 2 * _with_digits([view.text(value) for value in values]) >= len(values)


def _with_digits(texts: list[str]) -> int:
    return sum(any(map(str.isdigit, text)) for text in texts)
