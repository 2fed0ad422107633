"""Texts that say that there is no value: "—", "n/a"."""

from __future__ import annotations

import json
import re
from importlib.resources import files

MAX_PLACEHOLDER = 30  # characters

_READ: dict[str, list[str]] = json.loads(
    files("scraping_ai.extraction.normalise").joinpath("placeholders.json").read_text("utf-8")
)
_WORDS = frozenset("".join(word.split()) for word in _READ["words"])
_EDGES = "|".join(re.escape(w) + r"(?!\w)" * (w[-1].isalpha() and w < "\u0e00") for w in _READ["choose"])
_CHOOSE = re.compile(rf"\W*(?:{_EDGES})", re.I)  # what a list of choices begins with
_MARKS = frozenset("-‐‑‒–—―−.…?_/~－ー〜")


def is_placeholder(text: str) -> bool:
    """Whether a text stands where a table or list has no value."""
    if len(text) > MAX_PLACEHOLDER:
        return False
    bare = "".join(text.split()).casefold()
    return all(c in _MARKS for c in bare) or bare.strip(".()[]") in _WORDS or _CHOOSE.match(text) is not None
