"""The encoding of a page as browsers decide it: byte-order mark, header, what the page declares, detection.

Declarations are read as the HTML Standard's "prescan a byte stream to determine its encoding" says, labels by w3lib,
which maps them as the Encoding Standard does: Latin-1 is Windows-1252, GB2312 is GB18030.
"""

from __future__ import annotations

import codecs
import re

from w3lib.encoding import http_content_type_encoding, read_bom, resolve_encoding, to_unicode

PRESCAN = 4_096  # bytes; the standard's 1,024 are what browsers wait for, their parsers read on
SAMPLE = 65_536  # bytes that detection reads
_ESCAPES = frozenset(("unicode-escape", "unicode_escape", "raw-unicode-escape", "raw_unicode_escape", "punycode"))
LEAST = 0.004  # share of telltale characters: a page is mostly markup
_XML = re.compile(r"""<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)""")
_COMMENT = re.compile(r"<!--(?:.*?-->|.*\Z)", re.S)
_TAG = re.compile(r"<(/?[A-Za-z][^\s>/]*)")
_OTHER = re.compile(r"<[!/?][^>]*>?")
_ATTRIBUTE = re.compile(
    r"""[\s/]*(?:(?P<end>>)|(?P<name>[^\s/>][^\s/>=]*)(?:\s*=\s*(?:"(?P<double>[^"]*)(?P<no_double>\Z)?"?"""
    r"""|'(?P<single>[^']*)(?P<no_single>\Z)?'?|(?P<bare>[^\s>"'][^\s>]*)?(?P<no_bare>\Z)?))?)"""
)
_CHARSET = re.compile(r"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"'][^\s;]*))""", re.I)
_LABEL = re.compile(r"[\w.:+-]+\Z", re.A)
# Letters that a text in a script cannot do without, and that the bytes of another script's hardly ever give.
_TELLTALE = {
    "euc_jp": re.compile("[\u3041-\u30f6]"),
    "cp932": re.compile("[\u3041-\u30f6]"),
    "gb18030": re.compile("[的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能]"),
    "big5hkscs": re.compile("[的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能]"),
    "cp949": re.compile("[이다의는에을가고를은도로하지한]"),
    "cp1251": re.compile("[оеаинтсрвл](?=[а-яё])"),
}


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of a body; bytes that its encoding does not know become U+FFFD."""
    encoding, bom = read_bom(body)
    if encoding is None or bom is None:
        return to_unicode(body, encoding_of(body, content_type))
    return to_unicode(body[len(bom) :], encoding)


def encoding_of(body: bytes, content_type: str | None = None) -> str:
    """The codec of a body without a byte-order mark."""
    return text_codec(http_content_type_encoding(content_type)) or declared(body) or detected(body)


def declared(body: bytes) -> str | None:
    """The encoding that a `<meta>` or an XML declaration names, as Python's codec; None without a valid one."""
    text = body[:PRESCAN].decode("latin-1")
    match = _XML.match(text)
    position = 0
    while (position := text.find("<", position)) >= 0:
        found, position = _at(text, position)
        if found:
            return found
    return _codec(match[1]) if match else None


def _at(text: str, position: int) -> tuple[str | None, int]:
    """What the markup at a `<` declares, and where the next may start."""
    if comment := _COMMENT.match(text, position):
        return None, comment.end()
    if tag := _TAG.match(text, position):
        attributes, end = _attributes(text, tag.end())
        return (_of_meta(attributes) if tag[1].lower() == "meta" else None), end
    if other := _OTHER.match(text, position):
        return None, other.end()
    return None, position + 1


def _attributes(text: str, position: int) -> tuple[dict[str, str], int]:
    """The attributes of a tag, in lower case, and where it ends; none of a tag that the text does not close."""
    attributes: dict[str, str] = {}
    while match := _ATTRIBUTE.match(text, position):
        position = match.end()
        if match["end"]:
            return attributes, position
        if any(match[name] is not None for name in ("no_double", "no_single", "no_bare")):
            break
        value = match["double"] or match["single"] or match["bare"] or ""
        attributes.setdefault(match["name"].lower(), value.lower())
    return {}, len(text)


def _of_meta(attributes: dict[str, str]) -> str | None:
    if "charset" in attributes:
        return _codec(attributes["charset"])
    if attributes.get("http-equiv") != "content-type":
        return None
    match = _CHARSET.search(attributes.get("content", ""))
    return _codec(match[1] or match[2] or match[3]) if match else None


def _codec(label: str) -> str | None:
    """A declared label's codec. UTF-16 cannot be declared in bytes that were read as ASCII, so UTF-8 is meant."""
    label = label.strip()
    codec = text_codec(resolve_encoding(label)) if _LABEL.match(label) else None
    if codec is None:
        return "cp1252" if label == "x-user-defined" else None
    return "utf-8" if codec.startswith(("utf-16", "utf_16")) else codec


def text_codec(codec: str | None) -> str | None:
    """A codec that decodes any bytes; None for Python's others, such as base64 or idna, which a page may name too."""
    try:
        b"\xff.".decode(codec or "undefined", "replace")
    except (LookupError, ValueError):
        return None
    return None if codec in _ESCAPES else codec


def detected(body: bytes) -> str:
    """The encoding of a page that declares none: UTF-8 when valid, else the one whose text reads most like its
    language, else Windows-1252, the browsers' fallback.
    """
    encodings = ("iso2022_jp", "utf-8") if b"\x1b$" in body[:SAMPLE] else ("utf-8",)
    if valid := next((e for e in encodings if _decoded(body, e) is not None), None):
        return valid
    best, most = "cp1252", LEAST
    for encoding, telltale in _TELLTALE.items():
        text = _decoded(body[:SAMPLE], encoding)
        if text is not None and (share := len(telltale.findall(text)) / max(len(text), 1)) > most:
            best, most = encoding, share
    return best


def _decoded(body: bytes, encoding: str) -> str | None:
    """The text of bytes that may stop in the midst of a character; None when they are not in this encoding."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(body, len(body) < SAMPLE)
    except UnicodeDecodeError:
        return None
