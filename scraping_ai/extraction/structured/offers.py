"""The offer that a product's page makes: the variant and the price on sale among all that markup lists."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from scraping_ai.extraction.normalise import words
from scraping_ai.extraction.structured.entity import Entity

MAX_VARIANTS = 500
_OF_VARIANT = (
    "offers",
    "sku",
    "mpn",
    "gtin",
    "gtin8",
    "gtin12",
    "gtin13",
    "gtin14",
    "productID",
    "color",
    "size",
    "image",
)
# https://schema.org/PriceTypeEnumeration: those that are not asked for; and prices per unit or per month.
_NOT_ASKED = frozenset("listprice strikethroughprice msrp srp minimumadvertisedprice regularprice".split())
_PER_UNIT = ("referenceQuantity", "billingDuration", "billingIncrement", "unitCode")


def settled(product: Entity, url: str) -> Entity:
    """A product as this page sells it: its chosen variant's codes and offers, the offer of this page first."""
    properties = dict(product.properties)
    variants = [v for v in properties.get("hasVariant", ())[:MAX_VARIANTS] if isinstance(v, Entity)]
    if variants:
        chosen = _chosen(variants, url, None)
        for name in (*chosen.properties, *_OF_VARIANT):
            if name not in properties or (name in _OF_VARIANT and name in chosen.properties):
                properties[name] = chosen.properties.get(name, [])
    offers = [v for v in properties.get("offers", ())[:MAX_VARIANTS] if isinstance(v, Entity)]
    if offers:
        first = _chosen(offers, url, product.text("sku"))
        ordered = [first, *(offer for offer in offers if offer is not first)]
        properties["offers"] = [_asked(offer) for offer in ordered]
    return replace(product, properties=properties)


def _chosen(things: list[Entity], url: str, sku: str | None) -> Entity:
    """The one with this page's address, else with the product's SKU, else the first in stock, else the first."""
    here = _address(url)
    tests = (
        lambda e: bool(here) and _address(e.text("url") or "") == here,
        lambda e: bool(sku) and e.text("sku") == sku,
    )
    return next((e for test in tests for e in things if test(e)), next(filter(_in_stock, things), things[0]))


def _in_stock(thing: Entity) -> bool:
    offers = [v for v in thing.properties.get("offers", ()) if isinstance(v, Entity)] or [thing]
    return any(words.availability(offer.text("availability") or "") == words.IN_STOCK for offer in offers)


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
    """An offer without the price specifications that state another price than the one asked."""
    specified = offer.properties.get("priceSpecification", [])
    asked = [s for s in specified if not (isinstance(s, Entity) and _is_other(s))]
    if len(asked) == len(specified) or not asked:
        return offer
    return replace(offer, properties={**offer.properties, "priceSpecification": asked})


def _is_other(specification: Entity) -> bool:
    kind = (specification.text("priceType") or "").rstrip("/").rsplit("/", 1)[-1].lower()
    return kind in _NOT_ASKED or any(name in specification.properties for name in _PER_UNIT)
