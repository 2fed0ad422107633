"""Durations in minutes: ISO 8601 ("PT1H30M"), and as people write them ("1 hr 20 min", "1½ Stunden", 約30分)."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from scraping_ai.extraction.normalise import fractions, tokens

MAX_TEXT = 200  # characters
MINUTES = {
    "week": 7 * 24 * 60.0,
    "day": 24 * 60.0,
    "hour": 60.0,
    "minute": 1.0,
    "second": 1 / 60,
}  # in the order of ISO 8601

_WORDS: dict[str, list[str]] = json.loads(
    files("scraping_ai.extraction.normalise").joinpath("durations.json").read_text("utf-8")
)
_UNIT_OF = {word: unit for unit, words in _WORDS.items() for word in words}
_LONGEST_FIRST = sorted(_UNIT_OF, key=len, reverse=True)
_SPACED, _CLOSE = (
    "|".join(re.escape(w) for w in _LONGEST_FIRST if (w < "\u2e80") is is_spaced) for is_spaced in (True, False)
)
# The end of a word, or where the text of the next element follows at once: "10 minutesCook Time".
_END = r"(?:(?![^\W\d])|(?-i:(?<=[a-z]{2})(?=[A-Z][a-z])))"
_UNITS = rf"(?:{_SPACED}){_END}|{_CLOSE}"
_AMOUNT = r"(?:(?P<whole>\d{1,3})\s+)?(?P<above>\d)\s?[/\u2044]\s?(?P<below>\d)|(?P<amount>\d{1,5}(?:[.,]\d{1,2})?)"
_PART = re.compile(rf"(?<![\d.,/])(?<!\d['\u2019\u00b7_\u066b\u066c])(?:{_AMOUNT})\s*(?P<unit>{_UNITS})", re.I)
_BARE_MINUTES = re.compile(r"\s?(\d{2})(?![\d.,]|\s?[^\W\d])")  # behind an hour: "1h30"
_BARE = re.compile(r"\d{1,6}(?:\.\d+)?\Z")
_BETWEEN = re.compile(r"(?:[\s,.]|and|und|et|y|e)*", re.I)  # the parts of one duration
_AGAIN = re.compile(rf"(?:\s*(?:{_UNITS}))*", re.I)  # units written out for screen readers: "10 minutes mins"
_NUMBER = r"(\d{1,9}(?:[.,]\d{1,9})?)"
_ISO = re.compile(
    rf"[-+]?P(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?\Z",
    re.I,
)


def minutes(text: str) -> float | None:
    """Minutes that a text stands for; a bare number is minutes already."""
    text = tokens.compatible(fractions.spaced(text[:MAX_TEXT])).strip().replace(tokens.DECIMAL, ".")
    if (match := _ISO.match(text)) and any(match.groups()):
        parts = [_decimal(part) if part else 0.0 for part in match.groups()]
        return sum(part * unit for part, unit in zip(parts, MINUTES.values(), strict=True))
    found = [_minutes(m, text) for m in _PART.finditer(text) if m["unit"].casefold() in _UNIT_OF]
    if found:
        return sum(found)
    return float(text) if _BARE.match(text) else None


def spans(text: str) -> list[tuple[int, int]]:
    """Where the durations of a text stand, each from its first amount to its last unit: "1 hour 20 min" is one."""
    found: list[tuple[int, int]] = []
    for match in _PART.finditer(text):
        behind = _BARE_MINUTES.match(text, match.end()) or _AGAIN.match(text, match.end())
        start, end = match.start(), behind.end() if behind else match.end()
        if found and _BETWEEN.fullmatch(text, found[-1][1], start):
            start = found.pop()[0]
        found.append((start, end))
    return found


def is_all(text: str) -> bool:
    """Whether a text is a duration and nothing else."""
    return spans(text) == [(0, len(text))]


def _minutes(match: re.Match[str], text: str) -> float:
    unit = _UNIT_OF[match["unit"].casefold()]
    if match["amount"]:
        amount = _decimal(match["amount"])
    else:
        amount = int(match["whole"] or 0) + int(match["above"]) / max(1, int(match["below"]))
    behind = _BARE_MINUTES.match(text, match.end()) if unit == "hour" else None
    return amount * MINUTES[unit] + (int(behind[1]) if behind else 0)


def _decimal(text: str) -> float:
    return float(text.replace(",", "."))
