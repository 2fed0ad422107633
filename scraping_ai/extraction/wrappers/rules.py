"""The rules of a wrapper: how each finds a field's text in a page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from lxml import etree

from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.wrappers.layout import Chunk, Layout, ancestors, label_key
from scraping_ai.extraction.wrappers.parts import WHOLE, Part
from scraping_ai.extraction.wrappers.steps import Step

MAX_MATCHES = 1_000  # elements or labels looked at for one rule
MAX_KEPT = 1_000_000  # elements in lists that are remembered of a page
MAX_ITEMS = 1_000  # of a list
LOOK_AHEAD = 6  # texts after a label among which a form is looked for
MAX_FORM = 60  # characters of a text that has one

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Spot:
    """A text of a page and where it stands."""

    text: str
    anchor: Anchor


@dataclass(frozen=True, slots=True)
class Named:
    """An element by what its tag says, anywhere, or anywhere below an element that is `below`.

    `index` counts what matches, from 0, or from the end when negative.
    """

    step: Step
    below: Step | None = None
    index: int = 0

    def elements(self, layout: Layout) -> list[etree._Element]:
        if self.below is None:
            return self.step.among(layout)
        return remembered(layout, (self.step, self.below), lambda: self._inside(layout))

    def _inside(self, layout: Layout) -> list[etree._Element]:
        found = self.step.among(layout)
        places = [layout.order[node] for node in found]
        inside = [
            slice(bisect_left(places, start), bisect_left(places, end))
            for start, end in (self.below.extents(layout) if self.below else ())
        ]
        return [node for part in inside for node in found[part]]

    def find(self, layout: Layout) -> etree._Element | None:
        return _at(self.elements(layout), self.index)


@dataclass(frozen=True, slots=True)
class Down:
    """The element at the end of a path of children, from any element that is `top`, or from the page's root."""

    path: tuple[Step, ...]
    top: Step | None = None
    index: int = 0

    def elements(self, layout: Layout) -> list[etree._Element]:
        return remembered(layout, (self.path, self.top), lambda: self._reached(layout))

    def _reached(self, layout: Layout) -> list[etree._Element]:
        root = layout.document.root
        found = self.top.among(layout) if self.top else [root] if self.path[0].matches(root) else []
        for step in self.path[not self.top :]:
            found = [child for node in found[:MAX_MATCHES] for child in step.children(node)]
        return found

    def find(self, layout: Layout) -> etree._Element | None:
        return _at(self.elements(layout), self.index)


def remembered(layout: Layout, what: Hashable, find: Callable[[], list[etree._Element]]) -> list[etree._Element]:
    """The elements that `find` gives, found once a page; all is forgotten when it becomes too much."""
    found: dict[Hashable, list[etree._Element]] = layout.memo.setdefault("elements", {})
    if what not in found:
        kept = layout.memo.get("kept", 0)
        if kept > MAX_KEPT:
            found.clear()
            kept = 0
        found[what] = find()
        layout.memo["kept"] = kept + len(found[what]) + 10
    return found[what]


def _at(found: list[etree._Element], index: int) -> etree._Element | None:
    return found[index] if -len(found) <= index < len(found) else None


@dataclass(frozen=True, slots=True)
class Near:
    """The text `offset` texts after a label, before it when negative, the label's own when 0 ("Weight: 2 kg").

    `way` is the route from the label's element to the text's, such as "../td", "" for any.
    """

    label: str
    offset: int = 1
    way: str = ""

    def find(self, layout: Layout) -> Chunk | None:
        places = (layout.labels if self.offset else layout.leads).get(label_key(self.label), ())
        inner = [i for i in places[:MAX_MATCHES] if not layout.is_aside(i)]
        places = inner or places
        for index in places[:MAX_MATCHES]:
            place = index + self.offset
            if 0 <= place < len(layout.chunks) and (not self.way or way(layout, index, place) == self.way):
                return layout.chunks[place]
        return None


@dataclass(frozen=True, slots=True)
class Under:
    """The `index`-th element that matches `step` after a heading's text."""

    heading: str
    step: Step
    index: int = 0

    def find(self, layout: Layout) -> etree._Element | None:
        found = layout.labels.get(label_key(self.heading))
        if not found:
            return None
        first = layout.order.get(layout.chunks[found[0]].holder, 0)
        after = (node for node in self.step.among(layout) if layout.order[node] > first)
        return next((node for index, node in enumerate(after) if index == self.index), None)


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to a field's text.

    `take` says what is read of the place: "all" an element's whole text; "text:2" its third own text, "text:-1" its
    last; "@href" an attribute; "text" the text that a label leads to; "up:1" the whole text of the element one above
    it; "like:$0" the first text of that form. Of a list, `each` names the elements below that are its items ("text":
    every text), or `split` what stands between them.
    """

    locator: Named | Down | Near | Under
    take: str = "all"
    part: Part = WHOLE
    each: Step | str = ""
    split: str = ""
    weight: float = 1.0

    def find(self, layout: Layout) -> Spot | None:
        """The text of a scalar field."""
        found = self.locator.find(layout)
        if found is None:
            return None
        spot = beside(layout, found, self.take) if isinstance(found, Chunk) else read(layout, found, self.take)
        text = self.part.of(spot.text) if spot else None
        return Spot(text, spot.anchor) if spot and text else None

    def names_itself(self, layout: Layout) -> bool:
        """Whether its element is told by an id or attribute of its own, the only one of the page."""
        at = self.locator
        if not isinstance(at, Named) or at.below is not None or not (at.step.id or at.step.attribute):
            return False
        return len(at.elements(layout)) == 1

    def find_all(self, layout: Layout) -> list[Spot]:
        """The texts of a list's items."""
        if not self.each:
            spot = self.find(layout)
            texts = [text.strip() for text in spot.text.split(self.split or "\n")] if spot else []
            return [Spot(text, spot.anchor) for text in texts[:MAX_ITEMS] if text] if spot else []
        found = self.locator.find(layout)
        node = _above(layout, found, self.take) if isinstance(found, Chunk) else found
        return items(layout, node, self.each) if node is not None else []


def items(layout: Layout, node: etree._Element, each: Step | str) -> list[Spot]:
    """The texts below an element that a list's rule names."""
    if isinstance(each, str):
        start, end = layout.span(node)
        return [Spot(c.text, Anchor(c.holder)) for c in layout.chunks[start : min(end, start + MAX_ITEMS)]]
    found = [below for below in node.iterdescendants(each.tag) if each.matches(below)][:MAX_ITEMS]
    return [Spot(text, Anchor(below)) for below in found if (text := layout.text(below))]


def read(layout: Layout, node: etree._Element, take: str) -> Spot | None:
    """What `take` names of an element."""
    if take.startswith("like:"):
        return _like(layout, range(*layout.span(node)), take[5:])
    if take.startswith("@"):
        text = (node.get(take[1:]) or "").strip()
        return Spot(text, Anchor(node, take[1:])) if text else None
    if take.startswith("text:"):
        own = layout.own.get(node, [])
        nth = int(take[5:])
        return Spot(layout.chunks[own[nth]].text, Anchor(node)) if -len(own) <= nth < len(own) else None
    text = layout.text(node)
    return Spot(text, Anchor(node)) if text else None


def beside(layout: Layout, chunk: Chunk, take: str) -> Spot | None:
    """What `take` names of the text that a label leads to."""
    if take.startswith("like:"):
        return _like(layout, range(chunk.index, min(chunk.index + LOOK_AHEAD, len(layout.chunks))), take[5:])
    if not take.startswith("up:"):
        return Spot(chunk.text, Anchor(chunk.holder))
    node = _above(layout, chunk, take)
    return read(layout, node, "all") if node is not None else None


def _above(layout: Layout, chunk: Chunk, take: str) -> etree._Element | None:
    """The element that `take` ("up:1") counts from a text, when it begins with that text."""
    above = [chunk.holder, *ancestors(chunk.holder)]
    up = int(take[3:]) if take.startswith("up:") else 0
    return above[up] if up < len(above) and layout.span(above[up])[0] == chunk.index else None


def _like(layout: Layout, places: range, form: str) -> Spot | None:
    """The first of some chunks that has a form."""
    for place in places[:MAX_MATCHES]:
        chunk = layout.chunks[place]
        if len(chunk.text) <= MAX_FORM and form_of(chunk.text) == form:
            return Spot(chunk.text, Anchor(chunk.holder))
    return None


def form_of(text: str) -> str:
    """The form of a text: "(325) 674-2000" → "(0) 0-0", "$9,970" → "$0"."""
    return _WORD.sub("a", _DIGITS.sub("0", text))


def way(layout: Layout, start: int, end: int) -> str:
    """The route from one chunk's element to another's: up to what holds both, then down, by tags."""
    left, right = layout.chunks[start].holder, layout.chunks[end].holder
    depth = {node: index for index, node in enumerate([left, *ancestors(left)])}
    down: list[str] = []
    for node in (right, *ancestors(right)):
        if node in depth:
            return "/".join([*([".."] * depth[node]), *reversed(down)]) or "."
        down.append(str(node.tag))
    return "?"
