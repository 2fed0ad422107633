"""What multiplies a number: "1.2 million", "12k", "$3.4B", "3 Mio.", 12億3千万, 1万2000."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from importlib.resources import files
from typing import Any

_FILE = files("scraping_ai.extraction.normalise").joinpath("magnitudes.json")
_DATA: dict[str, Any] = json.loads(_FILE.read_text("utf-8"))
_WORDS = {word: int(factor) for factor, words in _DATA["words"].items() for word in words}
_BY_LANGUAGE: dict[str, dict[str, int]] = _DATA["by_language"]
_LETTERS: dict[str, int] = {"K": _DATA["letters"]["k"], **_DATA["letters"]}
_OF_MONEY: dict[str, int] = _DATA["of_money"]
_SMALL: dict[str, int] = _DATA["small"]
_LARGE: dict[str, int] = _DATA["large"]
_MEASURES = frozenset(_DATA["measures"])
_UNSPACED = "\u0e00"  # Thai and what Unicode has behind it put no spaces between words
_NAMES = "|".join(word + r"(?!\w)" * (word < _UNSPACED) for word in sorted(_WORDS, key=len, reverse=True))
_WORD = re.compile(rf"\s?({_NAMES})\.?", re.I)
_WORD_OF_LANGUAGE = re.compile(rf"\s?({'|'.join(_BY_LANGUAGE)})(?!\w)\.?", re.I)
_MAY_BE = re.compile(rf"\s?(?:{'|'.join(_DATA['unclear'])})(?!\w)")
_LETTER = re.compile(rf"([{''.join(_LETTERS)}])(?!\w)")
_MONEY_LETTER = re.compile(rf"({'|'.join([*_LETTERS, *sorted(_OF_MONEY, key=len, reverse=True)])})(?!\w)")
_UNITS = "|".join([*(rf"{unit}(?![克米瓦卡])" for unit in _SMALL), *_LARGE])  # 千克, 千米 are kilogram and kilometre
MYRIADS = (
    rf"\d{{1,9}}(?:,\d{{3}})*(?:\.\d{{1,4}})?(?:{_UNITS}){{1,2}}"
    rf"(?:\s?\d{{1,4}}(?:,\d{{3}})?(?:{_UNITS}){{1,2}})*(?:\d{{1,4}}(?:,\d{{3}})?(?![\d,.]))?"
)
_MYRIADS = re.compile(MYRIADS)
_STEP = re.compile(rf"([\d.]+)|({_UNITS})")


def behind(
    text: str, end: int, *, letters: bool, money: bool = False, language: str | None = None
) -> tuple[int | None, int]:
    """The factor that stands behind a number which ends at `end`, and where that ends; 1 for none.

    `letters`: "12k" is a factor; `money`: so is "1.2m". None where it may be one or a unit: "1.2T", "12 mil".
    """
    if not text[end : end + 2].strip()[:1].isalpha():
        return 1, end
    if match := _WORD.match(text, end):
        return _WORDS[match[1].lower()], match.end()
    if (match := _WORD_OF_LANGUAGE.match(text, end)) and (factor := _of_language(match[1].casefold(), language)):
        return factor, match.end()
    match = (_MONEY_LETTER if money else _LETTER).match(text, end) if letters or money else None
    if match:
        return {**_OF_MONEY, **_LETTERS}[match[1]], match.end()
    return (None if letters and _MAY_BE.match(text, end) else 1), end


def _of_language(word: str, language: str | None) -> int | None:
    return _BY_LANGUAGE[word].get((language or "").split("-")[0])


def myriads(text: str, start: int = 0) -> tuple[Decimal, int] | None:
    """The number in Chinese, Japanese or Korean units that begins at `start`, and its end."""
    match = _MYRIADS.match(text, start)
    if match is None:
        return None
    total, section, digits = Decimal(0), Decimal(0), Decimal(0)
    for number, unit in _STEP.findall(match[0].replace(",", "")):
        if number:
            digits = Decimal(number)
        elif unit in _SMALL:
            section, digits = section + digits * _SMALL[unit], Decimal(0)
        else:
            total, section, digits = total + (section + digits) * _LARGE[unit], Decimal(0), Decimal(0)
    return total + section + digits, match.end()


def is_measure(name: str) -> bool:
    """Whether a letter behind a number of a field (folded name) is a unit: the cable of 5M, the screen of 4K."""
    return not _MEASURES.isdisjoint(name.split())
