"""What makes a number another one: a bound ("under 12", "< 5 kg"), a minus before its mark, brackets in accounts."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from scraping_ai.extraction.normalise import money

MAX_NEAR = 30  # characters that are read on either side

_WORDS: dict[str, list[str]] = json.loads(
    files("scraping_ai.extraction.normalise").joinpath("bounds.json").read_text("utf-8")
)
_SPACED = "|".join(map(re.escape, (w for w in _WORDS["before"] if w < "\u0e00")))
_CLOSE = "|".join(map(re.escape, (w for w in _WORDS["before"] if w >= "\u0e00")))
_BEFORE = re.compile(rf"(?:(?<!\w)(?:{_SPACED})\s|(?:{_CLOSE})\s?|[<>≤≥≦≧＜＞]\s?)\Z", re.I)
_BEHIND = re.compile(rf"\s?(?:[^\W\d]{{1,12}}\s?)??(?:{'|'.join(map(re.escape, _WORDS['behind']))})(?!\w)", re.I)
_MINUS = re.compile(r"(?:\A|[\s(])[-\u2013\u2212]\Z")
_OPENS, _CLOSES = re.compile(r"(?P<mark>.{0,5})\(\s?\Z"), re.compile(r"\s?(?P<unit>[^\W\d]{0,12}|%)\s?\)\s?%?\Z")


def is_bound(text: str, start: int, end: int) -> bool:
    """Whether the number at `start` to `end` is the least or most that a value may be.

    `end` 0: what follows is not read.
    """
    before, _ = _apart(text[max(0, start - MAX_NEAR) : start])
    return _BEFORE.search(before) is not None or (end > 0 and _BEHIND.match(text, end) is not None)


def sign(text: str, start: int, end: int) -> int | None:
    """1, -1 for "-$5" and "($4.5M)"; None where it cannot be told: "(7)" may be a remark."""
    before, mark = _apart(text[:start])
    if is_negative(text, start):
        return -1 if mark else None
    opens, closes = _OPENS.fullmatch(before.lstrip()), _CLOSES.match(text, end)
    if not opens or not closes or (opens["mark"].strip() and not money.is_mark(opens["mark"])):
        return 1
    says = mark or opens["mark"].strip() or "%" in closes[0] or not text[start:end].isdigit()
    return -1 if says else None


def is_negative(text: str, start: int) -> bool:
    """Whether a minus stands before the number at `start` or its mark."""
    before, _ = _apart(text[:start])
    return _MINUS.search(before) is not None


def _apart(before: str) -> tuple[str, str]:
    """What stands before a number, without and with only its currency's mark."""
    for length in range(min(4, len(before)), 0, -1):
        rest, mark = before[:-length], before[-length:].strip()
        if money.is_mark(mark) and not (rest[-1:].isalpha() and mark[0].isalpha()):
            return rest, mark
    return before, ""
