"""Bodies to text, and which bodies are no page."""

from __future__ import annotations

import json
import re

from scraping_ai.extraction import decoding

MAX_BYTES = 20 * 2**20
MAX_NAME = 2_000  # characters of a path or address

_MAGIC = (
    (b"%PDF-", "PDF"),
    (b"\x89PNG\r\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF87a", "image"),
    (b"GIF89a", "image"),
    (b"RIFF", "media file"),
    (b"PK\x03\x04", "zip archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"\x28\xb5\x2f\xfd", "zstandard archive"),
    (b"OggS", "media file"),
    (b"\x7fELF", "program"),
)
_NAME = re.compile(r"(?P<scheme>https?://)\S+|[^<>\n]+\.x?html?(?:\.gz)?", re.I)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


class Unreadable(ValueError):
    """A body that holds no page; the message is the reason shown to the user."""


def decode(html: bytes | str, content_type: str | None = None) -> str:
    """The text of a body as browsers decide: BOM, header, meta, then UTF-8 or detection.

    Raises Unreadable for bodies that are empty, too large or no text, TypeError for what is no body.
    """
    if not isinstance(html, (bytes, bytearray, str)):
        raise TypeError(f"html is a {type(html).__name__}; give the page itself, such as path.read_bytes()")
    size = len(html)
    if size > MAX_BYTES:
        raise Unreadable(f"body larger than {MAX_BYTES // 2**20} MB")
    if isinstance(html, str):
        _refuse_name(html)
        text = html.encode("utf-8", "replace").decode("utf-8")
    else:
        _refuse_binary(html)
        text = decoding.decode(html, content_type)
    if not text.strip("\x00 \t\r\n\f\ufeff"):
        raise Unreadable("empty body")
    _refuse_other_text(text)
    return text


def _refuse_name(text: str) -> None:
    """The path or address of a page is not the page."""
    if len(text) <= MAX_NAME and (match := _NAME.fullmatch(text.strip())):
        kind, remedy = ("an address", "fetch it") if match["scheme"] else ("a path", "read the file")
        raise Unreadable(f"this is {kind}, not HTML: {remedy} first")


def _refuse_binary(body: bytes) -> None:
    head = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            raise Unreadable(f"not HTML: {kind}")


def _refuse_other_text(text: str) -> None:
    """A body without a tag that is mostly control characters, or is JSON, is no page."""
    head = text[:2048].lstrip("\x00 \t\r\n\f\ufeff")
    if "<" not in head and len(_CONTROL.findall(head)) > len(head) // 10:
        raise Unreadable("not HTML: binary data")
    if head[:1] in ("{", "["):
        try:
            json.loads(text)
        except RecursionError:
            raise Unreadable("not HTML: JSON") from None
        except ValueError:
            return
        raise Unreadable("not HTML: JSON")
