"""Amounts that a page shows crossed out: what was asked before, which no rule for another number may give."""

from __future__ import annotations

from scraping_ai.extraction.heuristic.price import is_crossed
from scraping_ai.extraction.wrappers.layout import Layout
from scraping_ai.extraction.wrappers.rules import Spot

MAX_CHUNKS = 40  # of one element that are looked at


def is_spot_crossed(layout: Layout, spot: Spot) -> bool:
    """Whether a text as a whole is shown crossed out."""
    return is_crossed(layout.view, spot.anchor.node)


def uncrossed(layout: Layout, spot: Spot) -> Spot | None:
    """What is left of a text without what is crossed out; None when that is nothing, or several texts with digits."""
    if spot.anchor.attribute:
        return spot
    if is_spot_crossed(layout, spot):
        return None
    start, end = layout.span(spot.anchor.node)
    pieces = [spot.text]
    for chunk in layout.chunks[start : min(end, start + MAX_CHUNKS)]:
        if any(c.isdecimal() for c in chunk.text) and is_crossed(layout.view, chunk.holder):
            pieces = [part for piece in pieces for part in piece.split(chunk.text, 1)]
    if len(pieces) == 1:
        return spot
    left = [piece.strip() for piece in pieces if any(c.isdecimal() for c in piece)]
    return Spot(left[0], spot.anchor) if len(left) == 1 else None
