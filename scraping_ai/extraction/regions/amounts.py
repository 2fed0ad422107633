"""Whether an element shows one price that is asked, and all of it; whether a page shows an amount."""

from __future__ import annotations

import re

from lxml import etree

from scraping_ai.extraction.document import string_value
from scraping_ai.extraction.heuristic.view import View

_OLD = re.compile(
    r"(?:^|[\s_-])(?:old|was|rrp|msrp|uvp|strike|strikethrough|regular|compare|original|before|list)(?:[\s_-]|$)", re.I
)
MAX_NAME = 500  # characters
MAX_DIGITS = 12
_CROSSED_OUT = ("del", "s", "strike")


def is_whole(node: etree._Element, text: str = "") -> bool:
    """False for an old price, for an element that holds one (unless the price is a `text` beside it), and where cents
    stand in a raised element of their own: "$549" and "99" beside it read together as 54,999, and apart as 549.
    """
    inside = next(node.iter("sup", *_CROSSED_OUT), None)
    is_beside = inside is not None and inside.tag != "sup" and text and text not in string_value(inside)
    if (inside is not None and not is_beside) or next(node.iterancestors(*_CROSSED_OUT), None) is not None:
        return False
    cents = next(node.itersiblings(etree.Element), None)
    if cents is not None and cents.tag == "sup" and (cents.text or "").strip(" 0.,").isdecimal():
        return False
    return _OLD.search(f"{node.get('class') or ''} {node.get('aria-label') or ''}"[:MAX_NAME]) is None


def is_shown(view: View, amount: str) -> bool:
    """Whether a whole amount ("1999") stands on the visible page as it is ("1,999"), without cents behind it."""
    digits = amount.strip()
    if not digits.isdecimal() or len(digits) > MAX_DIGITS:
        return False
    grouped = "[.,'’ \u00a0\u202f]?".join(f"{int(digits):,}".split(","))
    pattern = re.compile(rf"(?<![\d.,]){grouped}(?:[.,]00?(?!\d))?(?![.,]?\d)")
    return any(pattern.search(text) for node in view.nodes if node.text and (text := view.text(node)))
