"""The number that a text gives, apart from what else the text says: its unit and the words before it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from scraping_ai.extraction.document import Document
from scraping_ai.extraction.normalise import money, normalise, numbers
from scraping_ai.extraction.wrappers.parts import MAX_LITERAL, Part
from scraping_ai.schema import FieldSchema

MAX_NUMBERS = 40  # of one text
MAX_TEXT = 500  # characters of a text of which the first number is looked for
MAX_MARK = 40  # characters about a number in which its currency mark is looked for
MAX_WORDS = 3  # before a number that are learned
SHORT_UNIT = 3  # characters; a longer one may be in the plural

_UNIT = re.compile(r"[\s-]?(?:([%°\"′″])|([^\W\d_]{1,20}))")


@dataclass(frozen=True, slots=True)
class Amount:
    """A number as it stands in a text, `start` to `end` with its currency mark and unit; `before` is what precedes it.

    `unit` is folded, "" for none and for currencies. `bare`: nothing else stands in the text.
    """

    value: Any
    before: str
    text: str
    unit: str
    bare: bool

    @property
    def leads(self) -> bool:
        """Whether no word stands before it in its text."""
        return not any(c.isalnum() for c in self.before)


def is_numeric(field: FieldSchema) -> bool:
    return field.type in ("number", "integer") and not field.enum


def amount(field: FieldSchema, text: str, document: Document) -> Amount | None:
    """The number that a numeric field reads in a text, None for none. One of several numbers ("1 h 5 min") is whole."""
    read = _reader(field, document)
    if (value := read(text)) is None:
        return None
    for start, end in islice(numbers.spans(text[:MAX_TEXT]), MAX_NUMBERS):
        if read(text[start:end]) == value:
            return _cut(text, start, end, value, read)
    return Amount(value, "", text, "", bare=True)


def _reader(field: FieldSchema, document: Document) -> Any:
    return lambda text: normalise(field, text, url=document.base_url, language=document.language)


def _cut(text: str, start: int, end: int, value: Any, read: Any) -> Amount:
    start = _mark_before(text, start)
    found = _UNIT.match(text, end)
    word = (found[1] or found[2]).casefold() if found else ""
    if found and not _goes_on(text, found.end()):
        end = found.end()
    else:
        word = ""
    piece = text[start:end] if read(text[start:end]) == value else text
    bare = not any(c.isalnum() for c in text[:start] + text[end:])
    return Amount(value, text[:start].strip(), piece, "" if money.is_mark(word) else word, bare)


def _mark_before(text: str, start: int) -> int:
    """Where the currency mark before a number begins; the number's start when there is none."""
    near = max(0, start - MAX_MARK)
    spans = ((near + a, near + b) for a, b in money.amounts(text[near : start + MAX_MARK]))
    return next((a for a, b in spans if a < start < b and money.is_mark(text[a:start])), start)


def _goes_on(text: str, end: int) -> bool:
    """Whether a sentence goes on behind a word ("14 of 20"), so that it is no unit."""
    rest = text[end:].lstrip()
    return bool(rest) and rest[0].isalnum()


def cuts(field: FieldSchema, text: str, wanted: Any, document: Document) -> Iterator[Part]:
    """Parts of a text, one for each place where a number stands behind words: the fewest words that tell the place."""
    read, digits = _reader(field, document), digits_of(str(wanted))
    for start, end in islice(numbers.spans(text), MAX_NUMBERS):
        if digits_of(text[start:end]) == digits and read(text[start:end]) == wanted:
            tried = (part for part in _anchored(text, start) if _gives(field, part, text, wanted, document))
            yield from islice(tried, 1)


def numbers_in(field: FieldSchema, text: str, document: Document) -> Iterator[Any]:
    """The values of all numbers of a text."""
    read = _reader(field, document)
    return (read(text[start:end]) for start, end in islice(numbers.spans(text), MAX_NUMBERS))


def digits_of(text: str) -> str:
    """The digits of a number without outer zeros: those of "1,250.0" and "125" are the same."""
    bare = "".join(c for c in text if c.isdecimal())
    return bare.strip("0") or bare[:1]


def _anchored(text: str, start: int) -> Iterator[Part]:
    before = text[: _mark_before(text, start)].split()
    for count in range(1, min(MAX_WORDS, len(before)) + 1):
        words = before[-count:]
        after = " ".join(words)
        if len(after) <= MAX_LITERAL and after in text and not any(c.isdecimal() for c in after):
            yield Part(after)


def _gives(field: FieldSchema, part: Part, text: str, wanted: Any, document: Document) -> bool:
    rest = part.of(text)
    found = amount(field, rest, document) if rest else None
    return found is not None and found.leads and found.value == wanted


def is_like(unit: str, units: Iterable[str]) -> bool:
    """Whether a unit is one of some, or its plural; where none are known, "" alone, which is no unit, will do."""
    return any(_is_same(unit, known) for known in tuple(units) or ("",))


def _is_same(unit: str, known: str) -> bool:
    shorter, longer = sorted((unit, known), key=len)
    return unit == known or (
        len(shorter) >= SHORT_UNIT and longer.startswith(shorter) and len(longer) <= len(shorter) + 2
    )
