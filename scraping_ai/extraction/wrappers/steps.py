"""Steps: what a tag says of an element, in a form a person can read (`td#total.price[itemprop=price]:2`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from scraping_ai.extraction.wrappers.layout import Layout

MAX_NAME = 200  # characters of an id, class or attribute
MAX_CLASSES = 4
MAX_PLACE = 200
KEYS = ("itemprop", "property", "name", "rel", "data-testid", "data-test", "data-qa", "data-hook", "role")

_TOKEN = re.compile(r"([#.]|\[[a-zA-Z_][\w.-]{0,40}=|:|\A)((?:[^\\#.\[\]:\s]|\\.)+)\]?", re.S)
_SPECIAL = re.compile(r"([\\#.\[\]:\s])")


@dataclass(frozen=True, slots=True)
class Step:
    """What one element must be. `nth` counts from 1 among siblings of the tag, 0 means any."""

    tag: str
    id: str = ""
    classes: tuple[str, ...] = ()
    attribute: tuple[str, str] | None = None
    nth: int = 0

    def matches(self, node: etree._Element) -> bool:
        return self._is(node) and (not self.nth or place_of(node, self.nth) == self.nth)

    def _is(self, node: etree._Element) -> bool:
        """As `matches`, wherever among its siblings the element stands."""
        if node.tag != self.tag or (self.id and node.get("id") != self.id):
            return False
        if self.attribute and node.get(self.attribute[0]) != self.attribute[1]:
            return False
        return not self.classes or set(self.classes).issubset((node.get("class") or "").split())

    def among(self, layout: Layout) -> list[etree._Element]:
        """The elements of a page that match, in document order."""
        if self not in layout.matched:
            token = "#" + self.id if self.id else "." + self.classes[0] if self.classes else self.tag
            layout.matched[self] = [node for node in layout.tokens.get(token, ()) if self.matches(node)]
        return layout.matched[self]

    def extents(self, layout: Layout) -> list[tuple[int, int]]:
        """What lies below the elements that match, as ranges of `Layout.order`, those inside others left out."""
        if self not in layout.extents:
            found: list[tuple[int, int]] = []
            for node in self.among(layout):
                place = layout.order[node]
                if not found or place >= found[-1][1]:
                    found.append((place + 1, layout.end(node)))
            layout.extents[self] = found
        return layout.extents[self]

    def children(self, node: etree._Element) -> list[etree._Element]:
        """The children of an element that match."""
        if not self.nth:
            return [child for child in node.iterchildren(self.tag) if self.matches(child)]
        child = next(islice(node.iterchildren(self.tag), self.nth - 1, None), None)
        return [child] if child is not None and self._is(child) else []

    def __str__(self) -> str:
        parts = [_escaped(self.tag), *(["#" + _escaped(self.id)] if self.id else ())]
        parts += ["." + _escaped(name) for name in self.classes]
        if self.attribute:
            parts.append(f"[{self.attribute[0]}={_escaped(self.attribute[1])}]")
        return "".join(parts) + (f":{self.nth}" if self.nth else "")


def parse_step(text: str) -> Step:
    """The step that a text writes. Raises ValueError."""
    found: dict[str, object] = {}
    classes: list[str] = []
    end = 0
    for match in _TOKEN.finditer(text[: 10 * MAX_NAME]):
        if match.start() != end:
            break
        end, mark, name = match.end(), match[1], re.sub(r"\\(.)", r"\1", match[2], flags=re.S)
        if mark == ".":
            classes.append(name)
        elif mark.startswith("["):
            found["attribute"] = (mark[1:-1], name)
        else:
            found[{"": "tag", "#": "id", ":": "nth"}[mark]] = name
    nth, tag = str(found.get("nth", "0")), str(found.get("tag", ""))
    if (
        end != len(text)
        or not tag[:1].isalpha()
        or not nth.isdecimal()
        or not int(nth[:9]) <= MAX_PLACE
        or len(classes) > MAX_CLASSES
    ):
        raise ValueError(f'{text[:80]!r} is no step; write one like "td#total.price:2"')
    return Step(**{**found, "nth": int(nth), "classes": tuple(classes)})  # type: ignore[arg-type]


def _escaped(name: str) -> str:
    return _SPECIAL.sub(r"\\\1", name)


def place_of(node: etree._Element, most: int = MAX_PLACE) -> int:
    """Which of its parent's children of the same tag an element is, from 1; counting stops past `most`."""
    before = zip(node.itersiblings(str(node.tag), preceding=True), range(most), strict=False)
    return sum(1 for _ in before) + 1


def positional(node: etree._Element) -> Step:
    """The step that tells an element from its siblings by place."""
    return Step(str(node.tag), nth=min(place_of(node), MAX_PLACE))


def named(node: etree._Element) -> list[Step]:
    """Steps that tell an element by what it is called, the most telling first; none for one without names."""
    tag, found = str(node.tag), []
    if (name := node.get("id")) and len(name) <= MAX_NAME and name.strip() == name:
        found.append(Step(tag, id=name))
    for key in KEYS:
        if (value := node.get(key)) and len(value) <= MAX_NAME:
            found.append(Step(tag, attribute=(key, value)))
            break
    classes = [name for name in (node.get("class") or "").split() if len(name) <= MAX_NAME][:MAX_CLASSES]
    if classes:
        found.append(Step(tag, classes=tuple(classes)))
    if len(classes) > 1:
        found += [Step(tag, classes=(name,)) for name in classes]
    return found
