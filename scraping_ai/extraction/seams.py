"""Where the text of an element breaks without a space: at a `<br>`, at the edge of a block."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from lxml import etree

MAX_TEXT = 20_000  # characters of a text that is read so
LONG = 150  # characters: shorter ones are one ingredient, one step
BLOCKS = frozenset(
    "address article aside blockquote body dd div dl dt fieldset figure form h1 h2 h3 h4 h5 h6 li main ol p "
    "pre section table tbody td tfoot th thead tr ul".split()
)
_LINES = ("li", "p", "br", "tr")
_ENDS = ".!?:。！？"


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


def spaced(node: etree._Element, text: str, lines: bool = False) -> str:
    """A text that stands in an element, with a space where it breaks: "1 Mill Lane<br>Leeds" is "1 Mill Lane Leeds".

    With `lines` a new line instead: of a long text that holds some, and behind a sentence.
    """
    if len(text) > MAX_TEXT or next(iter(node), None) is None:
        return text
    parts = list(broken(node))
    at = -"".join(parts).find(text) if len(parts) > 1 else 1
    if at > 0:
        return text
    pieces: list[str] = []
    for part in parts:
        pieces += [piece] if (piece := text[max(at, 0) : max(at + len(part), 0)]) else []
        at += len(part)
    apart = lines and len(text) >= LONG and next(node.iter(*_LINES), None) is not None
    gaps = ("\n" if apart or (lines and piece[-1] in _ENDS) else " " for piece in pieces[:-1])
    return "".join(chain.from_iterable(zip(pieces, (*gaps, ""), strict=True)))
