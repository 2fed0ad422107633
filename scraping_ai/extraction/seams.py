"""Where the text of an element breaks without a space: at a `<br>`, at the edge of a block."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

MAX_TEXT = 500  # characters of a text that is read so
BLOCKS = frozenset(
    "address article aside blockquote body dd div dl dt fieldset figure form h1 h2 h3 h4 h5 h6 li main ol p "
    "pre section table tbody td tfoot th thead tr ul".split()
)


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


def spaced(node: etree._Element, text: str) -> str:
    """A text that stands in an element, with a space where it breaks: "1 Mill Lane<br>Leeds" is "1 Mill Lane Leeds"."""
    if len(text) > MAX_TEXT or next(iter(node), None) is None:
        return text
    parts = list(broken(node))
    start = "".join(parts).find(text) if len(parts) > 1 else -1
    if start < 0:
        return text
    spaced, at = [], -start
    for part in parts:
        spaced.append(text[max(at, 0) : max(at + len(part), 0)])
        at += len(part)
    return " ".join(piece for piece in spaced if piece)
