"""The page's main image: large, near the title, no logo; its own URL rather than that of a small or lazy stand-in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import View, hints

MAX_IMAGES = 300  # weighed
MAX_SOURCES = 50  # of one srcset
MAX_URL = 2_000  # characters
SMALL = 120  # pixels
AROUND = 12  # elements whose hints count
_SOURCES = tuple(
    "data-full-image data-large_image data-zoom-image data-pin-media data-original data-lazy-src data-src data-image "
    "src".split()
)
_SETS = ("data-lazy-srcset", "data-srcset", "srcset")
_NO_PHOTO = re.compile(
    r"logo|icon|avatar|sprite|pixel|badge|banner|spacer|placeholder|blank|loading|button|flag|gravatar|emoji|profile|"
    r"advert|\bads?\b|signature|author"
)
_ELSEWHERE = re.compile(
    r"related|similar|recommend|sidebar|footer|comment|widget|\bnav|menu|popup|modal|share|social|newsletter|upsell|"
    r"teaser|trending|popular|author|promo"
)
_RESIZED = re.compile(r"-\d{2,4}x\d{2,4}(?=\.\w{3,4}\Z)")
_FILE = re.compile(r"\.(?:svg|gif|ico)\b|^data:", re.I)
_WIDTH = re.compile(r"(\d{1,5})(?:\.\d+)?([wx])\Z")


def candidates(view: View) -> Iterator[Candidate]:
    """URLs of photos, the likeliest first."""
    words = set(fold(view.text(view.heading) if view.heading is not None else view.document.title).split())
    rated: list[tuple[float, int, tuple[str, Anchor]]] = []
    for node in islice((n for n in view.nodes if n.tag == "img"), MAX_IMAGES):
        found = source(node)
        if found is not None and (score := _score(view, node, found[0], words)) is not None:
            rated.append((score, -len(rated), found))
    for score, _, (text, anchor) in sorted(rated, key=lambda entry: entry[:2], reverse=True)[:5]:
        yield Candidate(text, anchor, 0.7 if score > 0 else 0.5, "heuristic")


def source(node: etree._Element) -> tuple[str, Anchor] | None:
    """The URL of an image as large as the page offers it."""
    widest = max(_of_sets(node), key=lambda entry: entry[0], default=None)
    plain = [
        (text, Anchor(node, name)) for name in _SOURCES if (text := (node.get(name) or "").strip()) and _is_photo(text)
    ]
    plain.sort(key=lambda entry: bool(_RESIZED.search(entry[0])))
    if widest is not None and (not plain or _RESIZED.search(plain[0][0]) or widest[0] > 10_000):
        return widest[1:]
    return plain[0] if plain else None


def _of_sets(node: etree._Element) -> Iterator[tuple[int, str, Anchor]]:
    for name in _SETS:
        for entry in (node.get(name) or "").split(", ")[:MAX_SOURCES]:
            url, _, width = entry.strip().partition(" ")
            match = _WIDTH.match(width.strip())
            if _is_photo(url):
                original = not _RESIZED.search(url)
                yield (int(match[1]) if match else 0) + 10_000 * original, url.rstrip(","), Anchor(node, name)


def _is_photo(url: str) -> bool:
    return 0 < len(url) <= MAX_URL and not _FILE.search(url)


def _score(view: View, node: etree._Element, url: str, words: set[str]) -> float | None:
    """How likely an image is the main one; None for logos, icons and what is small."""
    if min(_pixels(node, "width"), _pixels(node, "height")) < SMALL:
        return None
    if _NO_PHOTO.search(f"{hints(node)} {url[-300:].rsplit('/', 1)[-1].lower()}"):
        return None
    around = list(islice(node.iterancestors(), AROUND))
    far = " ".join(hints(a) for a in around)
    score = -4.0 * bool(_ELSEWHERE.search(far)) - 3.0 * any(a.tag in ("nav", "footer", "aside") for a in around)
    score += 1.0 * any(a.tag in ("main", "article") for a in around)
    alt = set(fold((node.get("alt") or "")[:200]).split())
    score += len(words & alt) / max(1, len(words))
    start = view.order.get(view.heading, 0) if view.heading is not None else 0
    distance = view.order[node] - start
    return score + (2.0 / (1 + distance / 40) if distance >= 0 else 1.0 / (1 - distance / 50))


def _pixels(node: etree._Element, name: str) -> int:
    text = node.get(name) or ""
    return int(text) if text.isdecimal() and len(text) < 6 else 10_000
