"""What a page shows before any script runs: read off its bytes in one pass, without a parser."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MUCH = 1_200  # bytes of running text that no shell, challenge or error page has
RUNS = 300  # looked at for that: pages of very short texts are read whole
NOTICE = 2_500  # bytes of text that a challenge, a refusal or an error page has at most: the rest is not read
TOKENS = 20_000  # of a page that are looked at: a page of more is none that lacks content
HEAD = 65_536  # bytes in which a title stands
TOP = 262_144  # and a first heading

_BODY = re.compile(rb"<body\b", re.I)
_TITLE = re.compile(rb"<title\b[^>]*>([^<]{0,400})", re.I)
_HEADING = re.compile(rb"<h1\b[^>]*>(.{0,600}?)</h1", re.I | re.S)
_PROSE = re.compile(rb">\s*([^\s<>{}=\\][^<>{}=\\]{24,})<")  # programs rarely hold so much without a brace
_TAGS = re.compile(rb"<[^>]*>")
# Elements whose text nobody sees, or not as text.
_HIDDEN = rb"script|style|noscript|template|svg|!--"
_SKIPPED = re.compile(rb"<(" + _HIDDEN + rb")", re.I)
_TOKEN = re.compile(
    rb"<(?:(" + _HIDDEN + rb")|(a\b|img\b|iframe\b|frame\b|video\b|canvas\b)|input\b[^>]*(password))"
    rb"|>\s*([^\s<][^<]*)",
    re.I,
)
_ENDS = {name: re.compile(rb"</" + name, re.I) for name in (b"script", b"style", b"noscript", b"template", b"svg")}
_ENDS[b"!--"] = re.compile(rb"--!?>")
_SOURCE = re.compile(rb"\bsrc\s*=", re.I)


@dataclass(slots=True)
class Look:
    """A page as it came; texts are bytes, lengths those of bytes without white space around them."""

    title: bytes = b""
    heading: bytes = b""  # the first h1
    text: bytes = b""  # that people would see
    length: int = 0
    noscript: bytes = b""
    inline: int = 0  # bytes of scripts in the page
    sources: int = 0  # scripts beside it
    links: int = 0
    media: int = 0  # pictures, frames, videos
    password: bool = False  # there is a field for one
    scripts: list[bytes] = field(default_factory=list)  # texts of scripts with their tags, 64 at most
    whole: bool = True  # it was read to its end: it has less text than NOTICE


def names(body: bytes) -> tuple[bytes, bytes]:
    """Title and first heading, without tags."""
    upper = (at := body.find(b"<title", 0, HEAD)) < 0 and (at := body.find(b"<TITLE", 0, HEAD)) >= 0
    title = _TITLE.match(body, at) if at >= 0 else None
    at = _shown(body, b"<H1" if upper else b"<h1")
    heading = _HEADING.match(body, at) if at >= 0 else None
    return title[1].strip() if title else b"", _TAGS.sub(b" ", heading[1]).strip() if heading else b""


def _shown(body: bytes, tag: bytes) -> int:
    """Where a tag first stands outside a comment, -1 for nowhere."""
    at = body.find(tag, 0, TOP)
    for _ in range(9):
        if at < 0 or (comment := body.rfind(b"<!--", 0, at)) < 0 or (end := body.find(b"-->", comment)) < at:
            return at
        at = body.find(tag, end, TOP)
    return -1


def has_much_text(body: bytes) -> bool:
    """Whether there is running text enough that the page is surely there.

    Looked for from the middle on, where the text of most pages is; scripts are not told apart, but prose has spaces.
    """
    middle = len(body) // 3
    return _prose(body, middle, len(body)) >= MUCH or _prose(body, 0, middle) >= MUCH


def _prose(body: bytes, at: int, end: int) -> int:
    found = 0
    for _ in range(RUNS):
        run = _PROSE.search(body, at, end)
        if run is None:
            break
        text, at = run[1], run.end()
        if text[0] >= 0x80 or 12 * text.count(b" ") >= len(text):
            found += len(text)
            if found >= MUCH:
                break
    return found


def look(body: bytes) -> Look:
    """Read a page, until there is too much text for a notice; linear in its length."""
    seen = Look(*names(body))
    texts: list[bytes] = []
    at = start.start() if (start := _BODY.search(body)) else 0
    _read_head(seen, body, at)
    for _ in range(TOKENS):
        token = _TOKEN.search(body, at)
        if token is None:
            break
        at = token.end()
        if token[1]:
            at = _skip(seen, body, token[1].lower(), at)
        elif token[2]:
            if token[2].lower() == b"a":
                seen.links += 1
            else:
                seen.media += 1
        elif token[3]:
            seen.password = True
        else:
            text = token[4].strip()
            texts.append(text)
            seen.length += len(text)
            if seen.length >= NOTICE:
                seen.whole = False
                break
    else:
        seen.whole = False
    seen.text = b" ".join(texts)
    return seen


def _read_head(seen: Look, body: bytes, end: int) -> None:
    """Scripts before the body count too."""
    at = 0
    while at < end and (found := _SKIPPED.search(body, at, end)):
        at = _skip(seen, body, found[1].lower(), found.end())


def _skip(seen: Look, body: bytes, name: bytes, at: int) -> int:
    """Where an element that nobody sees ends; notes what it holds."""
    end = _ENDS[name].search(body, at)
    stop = end.start() if end else len(body)
    if name == b"script":
        open_end = body.find(b">", at, stop)
        open_end = stop if open_end < 0 else open_end + 1
        seen.inline += stop - open_end
        seen.sources += _SOURCE.search(body, at, open_end) is not None
        if len(seen.scripts) < 64:
            seen.scripts.append(body[at:stop])
    elif name == b"noscript":
        seen.noscript += b" " + _TAGS.sub(b" ", b"<" + body[at : min(stop, at + 4_000)])[:2_000]
    return end.end() if end else len(body)
