"""Whether a thing that markup describes is what the page is about, by the words of their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from scraping_ai.extraction.concepts import bare
from scraping_ai.extraction.document import Document, absolute, path_of, string_value
from scraping_ai.extraction.structured.entity import Entity, Leaf

MAX_HEADINGS = 5
MAX_NAME = 500  # characters
STEM = 4  # letters in which inflected words agree
MIN_CODE = 4  # characters of a code that tells products apart
MAX_TEXTS = 50  # texts of a thing that are read
_LATIN_WORD = re.compile(r"[a-z0-9]{2,}")
_WORD = re.compile(
    r"[\u0e00-\u0e7f\u2e80-\uffff]|[^\W_\u0e00-\u0e7f\u2e80-\uffff]{3,}"
)  # or a letter where no spaces part words
_WRITTEN = ("Article", "Posting", "Page", "CreativeWork", "Review", "Recipe")  # with headlines in other words
_CODES = ("sku", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "productID")


def is_another(entity: Entity, document: Document) -> bool:
    """Whether a page has headings and a thing's name shares no word with any of them, the title or the address, or
    says other words than they do: "Red kite" where the page is about "Blue kite".

    A heading that a wrong encoding has broken cannot be compared.
    """
    name = "".join(filter(str.isprintable, entity.text("name") or entity.text("headline") or ""))
    link = entity.text("url") or entity.id or ""
    words = _stems(name)
    headings = [t for n in islice(document.root.iter("h1"), MAX_HEADINGS) if (t := string_value(n)[:MAX_NAME].strip())]
    shown = [_stems(text) for text in headings]
    if "\ufffd" in "".join(headings) or (link and document.url and absolute(document.url, link) == document.url):
        return False
    metas = [m.get("content") or "" for m in document.metas if (m.get("property") or "") == "og:title"]
    said = (document.title, path_of(document.url), *metas)
    if name and headings and _contradicts(entity, name, headings, said, document.url):
        return True
    if not words or not any(shown) or not _is_latin(name) or not all(map(_is_latin, headings)):
        return False
    return not any(words & found for found in (*shown, *map(_stems, said)))


def _contradicts(entity: Entity, name: str, headings: list[str], said: tuple[str, ...], url: str | None) -> bool:
    """Whether a thing's name has a word that the page's headings, title and address lack, and each heading one that
    nothing the thing says has. A code of it in the page's address outweighs both; of what is written only one with
    another address is told so.
    """
    link = entity.text("url")
    away = bool(link and url) and path_of(absolute(url or "", link or "") or "") != path_of(url or "")
    if not away and any(kind.endswith(_WRITTEN) for kind in entity.types):
        return False
    codes = (leaf.text for kind in _CODES for leaf in entity.leaves(kind))
    if any(len(code) >= MIN_CODE and code in (url or "") for code in codes):
        return False
    if any(_is_latin(heading) != _is_latin(name) for heading in headings):
        return False  # a name in another language
    own = _words(" ".join(_texts(entity)))
    lacking = _words(name) - _words(" ".join((*headings, *said)))
    return bool(lacking) and all(_words(heading) - own for heading in headings)


def _texts(entity: Entity) -> Iterator[str]:
    """What a thing says of itself and its parts."""
    texts = (
        leaf.text
        for holder in (entity, *(e for _, e in islice(entity.walk(), MAX_TEXTS)))
        for values in holder.properties.values()
        for leaf in values
        if isinstance(leaf, Leaf)
    )
    return (text[:MAX_NAME] for text in islice(texts, MAX_TEXTS))


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:STEM] for word in _WORD.findall(bare(text)))


def _is_latin(text: str) -> bool:
    letters = [c for c in bare(text[:MAX_NAME]) if c.isalpha()]
    return sum(c.isascii() for c in letters) > 0.8 * len(letters)


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:STEM] for word in _LATIN_WORD.findall(bare(text[:MAX_NAME])))
