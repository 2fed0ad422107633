"""Units that a field's name ends in (`weight_kg`, `price_usd`), and those behind the numbers of a text."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib.resources import files
from typing import Any

MAX_TEXT = 500  # characters

_DATA: dict[str, Any] = json.loads(files("scraping_ai.extraction").joinpath("units.json").read_text("utf-8"))
_BY_NAME = {name: unit for unit, names in _DATA["names"].items() for name in names}
_OF_FIELD = {name: unit for unit, names in _DATA["of_fields"].items() for name in names}  # in labels other words
_UNMEASURED = frozenset(_DATA["unmeasured"])  # what a letter behind tells apart: `size_l`, `price_m`
_BY_WORD: dict[str, str] = {word: unit for unit, words in _DATA["words"].items() for word in words}
SMALLER: dict[str, str] = _DATA["smaller"]  # what the rest of a value is counted in: "1 lb 4 oz"
TIMES = frozenset(("week", "day", "hour", "minute", "second"))
_LONGEST_FIRST = sorted(_BY_WORD, key=len, reverse=True)
_WORDS = "|".join(
    rf"{re.escape(w)}(?!\w)" if w[-1].isalpha() and w < "\u2e80" else re.escape(w) for w in _LONGEST_FIRST
)
_SAID = re.compile(rf"(?<![\w.,])[-+\u2212]?\d[\d.,]*(?:\s\d{{3}}(?!\d))*[\s-]?(?P<unit>{_WORDS})", re.I)
_STATED = re.compile(rf"[(\[]\s?(?:in\s)?(?P<unit>{_WORDS})\s?[)\]]", re.I)
_TAILS = sorted([*_BY_NAME, *_DATA["currencies"]], key=len, reverse=True)
_TAIL = re.compile(rf"(?<=\w) (?P<unit>{'|'.join(_TAILS)})\Z")
_FIELD_TAIL = re.compile(rf"(?<=\w) (?P<unit>{'|'.join(sorted(_OF_FIELD, key=len, reverse=True))})\Z")


def without(name: str) -> str:
    """A folded name without the unit or currency behind it: `weight kg` is `weight`."""
    return _TAIL.sub("", name)


def without_any(name: str) -> str:
    """A field's folded name without its unit, also one that a label's last word is seldom: `weight g` is `weight`."""
    tail = _field_tail(name)
    return name[: tail.start()] if tail else without(name)


def of_name(name: str) -> str | None:
    """The unit that a field's folded name ends in, None for none."""
    if tail := _TAIL.search(name):
        return _BY_NAME.get(tail["unit"])
    tail = _field_tail(name)
    return _OF_FIELD[tail["unit"]] if tail else None


def _field_tail(name: str) -> re.Match[str] | None:
    tail = _FIELD_TAIL.search(name)
    return tail if tail and name[: tail.start()].split()[-1] not in _UNMEASURED else None


def currency_of(name: str) -> str | None:
    """The ISO 4217 code that a folded name ends in, None for none."""
    tail = _TAIL.search(name)
    return tail["unit"].upper() if tail and tail["unit"] not in _BY_NAME else None


def of_label(label: str) -> str | None:
    """The unit that a label states for its value, None for none: "Weight (lb)"."""
    stated = _STATED.search(label)
    return _BY_WORD[stated["unit"].casefold()] if stated else None


def said(text: str) -> list[tuple[int, int, str]]:
    """The numbers of a text that have units: where each starts, where its unit ends, and the unit."""
    return list(_said(text[:MAX_TEXT]))


@lru_cache(maxsize=1024)
def _said(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((m.start(), m.end(), _BY_WORD[m["unit"].casefold()]) for m in _SAID.finditer(text))


def is_other(name: str, text: str) -> bool:
    """Whether a text has units, but not the one that a folded name ends in: 500 g for `weight kg`."""
    unit = of_name(name)
    found = {one for _, _, one in said(text)} if unit else set()
    return bool(found) and unit not in found
