"""A page's text for a model: what answers kept, in the page's order, everything else left out.

A shop page is 110,000 model tokens of raw HTML in the median, and 3,200 of text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree
from parsel import Selector

from scraping_ai.llm.head import head_lines
from scraping_ai.schema import FieldSchema

MAX_LINE_CHARS = 4_000

# fmt: off
_SKIPPED = frozenset((
    "head", "script", "style", "noscript", "template", "svg", "math", "canvas", "iframe", "object", "embed", "audio",
    "video", "nav", "footer",
))
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "legend",
    "li", "main", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead",
    "tr", "ul",
))
# fmt: on
_SKIPPED_ROLES = frozenset(("navigation", "contentinfo", "search"))
# Drawn apart from their neighbours.
_SPACED = frozenset(("a", "button", "img", "input", "label", "option", "select"))
# An old price, most often.
_STRUCK = frozenset(("del", "s", "strike"))
_CELLS = frozenset(("td", "th", "dd"))
# A row that holds one of these lays out the page; its cells are no label and value.
_LAYOUT = ("table", "form", "h1", "h2", "h3", "article", "section", "ul", "ol")


@dataclass(frozen=True, slots=True)
class PrunedPage:
    """What a model is shown of a page."""

    url: str
    text: str

    @classmethod
    def of(cls, root: etree._Element | Selector, url: str, schema: FieldSchema, *, limit: int) -> PrunedPage:
        """The page's text in at most `limit` characters, with link targets where the schema asks for a url."""
        return cls(url, page_text(root, limit=limit, links=_asks_url(schema)))


def page_text(root: etree._Element | Selector, *, limit: int, links: bool = False) -> str:
    """Title, meta tags and JSON-LD, then the visible text in lines; at most `limit` characters.

    `root`: a parsed HTML document, which is not modified. Rows of two cells and `dl` entries are `label: value`,
    headings start with #, crossed-out text stands between ~~. `links` adds the targets of links and images. A text that
    is too long starts at its first h1 and gives up its end first. Time is linear in the document's size.
    """
    tree = root.root if isinstance(root, Selector) else root
    if not isinstance(tree, etree._Element):
        return ""
    head = head_lines(tree, limit=limit // 2)
    room = limit - sum(len(line) + 1 for line in head)
    writer = _Writer(links)
    writer.walk(tree)
    lines = writer.lines
    if sum(len(line) + 1 for line in lines) > room:
        lines = lines[writer.start :] + lines[: writer.start]
    return "\n".join([*head, *_fitting(lines, room)])[:limit]


def _fitting(lines: list[str], room: int) -> Iterator[str]:
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            return
        yield line


def _asks_url(schema: FieldSchema) -> bool:
    inner = (*schema.fields, schema.items) if schema.items else schema.fields
    return schema.type == "url" or any(map(_asks_url, inner))


@dataclass(slots=True)
class _Writer:
    """Turns a tree into lines of text as a reader sees them."""

    links: bool
    lines: list[str] = field(default_factory=list)
    start: int = 0  # index of the first h1's line
    _buffer: list[str] = field(default_factory=list)
    _last: str = ""  # the last thing in the buffer that is not blank
    _cells: int = 0  # how many cells of label-value rows are open
    _layout: set[etree._Element] = field(default_factory=set)

    def walk(self, tree: etree._Element) -> None:
        self._layout = _layout_rows(tree)
        self._open(tree)
        # lxml's iterwalk would do, but takes time quadratic in a run of comments.
        stack = [(tree, iter(tree))]
        while stack:
            node, children = stack[-1]
            child = next(children, None)
            if child is None:
                self._close(node)
                stack.pop()
            elif _is_skipped(child):
                self._write(child.tail or "")
            else:
                self._open(child)
                stack.append((child, iter(child)))
        self._flush()

    def _open(self, node: etree._Element) -> None:
        tag = node.tag
        if tag in _CELLS and self._is_cell(node):
            self._cells += 1
            self._separate(node)
        else:
            self._boundary(tag)
        if tag == "h1" and not self.start:
            self.start = len(self.lines)
        if tag in ("h1", "h2", "h3") and not self._cells:
            self._write("# " if tag == "h1" else "## ")
        elif tag in _STRUCK:
            self._write("~~")
        elif tag == "img":
            self._write(node.get("alt") or "")
            self._link(node.get("src"))
        self._write(node.text or "")

    def _close(self, node: etree._Element) -> None:
        tag = node.tag
        if tag in _STRUCK:
            self._write("~~")
        elif tag == "a":
            self._link(node.get("href"))
        if tag in _CELLS and self._is_cell(node):
            self._cells -= 1
            if tag == "dd":
                self._flush()
        elif tag != "dt":
            self._boundary(tag)
        self._write(node.tail or "")

    def _is_cell(self, node: etree._Element) -> bool:
        """Whether a td, th or dd is one of a label and its value, rather than of a layout."""
        row = node.getparent()
        if row is None or row in self._layout:
            return False
        return node.tag == "dd" or node.getprevious() is not None or node.getnext() is not None

    def _separate(self, node: etree._Element) -> None:
        """What stands between a cell and the one before it."""
        if not self._last:
            return
        while not self._buffer[-1].strip():
            self._buffer.pop()
        self._buffer[-1] = self._buffer[-1].rstrip()
        before = node.getprevious()
        is_second = before is not None and before.getprevious() is None and node.getnext() is None
        if is_second or node.tag == "dd":
            self._write(" " if self._last.endswith((":", "：")) else ": ")
        else:
            self._write(" | ")

    def _boundary(self, tag: str) -> None:
        if tag in _BLOCKS and not self._cells:
            self._flush()
        elif tag in _BLOCKS or tag in _SPACED:
            self._write(" ")

    def _link(self, target: str | None) -> None:
        if self.links and target and not target.startswith(("data:", "javascript:", "#")):
            self._write(f" <{target[:500]}> ")

    def _write(self, text: str) -> None:
        self._buffer.append(text)
        self._last = text.strip() or self._last

    def _flush(self) -> None:
        line = " ".join("".join(self._buffer).split())
        self._buffer.clear()
        self._last = ""
        if line.strip("#~|: "):
            self.lines.append(line[:MAX_LINE_CHARS])


def _is_skipped(node: etree._Element) -> bool:
    return not isinstance(node.tag, str) or node.tag in _SKIPPED or node.get("role") in _SKIPPED_ROLES


def _layout_rows(tree: etree._Element) -> set[etree._Element]:
    """The elements that have a layout element below them. Each is marked once, so the time stays linear."""
    marked: set[etree._Element] = set()
    for node in tree.iter(*_LAYOUT):
        above = node.getparent()
        while above is not None and above not in marked:
            marked.add(above)
            above = above.getparent()
    return marked
