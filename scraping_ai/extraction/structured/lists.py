"""The things of a page that structured data lists: members of an ItemList, or several things of one type."""

from __future__ import annotations

from dataclasses import replace

from scraping_ai.extraction.structured import select
from scraping_ai.extraction.structured.entity import Entity, Leaf
from scraping_ai.schema import FieldSchema

_LISTS = frozenset(("ItemList", "OfferCatalog", "Collection", "DataFeed"))  # not BreadcrumbList: that is the way here
_MEMBERS = ("itemListElement", "dataFeedElement")


def listed(schema: FieldSchema, entities: list[Entity]) -> list[Entity]:
    """The entities that a schema for many records asks for, in page order: the group that answers most of it."""
    things = select.things(entities)
    groups: dict[tuple[str, ...], list[tuple[Entity, float]]] = {}
    for entity in things:
        if (fit := select.fit(schema, entity)) > 0:
            groups.setdefault((entity.syntax, *entity.types), []).append((entity, fit))
    lists = [[(e, select.fit(schema, e, aside=False)) for e in _members(t)] for t in things if _LISTS & set(t.types)]
    best = max([*lists, *groups.values()], key=lambda group: sum(fit for _, fit in group), default=[])
    return [entity for entity, fit in best if fit > 0]


def _members(collection: Entity) -> list[Entity]:
    members = (v for name in _MEMBERS for v in collection.properties.get(name, ()))
    return [_unwrapped(member) for member in members if isinstance(member, Entity)]


def _unwrapped(member: Entity) -> Entity:
    """The thing that a ListItem holds, with its URL where only `@id`, or the ListItem, names it."""
    values = member.properties.get("item", [])
    thing = next((v for v in values if isinstance(v, Entity)), member)
    if "url" in thing.properties:
        return thing
    links = member.leaves("url") or member.leaves("item") or _id_of(thing)
    return replace(thing, properties={**thing.properties, "url": list(links)}) if links else thing


def _id_of(thing: Entity) -> list[Leaf]:
    if thing.id is None or thing.anchor.pointer is None:
        return []
    return [Leaf(thing.id, replace(thing.anchor, pointer=f"{thing.anchor.pointer}/@id"))]
