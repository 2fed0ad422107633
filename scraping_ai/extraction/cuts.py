"""Whether a text is cut out of another: proof needs whole words and numbers, and a yes that nothing denies."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from scraping_ai.extraction.matching import is_edge
from scraping_ai.extraction.normalise import choices, tokens

MAX_PLACES = 50  # where one text stands in another
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\U0003ffff]")  # scripts without spaces
_DIGITS_MEET = re.compile(rf"\d{tokens.PARTING}\d")
_ENUMERATED = re.compile(r"https?://schema\.org/")  # "UsedCondition" has two words there
_SPACES = "\u00a0\u202f\u2009"  # which group digits


def places(text: str, standing: str, seams: Callable[[], frozenset[int]], units: bool) -> Iterator[int]:
    """Where a text stands whole in another, which `seams` (offsets) may part as well; `units` may follow numbers."""
    start, tried = standing.find(text), 0
    while start >= 0 and tried < MAX_PLACES:
        end = start + len(text)
        if all(_parts(standing, at, units) or at in seams() for at in (start, end)):
            yield start
        start, tried = standing.find(text, start + 1), tried + 1


def _parts(text: str, index: int, units: bool) -> bool:
    """Whether neither a word nor a number goes on across an index; with `units`, "5kg" parts there."""
    near = tokens.plain(text[max(0, index - 2) : index + 2])
    at = min(index, 2)
    if not 0 < index < len(text):
        return True
    left, right = near[at - 1], near[at]
    if left.isdigit() and right.isdigit():
        return False
    if _DIGITS_MEET.fullmatch(near[at - 1 : at + 2]) or _DIGITS_MEET.fullmatch(near[max(0, at - 2) : at + 1]):
        return False
    if text[index - 1] in _SPACES or text[index] in _SPACES:
        return not _groups(text, index)
    if unicodedata.category(right)[0] == "M":
        return False
    if text[index - 1].islower() and text[index].isupper() and _ENUMERATED.match(text):
        return True
    spaceless = _UNSPACED.match(left) or _UNSPACED.match(right)
    return spaceless is not None or (units and left.isdigit() and right.isalpha()) or is_edge(text, index)


def _groups(text: str, index: int) -> bool:
    """Whether digits on both sides of a space are one number's."""
    return re.search(r"\d\s?\Z", text[max(0, index - 2) : index]) is not None and (
        re.match(r"\s?\d{3}(?!\d)", text[index : index + 5]) is not None
    )


def is_denied(text: str, standing: str, start: int, before: str) -> bool:
    """Whether a text that stands at `start` is denied there ("Not" before "waterproof"); `before` precedes all."""
    return choices.denies(before + standing[:start], standing[start + len(text) :])
