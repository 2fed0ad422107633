"""Amounts of money in a text: a number with a currency mark before or after it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any

from scraping_ai.extraction.normalise import tokens
from scraping_ai.extraction.normalise.magnitudes import MYRIADS, behind

CURRENCIES: dict[str, Any] = json.loads(
    files("scraping_ai.extraction.normalise").joinpath("currencies.json").read_text("utf-8")
)
CODES = frozenset(CURRENCIES["codes"])
SHARED: dict[str, dict[str, str]] = CURRENCIES["by_country_or_language"]
DEFAULTS: dict[str, str] = CURRENCIES["defaults"]
_OF_CODES = {unit: frozenset(codes.split()) for codes, units in CURRENCIES["subunits"].items() for unit in units}
CODE_OF = {symbol: code for code, symbols in CURRENCIES["symbols"].items() for symbol in symbols}

# Of texts as `tokens.plain` gives them.
NUMBER = (
    rf"{tokens.BEGINS}(?>{MYRIADS}|\d{{1,3}}(?:[.,'_ ]\d{{3}}(?!\d))+"
    rf"(?:[.,]\d{{1,2}}(?!\d)|{tokens.DECIMAL}\d{{1,3}}(?!\d))?|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}(?!\d)(?:\.\d{{1,2}})?|\d+(?:[.,{tokens.DECIMAL}]\d{{1,3}}(?!\d))?){tokens.GOES_ON}"
    r"(?:[.,][-–—]{1,2})?"
)
_NUMBER = re.compile(NUMBER)
_DIGITS = re.compile(r"\d+")
_RANGE = re.compile(r"\s?[-–—~]\s?")
_NEXT_NUMBER = re.compile(r"\s?\d")
_BETWEEN = frozenset("€£")  # marks that may stand where the decimal point would: "35€ 99"
_CENTS = re.compile(r"\s?\d{2}(?![\d.,]|\s?(?:[^\W\d]{1,2}(?!\w)|%))")
_SUBUNITS = "|".join(sorted(_OF_CODES, key=len, reverse=True))
_REST = re.compile(rf",?\s{{0,3}}(?:(?:and|und|et|y|e|и|i)\s)?(?P<cents>\d{{1,2}})\s?(?P<unit>{_SUBUNITS})(?!\w)", re.I)
MAX_REMEMBERED = 200  # characters
MAX_GAP = 40  # characters of whitespace between a number and its mark

_ALL = frozenset((*CODE_OF, *SHARED, *DEFAULTS, *(code.lower() for code in CODES)))
_LEADING = frozenset(CURRENCIES["before_number"])  # marks that only stand before their number: "Qty 2 $20" is 20
_BEFORE = _ALL - set(CURRENCIES["after_number"])
_AFTER = _ALL - {"r"}


def _by_edge(marks: frozenset[str], edge: slice) -> dict[str, list[str]]:
    """Marks by the two characters at an edge (by the one that they have), the longest first: few stand under each."""
    found: dict[str, list[str]] = {}
    for mark in sorted(marks, key=len, reverse=True):
        found.setdefault(mark[edge], []).append(mark)
    return found


_STARTING, _ENDING = slice(0, 2), slice(-2, None)
_ALL_FROM, _AFTER_FROM, _BEFORE_TO = _by_edge(_ALL, _STARTING), _by_edge(_AFTER, _STARTING), _by_edge(_BEFORE, _ENDING)


def amounts(text: str) -> Iterator[tuple[int, int]]:
    """Spans of a text that are money, a range ("10 – 20 €") being one."""
    for start, end, _ in marked(text):
        yield start, end


def marked(text: str) -> Iterator[tuple[int, int, str]]:
    """Amounts of a text with their currency mark in lower case."""
    return iter(_remembered(text)) if len(text) <= MAX_REMEMBERED else _marked(text)


@lru_cache(maxsize=4096)
def _remembered(text: str) -> tuple[tuple[int, int, str], ...]:
    """What `marked` finds: elements inside each other show the same text, and pages of a site the same labels."""
    return tuple(_marked(text))


def _marked(text: str) -> Iterator[tuple[int, int, str]]:
    text = tokens.plain(text)
    lower = _lower(text)
    last, lone = 0, None  # the end of the amount before; a number without a mark: a range may go on from it
    for match in _numbers(text):
        start, end = match.start(), behind(text, match.end(), letters=True)[1]
        mark = _mark_before(lower, last, start) or _mark_after(lower, end) if start >= last else None
        if mark is None:
            lone = match
            continue
        if lone is not None and mark[0] >= end and _RANGE.fullmatch(text, lone.end(), start):
            start = lone.start()
        if mark[0] < start:
            end = behind(text, match.end(), letters=True, money=True)[1]
        start, end = min(start, mark[0]), max(end, mark[1])
        symbol = lower[mark[0] : mark[1]]
        if symbol in _BETWEEN and match[0].isdigit() and (cents := _CENTS.match(text, end)):
            end = cents.end()
        elif mark[0] >= match.end() and (rest := _rest_at(text, end, symbol)):
            end = rest.end()
        yield start, end, symbol
        last, lone = end, None


def _lower(text: str) -> str:
    """A text in lower case, but for letters that change their length with it, as that of "İndirim" does."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c if len(c.lower()) > 1 else c.lower() for c in text)


def _rest_at(text: str, start: int, mark: str) -> re.Match[str] | None:
    """The smaller unit's part of an amount whose mark ends at `start`: "50 коп." of "12 руб. 50 коп."."""
    rest = _REST.match(text, start)
    if rest is None:
        return None
    codes = _OF_CODES[rest["unit"].lower()]
    return rest if not codes or (CODE_OF.get(mark) or mark.upper()) in codes else None


def rest_in(text: str, start: int, end: int, mark: str) -> int:
    """What an amount (a span of `marked`) says behind its mark in the currency's smaller unit, 0 for nothing."""
    at = _lower(text).find(mark, start, end) + len(mark) if mark else end
    rest = _rest_at(text, at, mark)
    return int(rest["cents"]) if rest else 0


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """The matches of NUMBER, tried only where digits begin."""
    end = 0
    for digits in _DIGITS.finditer(text):
        if digits.start() >= end and (match := _NUMBER.match(text, digits.start())):
            end = match.end()
            yield match


def _mark_before(lower: str, floor: int, start: int) -> tuple[int, int] | None:
    """The span of the mark that ends where a number starts, whitespace between them left out."""
    end = start
    while end > max(floor, start - MAX_GAP) and lower[end - 1].isspace():
        end -= 1
    for edge in (lower[max(floor, end - 2) : end], lower[max(floor, end - 1) : end]):
        for mark in _BEFORE_TO.get(edge, ()):
            if lower.endswith(mark, floor, end) and _stands_alone(lower, end - len(mark), end):
                return end - len(mark), end
    return None


def _mark_after(lower: str, end: int) -> tuple[int, int] | None:
    start, limit = end, min(len(lower), end + MAX_GAP)
    while start < limit and lower[start].isspace():
        start += 1
    span = _mark_at(lower, start, _AFTER_FROM)
    if span is None or lower[span[0] : span[1]] not in _LEADING:
        return span
    return None if _NEXT_NUMBER.match(lower, span[1]) else span


def _mark_at(lower: str, start: int, marks: dict[str, list[str]]) -> tuple[int, int] | None:
    for edge in (lower[start : start + 2], lower[start : start + 1]):
        for mark in marks.get(edge, ()):
            if lower.startswith(mark, start) and _stands_alone(lower, start, start + len(mark)):
                return start, start + len(mark)
    return None


def _stands_alone(lower: str, start: int, end: int) -> bool:
    """Whether the letters of a mark are no part of a longer word; scripts without spaces have no such words."""
    before, after = lower[start - 1 : start], lower[end : end + 1]
    joined_left = before.isalpha() and lower[start].isalpha() and lower[start] < "\u2e80"
    joined_right = after.isalpha() and lower[end - 1].isalpha() and lower[end - 1] < "\u2e80"
    return not joined_left and not joined_right


def is_mark(text: str) -> bool:
    """Whether a text is a currency mark and nothing else."""
    return text.strip().lower() in _ALL


def mark_in(text: str) -> str | None:
    """The currency mark of the first amount in a text, or the first mark of a text without one; lower case."""
    first = next(marked(text), None)
    if first is not None:
        return first[2]
    lower = text.lower()
    found = (_mark_at(lower, start, _ALL_FROM) for start in range(min(len(lower), 200)))
    return next((lower[span[0] : span[1]] for span in found if span), None)
