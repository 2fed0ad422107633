"""A list in structured data beside the one that the page shows: where the data is damaged, what readers see counts.

Damaged is text that was decoded twice ("donâ€™t"), text with doubled parentheses (a recipe plug-in's doing) and a list
that lost its amounts ("flour" where the page says "500 g flour").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold

MAX_ITEMS = 200
_DAMAGED = re.compile(r"\(\(|â€|Ã[\x80-\xbf©¨¼¶¤]|Â[\xa0-\xbf]")


def reconciled(structured: Sequence[Candidate], visible: Sequence[Candidate]) -> list[Candidate]:
    """The structured items, those that are damaged replaced by the visible ones that say the same."""
    found = list(structured)
    if not visible or len(found) > MAX_ITEMS or len(visible) > MAX_ITEMS:
        return found
    shown = [(candidate, _words(candidate.text)) for candidate in visible]
    if not _has_amounts(found) and _has_amounts(visible):
        return [_holding(candidate, shown) or candidate for candidate in found]
    return [_same(c, shown) or c if _DAMAGED.search(c.text) else c for c in found]


def is_damaged(structured: Sequence[Candidate]) -> bool:
    """Whether a look at the visible page is worth its time."""
    return not _has_amounts(structured) or any(_DAMAGED.search(c.text) for c in structured)


def _has_amounts(candidates: Sequence[Candidate]) -> bool:
    """Whether a third of the items have digits."""
    return 3 * sum(any(map(str.isnumeric, c.text)) for c in candidates) >= len(candidates)


def _words(text: str) -> frozenset[str]:
    return frozenset(fold(text).split())


def _holding(candidate: Candidate, shown: Sequence[tuple[Candidate, frozenset[str]]]) -> Candidate | None:
    """The visible item with all of an item's words and an amount."""
    words = _words(candidate.text)
    return next((v for v, have in shown if words <= have and any(map(str.isnumeric, v.text))), None)


def _same(candidate: Candidate, shown: Sequence[tuple[Candidate, frozenset[str]]]) -> Candidate | None:
    """The visible item that shares most words with an item, and nearly all."""
    words = _words(candidate.text)
    best, have = max(shown, key=lambda entry: len(entry[1] & words))
    return best if len(words & have) >= 0.7 * len(words | have) and not _DAMAGED.search(best.text) else None
