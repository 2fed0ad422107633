"""The one form that every structured syntax is read into: entities with properties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.structured.doubts import is_placeholder

MAX_NESTING = 12
# Properties whose values are not what the page, or the thing that has them, is about.
OTHER_THINGS = frozenset("isRelatedTo isSimilarTo review reviews comment isPartOf hasPart publisher author".split())


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value as it stands in the page, and where."""

    text: str
    anchor: Anchor


@dataclass(eq=False, slots=True)
class Entity:
    """A thing that the page describes. `types` are local names ("Product"); `anchor` is where it is declared."""

    types: tuple[str, ...]
    anchor: Anchor
    syntax: str  # json-ld, microdata, rdfa, state, meta
    properties: dict[str, list[Leaf | Entity]] = field(default_factory=dict)
    id: str | None = None
    data: Any = None  # the JSON it was read from

    def add(self, name: str, value: Leaf | Entity) -> None:
        """A property's value; placeholders are none."""
        if isinstance(value, Entity) or not is_placeholder(value.text):
            self.properties.setdefault(name, []).append(value)

    def leaves(self, name: str) -> list[Leaf]:
        return [v for v in self.properties.get(name, ()) if isinstance(v, Leaf)]

    def text(self, name: str) -> str | None:
        return next((leaf.text for leaf in self.leaves(name)), None)

    def walk(self) -> Iterator[tuple[str, Entity]]:
        """All entities below in page order, each once and with the name of the property that holds it; references may
        form cycles.
        """
        seen, stack = {id(self)}, self.below()
        while stack:
            name, entity = stack.pop()
            if id(entity) not in seen:
                seen.add(id(entity))
                stack += entity.below()
                yield name, entity

    def below(self) -> list[tuple[str, Entity]]:
        """The entities that are values of properties, last first."""
        found = [(name, v) for name, values in self.properties.items() for v in values if isinstance(v, Entity)]
        return found[::-1]


def walk_all(tops: Iterable[Entity]) -> Iterator[tuple[str, Entity]]:
    """All entities below some, with the names of the properties that hold them: a pair for each such property, in time
    linear in their number, where a walk from each top would go over what they share again and again.
    """
    seen: set[int] = set()
    for top in tops:
        stack = [("", top)]
        while stack:
            name, entity = stack.pop()
            if name:
                yield name, entity
            if id(entity) not in seen:
                seen.add(id(entity))
                stack += entity.below()


def local_name(name: str) -> str:
    """`https://schema.org/Product`, `schema:Product`, `Product` → `Product`."""
    return name.strip().rstrip("/#").rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]
