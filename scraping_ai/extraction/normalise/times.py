"""The time of day that stands beside a written date, with its time zone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

_MORNING = ("午前", "上午", "오전")
_AFTERNOON = ("午後", "下午", "오후")
# Hours from UTC: RFC 5322's zones, and those whose letters mean one offset only.
_ZONES = {
    "EST": -5,
    "EDT": -4,
    "CST": -6,
    "CDT": -5,
    "MST": -7,
    "MDT": -6,
    "PST": -8,
    "PDT": -7,
    "CET": 1,
    "CEST": 2,
    "EET": 2,
    "EEST": 3,
    "MSK": 3,
    "JST": 9,
    "KST": 9,
    "AEST": 10,
    "AEDT": 11,
}
_ZONE = (
    r"(?:\s?[(\[]?(?P<zone>Z\b|(?:UTC|GMT)?\s?[+-]\d{1,2}(?::?\d{2})?(?!\d)|(?:UTC|GMT|"
    + "|".join(_ZONES)
    + r")(?![A-Za-z])))?"
)
_TIME = (
    r"(?P<half>午前|午後|上午|下午|오전|오후)?\s?(?<!\d)(?P<hour>\d{1,2})(?:"
    r"\s?[:h]\s?(?P<minute>\d{2})(?::(?P<second>\d{2})(?!\d))?"
    r"|\s?[時时시点點]\s?(?P<cjk>\d{1,2})\s?[分분](?:\s?(?P<cjk_second>\d{1,2})\s?[秒초])?"
    r"|\s?[時时시](?!\d)"
    r"|\.(?P<german>\d{2})(?=\s?Uhr)"
    r")(?!\d)\s?(?P<noon>[ap]\.?\s?m\b\.?)?"
)
_AFTER = re.compile(r"\D{0,16}?" + _TIME + _ZONE, re.I)
_BEFORE = re.compile(_TIME + _ZONE + r"\D{0,6}\Z", re.I)


def joined(day: date, before: str, after: str) -> date:
    """The moment of a day whose time stands in the text right after it, or right before it; else the day itself."""
    match = _AFTER.match(after) or _BEFORE.search(before[-32:])
    if match is None or (clock := _clock(match)) is None:
        return day
    return datetime.combine(day, clock, _zone(match["zone"]))


def _clock(match: re.Match[str]) -> time | None:
    hour, noon = int(match["hour"]), (match["noon"] or "").lower()
    if (match["half"] in _AFTERNOON or noon.startswith("p")) and hour < 12:
        hour += 12
    elif (match["half"] in _MORNING or noon.startswith("a")) and hour == 12:
        hour = 0
    try:
        minute, second = (match["minute"] or match["cjk"] or match["german"]), (match["second"] or match["cjk_second"])
        return time(hour, int(minute or 0), int(second or 0))
    except ValueError:
        return None


def _zone(name: str | None) -> tzinfo | None:
    """`Z`, `UTC`, `+09:00`, `GMT+9`, `PST` as a fixed offset."""
    if not name:
        return None
    offset = re.sub(r"[^\d+-]", "", name)
    if not offset:
        hours = _ZONES.get(name.upper())
        return UTC if hours is None else timezone(timedelta(hours=hours))
    digits = offset[1:].zfill(2) + "00" if len(offset) <= 3 else offset[1:]
    away = timedelta(hours=int(digits[:-2]), minutes=int(digits[-2:]))
    if away >= timedelta(hours=24):
        return None
    return timezone(-away if offset[0] == "-" else away)
