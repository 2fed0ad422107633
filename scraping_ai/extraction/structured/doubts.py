"""Values of markup that say nothing: what a template left unfilled, stand-ins for no value, zeros and the epoch."""

from __future__ import annotations

import json
import re
from importlib.resources import files

MAX_PLACEHOLDER = 100  # characters; a longer text is prose, which may speak of templates
LEAST = 0.3  # confidence of a price of nothing: it may be free, when nothing visible says otherwise
_STAND_INS = frozenset(
    json.loads(files("scraping_ai.extraction.structured").joinpath("stand_ins.json").read_text("utf-8"))
)
# Slots of Mustache, Jinja, ERB, JavaScript and their like, with nothing but punctuation around them.
_SLOT = re.compile(
    r"\W*(?:\{\{.*\}\}|\{%.*%\}|[$#]\{.*\}|<[%?].*[%?]>|%[A-Z][A-Z_.]*%|\[\[.*\]\]|\{[A-Za-z_.]+\}|\[object \w+\])\W*",
    re.S,
)
_SAYS = re.compile(r"[^-\u2010-\u2015_?.*\s]")
_EPOCH = re.compile(r"(?:1970-0?1-0?1|1969-12-31|000[01]-)")
_AMOUNT = re.compile(r"([-\u2212]?)\W*([\d.,\s]+)")


def is_placeholder(text: str) -> bool:
    """Whether a text stands where a value was to be."""
    if len(text) > MAX_PLACEHOLDER:
        return False
    text = text.strip()
    return text.casefold() in _STAND_INS or not _SAYS.search(text) or _SLOT.fullmatch(text) is not None


def confidence(concept: str, text: str, usual: float) -> float:
    """How sure a text of markup is for a concept: 0 for what cannot be, little for what is seldom meant."""
    if concept in ("publish_date", "modified_date"):
        return 0.0 if _EPOCH.match(text.strip()) else usual
    match = _AMOUNT.search(text) if concept in ("price", "rating") else None
    if match is None:
        return usual
    if match[1] and concept == "price" and text.strip()[:1] == match[1]:
        return 0.0
    is_zero = not match[2].strip(" .,0\t\n\xa0") and "0" in match[2]
    return usual if not is_zero else LEAST if concept == "price" else 0.0
