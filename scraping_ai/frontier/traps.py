"""Addresses that sites make without end: calendars, and paths that repeat themselves.

Each is judged by itself, as in Heritrix's PathologicalPathDecideRule and TooManyPathSegmentsDecideRule. Session ids are
no trap here: fingerprints leave them out, so that a page counts once under all of them.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

MAX_SEGMENTS = 20
MAX_REPEATS = 2  # of a piece of the path, one after the other
LONGEST_PIECE = 4  # segments
MAX_PARAMETERS = 30
MAX_VALUES = 3  # equal parameters of a query

# A day or month that a page is *for*: at the end of the path, or in the query.
IN_PATH = re.compile(r"/((?:19|20|21)\d\d|[3-9]\d{3})[-/](?:0?[1-9]|1[0-2])(?:[-/](?:[0-2]?\d|3[01]))?/?\Z")
IN_QUERY = re.compile(
    r"(?:^|&)[^=&]*(?:date|day|month|year|week|tag|monat|jahr|woche|mois|annee|fecha|mes|ano)[^=&]*=(?:\d{1,2}[-./])*"
    r"((?:19|20|21)\d\d|[3-9]\d{3})(?!\d)",
    re.IGNORECASE,
)
CALENDAR = re.compile(
    r"(?:^|[^a-z])(?:calend[a-z]+|kalender|agenda|schedule|availability|events?|veranstaltungen|termine|booking)(?:$|[^a-z])",
    re.IGNORECASE,
)
YEARS_OF_CALENDAR = 1  # around this one; a calendar has a page for every month of every year
YEARS_AHEAD = 2  # of what is no calendar by its name


def trap(url: str, year: int) -> str | None:
    """Why an address is one of endlessly many, or None; `year` is the present one."""
    parts = urlsplit(url)
    if repeats(parts.path) or too_many_parameters(parts.query):
        return "repeats itself"
    if parts.path.count("/") > MAX_SEGMENTS:
        return "too many path segments"
    if is_far_day(parts.path, parts.query, year):
        return "a far page of a calendar"
    return None


def repeats(path: str) -> bool:
    """Whether a piece of the path follows itself more than MAX_REPEATS times: `/a/b/a/b/a/b/`; numbers may."""
    if path.count("/") <= MAX_REPEATS:
        return False
    segments = [segment for segment in path.split("/") if segment]
    for size in range(1, LONGEST_PIECE + 1):
        run = 0
        for segment, before in zip(segments[size:], segments, strict=False):
            run = run + 1 if segment == before and not segment.isdigit() else 0
            if run >= size * MAX_REPEATS:
                return True
    return False


def too_many_parameters(query: str) -> bool:
    """Whether a query has grown by following its own links."""
    if query.count("&") < MAX_VALUES:
        return False
    parameters = query.split("&")
    return len(parameters) > MAX_PARAMETERS or any(parameters.count(one) > MAX_VALUES for one in set(parameters))


def is_far_day(path: str, query: str, year: int) -> bool:
    """Whether a page is for a day that is far away: of a calendar in both directions, else ahead."""
    found = IN_PATH.search(path) or (IN_QUERY.search(unquote(query)) if query else None)
    if found is None:
        return False
    away = int(found[1]) - year
    if CALENDAR.search(path) or CALENDAR.search(query):
        return abs(away) > YEARS_OF_CALENDAR
    return away > YEARS_AHEAD
