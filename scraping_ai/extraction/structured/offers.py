"""The offer that a product's page makes: the variant and the price on sale among all that markup lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import islice
from urllib.parse import parse_qsl, urlsplit

from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.normalise import numbers, words
from scraping_ai.extraction.structured.entity import Entity, Leaf
from scraping_ai.schema import FieldSchema

MAX_VARIANTS = 500
MAX_CHOICES = 200  # form controls of a page that are read
_CODES = ("sku", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "productID")
_OFFERED = frozenset(("price", "list_price", "currency", "availability", "sku", "mpn", "gtin"))  # concepts
_OF_VARIANT = ("offers", *_CODES, "color", "size", "image")
# https://schema.org/PriceTypeEnumeration: those that are not asked for; and prices per unit or per month.
_NOT_ASKED = frozenset("listprice strikethroughprice msrp srp minimumadvertisedprice regularprice".split())
_PER_UNIT = ("referenceQuantity", "billingDuration", "billingIncrement", "unitCode")
# What a page's form says is chosen: an option, a radio button, the hidden number of the variant that goes to the cart.
_CHOICES = (
    "//option[@selected]|//input[@checked]|//input[@type='hidden'][@name='id' or @name='sku' or @name='variant_id' or "
    "@name='variation_id']"
)


@dataclass(frozen=True)
class Shown:
    """What a page tells of the variant that it shows. `asks` says whether it shows an amount as its price."""

    document: Document
    asks: Callable[[str], bool] | None = None

    @cached_property
    def chosen(self) -> frozenset[str]:
        nodes = islice(self.document.select(_CHOICES), MAX_CHOICES)
        return frozenset(value for node in nodes if (value := (node.get("value") or "").strip()))

    def first(self, things: list[Entity], sku: str | None = None) -> Entity:
        """The one with this page's address, else with the product's SKU, else the one chosen in its form, else the one
        whose price it shows, else the first in stock, else the first.
        """
        for alike in (lambda e: _is_at(e, self.document.url), lambda e: bool(sku) and e.text("sku") == sku):
            things = list(filter(alike, things)) or things
        found = (self._form(things) or self._priced(things)) if len(things) > 1 else None
        priced = [e for e in things if next(_prices(e), None) is not None] or things
        return found or next(filter(_in_stock, priced), priced[0])

    def _form(self, things: list[Entity]) -> Entity | None:
        """The only one that the page's form has chosen."""
        found = [e for e in things if not self.chosen.isdisjoint(_names(e))]
        return found[0] if len(found) == 1 else None

    def _priced(self, things: list[Entity]) -> Entity | None:
        """The one whose price the page shows as its own, when they ask different ones; in stock before others."""
        prices = {leaf.text for e in things for leaf in _prices(e)}
        asked = {text for text in prices if self.asks is not None and self.asks(text)} if len(prices) > 1 else set()
        found = [e for e in things if any(leaf.text in asked for leaf in _prices(e))]
        return next(filter(_in_stock, found), next(iter(found), None))


def asked_of(schema: FieldSchema) -> bool:
    """Whether an object schema asks for what differs from offer to offer."""
    concepts = (concept_of(field) for field in schema.fields)
    return any(concept is not None and concept.name in _OFFERED for concept in concepts)


def settled(product: Entity, shown: Shown) -> Entity:
    """A product as this page sells it: its chosen variant's codes and offers, the offer of this page first."""
    properties = dict(product.properties)
    variants = [v for v in properties.get("hasVariant", ())[:MAX_VARIANTS] if isinstance(v, Entity)]
    if variants:
        chosen = shown.first(variants)
        for name in (*chosen.properties, *_OF_VARIANT):
            if name not in properties or (name in _OF_VARIANT and name in chosen.properties):
                properties[name] = chosen.properties.get(name, [])
    offers = [v for v in properties.get("offers", ())[:MAX_VARIANTS] if isinstance(v, Entity)]
    if offers:
        first = shown.first(offers, product.text("sku"))
        others = [offer for offer in offers if offer is not first]
        properties["offers"] = [_asked(offer) for offer in (_of_aggregate(first, shown), *others)]
    return replace(product, properties=properties)


def currency(product: Entity) -> str | None:
    """The currency of a settled product's offer."""
    holders = (product, *(v for v in product.properties.get("offers", ())[:1] if isinstance(v, Entity)))
    return next((text for holder in holders if (text := holder.text("priceCurrency"))), None)


def _of_aggregate(offer: Entity, shown: Shown) -> Entity:
    """An AggregateOffer as the one of its offers that the page makes, at its lowest price if it is no other."""
    offers = [v for v in offer.properties.get("offers", ())[:MAX_VARIANTS] if isinstance(v, Entity)]
    if not offers:
        return offer
    lowest = [o for o in offers if o.text("price") == offer.text("lowPrice") and _in_stock(o)]
    chosen = shown.first(lowest or offers)
    return replace(offer, properties={**offer.properties, **chosen.properties})


def _names(thing: Entity) -> Iterator[str]:
    """What a variant is called in forms: its codes, and the values in the query of its address."""
    for holder in (thing, *(v for v in thing.properties.get("offers", ()) if isinstance(v, Entity))):
        yield from (leaf.text for name in _CODES for leaf in holder.leaves(name))
        address = _address(holder.text("url") or "")
        yield from (value for _, value in (address[1] if address else ()))


def _prices(thing: Entity) -> Iterator[Leaf]:
    offers = [v for v in thing.properties.get("offers", ()) if isinstance(v, Entity)]
    specified = [v for v in thing.properties.get("priceSpecification", ()) if isinstance(v, Entity)]
    for holder in (thing, *offers, *specified):
        yield from (leaf for name in ("price", "lowPrice") for leaf in holder.leaves(name))


def _in_stock(thing: Entity) -> bool:
    offers = [v for v in thing.properties.get("offers", ()) if isinstance(v, Entity)] or [thing]
    return any(words.availability(offer.text("availability") or "") == words.IN_STOCK for offer in offers)


def _is_at(thing: Entity, url: str) -> bool:
    """Whether an address is a thing's: the same path, and its query among what else stands in this page's."""
    here, own = _address(url), _address(thing.text("url") or "")
    if here is None or own is None or here[0] != own[0]:
        return False
    return here == own or (bool(own[1]) and set(own[1]) <= set(here[1]))


def _address(url: str) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Path and query of an address, in which a variant's differs from its siblings'."""
    try:
        parts = urlsplit(url.strip())
        return (
            (parts.path.rstrip("/"), tuple(sorted(parse_qsl(parts.query, max_num_fields=50)))) if parts.path else None
        )
    except ValueError:
        return None


def _asked(offer: Entity) -> Entity:
    """An offer whose price specifications that state another price than the one asked stand apart."""
    specified = offer.properties.get("priceSpecification", [])
    asked = [s for s in specified if not (isinstance(s, Entity) and _is_other(s))]
    if len(asked) == len(specified):
        return offer
    now = {_amount(e) for e in (offer, *asked) if isinstance(e, Entity)} - {None}
    other = [s for s in specified if s not in asked and isinstance(s, Entity) and _amount(s) not in now]
    properties = {**offer.properties, "priceSpecification": asked or specified}
    return replace(offer, properties={**properties, "otherPrice": list[Leaf | Entity](other if now else ())})


def _amount(holder: Entity) -> Decimal | None:
    return numbers.number(holder.text("price") or "", None, "price")


def _is_other(specification: Entity) -> bool:
    kind = (specification.text("priceType") or "").rstrip("/").rsplit("/", 1)[-1].lower()
    return kind in _NOT_ASKED or any(name in specification.properties for name in _PER_UNIT)
