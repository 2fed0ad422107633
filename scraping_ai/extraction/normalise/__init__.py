"""Text to typed value: the same function gives a value and proves it."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import Any

from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.document import absolute
from scraping_ai.extraction.normalise import codes, dates, durations, numbers, words
from scraping_ai.extraction.normalise import text as texts
from scraping_ai.schema import FieldSchema

MAX_TEXT = 200_000  # characters of one value

_DATE_WORDS = re.compile(r"\biso.?8601\b|\bdate\b.*\byyyy\b", re.I)
_VERBATIM = re.compile(
    r"\bas (?:it (?:is |was )?)?(?:written|printed|shown|displayed|stands|appears)\b|\bverbatim\b", re.I
)
_AS_IT_STANDS = ("text", "names", "lines", "address")  # kinds of strings whose words are kept
_UNIT = (("second", 60.0), ("hour", 1 / 60), ("day", 1 / 1440))


def normalise(field: FieldSchema, text: str, *, url: str = "", language: str | None = None) -> Any:
    """The value that `text` stands for in a field, None where it stands for none.

    `url` resolves links and tells which dollar is meant; `language` (BCP 47) orders day and month and reads "1.299".
    """
    if not text or len(text) > MAX_TEXT:
        return None
    kind = kind_of(field)
    if field.enum:
        return words.allowed(text, field.enum, kind)
    if field.type in ("number", "integer"):
        return _numeric(field, kind, text, language)
    if field.type == "boolean":
        return _boolean(kind, text)
    if field.type in ("date", "datetime") or kind == "date":
        return dates.iso_date(text, language, with_time=field.type != "date")
    if field.type == "url" or kind == "url":
        return _link(text, url)
    return _string(kind, text, url, language) if field.type == "string" else None


def kind_of(field: FieldSchema) -> str:
    """How the text of a field reads: its concept's kind, or "date" when the description asks for ISO 8601.

    A string whose description asks for it as written is "text" instead of a kind that is written anew.
    """
    concept = concept_of(field)
    if concept is None and field.type == "string" and _DATE_WORDS.search(field.description):
        return "date"
    kind = concept.kind if concept else "text"
    verbatim = kind not in _AS_IT_STANDS and field.type == "string" and _VERBATIM.search(field.description)
    return "text" if verbatim else kind


def _numeric(field: FieldSchema, kind: str, text: str, language: str | None) -> int | float | None:
    value: Decimal | float | None
    if kind == "duration":
        value = durations.minutes(text)
        for unit, factor in _UNIT:
            if value is not None and re.search(rf"\bin {unit}s?\b", field.description, re.I):
                value *= factor
    else:
        value = numbers.number(unicodedata.normalize("NFKC", text)[:500], language, kind)
    if value is None or (field.type == "integer" and value != int(value)):
        return None
    return int(value) if value == int(value) else float(value)


def _boolean(kind: str, text: str) -> bool | None:
    if kind == "availability" and (state := words.availability(text)):
        return state != words.OUT_OF_STOCK
    return words.boolean(text)


def _link(text: str, base: str) -> str | None:
    link = absolute(base, "".join(text.split()) if "\n" in text else text)
    return link if link and re.match(r"https?://[^\s<>\"]+\Z", link, re.I) else None


def _string(kind: str, text: str, url: str, language: str | None) -> str | None:
    if kind == "currency":
        return numbers.currency(text, url, language)
    if kind == "availability":
        return words.availability(text) or texts.plain(text) or None
    if kind == "gtin" and not codes.gtin(text.strip()):
        return None
    if kind == "names" and re.match(r"\s*https?://", text):
        return None
    lines = kind == "lines"
    return texts.joined(text, lines) or texts.plain(text, lines) or None
