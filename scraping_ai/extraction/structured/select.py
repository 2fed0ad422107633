"""From entities to fields: which of a page's things the schema asks for, and which property answers which field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from scraping_ai.extraction import pieces, units
from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import base, concept_of, fold
from scraping_ai.extraction.document import Anchor, Document, absolute, string_value
from scraping_ai.extraction.normalise import kind_of, numbers
from scraping_ai.extraction.paths import item_of
from scraping_ai.extraction.structured import aboutness, doubts, offers, values
from scraping_ai.extraction.structured.entity import OTHER_THINGS, Entity, Leaf, walk_all
from scraping_ai.extraction.structured.offers import Shown
from scraping_ai.schema import FieldSchema

# Things that pages have besides what they are about.
_ASIDE = frozenset(
    "WebPage WebSite Organization Corporation Person BreadcrumbList ListItem ImageObject VideoObject ItemList "
    "CollectionPage SiteNavigationElement WPHeader WPFooter WPSideBar SearchAction Comment Review Rating "
    "AggregateRating Offer AggregateOffer PostalAddress Brand QuantitativeValue PropertyValue Question Answer FAQPage "
    "ItemPage AboutPage Blog ProfilePage HowToStep NutritionInformation ReadAction EntryPoint Thing Breadcrumb Place "
    "LocalBusiness ImageGallery".split()
)
# Things that no page is about as a whole.
_PARTS = frozenset("Breadcrumb BreadcrumbList ListItem SiteNavigationElement SearchAction Comment Answer".split())
# Who and what a page is published by, and the fields (folded) that tell that it is asked for.
_PUBLISHERS = frozenset("Organization Corporation WebSite OnlineStore OnlineBusiness".split())
_OF_PUBLISHER = frozenset(
    "telephone phone phone number fax email address street address logo founder employee organization company".split()
)
PAGES = ("Article", "Posting", "Page", "CreativeWork")  # endings of types that stand for the page itself
_MEDIA = frozenset(("VideoObject", "ImageObject", "AudioObject"))  # put into pages that are often older or newer
OF_MEDIA = 0.6  # confidence of their dates
_CONFIDENCE = {"json-ld": 0.95, "microdata": 0.9, "rdfa": 0.88, "state": 0.78, "meta": 0.75}
OF_FIRM = 0.6  # confidence of an author that is an organization: a clear byline names who wrote it
LISTED = 3  # alike things of a page that is a list of them
MAX_HEADINGS = 5
MAX_RIVALS = 1_000
MAX_TRIED = 10  # things alike among which the page's is looked for
_CURRENCY = FieldSchema("currency", "string")


def main_entity(schema: FieldSchema, entities: list[Entity], shown: Shown) -> Entity | None:
    """The entity that answers most of an object schema's fields; None when none is about what it asks for."""
    document = shown.document
    title = fold(document.title)
    whole = [e for e in things(entities) if not _PARTS.intersection(e.types) and not _is_of_visitor(e, title)]
    variants = {id(variant) for e in whole for variant in e.properties.get("hasVariant", ())}
    whole = [_with_variant(e, shown) for e in whole if id(e) not in variants]
    scored = [(fit(schema, e, title), -index, e) for index, e in enumerate(whole)]
    score, _, best = max(scored, key=lambda s: s[:2], default=(0.0, 0, None))
    if best is None or score <= 0 or (_PUBLISHERS.issuperset(best.types) and not _asks_of_publisher(schema)):
        return None
    rivals = [e for other, _, e in scored if other == score and e.types == best.types]
    if len(rivals) >= LISTED and not _is_any_named(rivals, document):
        return None  # a list: none of its things is what the page is about
    if not is_aside(best) and aboutness.is_another(best, document):
        alike = sorted((s for s in scored if s[0] > 0 and s[2].types == best.types), key=lambda s: s[:2], reverse=True)
        own = (e for *_, e in alike[1:MAX_TRIED] if not aboutness.is_another(e, document))
        if (best := next(own, None)) is None:
            return None
    return offers.settled(_held(best, entities), shown)


def _held(thing: Entity, entities: list[Entity]) -> Entity:
    """A thing with the offer that names it as its item and what the listing of it says, a listing with what its main
    thing says.
    """
    properties = dict(thing.properties)
    if _is_listing(thing):
        inner = next((v for v in properties.get("mainEntity", ()) if isinstance(v, Entity)), thing)
        return replace(thing, properties={**inner.properties, **properties})
    for holder in dict.fromkeys((*entities, *(below for _, below in walk_all(entities)))):
        if "offers" not in properties and _holds(holder, "itemOffered", thing):
            properties["offers"] = [holder]
        elif _is_listing(holder) and _holds(holder, "mainEntity", thing):
            properties = {**holder.properties, **properties}
    return replace(thing, properties=properties)


def _is_listing(entity: Entity) -> bool:
    return any(kind.endswith("Listing") for kind in entity.types)


def _holds(holder: Entity, name: str, thing: Entity) -> bool:
    return any(isinstance(v, Entity) and v.anchor == thing.anchor for v in holder.properties.get(name, ()))


def _is_of_visitor(entity: Entity, title: str) -> bool:
    """Whether an entity is a review that the page's title does not name: not the page, but something said there."""
    name = fold((entity.text("name") or entity.text("headline") or "")[:200])
    return "Review" in entity.types and not (name and name in title)


def _asks_of_publisher(schema: FieldSchema) -> bool:
    """Whether a schema has a field that only a site's or its owner's entity is likely to answer."""
    return any(base(fold(field.name)) in _OF_PUBLISHER for field in schema.fields)


def _with_variant(entity: Entity, shown: Shown) -> Entity:
    return offers.settled(entity, shown) if "hasVariant" in entity.properties else entity


def _is_any_named(rivals: list[Entity], document: Document) -> bool:
    """Whether the page's title, a heading or its address names one of some things."""
    headings = (string_value(node)[:500] for node in islice(document.root.iter("h1"), MAX_HEADINGS))
    shown = [fold(document.title[:500]), *map(fold, headings)]
    for entity in rivals[:MAX_RIVALS]:
        name = fold((entity.text("name") or entity.text("headline") or "")[:200])
        link = entity.text("url") or entity.id or ""
        if name and any(name in text for text in shown):
            return True
        if link and document.url and absolute(document.url, link) == document.url:
            return True
    return False


def things(entities: list[Entity]) -> list[Entity]:
    """Top-level entities, then those below them that are not plainly about something else."""
    return list(dict.fromkeys([*entities, *(e for name, e in walk_all(entities) if name not in OTHER_THINGS)]))


def is_aside(entity: Entity) -> bool:
    """Whether an entity is one of those that pages have besides what they are about."""
    return not entity.types or all(t in _ASIDE for t in entity.types)


def is_page(entity: Entity) -> bool:
    """Whether an entity is a page or article, rather than the thing that a page is about."""
    return any(kind.endswith(PAGES) for kind in entity.types)


def fit(schema: FieldSchema, entity: Entity, title: str = "", aside: bool | None = None) -> float:
    """How well an entity answers an object schema. `title` is the page's, folded; `aside` tells of a thing that is not
    what the page is about, by its types when not given.
    """
    if aside is None:
        aside = is_aside(entity)
    total = 0.0
    for field in schema.fields:
        concept = concept_of(field)
        generic = concept is not None and concept.generic
        if next(values.values(entity, field), None) is not None:
            total += 0.3 * (not aside) if generic else 1.0
    name = fold((entity.text("name") or entity.text("headline") or "")[:200])
    return total * (0.5 if aside else 1.0) + (0.4 if total and name and name in title else 0.0)


def candidates(entity: Entity, field: FieldSchema) -> Iterator[Candidate]:
    """What an entity says about a scalar field, best first; of `price_usd` nothing where its currency is another."""
    if _is_in_other_currency(entity, field):
        return
    kind = kind_of(field)
    confidence = OF_MEDIA if kind == "date" and _MEDIA.intersection(entity.types) else _CONFIDENCE[entity.syntax]
    concept = concept_of(field)
    name = concept.name if concept else ""
    firms = _firms(entity) if name == "author" and is_page(entity) else frozenset()
    if field.type == "string" and kind in ("names", "lines", "address") and not firms:
        yield from _whole(entity, field, kind, confidence)
    leaves = values.texts(values.values(entity, field), kind, name)
    for leaf in sorted(leaves, key=lambda leaf: fold(leaf.text) in firms):
        sure = min(confidence, OF_FIRM) if fold(leaf.text) in firms else confidence
        if sure := doubts.confidence(name, leaf.text, sure):
            yield Candidate(leaf.text, leaf.anchor, sure)


def _is_in_other_currency(entity: Entity, field: FieldSchema) -> bool:
    wanted = units.currency_of(fold(field.name))
    found = values.values(entity, _CURRENCY) if wanted else ()
    said = next((leaf.text for value in found for leaf in values.read(value, "currency")), "")
    return numbers.currency(said) not in (None, wanted)


def _firms(entity: Entity) -> frozenset[str]:
    """The names (folded) of those of a thing's authors that are no persons, or its publisher."""
    makers = [v for name in ("author", "creator") for v in entity.properties.get(name, ())]
    owners = [v for name in ("publisher", "sourceOrganization") for v in entity.properties.get(name, ())]
    firms = [*owners, *(v for v in makers if isinstance(v, Entity) and any(map(_is_firm, v.types)))]
    return _named(firms) & _named(makers)


def _named(found: Iterable[Leaf | Entity]) -> frozenset[str]:
    return frozenset(fold(leaf.text) for value in found for leaf in islice(values.read(value, "names"), 1))


def _is_firm(kind: str) -> bool:
    return kind.endswith("Organization") or kind in _PUBLISHERS


def items(entity: Entity, field: FieldSchema) -> list[Entity] | list[Candidate]:
    """What an entity says about an array field: things for objects, candidates for scalars."""
    item = item_of(field)
    if item is None:
        return []
    whole = list(values.values(entity, field))
    if item.type == "object":
        return [v for v in whole if isinstance(v, Entity)]
    kind, concept = kind_of(item), concept_of(item)
    leaves = [leaf for value in whole for leaf in values.each(value, kind)]
    found = [Candidate(leaf.text, leaf.anchor, _CONFIDENCE[entity.syntax]) for leaf in leaves]
    if kind == "lines":
        return pieces.of_lines(found)
    return list(pieces.of_enumeration(found)) if concept is not None and concept.name == "keywords" else found


def breadcrumbs(entities: list[Entity]) -> list[Candidate]:
    """The names of a page's first BreadcrumbList, from its start to the page."""
    everything = chain(entities, (below for _, below in walk_all(entities)))
    trail = next((e for e in everything if "BreadcrumbList" in e.types), None)
    steps = [v for v in trail.properties.get("itemListElement", ()) if isinstance(v, Entity)] if trail else []
    below = ((step, thing) for step in steps for thing in (step, *(e for _, e in islice(step.walk(), values.MAX_WALK))))
    named = [(step, thing) for step, thing in below if thing.leaves("name")]
    found = {id(step): (thing.leaves("name")[0], thing.syntax) for step, thing in reversed(named)}
    return [Candidate(leaf.text, leaf.anchor, _CONFIDENCE[syntax]) for leaf, syntax in reversed(found.values())]


def part(entity: Entity, field: FieldSchema) -> Entity | Leaf | None:
    """The thing that an object field asks for, or the text that stands for it (`"brand": "Acme"`)."""
    found = list(values.values(entity, field))
    return next((v for v in found if isinstance(v, Entity)), next(iter(found), None))


def _whole(entity: Entity, field: FieldSchema, kind: str, confidence: float) -> Iterator[Candidate]:
    """Several values that one string is asked of, such as authors or steps: the text that holds them all."""
    concept = concept_of(field)
    for path in concept.properties if concept else ():
        *way, name = path.split(".")
        holder = _holder(entity, way)
        if holder is None or not holder.properties.get(name):
            continue
        if holder.syntax == "json-ld":
            whole = _json_whole(holder, name, kind)
        else:
            leaves = [v for v in values.follow(entity, path.split(".")) if isinstance(v, Leaf)]
            whole = _span(leaves, apart=kind == "names")
        if whole is not None:
            yield Candidate(*whole, confidence)
            return


def _holder(entity: Entity, way: list[str]) -> Entity | None:
    holder: Entity | None = entity
    for step in way:
        values = holder.properties.get(step, ()) if holder else ()
        holder = next((v for v in values if isinstance(v, Entity)), None)
    return holder


def _json_whole(holder: Entity, name: str, kind: str) -> tuple[str, Anchor] | None:
    """A JSON array or object as it stands; `normalise` reads the strings in it."""
    data = holder.data.get(name) if isinstance(holder.data, dict) else None
    several = isinstance(data, list) and len(data) > 1
    if holder.anchor.pointer is None or not (several or (kind != "names" and isinstance(data, (list, dict)))):
        return None
    anchor = Anchor(holder.anchor.node, pointer=f"{holder.anchor.pointer}/{name}", in_text=True)
    return json.dumps(data, ensure_ascii=False), anchor


def _span(leaves: list[Leaf], apart: bool) -> tuple[str, Anchor] | None:
    """The text from the first to the last of several elements, when it holds little else; `apart`: and tells them apart
    by more than space.
    """
    nodes = [leaf.anchor.node for leaf in leaves if leaf.anchor.attribute is None]
    if len(nodes) < 2 or len(nodes) != len(leaves):
        return None
    around = set(nodes[-1].iterancestors())
    common = next((a for a in nodes[0].iterancestors() if a in around), None)
    text = string_value(common) if common is not None else ""
    start, end = text.find(leaves[0].text), text.rfind(leaves[-1].text)
    span = text[start : end + len(leaves[-1].text)]
    if (
        common is None
        or (apart and len("".join(span.split())) == len("".join("".join(leaf.text for leaf in leaves).split())))
        or not 0 <= start < end
        or len("".join(span.split())) > 1.2 * sum(len(leaf.text) for leaf in leaves)
    ):
        return None
    return span, Anchor(common)
