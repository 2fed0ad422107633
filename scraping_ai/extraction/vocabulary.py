"""The concepts that fields are matched to: their names in several languages, and where markup keeps their values.

In `vocabulary.json`, properties are schema.org's (https://schema.org/docs/full.html), best first, and a dot leads into
a nested thing; metas are names of `<meta>` and `<link>` tags: OpenGraph (https://ogp.me), Twitter cards, Dublin Core.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Concept:
    """What a field may mean. `kind` says how its text reads, see `normalise`."""

    name: str
    kind: str  # text, names, lines, price, currency, availability, date, url, duration, rating, count, code, address
    names: tuple[str, ...]
    properties: tuple[str, ...]
    metas: tuple[str, ...]
    generic: bool  # every thing has one, so it does not tell which thing is meant


def _concept(name: str, entry: dict[str, Any]) -> Concept:
    names = (name.replace("_", " "), *entry["names"])
    properties, metas = (tuple(entry.get(key, ())) for key in ("properties", "metas"))
    return Concept(name, entry["kind"], names, properties, metas, entry.get("generic", False))


_FILE = files("scraping_ai.extraction").joinpath("vocabulary.json")
CONCEPTS = tuple(_concept(name, entry) for name, entry in json.loads(_FILE.read_text("utf-8")).items())
