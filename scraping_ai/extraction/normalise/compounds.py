"""Texts whose numbers are several values or parts of one: ranges, dimensions, ratios, feet and inches."""

from __future__ import annotations

import re

from scraping_ai.extraction import units
from scraping_ai.extraction.concepts import base
from scraping_ai.extraction.normalise import money

_UNIT = r"(?P<unit>\s?(?:[^\W\d]{1,12}|[%$€£¥₹₽₩]|°[CF]?))?"
_BETWEEN = "to|bis|à|a|tot|до|or|oder|ou|o|u|eller|или|або|lub|nebo|alebo|veya|tai|vagy|sau|ή|או|أو|atau|hoặc|หรือ"
_RANGE = re.compile(
    _UNIT + rf"\s?(?:[-\u2010-\u2014\u2212~\u301c]|から|至|到|または|又は|或|또는|(?<=\s)(?:{_BETWEEN})(?=\s))\s?"
    r"(?P<high>[-+\u2212]?(?:[A-Z]{0,3}[$€£¥₹₽₩]\s?)?\d[\d.,]*)(?(unit)(?P=unit))"
)
_DIMENSIONS = re.compile(r"\s?(?:[^\W\d]{1,2}|[\"'\u2032]{1,2})?\s?(?:[x×X*]|(?<=\s)by(?=\s))\s?\d")
_RATIO = re.compile(r":\d|\s?[/\u2044]\s?(?!(?:5|10|20|100)(?!\d))\d|[.,]\d")
_OVER = re.compile(r"\s?[/\u2044]\s?\d")
_YEAR_MONTH = re.compile(r"(?:1\d|20)\d\d[-/](?:0[1-9]|1[0-2])(?!\d)")
_REST = re.compile(r",?\s?(?:and\s|und\s|et\s|y\s)?(?=\d)")
_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,]*")
_WORD_BEHIND = re.compile(r"\s?([^\W\d_]{2,20})")
_LOW, _HIGH = frozenset("min minimum lowest low".split()), frozenset("max maximum highest high".split())
MAX_NUMBERS = 20


def is_part(text: str, start: int, end: int) -> bool:
    """Whether the number at `start` to `end` is one of several that are no single value: "12-15", "1 lb 4 oz"."""
    if _YEAR_MONTH.match(text, start):
        return False
    if any(pattern.match(text, end) for pattern in (_RATIO, _DIMENSIONS, _RANGE)):
        return True
    return _is_in_smaller(text, start)


def is_ratio(text: str) -> bool:
    """Whether the first number of a text stands over another: "4/5"."""
    first = _NUMBER.search(text)
    return first is not None and _OVER.match(text, first.end()) is not None


def is_range(text: str) -> bool:
    """Whether the first number of a text begins a range."""
    first = _NUMBER.search(text)
    return first is not None and _RANGE.match(text, first.end()) is not None


def _is_in_smaller(text: str, start: int) -> bool:
    """Whether the next number counts the rest of a value in a smaller unit."""
    found = [one for one in units.said(text) if one[1] > start][:2]
    if len(found) < 2:
        return False
    (_, end, unit), (other, _, smaller) = found
    rest = _REST.match(text, end)
    return units.SMALLER.get(unit) == smaller and rest is not None and rest.end() == other


def asked(name: str, text: str) -> str:
    """The part of a text that holds the number which a field's folded name asks for; the text where it does not tell.

    `max price` asks for the end of a range, `weight kg` for the number of kilograms, `baths` for that before "baths".
    """
    if (unit := units.of_name(name)) and (own := [one for one in units.said(text) if one[2] == unit]):
        text = text[own[0][0] :] if own[0][2] != units.said(text)[0][2] else text
    words = frozenset(name.split())
    numbers = [m for m, _ in zip(_NUMBER.finditer(text), range(MAX_NUMBERS), strict=False)]
    if len(numbers) < 2:
        return text
    if not words.isdisjoint(_LOW | _HIGH) and (span := _RANGE.match(text, numbers[0].end())):
        return text[: numbers[0].end()] if words.isdisjoint(_HIGH) else text[span.start("high") :]
    is_money = next(iter(money.marked(text)), (1, 0, ""))[0] == 0
    return next((text[m.start() :] for m in numbers if _is_named(words, text, m.end(), is_money)), text)


def _is_named(words: frozenset[str], text: str, end: int, after_money: bool) -> bool:
    """Whether the word behind a number is of a name; `after_money`, as in "$41.00 (7 bids)", the very plural only."""
    behind = _WORD_BEHIND.match(text, end)
    if behind is None:
        return False
    word = behind[1].casefold()
    return word in words and word != base(word) if after_money else base(word) in {base(name) for name in words}
