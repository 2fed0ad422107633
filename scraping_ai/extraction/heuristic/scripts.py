"""Values under well-known keys in inline scripts: data layers of analytics, state of shop programs."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor, Document
from scraping_ai.extraction.structured.doubts import is_placeholder

MAX_VALUES = 50  # a concept
MAX_SCRIPT = 2 * 2**20  # characters
CONFIDENCE = 0.6

_FILE = files("scraping_ai.extraction.heuristic").joinpath("script_keys.json")
_KEYS: dict[str, list[str]] = json.loads(_FILE.read_text("utf-8"))
_CONCEPT_OF = {key: concept for concept, keys in _KEYS.items() for key in keys}
_STARTING: dict[str, list[str]] = {}
for _key in sorted(_CONCEPT_OF, key=len, reverse=True):
    _STARTING.setdefault(_key[0], []).append(_key[1:])
# `"key": "value"` with either quote or a bare number; few branches that start with letters are searched fastest.
_ANY_KEY = "|".join(rf"{first}(?:{'|'.join(rests)})" for first, rests in _STARTING.items())
_PAIR = re.compile(
    rf"(?:{_ANY_KEY})[\"']?\s{{0,3}}:\s{{0,3}}"
    r"(?:\"([^\"\\\n<>]{2,80})\"|'([^'\\\n<>]{2,80})'|(\d{2,20})(?![\w.]))"
)
_KEY = re.compile(r"\w+")


def read(document: Document) -> dict[str, list[Candidate]]:
    """What scripts say, by concept ("sku", "mpn", "gtin", "brand"), in page order."""
    found: dict[str, list[Candidate]] = {}
    for node in document.root.iter("script"):
        if "ld+json" in (node.get("type") or ""):  # structured data is read as such, and may be refused
            continue
        source = node.text or ""
        for match in _PAIR.finditer(source) if len(source) <= MAX_SCRIPT else ():
            key = _KEY.match(match[0])
            before = source[match.start() - 1 : match.start()]
            if key is None or before.isalnum() or before in ("_", "-", "$"):
                continue
            text = next(group for group in match.groups() if group is not None)
            values = found.setdefault(_CONCEPT_OF[key[0]], [])
            if len(values) < MAX_VALUES and not is_placeholder(text):
                values.append(Candidate(text, Anchor(node, in_text=True), CONFIDENCE, "heuristic"))
    return found
