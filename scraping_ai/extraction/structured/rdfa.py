"""RDFa 1.1 as pages use it (https://www.w3.org/TR/rdfa-core/, https://www.w3.org/TR/html-rdfa/), read into entities.

Names lose their prefix or vocabulary, as schema.org, Dublin Core, FOAF and SIOC agree on what `title` or `name` means.
Left out: datatypes, `rev`, `inlist`, and what is said about a page that declares neither type nor vocabulary (that is
OpenGraph, see `metadata`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from scraping_ai.extraction.document import Anchor, Document, string_value
from scraping_ai.extraction.structured.entity import Entity, Leaf, local_name

MAX_ELEMENTS = 2_000  # with attributes of RDFa
MAX_TEXT = 5_000_000  # characters of values; properties nested in properties would read the page again and again
_MARKED = "//*[@typeof or @property or @vocab or @about or @resource or @rel]"
_LINKS = ("resource", "href", "src")
_HEADS = frozenset(("html", "head", "body"))
# Link types of HTML: they say how a page is linked, not what a thing is.
_HTML_RELATIONS = frozenset(
    "alternate amphtml apple-touch-icon bookmark canonical dns-prefetch edituri external icon manifest me "
    "modulepreload next nofollow noopener noreferrer opener pingback preconnect prefetch preload prev profile search "
    "shortcut shortlink sponsored stylesheet tag ugc wlwmanifest".split()
)


@dataclass(slots=True)
class _Context:
    """What holds inside an element: the thing spoken of, and relations that wait for the next thing."""

    subject: Entity
    has_vocabulary: bool = False
    waiting: list[tuple[Entity, str]] = field(default_factory=list)


def read(document: Document) -> list[Entity]:
    """The things that no other thing holds, in page order; [] without a look at the page where it declares none."""
    if "typeof=" not in document.text and "vocab=" not in document.text:
        return []
    marked = document.select(_MARKED)[:MAX_ELEMENTS]
    if not any(node.get("typeof") or node.get("vocab") for node in marked):
        return []
    return _Reader(document).read(marked)


class _Reader:
    def __init__(self, document: Document) -> None:
        self.page = Entity((), Anchor(document.root), "rdfa")
        self.things: list[Entity] = [self.page]
        self.by_id: dict[str, Entity] = {}
        self.held: set[int] = set()
        self.left = MAX_TEXT

    def read(self, marked: list[etree._Element]) -> list[Entity]:
        contexts: dict[etree._Element, _Context] = {}
        start = _Context(self.page)
        for node in marked:
            around = next((contexts[a] for a in node.iterancestors() if a in contexts), start)
            contexts[node] = self._element(node, around)
        return [thing for thing in self.things if thing.properties and id(thing) not in self.held]

    def _element(self, node: etree._Element, around: _Context) -> _Context:
        """Read one element; the context of what stands inside it."""
        vocabulary = bool(node.get("vocab")) if node.get("vocab") is not None else around.has_vocabulary
        properties = list(_names(node.get("property"), vocabulary=True))
        relations = list(_names(node.get("rel"), vocabulary))
        said = node.get("content") is not None or node.get("datatype") is not None
        subject, thing = self._things_of(node, around, bool(relations), bool(properties) and not said)
        if subject is not around.subject:
            self._complete(around, subject)
        for name in properties if subject is not self.page or _speaks(node, around) else ():
            self._property(node, subject, name, None if relations or said else thing)
        waiting: list[tuple[Entity, str]] = []
        for name in relations:
            if thing is not None:
                self._hold(subject, name, thing)
            elif (leaf := _link(node)) is not None:
                subject.add(name, leaf)
            else:
                waiting.append((subject, name))
        if not (waiting or thing or subject is not around.subject):
            waiting = around.waiting
        return _Context(thing or subject, vocabulary, waiting)

    def _things_of(
        self, node: etree._Element, around: _Context, has_relations: bool, has_value: bool
    ) -> tuple[Entity, Entity | None]:
        """The thing that an element speaks about, and the one that it is or leads to."""
        about = self._named(node, ("about",))
        subject = about or around.subject
        is_typed = bool((node.get("typeof") or "").strip())
        if not is_typed:
            if not has_relations and not has_value and about is None and not _is_link(node):
                subject = self._named(node, ("resource",)) or subject
            return subject, None
        thing = about or self._named(node, _LINKS) or self._new(node)
        if node.tag in _HEADS and thing.id is None:
            thing = self.page
        thing.types += tuple(local_name(t) for t in (node.get("typeof") or "").split())
        if about is None and (has_relations or has_value):
            return subject, thing
        return thing, None

    def _property(self, node: etree._Element, subject: Entity, name: str, thing: Entity | None) -> None:
        if thing is not None:
            self._hold(subject, name, thing)
            return
        leaf = _literal(node)
        self.left -= len(leaf.text) if leaf else 0
        if leaf is not None and self.left >= 0:
            subject.add(name, leaf)

    def _complete(self, around: _Context, thing: Entity) -> None:
        for holder, name in around.waiting:
            self._hold(holder, name, thing)

    def _hold(self, holder: Entity, name: str, thing: Entity) -> None:
        if thing is not holder:
            holder.add(name, thing)
            if holder is not self.page or holder.types:
                self.held.add(id(thing))

    def _named(self, node: etree._Element, attributes: tuple[str, ...]) -> Entity | None:
        """The thing that one of some attributes names; "" is the page."""
        name = next((node.get(a) for a in attributes if node.get(a) is not None), None)
        if name is None:
            return None
        name = name.strip(" \t\n[]")
        if name in ("", "#"):
            return self.page
        if name not in self.by_id:
            self.by_id[name] = self._new(node)
            self.by_id[name].id = name
        return self.by_id[name]

    def _new(self, node: etree._Element) -> Entity:
        self.things.append(Entity((), Anchor(node), "rdfa"))
        return self.things[-1]


def _names(value: str | None, vocabulary: bool) -> Iterator[str]:
    """Local names of properties; a bare relation is one only under a vocabulary, and if HTML does not own it."""
    for name in (value or "").split():
        if ":" in name or (vocabulary and name.lower() not in _HTML_RELATIONS):
            yield local_name(name)


def _speaks(node: etree._Element, around: _Context) -> bool:
    """Whether an element that names no thing describes the page in RDFa: OpenGraph's `<meta>` is read elsewhere."""
    return node.tag != "meta" or bool(around.subject.types)


def _is_link(node: etree._Element) -> bool:
    return node.tag in ("a", "link", "area") and node.get("href") is not None


def _link(node: etree._Element) -> Leaf | None:
    found = next((a for a in _LINKS if (node.get(a) or "").strip()), None)
    return Leaf((node.get(found) or "").strip(), Anchor(node, found)) if found else None


def _literal(node: etree._Element) -> Leaf | None:
    """What a property says: an attribute made for it, the address that it leads to, or the text."""
    own = {"time": "datetime", "data": "value"}.get(str(node.tag), "content")
    for attribute in ("content", own):
        if text := (node.get(attribute) or "").strip():
            return Leaf(text, Anchor(node, attribute))
    is_text = any(node.get(attribute) is not None for attribute in ("content", "datatype", "rel"))
    leaf = None if is_text else _link(node)
    text = string_value(node).strip() if leaf is None else ""
    return Leaf(text, Anchor(node)) if text else leaf
