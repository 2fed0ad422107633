"""Fractions as people write them: ½, 1½, 1/2, "1 1/2"."""

from __future__ import annotations

import re
from decimal import Decimal

_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e]")
_FRACTION = re.compile(
    r"(?:(?P<whole>\d{1,3})\s+)?(?P<above>\d{1,2})\s?(?P<bar>[/\u2044])\s?(?P<below>\d{1,2})(?![\d/])"
)
_MEASURED = frozenset((2, 3, 4, 8, 16, 32, 64))  # what people divide by; "8/10" is a mark out of ten


def spaced(text: str) -> str:
    """A text whose ½ will not run into the number before it when Unicode's NFKC takes it apart."""
    return _VULGAR.sub(r" \g<0>", text)


def at(text: str, start: int) -> tuple[Decimal, int] | None:
    """The fraction that begins at `start`, and its end; None where what stands there is none."""
    match = _FRACTION.match(text, start)
    if match is None:
        return None
    above, below = int(match["above"]), int(match["below"])
    if not 0 < above < below or (match["bar"] == "/" and below not in _MEASURED):
        return None
    return int(match["whole"] or 0) + Decimal(above) / Decimal(below), match.end()
