"""Trade item numbers: GTIN-8, 12, 13, 14 and ISBN-10 by their check digits (GS1 General Specifications, ISO 2108)."""

from __future__ import annotations

import re

_SEPARATOR = re.compile(r"[\s\-\u2010-\u2013]")
_GTIN = re.compile(r"\d{8}|\d{12,14}", re.A)
_ISBN10 = re.compile(r"\d{9}[\dXx]", re.A)


def gtin(text: str) -> bool:
    """Whether a text is a trade item number, its check digit right; spaces and hyphens may part the digits."""
    digits = _SEPARATOR.sub("", text) if len(text) <= 30 else ""
    if _ISBN10.fullmatch(digits):
        values = [10 if d in "xX" else int(d) for d in digits]
        return sum(weight * value for weight, value in zip(range(10, 0, -1), values, strict=True)) % 11 == 0
    if not _GTIN.fullmatch(digits) or not digits.strip("0"):
        return False
    return sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(reversed(digits))) % 10 == 0
