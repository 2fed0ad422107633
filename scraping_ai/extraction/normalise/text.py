"""Text as a person reads it: entities, tags, Unicode and whitespace."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from typing import Any

from w3lib.html import replace_tags

_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BREAK = re.compile(r"<(?:br|/p|/li|/div|p|li)\b[^<>]*>", re.I)
# The end of a sentence and the start of the next with nothing between: so reads the text of neighbouring blocks.
_JAMMED = re.compile(r"(?<=[^\W\d_]{2}[.!?])(?=[A-Z][a-z ])|(?<=[^\W\d_]\)\.)(?=[A-Z][a-z ])")
_INVISIBLE = str.maketrans("", "", "\u200b\u200c\u200d\u2060\ufeff\u00ad")
# Trimmed off: marks of direction at the ends of a text order nothing.
_ENDS = " \u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_TEXTS = ("text", "name", "headline", "caption", "@value", "itemListElement", "url")
_ADDRESS = ("streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry")
_HOURS = ("opens", "closes")
MAX_DEPTH = 12


def plain(text: str, lines: bool = False) -> str:
    """One line, or with `lines` the text's own lines; entities and tags read, NFC, whitespace folded."""
    if "&" in text:
        text = html.unescape(text)
    if "<" in text and _TAG.search(text):
        text = replace_tags(_BREAK.sub("\n", text), " ")
    text = unicodedata.normalize("NFC", text.translate(_INVISIBLE))
    if not lines:
        return " ".join(text.split()).strip(_ENDS)
    text = _JAMMED.sub("\n", text)
    return "\n".join(folded for line in text.splitlines() if (folded := " ".join(line.split()).strip(_ENDS)))


def joined(text: str, lines: bool = False) -> str | None:
    """The strings of a JSON array or object, as one text: names with commas, lines one below the other; "" if none."""
    if text[:1] not in ("[", "{"):
        return None
    try:
        parts = _strings(json.loads(text), 0)
    except (ValueError, RecursionError):
        return None
    whole = dict.fromkeys(p for part in parts if (p := plain(part, lines)))
    return ("\n" if lines else ", ").join(whole)


def _strings(value: Any, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list) and depth < MAX_DEPTH:
        return [part for item in value for part in _strings(item, depth + 1)]
    if isinstance(value, dict) and not {*_ADDRESS, *_HOURS}.isdisjoint(value):
        return _parts(value, depth + 1)
    if isinstance(value, dict) and depth < MAX_DEPTH:
        own = next((key for key in _TEXTS if value.get(key)), None)
        section = value.get("itemListElement") if own in ("name", "headline") else None
        return _strings(section or value[own], depth + 1) if own else []
    return []


def _parts(value: dict[str, Any], depth: int) -> list[str]:
    """The strings of a PostalAddress in order, the line of an OpeningHoursSpecification."""
    if _HOURS[0] not in value and _HOURS[1] not in value:
        return [part for key in _ADDRESS for part in _strings(value.get(key), depth)]
    days = ", ".join(day.rstrip("/").rsplit("/", 1)[-1] for day in _strings(value.get("dayOfWeek"), depth))
    hours = "-".join(time for key in _HOURS for time in _strings(value.get(key), depth))
    return [f"{days} {hours}".strip()]
