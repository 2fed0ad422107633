"""Whether a thing that markup describes is what the page is about, by the words of their names."""

from __future__ import annotations

import re
from itertools import islice

from scraping_ai.extraction.concepts import bare
from scraping_ai.extraction.document import Document, absolute, path_of, string_value
from scraping_ai.extraction.structured.entity import Entity

MAX_HEADINGS = 5
MAX_NAME = 500  # characters
STEM = 4  # letters in which inflected words agree
_LATIN_WORD = re.compile(r"[a-z0-9]{2,}")


def is_another(entity: Entity, document: Document) -> bool:
    """Whether a page has headings and a thing's name shares no word with any of them, the title or the address.

    Names in other scripts, and headings that a wrong encoding has broken, cannot be compared: they are never another's.
    """
    name = "".join(filter(str.isprintable, entity.text("name") or entity.text("headline") or ""))
    link = entity.text("url") or entity.id or ""
    words = _stems(name)
    headings = [t for n in islice(document.root.iter("h1"), MAX_HEADINGS) if (t := string_value(n)[:MAX_NAME].strip())]
    shown = [_stems(text) for text in headings]
    if "\ufffd" in "".join(headings):
        return False
    if not words or not any(shown) or not _is_latin(name) or not all(map(_is_latin, headings)):
        return False
    if link and document.url and absolute(document.url, link) == document.url:
        return False
    metas = [m.get("content") or "" for m in document.metas if (m.get("property") or "") == "og:title"]
    others = [_stems(text) for text in (document.title, path_of(document.url), *metas)]
    return not any(words & found for found in (*shown, *others))


def _is_latin(text: str) -> bool:
    letters = [c for c in bare(text[:MAX_NAME]) if c.isalpha()]
    return sum(c.isascii() for c in letters) > 0.8 * len(letters)


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:STEM] for word in _LATIN_WORD.findall(bare(text[:MAX_NAME])))
