"""Where the text of an element breaks without a space: at a `<br>`, at the edge of a block, between links or words that
are elements of their own; and what of it no reader sees.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from lxml import etree

from scraping_ai.extraction.document import is_shown
from scraping_ai.extraction.normalise import money

MAX_TEXT = 20_000  # characters of a text that is read so
MAX_PIECES = 5_000  # of an element
LONG = 150  # characters: shorter ones are one ingredient, one step
SPELT = 4  # letters that are an element each make one word
BLOCKS = frozenset(
    "address article aside blockquote body dd div dl dt fieldset figure form h1 h2 h3 h4 h5 h6 li main ol p "
    "pre section table tbody td tfoot th thead tr ul".split()
)
_LINES = ("li", "p", "br", "tr")
_ENDS = ".!?:。！？"
_APART = BLOCKS | frozenset(
    "br button caption figcaption hr img input label legend optgroup option summary time".split()
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A text node of an element: its text, whether a reader sees it, and how it follows the one before it.

    `apart`: it stands apart; `adjoins`: elements meet with no text between; `linked`: one of these is a link;
    `pressed`: it is a button's.
    """

    text: str
    shown: bool = True
    apart: bool = False
    adjoins: bool = False
    linked: bool = False
    pressed: bool = False


def broken(node: etree._Element) -> Iterator[str]:
    """String-value of an element in parts, broken where a `<br>` or a block begins or ends."""
    text = node.text or ""
    for event, child in etree.iterwalk(node, events=("start", "end", "comment", "pi")):
        if child is node:
            continue
        if child.tag == "br" or child.tag in BLOCKS:
            yield text
            text = ""
        text += (child.text or "") if event == "start" else (child.tail or "")
    yield text


def pieces(node: etree._Element) -> list[Piece]:
    """The text nodes of an element that hold characters, in page order; none of an element with very many."""
    found = [Piece(node.text)] if node.text else []
    hidden, buttons = 0, 0
    apart, ended, began, linked = False, False, False, False
    for count, (event, child) in enumerate(etree.iterwalk(node, events=("start", "end", "comment", "pi"))):
        if count > MAX_PIECES:
            return []
        if child is node:
            continue
        is_element = isinstance(child.tag, str)
        if is_element:
            step = 1 if event == "start" else -1
            hidden += step * (not is_shown(child))
            buttons += step * (child.tag == "button")
            apart, linked = apart or child.tag in _APART, linked or child.tag == "a"
            ended, began = ended or event == "end", began or (event == "start" and ended)
        text = child.text if event == "start" else child.tail
        if text:
            found.append(Piece(text, not hidden, apart, began, began and linked, buttons > 0))
            apart, ended, began, linked = False, False, False, False
    return found


def seen(node: etree._Element, text: str, kind: str = "") -> str:
    """A text that stands in an element as a reader sees it: without scripts, styles and what is hidden, and with a
    space where it breaks ("1 Mill Lane<br>Leeds" is "1 Mill Lane Leeds").

    `kind` "lines": a new line instead, of a long text that holds some and behind a sentence; "number": a new line,
    which groups no digits. Of strings with something hidden in their middle nothing is read, but of lines all.
    """
    found = within(node, text)
    shown = found if kind == "lines" else [piece for piece in found if piece.shown]
    if not found:
        return text
    if not shown or (kind not in ("number", "date", "lines") and any(not p.shown and p.text.strip() for p in found)):
        return ""
    apart = kind == "number" or (kind == "lines" and len(text) >= LONG and next(node.iter(*_LINES), None) is not None)
    spelt = _is_spelt(shown)
    read = shown[0].text
    for left, right in pairwise(shown):
        linked = right.linked and _meet(left, right)
        if right.apart or linked or (not spelt and not _is_spaced(left, right) and _are_words(left, right)):
            read += "\n" if apart or (kind == "lines" and read[-1] in _ENDS) else " "
        read += right.text
    return read


def _is_spaced(left: Piece, right: Piece) -> bool:
    return left.text[-1].isspace() or right.text[0].isspace()


def within(node: etree._Element, text: str) -> list[Piece]:
    """The pieces of a text that stands in an element, cut to it; none where it is long or stands in one piece."""
    if len(text) > MAX_TEXT or next(iter(node), None) is None:
        return []
    found = pieces(node)
    at = -"".join(piece.text for piece in found).find(text)
    if at > 0:
        return []
    cut = []
    for piece in found:
        if part := piece.text[max(-at, 0) : max(len(text) - at, 0)]:
            cut.append(replace(piece, text=part))
        at += len(piece.text)
    return cut if len(cut) > 1 else []


def _is_spelt(found: list[Piece]) -> bool:
    """Whether letters stand in an element each, as those that move do."""
    return len(found) >= SPELT and all(len(piece.text) == 1 for piece in found)


def _are_words(left: Piece, right: Piece) -> bool:
    """Whether two texts that meet are words of their own: "Ann" and "Bo" in a span each, a name and an amount."""
    last, first = left.text[-1], right.text[0]
    if unicodedata.category(first) == "Sc":
        return last.isalpha() and not money.is_mark(left.text.strip() + first)
    if not (right.adjoins and last.isalpha() and first.isupper()):
        return False
    return last.islower() or len(right.text) <= 2 or len(left.text) > 1


def cut_at_break(node: etree._Element, text: str) -> str:
    """A text of an element up to where it first breaks or something is hidden."""
    return _until(within(node, text), lambda left, right: right.apart or right.linked or not right.shown) or text


def cut_at_link(node: etree._Element, text: str) -> str:
    """A text of an element up to where one of its links meets another element's words."""
    return _until(within(node, text), lambda left, right: right.linked and _meet(left, right)) or text


def _meet(left: Piece, right: Piece) -> bool:
    return left.text[-1].isalnum() and right.text[0].isalnum()


def _until(found: list[Piece], ends: Callable[[Piece, Piece], bool]) -> str:
    end = next((i for i, pair in enumerate(pairwise(found), 1) if ends(*pair)), len(found))
    return "".join(piece.text for piece in found[:end]).rstrip()


def trimmed(node: etree._Element, text: str) -> str:
    """A text of an element without what no reader sees at its ends, nor the buttons behind it."""
    found = within(node, text)
    shown = [index for index, piece in enumerate(found) if piece.shown and piece.text.strip()]
    if not found or not shown:
        return "" if found else text
    shown = [index for index in shown if not found[index].pressed] or shown
    return "".join(piece.text for piece in found[shown[0] : shown[-1] + 1]).strip()


def joins_digits(node: etree._Element, text: str) -> bool:
    """Whether digits of several elements run into each other in a text."""
    runs = pairwise(within(node, text))
    return any(a.text[-1].isdigit() and b.text[0].isdigit() and not b.apart for a, b in runs)


def offsets(node: etree._Element) -> frozenset[int]:
    """Where the text nodes of an element meet, as offsets into its string-value."""
    return frozenset(accumulate(len(piece.text) for piece in pieces(node)))


def text_before(node: etree._Element) -> str:
    """What is read right before an element in its line, "" before a block."""
    sibling, parent = node.getprevious(), node.getparent()
    if node.tag in _APART or parent is None:
        return ""
    return (sibling.tail if sibling is not None else parent.text) or ""
