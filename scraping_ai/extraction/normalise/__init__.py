"""Text to typed value: the same function gives a value and proves it."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from scraping_ai.extraction import units
from scraping_ai.extraction.concepts import concept_of, fold
from scraping_ai.extraction.document import absolute
from scraping_ai.extraction.normalise import (
    choices,
    codes,
    compounds,
    dates,
    durations,
    fractions,
    magnitudes,
    numbers,
    stars,
    tokens,
    words,
)
from scraping_ai.extraction.normalise import text as texts
from scraping_ai.extraction.normalise.placeholders import is_placeholder
from scraping_ai.schema import FieldSchema

MAX_TEXT = 200_000  # characters of one value

_DATE_WORDS = re.compile(r"\biso.?8601\b|\bdate\b.*\byyyy\b", re.I)
_VERBATIM = re.compile(
    r"\bas (?:it (?:is |was )?)?(?:written|printed|shown|displayed|stands|appears)\b|\bverbatim\b", re.I
)
_AS_IT_STANDS = ("text", "names", "lines", "address")  # kinds of strings whose words are kept
_MINUTES_OF = {"second": 1 / 60, "minute": 1.0, "hour": 60.0, "day": 1440.0, "week": 10080.0}
_IN_UNIT = re.compile(r"\bin (second|hour|day)s?\b", re.I)
_CONTACT = re.compile(r"\s*(?:mailto|tel):(?P<address>[^?%]+(?=\?|\Z))?", re.I)
_WWW = re.compile(r"www\.[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?:[/?#]\S*)?\Z", re.I)  # as GitHub's Markdown reads it


def normalise(field: FieldSchema, text: str, *, url: str = "", language: str | None = None) -> Any:
    """The value that `text` stands for in a field, None where it stands for none.

    `url` resolves links and tells which dollar is meant; `language` (BCP 47) orders day and month and reads "1.299".
    """
    if not text or len(text) > MAX_TEXT:
        return None
    kind = kind_of(field)
    if field.enum:
        return _allowed(kind, text, field.enum)
    if field.type in ("number", "integer"):
        return _numeric(field, kind, text, url, language)
    if field.type == "boolean":
        return _boolean(field, kind, text)
    if field.type in ("date", "datetime") or kind == "date":
        concept = concept_of(field)
        text = dates.last(text, language) if concept is not None and concept.name == "end_date" else text
        return dates.iso_date(text, language, with_time=field.type != "date")
    if field.type == "url" or kind == "url":
        return _link(text, url)
    if field.type != "string" or (is_placeholder(text) and not _may_be_named_so(field, text)):
        return None
    return _string(kind, _address(field, text), url, language)


def kind_of(field: FieldSchema) -> str:
    """How the text of a field reads: its concept's kind, or "date" when the description asks for ISO 8601.

    A string whose description asks for it as written is "text" instead of a kind that is written anew.
    """
    concept = concept_of(field)
    if concept is None and field.type == "string" and _DATE_WORDS.search(field.description):
        return "date"
    kind = concept.kind if concept else "text"
    if kind == "rating" and field.type == "integer":  # "1,204 stars"
        return "count"
    verbatim = kind not in _AS_IT_STANDS and field.type == "string" and _VERBATIM.search(field.description)
    return "text" if verbatim else kind


def _numeric(field: FieldSchema, kind: str, text: str, url: str, language: str | None) -> int | float | None:
    value: Decimal | float | None = None
    name = fold(field.name)
    unit = units.of_name(name)
    if kind == "duration" or unit in _MINUTES_OF:
        value = _duration(field, kind, text, unit)
    elif _is_rating(field) and (stars.has_row(text) or stars.is_count(text)):
        value = stars.drawn(text)
    elif not _is_of_other(name, text, url, language):
        text = tokens.compatible(fractions.spaced(text[:500]))
        measured = kind == "text" and (unit is not None or magnitudes.is_measure(name))
        part = compounds.asked(name, text)
        if field.type == "integer" and kind in ("text", "count") and compounds.is_ratio(part):
            return None
        kind = "measure" if measured else "count" if kind == "text" and _is_in_brackets(field, part) else kind
        value = numbers.number(part, language, kind)
    if value is None or (field.type == "integer" and value != int(value)):
        return None
    return int(value) if value == int(value) else float(value)


def _is_in_brackets(field: FieldSchema, text: str) -> bool:
    """Whether an integer stands as counts do: "(7)" beside "Comments"."""
    return field.type == "integer" and stars.is_count(text)


def _duration(field: FieldSchema, kind: str, text: str, unit: str | None) -> float | None:
    """A duration in the unit of the field's name, else of its description, else in minutes."""
    if kind != "duration" and compounds.is_range(text):
        return None
    wanted = unit if unit in _MINUTES_OF else None
    if wanted is None and (said := _IN_UNIT.search(field.description)):
        wanted = said[1].lower()
    if wanted and (bare := numbers.literal(text)) is not None:
        return float(bare)
    value = durations.minutes(text)
    return None if value is None else round(value / _MINUTES_OF[wanted or "minute"], 6)


def _is_of_other(name: str, text: str, url: str, language: str | None) -> bool:
    """Whether a text states another unit or currency than the one that a field's folded name ends in."""
    wanted = units.currency_of(name)
    if wanted is not None:
        return numbers.currency(text, url, language) not in (None, wanted)
    return units.is_other(name, text)


def _is_rating(field: FieldSchema) -> bool:
    concept = concept_of(field)
    return concept is not None and concept.kind == "rating"


def _allowed(kind: str, text: str, values: tuple[Any, ...]) -> Any:
    if kind != "availability":
        return choices.allowed(text, values)
    value = choices.same(text, values)
    return words.in_state(text, values) if value is None else value


def _boolean(field: FieldSchema, kind: str, text: str) -> bool | None:
    if kind == "availability" and (state := words.availability(text)):
        return state != words.OUT_OF_STOCK
    return choices.boolean(text, field.name)


def _link(text: str, base: str) -> str | None:
    text = "".join(text.split()) if "\n" in text else text.strip()
    link = absolute(base, f"http://{text}" if _WWW.match(text) else text)
    return link if link and re.match(r"https?://[^\s<>\"]+\Z", link, re.I) else None


def _address(field: FieldSchema, text: str) -> str:
    """The address in a mailto or tel link that answers an e-mail address or telephone number, else the text.

    Of one in escapes "": it stands nowhere as it is to be read.
    """
    concept = concept_of(field)
    match = _CONTACT.match(text) if concept is not None and concept.name in ("email", "phone") else None
    return (match["address"] or "") if match else text


def _may_be_named_so(field: FieldSchema, text: str) -> bool:
    """Whether a placeholder is a title: a page may be about "undefined"."""
    concept = concept_of(field)
    return concept is not None and concept.name == "title" and text.strip().isalpha()


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
    joined = texts.joined(text, lines)
    return (texts.plain(text, lines) if joined is None else joined) or None
