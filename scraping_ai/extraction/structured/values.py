"""Which values of an entity answer a field: by the paths of its concept, by its own name, in parts of the thing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from scraping_ai.extraction.concepts import base, concept_of, fold, named
from scraping_ai.extraction.structured.entity import MAX_NESTING, Entity, Leaf, local_name
from scraping_ai.extraction.vocabulary import CONCEPTS
from scraping_ai.schema import FieldSchema

MAX_WALK = 100  # nested things in which a field's name is looked for, besides a thing's own
# Properties that tell what kind a value is of, where its type does not.
_KINDS = ("interactionType", "priceType", "unitCode", "unitText")
# Parts of a thing whose properties are its own.
_PARTS = frozenset("nutrition offers aggregateRating location hasCourseInstance vehicleEngine baseSalary".split())
_READS = {
    "url": ("url", "contentUrl", "image", "src", "thumbnailUrl"),
    "lines": ("text", "name"),
    "address": ("streetAddress",),
}
_READ = ("name", "text", "@value", "value", "headline", "ratingValue", "telephone", "url")
_VALUED = frozenset(("PropertyValue", "QuantitativeValue", "MonetaryAmount"))  # their name is another thing's
_LINKS = ("url", "sameAs", "contentUrl", "embedUrl")
_LINK_NAMES = ("url", "link", "website")
# The properties that the paths of a concept start with.
_ROOTS = {concept.name: frozenset(path.split(".")[0] for path in concept.properties) for concept in CONCEPTS}
_ADDRESS = re.compile(r"(?:https?://|/)\S+\Z")
# "https://schema.org/UsedCondition" is "Used".
_ENUMERATED = re.compile(r"https?://schema\.org/(\w+?)(?:Condition)?\Z")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)")
_ANY_DATE = frozenset(("date", "datum", "fecha", "data", "дата", "日付", "日期", "날짜"))


def values(entity: Entity, field: FieldSchema) -> Iterator[Leaf | Entity]:
    """Values of the first property that answers the field, then of the others."""
    concept, wanted = concept_of(field), base(fold(field.name))
    if entity.syntax == "meta":
        yield from (leaf for name in (concept.metas if concept else ()) for leaf in entity.properties.get(name, ()))
        return
    names = concept.properties if concept else ()
    if field.type in ("object", "array"):
        roots = dict.fromkeys(name.split(".")[0] for name in names)
        names = (*(root for root in roots if f" {base(fold(root))}".endswith(f" {wanted}")), *names)
    elif concept is not None and concept.name == "publish_date" and fold(field.name) in _ANY_DATE:
        names = ("startDate", *names)  # of an event, the day it is on
    yield from _of_part(entity, field)
    for name in names:
        yield from follow(entity, name.split("."))
    own = (name for name in entity.properties if base(fold(name)) == wanted and name not in names)
    for name in sorted(own, key=lambda name: name != field.name):
        yield from entity.properties[name]
    yield from _additional(entity, field, wanted)


def follow(entity: Entity, steps: list[str]) -> Iterator[Leaf | Entity]:
    """The values at the end of a path. A step `Type:name` is one of things of that type only, `Type:` such a thing."""
    kind, _, name = steps[0].rpartition(":")
    if kind and not _is_a(entity, kind):
        return
    if not name:
        yield entity
    found = entity.properties.get(name, ())
    if len(steps) == 1:
        yield from found
        return
    things = [value for value in found if isinstance(value, Entity)]
    for thing in things[:1] if name == "offers" else things:  # all that is said of an offer is of the first
        yield from follow(thing, steps[1:])


def _is_a(entity: Entity, kind: str) -> bool:
    """Whether an entity is of a type, or says so (`"interactionType": "https://schema.org/LikeAction"`)."""
    told = (v for name in _KINDS for v in entity.properties.get(name, ()))
    said = (v.types if isinstance(v, Entity) else (local_name(v.text),) for v in told)
    return any(kind in types for types in (entity.types, *said))


def _additional(entity: Entity, field: FieldSchema, wanted: str) -> Iterator[Leaf | Entity]:
    """schema.org's PropertyValue pairs, a part's property of that very name, and the address of a named thing."""
    concept = concept_of(field)
    for name, below in chain(entity.below()[::-1], islice(entity.walk(), MAX_WALK)):
        if name == "additionalProperty":
            label = below.text("name") or ""
            if base(fold(label)) == wanted or (concept is not None and named(label) is concept):
                yield from below.properties.get("value", ())
        elif name in _PARTS and concept is None:
            yield from (v for key in below.properties if base(fold(key)) == wanted for v in below.properties[key])


def is_of_part(entity: Entity, field: FieldSchema) -> bool:
    """Whether a field with an owner's name (`company_url`, `job_title`) is of a part that a thing has."""
    own = fold(field.name)
    owner, _, last = own.rpartition(" ")
    if last not in ("name", "title", *_LINK_NAMES) or not owner:
        return False
    return any(fold(name) == own for name in entity.properties) or (
        (concept := named(owner)) is not None and not _ROOTS[concept.name].isdisjoint(entity.properties)
    )


def _of_part(entity: Entity, field: FieldSchema) -> Iterator[Leaf | Entity]:
    """The name or address of what a thing has: of the company that offers a job, of a restaurant's menu."""
    owner, _, last = fold(field.name).rpartition(" ")
    if not owner:
        return
    if is_of_part(entity, field):
        yield from (v for name in entity.properties if fold(name) == f"{owner} {last}" for v in entity.properties[name])
        concept = named(owner) if last == "name" else None
        for path in concept.properties if concept else ():
            yield from follow(entity, path.split("."))
    if last in _LINK_NAMES:
        yield from _links_of(entity, owner)


def _links_of(entity: Entity, owner: str) -> Iterator[Leaf]:
    """The addresses of what a thing has: of its "menu", of the "company" that offers it."""
    concept = named(owner)
    roots = _ROOTS[concept.name] if concept else frozenset()
    for name in entity.properties:
        for value in entity.properties[name] if name in roots or base(fold(name)) == base(owner) else ():
            links = [value] if isinstance(value, Leaf) else [leaf for key in _LINKS for leaf in value.leaves(key)]
            yield from (leaf for leaf in links if _ADDRESS.match(leaf.text.strip()))


def read(value: Leaf | Entity, kind: str) -> Iterator[Leaf]:
    """The texts that stand for a value: its own, or the name, text or URL of a thing."""
    if isinstance(value, Leaf):
        yield value
        return
    names = ("value", *_READ) if _VALUED.intersection(value.types) else _READS.get(kind, _READ)
    yield from (leaf for name in names for leaf in value.leaves(name))


def said(leaf: Leaf, concept: str) -> Leaf:
    """The part of a leaf's text that is meant: the word of an enumeration's address, the year of a date."""
    match = _YEAR.search(leaf.text[:100]) if concept == "year" else None
    if match is not None:
        return replace(leaf, text=match[0])
    word = _ENUMERATED.match(leaf.text) if concept != "availability" else None
    return leaf if word is None else replace(leaf, text=word[1])


def each(value: Leaf | Entity, kind: str, depth: int = 0) -> Iterator[Leaf]:
    """As `read`, one text an item: a thing that lists others (a recipe's section) gives theirs."""
    below = value.properties.get("itemListElement", ()) if isinstance(value, Entity) else ()
    if below and depth < MAX_NESTING:
        for item in below:
            yield from each(item, kind, depth + 1)
        return
    first = next(read(value, kind), None)
    if first is None and isinstance(value, Entity) and kind in ("lines", "address") and value.anchor.pointer:
        first = Leaf(json.dumps(value.data, ensure_ascii=False), value.anchor)  # opening hours are an object a line
    yield from [first] if first is not None else []


def texts(found: Iterable[Leaf | Entity], kind: str, concept: str) -> list[Leaf]:
    """The texts of values, for a scalar field."""
    return [leaf if kind == "url" else said(leaf, concept) for value in found for leaf in read(value, kind)]
