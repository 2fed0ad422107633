"""Dates from text to ISO 8601: machine formats at once, written ones by dateparser in the page's language."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

MAX_TEXT = 100  # characters; a longer text is prose

_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})"
    r"(?:[T ]+(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*(Z|UTC|GMT|[-+]\d{2}(?::?\d{2})?)?)?\Z",
    re.I,
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?\Z")
_YMD = re.compile(r"(?<!\d)(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)\s?日?")
_DMY = re.compile(r"(?<!\d)(\d{1,2})([/.\-])(\d{1,2})\2(\d{4})(?!\d)")
_ERA = re.compile(r"(令和|平成|昭和)\s?(\d{1,2}|元)年\s?(\d{1,2})月\s?(\d{1,2})日")
_ERA_START = {"令和": 2018, "平成": 1988, "昭和": 1925}
_EPOCH = re.compile(r"1\d{9}(?:\d{3})?\Z")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|2[01])\d\d(?!\d)")
_DAY = re.compile(r"(?<!\d)[0-3]?\d(?!\d)")
# Tried when the page's own language does not read a date: all that dateparser knows take a second to load, and 13 ms a
# text after that.
_MAIN_LANGUAGES = "en de fr es it pt nl ru pl uk cs sk hu ro bg hr el sv da nb fi et lt lv tr he ar id vi th ja zh ko"
_MONTHS = {
    name: index
    for index, names in enumerate(
        "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|sep sept september|oct october|"
        "nov november|dec december".split("|"),
        1,
    )
    for name in names.split()
}
_MONTH_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ENGLISH_MDY = re.compile(rf"\b({_MONTH_NAME})\.?,?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+(\d{{4}})\b", re.I)
_ENGLISH_DMY = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_MONTH_NAME})\.?,?\s+(\d{{4}})\b", re.I)
_MONTH_FIRST_COUNTRIES = frozenset(("us", "ph"))


def iso_date(text: str, language: str | None = None, with_time: bool = False) -> str | None:
    """ISO 8601 date (`with_time`: date and time, zone kept, where the text has one) of the one date in a text.

    Relative dates ("2 days ago") and dates without day, month and year give None: they cannot be proved from the page.
    """
    text = unicodedata.normalize("NFKC", text).strip()
    if not text or len(text) > MAX_TEXT:
        return None
    found = _machine(text)
    if found is None:
        found = _written(text, language)
    if found is None or not 1000 <= found.year <= 2200:
        return None
    if with_time and isinstance(found, datetime):
        return found.isoformat()
    return f"{found:%Y-%m-%d}"


def _machine(text: str) -> date | None:
    """ISO 8601, basic ISO, Unix time in (milli)seconds, RFC 5322."""
    try:
        if match := _ISO.match(text):
            return _from_iso(match)
        if match := _COMPACT.match(text):
            return _from_iso(match)
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


def _written(text: str, language: str | None) -> date | None:
    try:
        for pattern, order in ((_YMD, (1, 2, 3)), (_ENGLISH_MDY, (3, 1, 2)), (_ENGLISH_DMY, (3, 2, 1))):
            if match := pattern.search(text):
                year, month, day = (match[i] for i in order)
                return date(int(year), _MONTHS.get(month.lower()) or int(month), int(day))
        if match := _ERA.search(text):
            return date(_ERA_START[match[1]] + (1 if match[2] == "元" else int(match[2])), int(match[3]), int(match[4]))
        if match := _DMY.search(text):
            return _numeric(int(match[1]), match[2], int(match[3]), int(match[4]), language)
    except ValueError:
        return None
    return _by_language(text, language) if _YEAR.search(text) and _DAY.search(text) else None


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
