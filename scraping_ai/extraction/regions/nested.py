"""Whether a region may be a list that a page's record holds, though no heading of its name stands over it."""

from __future__ import annotations

from scraping_ai.extraction.normalise import kind_of
from scraping_ai.extraction.regions import SURE, Region, answered, specific
from scraping_ai.extraction.regions.item import Item
from scraping_ai.schema import FieldSchema

MOST = 0.8  # share of the items
SAMPLE = 6  # items looked at
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())


def is_own(region: Region, schema: FieldSchema) -> bool:
    """Whether a region is a list beyond doubt, and under the page's own heading or of what the fields alone name.

    Neighbouring parts of a page, each with a heading or a price in it, are none; nor is a list that another heading
    heads, unless it answers a field that not everything sold has, such as a rating's author.
    """
    if region.telling < MOST or region.coverage < SURE or any(len(run) > 1 for run in region.runs[:SAMPLE]):
        return False
    return _is_under_heading(region) or _is_named(region.items(SAMPLE), schema)


def _is_under_heading(region: Region) -> bool:
    """Whether no heading but the page's own stands before the first item."""
    view = region.page.view
    before = view.nodes[: view.order[region.runs[0][0]]]
    last = next((node for node in reversed(before) if node.tag in _HEADINGS and view.length(node) > 0), None)
    return last is None or last is view.heading


def _is_named(items: list[Item], schema: FieldSchema) -> bool:
    """Whether most items answer each of the fields that not everything sold has, of which there are some."""
    telling = [
        field for field in specific(schema).fields if kind_of(field) not in ("price", "currency", "availability")
    ]
    counts = [sum(answered(item, field) > 0 for item in items) for field in telling]
    return bool(counts) and min(counts) >= MOST * len(items)
