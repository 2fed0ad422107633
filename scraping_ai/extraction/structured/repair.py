"""JSON as pages really carry it: what browsers' and search engines' readers forgive."""

from __future__ import annotations

import html
import json
import re
from typing import Any

MAX_MARKS = 5  # one inside the other, such as `/*<![CDATA[*/`
# A whole comment, or the mark that opens one around the JSON; `//` only before such a mark, else it has text behind it.
_OPENER = re.compile(r"<!--[^{\[]{0,2000}?-->|<!--|<!\[CDATA\[|//(?=\s*<!)|/\*\*/|/\*(?=\s*<!)|\*/")
_CLOSERS = ("-->", "]]>", "//", "/**/", "*/", "/*", ";")
# Each alternative matches to the end of the text where its end is missing: no restart, so linear time.
_STRING = r'"(?:[^"\\]|\\.?)*+(?:"|\Z)'
_STRING_OR_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.S)
_STRING_OR_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.S)
_BAD_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|.)', re.S)
_OPENING = re.compile(r"[{\[]")


def loads(text: str) -> tuple[Any, bool]:
    """Parse JSON; the second value says whether a strict parser (RFC 8259) reads it too.

    Raises ValueError when it is beyond repair. Tried in turn: control characters in strings, several values in a row,
    comment and CDATA wrappers, comments, trailing commas, bad escapes, HTML entities.
    """
    try:
        return json.loads(text), True
    except ValueError:
        pass
    except RecursionError:
        raise ValueError("nested too deep") from None
    return _repaired(text), False


def _repaired(text: str) -> Any:
    stripped = _unwrap(text)
    for attempt in (stripped, _clean(stripped), _clean(html.unescape(stripped))):
        try:
            return json.loads(attempt, strict=False)
        except RecursionError:
            break
        except ValueError:
            if values := _several(attempt):
                return values if len(values) > 1 else values[0]
    raise ValueError("not JSON")


def _unwrap(text: str) -> str:
    """Without the comment and CDATA marks that once hid scripts from old browsers."""
    text = text.strip()
    for _ in range(MAX_MARKS):
        opener = _OPENER.match(text)
        text = text[opener.end() :].lstrip() if opener else text
        text = text.removesuffix(next((m for m in _CLOSERS if text.endswith(m)), "")).rstrip()
    return text


def _clean(text: str) -> str:
    text = _STRING_OR_COMMENT.sub(lambda m: m[0] if m[0][0] == '"' else "", text)
    text = _STRING_OR_COMMA.sub(lambda m: m[0] if m[0][0] == '"' else "", text)
    return _BAD_ESCAPE.sub(lambda m: m[0] if m[1] else m[0][1:], text)


def _several(text: str) -> list[Any]:
    """The values at the start of a text that are whole: several in a row, or one with rubbish behind it."""
    decoder, start = json.JSONDecoder(strict=False), 0
    values: list[Any] = []
    while (match := _OPENING.search(text, start)) and len(values) < 100:
        if text[start : match.start()].strip(" \t\r\n,;"):
            break
        try:
            value, start = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            break
        values.append(value)
    return values
