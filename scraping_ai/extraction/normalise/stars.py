"""Ratings drawn with stars: "★★★★☆" is 4."""

from __future__ import annotations

import re

MOST = 10
_RUN = re.compile(r"[★⭐☆✩✰½⯪⯨]{2,40}")
_ONLY_COUNT = re.compile(r"\(\s*[\d.,]+\s*\)\Z")
_FULL, _HALF = "★⭐", "½⯪⯨"


def drawn(text: str) -> float | None:
    """How many stars of the one row of them in a text are full; None when there is none, or more than one."""
    runs = _RUN.findall(text[:200])
    if len(runs) != 1:
        return None
    full, half = (sum(runs[0].count(glyph) for glyph in glyphs) for glyphs in (_FULL, _HALF))
    return full + half / 2 if full + half > 0 and len(runs[0]) <= MOST else None


def has_row(text: str) -> bool:
    """Whether stars are drawn in a text, so that a number in it is that of the votes."""
    return _RUN.search(text[:200]) is not None


def is_count(text: str) -> bool:
    """Whether a text is "(12)": how many rated, not how."""
    return _ONLY_COUNT.match(text.strip()) is not None
