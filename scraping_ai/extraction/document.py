"""A page as extraction sees it: decoded as browsers decide, parsed once, shared by every method."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree
from parsel import Selector
from parsel.selector import create_root_node

from scraping_ai.extraction.bodies import Unreadable, decode

MAX_VISIBLE = 30_000  # elements; ten times what a large page has
MAX_DEPTH = 250  # elements; longer paths overflow XPath's own stack, and no page means to nest so deep

_INVISIBLE = frozenset(("script", "style", "noscript", "template", "svg", "iframe", "object", "select"))
_METADATA = frozenset(("title", "meta", "link", "base"))
_HIDING_STYLE = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.-]*\Z", re.A)
_XML = re.compile(r"[\s\ufeff]*<\?xml\s")

MAX_ATTRIBUTES = 8_000  # of an element
MAX_MARKS = 300_000  # `<` and `=` of a page: ten times what a large one has
_MARK = re.compile("[<=]")
LONG_TAG = 20_000  # characters
_LONG_TAG = re.compile(rf"<[A-Za-z][^<>]{{{LONG_TAG},}}")
_QUOTED = re.compile("\"[^\"]*\"|'[^']*'")


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a text stands: an element, one of its attributes, or a place in the JSON that the element holds."""

    node: etree._Element
    attribute: str | None = None
    pointer: str | None = None
    in_text: bool = False  # the element's own text (a script's), not its string-value


class Document:
    """One parsed page. `text` is the decoded body, `selector` its only parse, `base_url` what links are relative to.

    Raises Unreadable for a body that is no page.
    """

    def __init__(self, html: bytes | str, url: str = "", content_type: str | None = None) -> None:
        self.text = decode(html, content_type)
        self.url, self.content_type = url, content_type
        self._parse()

    def _parse(self) -> None:
        self._parsed: dict[str, Any] = {}
        self.is_xml = bool(_XML.match(self.text))
        _refuse_endless_tags(self.text)
        text = _bounded(self.text)
        self._is_cut = len(text) < len(self.text)
        try:
            self.selector = Selector(text=text, type="xml") if self.is_xml else _parse_html(text)
        except (etree.LxmlError, ValueError):
            raise Unreadable("not HTML: cannot be parsed") from None
        self.root: etree._Element = self.selector.root
        if self.is_xml:
            self._refuse_surrogates()
            self._forget_namespaces()
        if self.root.tag != "html":
            raise Unreadable("not HTML: XML")

    def twin(self) -> Document:
        """The same page parsed once more, for code that may write into its tree."""
        twin = Document.__new__(Document)
        twin.text, twin.url, twin.content_type = self.text, self.url, self.content_type
        twin._parse()
        return twin

    def _refuse_surrogates(self) -> None:
        """References such as `&#xD800;` leave bytes in an XML tree that are no text."""
        try:
            etree.tostring(self.root, encoding="unicode")
        except UnicodeDecodeError:
            raise Unreadable("not HTML: XML with broken characters") from None

    def _forget_namespaces(self) -> None:
        """XHTML served with an XML declaration parses as XML: give its elements the names that HTML parsing gives."""
        for node in self.root.iter(etree.Element):
            node.tag = str(node.tag).rpartition("}")[2].rpartition(":")[2].lower()

    def json(self, source: str) -> Any:
        """Strictly parsed JSON (RFC 8259) of a script's text, each text parsed once. Raises ValueError."""
        if source not in self._parsed:
            self._parsed[source] = json.loads(source)
        return self._parsed[source]

    @cached_property
    def base_url(self) -> str:
        for node in self.root.iter("base"):
            if href := node.get("href"):
                return absolute(self.url, href) or self.url
        return self.url

    @cached_property
    def language(self) -> str | None:
        """BCP 47 tag of the page, lower case, or None."""
        candidates = [self.root.get("lang"), self.root.get("{http://www.w3.org/XML/1998/namespace}lang")]
        candidates += [m.get("content") for m in self.metas if (m.get("property") or "").lower() == "og:locale"]
        for tag in candidates:
            if tag and re.match(r"[A-Za-z]{2,3}(?![A-Za-z])", tag.strip()):
                return tag.strip().replace("_", "-").lower()
        return "ja" if len(re.findall("[\u3041-\u30f6]", self.text[:50_000])) > 50 else None

    def select(self, xpath: str) -> list[etree._Element]:
        """The elements that an XPath of ours names."""
        found = self.root.xpath(xpath)
        return [node for node in found if isinstance(node, etree._Element)] if isinstance(found, list) else []

    @cached_property
    def metas(self) -> list[etree._Element]:
        return list(self.root.iter("meta"))

    @cached_property
    def broken(self) -> frozenset[etree._Element]:
        """The elements that hold a `<br>`."""
        return frozenset(parent for node in self.root.iter("br") if (parent := node.getparent()) is not None)

    @cached_property
    def title(self) -> str:
        """Text of the `<title>` element, whitespace folded."""
        return next((" ".join(string_value(node).split()) for node in self.root.iter("title")), "")

    @cached_property
    def visible(self) -> list[etree._Element]:
        """Elements a reader can see, in document order (CSS classes are not resolved); at most MAX_VISIBLE."""
        return list(islice(self._visible(), MAX_VISIBLE))

    def _visible(self) -> Iterator[etree._Element]:
        nodes = self.root.iter(etree.Element)
        for node in nodes:
            if node.tag == "head" or _is_metadata(node):
                continue
            if node.tag in _INVISIBLE or _is_hidden(node):
                for _ in islice(nodes, sum(1 for _ in node.iter(etree.Element)) - 1):
                    pass
            else:
                yield node

    def xpath_of(self, anchor: Anchor) -> str | None:
        """Absolute XPath of an anchor in `parsel.Selector(text=...)` of the decoded body; None past MAX_DEPTH."""
        steps: list[str] = []
        node: etree._Element | None = anchor.node
        while node is not None:
            steps.append(self._step(node))
            node = node.getparent()
        if len(steps) > MAX_DEPTH:
            return None
        path = "/" + "/".join(reversed(steps))
        if anchor.in_text:
            return path + "/text()"
        return path + _attribute_step(anchor.attribute) if anchor.attribute else path

    def _step(self, node: etree._Element) -> str:
        tag, parent = str(node.tag), node.getparent()
        if parent is None:  # a second document in the same body is a second root
            several = self._is_cut or next(node.itersiblings(etree.Element), None) is not None
            return ("*" if self.is_xml else tag) + "[1]" * several
        if self.is_xml or not _PLAIN_NAME.match(tag):  # prefixed names need a namespace that the page never declares
            return f"*[{sum(1 for _ in node.itersiblings(etree.Element, preceding=True)) + 1}]"
        before = sum(1 for _ in node.itersiblings(tag, preceding=True))
        if before or self._is_cut or next(node.itersiblings(tag), None) is not None:
            return f"{tag}[{before + 1}]"
        return tag

    def string_at(self, anchor: Anchor) -> str:
        """The string-value of what an anchor names, before any JSON pointer."""
        if anchor.attribute:
            return attribute_of(anchor.node, anchor.attribute)
        return anchor.node.text or "" if anchor.in_text else string_value(anchor.node)


def _parse_html(text: str) -> Selector:
    """The tree of `Selector(text=text)`, of plain elements: lxml.html's classes double the cost of walking it."""
    return Selector(root=create_root_node(text, etree.HTMLParser), type="html")


def _refuse_endless_tags(text: str) -> None:
    """The parser compares each attribute of an element with all before it: 40,000 take it half a minute."""
    for tag in (tag for start, end in _gaps(text) for tag in _LONG_TAG.finditer(text, start, end)):
        names = _QUOTED.sub("", tag[0])
        if max(len(names.split()), names.count("=")) > MAX_ATTRIBUTES:
            raise Unreadable(f"an element with more than {MAX_ATTRIBUTES:,} attributes")


def _bounded(text: str) -> str:
    """The text up to the last tag that is parsed: a tree takes 300 bytes for each element with its text, or attribute.

    What stands before has the same place in the tree of the whole, where others of its name may follow.
    """
    if text.count("<") + text.count("=") <= MAX_MARKS:
        return text
    last = next(islice(_MARK.finditer(text), MAX_MARKS, None)).start()
    return text[: text.rfind("<", 0, last + 1)] or text


def _gaps(text: str) -> Iterator[tuple[int, int]]:
    """Where a long tag may be: spans of many characters without a `>`."""
    start = 0
    while len(text) - start >= LONG_TAG:
        last = text.rfind(">", start, start + LONG_TAG)
        if last < 0:
            last = text.find(">", start) % (len(text) + 1)
            yield start, last
        start = last + 1


def _attribute_step(name: str) -> str:
    return f"/@{name}" if _PLAIN_NAME.match(name) else f"/@*[name()='{name}']"


def _is_metadata(node: etree._Element) -> bool:
    """Whether an element belongs in the head: of a page without a `<body>` the parser leaves the rest in there too."""
    parent = node.getparent()
    return node.tag in _METADATA and parent is not None and parent.tag == "head"


def _is_hidden(node: etree._Element) -> bool:
    if node.get("hidden") is not None:
        return True
    style = node.get("style")
    return style is not None and _HIDING_STYLE.search(style) is not None


def is_shown(node: etree._Element) -> bool:
    """Whether a reader may see an element, of itself (CSS classes are not resolved)."""
    return node.tag not in _INVISIBLE and not _is_hidden(node)


def attribute_of(node: etree._Element, name: str) -> str:
    """An attribute's value, "" without one; lxml parses names with control characters but will not look them up."""
    try:
        return node.get(name) or ""
    except ValueError:
        return ""


def string_value(node: etree._Element) -> str:
    """XPath's string(): the text of the element and all below, comments left out."""
    return etree.tostring(node, method="text", encoding="unicode", with_tail=False)


def path_of(url: str) -> str:
    """The path of an address without escapes, "" where it is no URL."""
    try:
        return unquote(urlsplit(url).path)
    except ValueError:
        return ""


def absolute(base: str, link: str) -> str | None:
    """`link` resolved against `base`; None where one of them is no URL (such as a bad IPv6 host)."""
    try:
        resolved = urljoin(base, link.strip())
        urlsplit(resolved)
    except ValueError:
        return None
    return resolved
