"""How long a host asks to be left alone (RFC 9110, 10.2.3)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from datetime import UTC
from email.utils import parsedate_to_datetime

STATUSES = frozenset({429, 503})
SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")
MAX_LENGTH = 64  # characters; the longest date has 33


def seconds_of(fields: Iterable[str], now: str | None = None) -> float:
    """Seconds that Retry-After fields ask for, the longest of several: 0.0 for nonsense and what is past.

    `now` is the response's Date field, by which its dates are read: a server's clock need not be ours.
    """
    return max((_seconds(field.strip(), now) for field in fields), default=0.0)


def _seconds(field: str, now: str | None) -> float:
    if SECONDS.fullmatch(field):
        return float(field)
    if (until := _stamp(field)) is None:
        return 0.0
    begun = None if now is None else _stamp(now.strip())
    return max(until - (time.time() if begun is None else begun), 0.0)


def _stamp(date: str) -> float | None:
    """Seconds since 1970 of an HTTP date."""
    if len(date) > MAX_LENGTH:
        return None
    try:
        found = parsedate_to_datetime(date)
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
