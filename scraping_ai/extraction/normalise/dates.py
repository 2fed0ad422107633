"""Dates from text to ISO 8601: machine formats and written ones at once, rarer ones by dateparser."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from importlib.resources import files

from scraping_ai.extraction.normalise import times

MAX_TEXT = 100  # characters; a longer text is prose

_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})"
    r"(?:[T ]+(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(Z|UTC|GMT|[-+]\d{2}(?::?\d{2})?)?)?\Z",
    re.I,
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?\Z")
_YMD = re.compile(r"(?<!\d)(\d{4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)\s?[日일]?")
_DMY = re.compile(r"(?<!\d)(\d{1,2})\s?([/.\-])\s?(\d{1,2})\s?\2\s?(\d{4})(?!\d)")
_SHORT = re.compile(r"(?:[^\W\d_]{1,3}\.?,?\s)?(\d{1,2})(\.)(\d{1,2})\.(\d\d)(?=[\s,]|\Z)")
_WEEK = re.compile(r"(\d{4})-?W(\d{2})-?([1-7])\Z")
_ERA = re.compile(
    r"(令和|平成|昭和|大正|民國|民国|(?<![A-Za-z])[RHS](?=\d))\s?(\d{1,3}|元)[年./]\s?(\d{1,2})[月./]\s?(\d{1,2})(?!\d)日?"
)
_ERA_START = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "民國": 1911, "民国": 1911}
_ERA_START |= {"R": 2018, "H": 1988, "S": 1925}  # on Japanese pages
_THAI = re.compile("[\u0e01-\u0e2e]")
_BUDDHIST = re.compile(r"(?:\u0e1e\.?\u0e28\.?\s?)?(?<!\d)(2[45]\d\d)(?!\d)")  # with or without "B.E." in Thai
BUDDHIST_ERA = 543  # years before the common one
# A day before a date, so that the date ends a range whose start names no year: "4-6 March", "March 30 - April 2".
_AND = r"\s*(?:[-\u2010-\u2015~\u301c/&]|(?<=\s)(?:to|bis|au|à|al|a|until|and|und|et|y|e|до)(?=\s))\s*"
_DAY_BEFORE = re.compile(rf"(?<![\d:.])\d{{1,2}}(?:st|nd|rd|th|\.)?{_AND}\Z", re.I)
_MONTH_BEFORE = re.compile(rf"(?P<month>[^\W\d_]{{3,12}})\.?\s\d{{1,2}}(?:st|nd|rd|th)?{_AND}\Z", re.I)
_TO = re.compile(_AND, re.I)
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?\Z")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|2[01])\d\d(?!\d)")
_DAY = re.compile(r"(?<!\d)[0-3]?\d(?!\d)")
# Tried when the page's own language does not read a date: all that dateparser knows take a second to load, and 13 ms a
# text after that.
_MAIN_LANGUAGES = "en de fr es it pt nl ru pl uk cs sk hu ro bg hr el sv da nb fi et lt lv tr he ar id vi th ja zh ko"
_FILE = files("scraping_ai.extraction.normalise").joinpath("months.json")
_MONTHS = {name: int(month) for month, names in json.loads(_FILE.read_text("utf-8")).items() for name in names}
_THAI_MONTH = re.compile("|".join(re.escape(name) for name in _MONTHS if _THAI.match(name)))
_IN_WORDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\w)(?P<month>[^\W\d_]{3,12})\.?,?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4}|['\u2019]\d\d)(?!\d)",
        r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?[\s/-]*(?:(?:of|de|del)\s)?\s*(?P<month>[^\W\d_]{3,12})\.?,?"
        r"[\s/-]*(?:(?:de|del)\s)?\s*(?P<year>\d{4}|['\u2019]\d\d)(?!\d)",
        r"(?<!\d)(?P<year>\d{4})\.?\s+(?:m\.\s+)?(?P<month>[^\W\d_]{3,12})\.?\s+(?P<day>\d{1,2})(?!\d)",
    )
)
_MONTH_FIRST_COUNTRIES = frozenset(("us", "ph"))
_OTHER_CALENDARS = frozenset("ar ckb fa ku ps ur".split())  # Jalali or Hijri years stand in figures on such pages
FIRST_YEAR = 1600  # of the common era, there
_YEAR_FIRST = frozenset("ja zh ko hu lt lv sv mn fa".split())  # 24.03.04 may begin with the year there


def iso_date(text: str, language: str | None = None, with_time: bool = False) -> str | None:
    """ISO 8601 date (`with_time`: date and time, zone kept, where the text has one) of the one date in a text.

    Relative dates ("2 days ago") and dates without day, month and year give None: they cannot be proved from the page.
    """
    text = unicodedata.normalize("NFKC", text).strip()
    if not text or len(text) > MAX_TEXT:
        return None
    if (language or "")[:2] == "th" or _THAI.search(text):
        text = _from_thai(text)
    found = _machine(text)
    if found is None and (written := _written(text, language)) is not None:
        found = times.joined(written.day, text[: written.start], text[written.end :]) if with_time else written.day
    if found is None or not 1000 <= found.year <= 2200:
        return None
    if with_time and isinstance(found, datetime):
        return found.isoformat()
    return f"{found:%Y-%m-%d}"


def _from_thai(text: str) -> str:
    """Thai months by number, and years counted from the common era."""
    text = _THAI_MONTH.sub(lambda name: f".{_MONTHS[name[0]]}.", text)
    return _BUDDHIST.sub(lambda year: str(int(year[1]) - BUDDHIST_ERA), text)


def last(text: str, language: str | None = None) -> str:
    """The end of a range of dates, the text where it is none: a year stands on both sides."""
    sides = ((text[: m.start()], text[m.end() :]) for m in _TO.finditer(text[:MAX_TEXT]))
    ranges = (after for before, after in sides if _YEAR.search(before) and _YEAR.search(after))
    return next((end for end in ranges if iso_date(end, language)), text)


@dataclass(frozen=True, slots=True)
class _Written:
    """A day and where it stands in a text."""

    day: date
    start: int
    end: int


def _machine(text: str) -> date | None:
    """ISO 8601, basic ISO, Unix time in (milli)seconds, RFC 5322."""
    try:
        if match := _ISO.match(text):
            return _from_iso(match)
        if match := _COMPACT.match(text):
            return _from_iso(match)
        if match := _WEEK.match(text):
            return date.fromisocalendar(*map(int, match.groups()))
        if _EPOCH.match(text):
            return datetime.fromtimestamp(int(text[:10]), UTC)
        if "," in text and ":" in text and text[-1] in "TMCZ0123456789)" and re.match(r"[A-Za-z]{3}, \d", text):
            return parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return None


def _from_iso(match: re.Match[str]) -> date:
    year, month, day, hour, minute, second, *zone = match.groups()
    if hour is None:
        return date(int(year), int(month), int(day))
    moment = datetime(int(year), int(month), int(day), int(hour) % 24, int(minute), int(second or 0))
    if not zone or zone[0] is None:
        return moment
    if zone[0].upper() in ("Z", "UTC", "GMT"):
        return moment.replace(tzinfo=UTC)
    return moment.replace(tzinfo=datetime.strptime(zone[0].replace(":", "").ljust(5, "0"), "%z").tzinfo)


def _written(text: str, language: str | None) -> _Written | None:
    try:
        if match := _YMD.search(text):
            if int(match[1]) < FIRST_YEAR and (language or "")[:2] in _OTHER_CALENDARS:
                return None
            return _Written(date(int(match[1]), int(match[2]), int(match[3])), *match.span())
        if (found := _in_words(text)) is not None:
            return None if _ends_range(text[: found.start]) else found
        if (match := _ERA.search(text)) and (not match[1].isascii() or (language or "")[:2] == "ja"):
            year = _ERA_START[match[1]] + (1 if match[2] == "元" else int(match[2]))
            return _Written(date(year, int(match[3]), int(match[4])), *match.span())
        if match := _DMY.search(text) or _SHORT.match(text):
            full = _year(match[4], language)
            day = _numeric(int(match[1]), match[2], int(match[3]), full, language) if full else None
            return _Written(day, *match.span()) if day and not _DAY_BEFORE.search(text[: match.start()]) else None
    except ValueError:
        return None
    other = _by_language(text, language) if _YEAR.search(text) and _DAY.search(text) else None
    return _Written(other, 0, len(text)) if other is not None else None


def _ends_range(before: str) -> bool:
    """Whether a date is the end of a range, whose start stands before it without a year."""
    month = _MONTH_BEFORE.search(before)
    return _DAY_BEFORE.search(before) is not None or (month is not None and month["month"].lower() in _MONTHS)


def _year(digits: str, language: str | None) -> int | None:
    """A year of four digits, or of two where the page's language tells that they are the year; None for other ones."""
    short = int(digits[-2:])
    if len(digits) == 4:
        return int(digits)
    if 30 < short < 70 or not language or language.split("-")[0] in _YEAR_FIRST:
        return None
    return short + (2000 if short <= 30 else 1900)


def _in_words(text: str) -> _Written | None:
    """The first date whose month is named, in any language; raises ValueError where its day is none of that month."""
    for pattern in _IN_WORDS:
        for match in pattern.finditer(text):
            if (month := _MONTHS.get(match["month"].lower())) is not None:
                year = _year(match["year"].lstrip("'\u2019"), "en")  # the apostrophe says that it is a year
                return _Written(date(year, month, int(match["day"])), *match.span()) if year else None
    return None


def _numeric(first: int, separator: str, second: int, year: int, language: str | None) -> date | None:
    """3/4/2025: the month comes first in the United States, and in English that names no country."""
    if first > 12 or second > 12:
        return date(year, min(first, second), max(first, second))
    tag = (language or "").split("-")
    american = tag[-1] in _MONTH_FIRST_COUNTRIES or tag == ["en"]
    if first != second and separator == "/" and not tag[0]:
        return None  # no language: either order is possible
    month, day = (first, second) if american and separator != "." else (second, first)
    return date(year, month, day)


@lru_cache(maxsize=1024)
def _by_language(text: str, language: str | None) -> date | None:
    import dateparser  # 0.3 s to import, and most pages write ISO dates

    code = (language or "").split("-")[0]
    settings = {"REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"], "STRICT_PARSING": True}
    for languages in (*([[code]] if code else []), _MAIN_LANGUAGES.split()):
        try:
            found = dateparser.parse(text, languages=languages, settings=settings)
        except (ValueError, OverflowError, RecursionError):
            continue
        if isinstance(found, datetime):
            return found.date()
    return None
