"""Values under well-known keys in inline scripts: data layers of analytics, state of shop programs."""

from __future__ import annotations

import re
from functools import lru_cache

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor, Document

MAX_VALUES = 50  # a page
MAX_SCRIPT = 2 * 2**20  # characters
CONFIDENCE = 0.6


@lru_cache(maxsize=64)
def _pattern(keys: tuple[str, ...]) -> re.Pattern[str]:
    """`"key": "value"`, with either quote or a bare number."""
    names = "|".join(map(re.escape, keys))
    return re.compile(
        rf"(?<![\w-])(?P<quote>[\"']?)(?:{names})(?P=quote)\s{{0,3}}:\s{{0,3}}"
        r"(?:\"([^\"\\\n<>]{2,80})\"|'([^'\\\n<>]{2,80})'|(\d{2,20})(?![\w.]))"
    )


def values(document: Document, keys: tuple[str, ...]) -> list[Candidate]:
    """What stands under any of some keys, in page order."""
    found: list[Candidate] = []
    for node in document.root.iter("script"):
        source = node.text or ""
        if len(source) > MAX_SCRIPT or not any(key in source for key in keys):
            continue
        for match in _pattern(keys).finditer(source):
            text = next(group for group in match.groups()[1:] if group is not None)
            found.append(Candidate(text, Anchor(node, in_text=True), CONFIDENCE, "heuristic"))
            if len(found) >= MAX_VALUES:
                return found
    return found
