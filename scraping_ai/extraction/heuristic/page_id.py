"""The number by which a shop knows the product: in the page's address, and again in the page as an identifier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor, Document

MAX_TOKENS = 6
SEGMENTS = 2  # of the path, from its end
CONFIDENCE = 0.55
_TOKEN = re.compile(r"(?<![^\W_])(?:\d{5,20}|(?=[A-Z]*\d)[A-Z0-9]{7,14})(?![^\W_])")
_NAMES = re.compile(r"id\b|ids\b|id$|sku|asin|item|product|code|prod|deal|listing|article|artikel|goods|value", re.I)
_NOT_NAMES = re.compile(r"categor|brand|shop|seller|store|user|customer|session|page-?id|theme|parent", re.I)
_BEFORE_IN_SCRIPT = re.compile(
    r"(?:sku|asin|(?:item|product|prod|deal|listing|article|goods|offer)_?(?:id|no|code|number|srl)?|pid)[\"']?\s*[:=]\s*[\"']?\Z",
    re.I,
)
_QUERY = frozenset("sku id pid item itemid productid product_id goods_id childsku".split())


def candidates(document: Document) -> Iterator[Candidate]:
    """Identifiers of the address that an attribute or script of the page repeats as one."""
    for token in _tokens(document.url):
        anchor = _attribute(document, token) or _in_script(document, token)
        if anchor is not None:
            yield Candidate(token, anchor, CONFIDENCE, "heuristic")


def _tokens(url: str) -> list[str]:
    """Parts of an address that look like identifiers, the last first."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    segments = [s for s in unquote(parts.path).split("/") if s][-SEGMENTS:]
    tokens = [v for k, v in parse_qsl(parts.query, max_num_fields=50) if k.lower() in _QUERY and _TOKEN.fullmatch(v)]
    tokens += [match[0] for segment in reversed(segments) for match in _TOKEN.finditer(segment)]
    return list(dict.fromkeys(tokens))[:MAX_TOKENS]


def _attribute(document: Document, token: str) -> Anchor | None:
    for node in document.select(f"//@*[. = '{token}']/parent::*[not(self::meta or self::link or self::option)]"):
        for name, value in node.attrib.items():
            named = f"{name} {node.get('name') or ''} {node.get('id') or ''}" if name == "value" else str(name)
            if value == token and _NAMES.search(named) and not _NOT_NAMES.search(named):
                return Anchor(node, str(name))
    return None


def _in_script(document: Document, token: str) -> Anchor | None:
    for node in document.root.iter("script"):
        source = node.text or ""
        start = source.find(token)
        while start >= 0:
            ends = not source[start + len(token) : start + len(token) + 1].isalnum()
            if ends and _BEFORE_IN_SCRIPT.search(source, max(0, start - 40), start):
                return Anchor(node, in_text=True)
            start = source.find(token, start + len(token))
    return None
