"""Texts that say that there is no value: "—", "n/a"."""

from __future__ import annotations

import json
from importlib.resources import files

MAX_PLACEHOLDER = 30  # characters

_WORDS = frozenset(
    json.loads(files("scraping_ai.extraction.normalise").joinpath("placeholders.json").read_text("utf-8"))
)
_MARKS = frozenset("-‐‑‒–—―−.…?_/~－ー〜")


def is_placeholder(text: str) -> bool:
    """Whether a text stands where a table or list has no value."""
    if len(text) > MAX_PLACEHOLDER:
        return False
    bare = "".join(text.split()).casefold()
    return all(c in _MARKS for c in bare) or bare.strip(".()[]") in _WORDS
