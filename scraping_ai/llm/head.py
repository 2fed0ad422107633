"""What a page says about itself outside its text: title, meta tags, JSON-LD; as lines for a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lxml import etree

MAX_META = 24
MAX_META_CHARS = 500
MAX_SCRIPT_CHARS = 500_000
MAX_STRING_CHARS = 1_000
MAX_ITEMS = 50
MAX_DEPTH = 8

_META_NAMES = frozenset(("description", "author", "keywords", "date"))
_META_PREFIXES = ("og:", "product:", "article:", "book:")
# They describe the site around the page (schema.org types).
_SITE_TYPES = frozenset(("BreadcrumbList", "WebSite", "SiteNavigationElement", "WPHeader", "WPFooter", "SearchAction"))
_DROPPED_KEYS = frozenset(("@context", "@id", "potentialAction", "isPartOf", "breadcrumb"))


def head_lines(tree: etree._Element, *, limit: int) -> list[str]:
    """Lines of at most `limit` characters in all, newlines counted."""
    lines = []
    for line in _all_lines(tree):
        limit -= len(line) + 1
        if limit < 0:
            # A long line gives its beginning: broken JSON still tells a model more than none.
            lines.append(line[: max(limit + len(line), 0)])
            break
        lines.append(line)
    return lines


def _all_lines(tree: etree._Element) -> Iterator[str]:
    title = next(tree.iter("title"), None)
    if title is not None and (text := _squeezed(title.text)):
        yield f"Title: {text}"
    seen = 0
    for meta in tree.iter("meta"):
        name, content = meta.get("property") or meta.get("name") or "", _squeezed(meta.get("content"))
        if content and (name.lower() in _META_NAMES or name.startswith(_META_PREFIXES)):
            yield f"{name[:80]}: {content}"
            seen += 1
            if seen == MAX_META:
                break
    for script in tree.iter("script"):
        if "ld+json" in (script.get("type") or "").lower():
            yield from _json_ld(script.text or "")


def _squeezed(text: str | None) -> str:
    return " ".join((text or "")[: 4 * MAX_META_CHARS].split())[:MAX_META_CHARS]


def _json_ld(text: str) -> Iterator[str]:
    """The script's things (JSON-LD 1.1, `@graph` opened), a line each; as it stands when it is not valid JSON."""
    if len(text) > MAX_SCRIPT_CHARS:
        return
    try:
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        yield " ".join(text.split())
        return
    for thing in _things(data):
        if compact := _compact(thing, MAX_DEPTH):
            yield json.dumps(compact, ensure_ascii=False, separators=(",", ":"))


def _things(data: Any) -> Iterator[Any]:
    for top in data if isinstance(data, list) else [data]:
        graph = top.get("@graph") if isinstance(top, dict) else None
        for thing in graph if isinstance(graph, list) else [top]:
            if isinstance(thing, dict) and not _is_site(thing):
                yield thing


def _is_site(thing: dict[str, Any]) -> bool:
    kind = thing.get("@type")
    kinds = kind if isinstance(kind, list) else [kind]
    return all(isinstance(k, str) and k.rpartition("/")[2] in _SITE_TYPES for k in kinds)


def _compact(value: Any, depth: int) -> Any:
    """The value without what tells nothing, bounded in depth, list length and string length."""
    if isinstance(value, str):
        return " ".join(value[:MAX_STRING_CHARS].split())
    if not isinstance(value, (dict, list)):
        return value
    if depth == 0:
        return None
    if isinstance(value, list):
        inner = (_compact(item, depth - 1) for item in value[:MAX_ITEMS])
        return [item for item in inner if item not in (None, "", [], {})]
    pairs = ((key, _compact(item, depth - 1)) for key, item in value.items() if key not in _DROPPED_KEYS)
    return {key: item for key, item in pairs if item not in (None, "", [], {})}
