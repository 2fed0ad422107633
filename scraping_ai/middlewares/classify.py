"""What an answer is: the page asked for, or something that stands in its place. Judged by content, not by site.

A page that is there has running text and an ordinary title, which is looked at first; all else is read only where those
leave a doubt. Lengths are bytes of visible text: sites put their header and footer round every notice.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import NamedTuple

from scraping_ai.extraction.decoding import text_codec
from scraping_ai.middlewares import marks
from scraping_ai.middlewares.look import Look, has_much_text, look, names

SHORT = 600  # text that is nothing but a notice
SHELL = 800  # text around an application's empty root
SPARSE = 250  # text of a page that has none to speak of,
BARE = 120  # also where no root of an application shows
LEAD = 8  # characters before a notice in a title: "Sorry, you have been blocked"
CONTENT = 8  # links and pictures of a page that has little text and is no shell
MARKUP = 131_072  # bytes that are searched for marks: what stands in a page's place is small
HEAVY = 2_000  # bytes of script beside it; two scripts from elsewhere weigh as much
STATE = 3  # places in JSON that tell of content
REFUSED = frozenset({401, 403, 405, 406, 409, 412, 418, 429, 430, 456, 468, 498, 502, 503, 511, 520, 529, 999})


class Kind(StrEnum):
    """The classes of answers."""

    OK = "ok"
    JS_SHELL = "js_shell"
    BLOCKED = "blocked"
    CAPTCHA = "captcha"
    RATE_LIMITED = "rate_limited"
    LOGIN_WALL = "login_wall"
    SOFT_404 = "soft_404"
    EMPTY = "empty"
    ERROR = "error"


class Verdict(NamedTuple):
    """A class, and what it was told by in words for the user; "" for a page that is there."""

    kind: Kind
    reason: str = ""


OK = Verdict(Kind.OK)


def classify(
    body: bytes,
    status: int = 200,
    headers: Mapping[bytes, bytes | None] | None = None,
    encoding: str = "utf-8",
    *,
    rendered: bool = False,
) -> Verdict:
    """The class of an HTTP answer, unpacked. `headers` are looked up as Scrapy writes names: `Content-Type`.

    `rendered`: its scripts have run, so how much of them there is and what `noscript` says tell nothing.
    """
    headers = headers if headers is not None else {}
    if (found := _by_headers(status, headers)) is not None:
        return found
    kind = (headers.get(b"Content-Type") or b"").lower()
    if not (b"html" in kind or (not kind and body.lstrip()[:1] == b"<")):
        return _by_status(status) or (OK if body else Verdict(Kind.EMPTY, "an answer without a body"))
    text = _Words(encoding)
    title, heading = names(body)
    suspect = status not in (200, 203) or text.is_suspect(title, heading)
    if not suspect and has_much_text(body):
        return OK
    return _read(look(body), body, status, text, rendered)


class _Words:
    """Looks words up in a page's encoding."""

    def __init__(self, encoding: str) -> None:
        self.encoding = text_codec(encoding) or "utf-8"

    def of(self, raw: bytes) -> str:
        """The text in lower case."""
        text = raw.decode(self.encoding, "replace").lower()
        return " ".join(text.replace("&#39;", "'").replace("&nbsp;", " ").split())

    def is_suspect(self, *names: bytes) -> bool:
        both = self.of(b" | ".join(names))
        if not any(stem in both for stem in marks.STEMS):
            return False
        return any(notice.search(name) for name in map(self.of, names) for notice in marks.NOTICES)


def _by_headers(status: int, headers: Mapping[bytes, bytes | None]) -> Verdict | None:
    if not marks.HEADER_NAMES.isdisjoint(headers):
        for name, part, kind, vendor in marks.HEADERS:
            if part in (headers.get(name) or b"").lower():
                return Verdict(Kind(kind), vendor)
    if status in REFUSED and status not in (401, 429, 502, 503):
        for name, part, vendor in marks.REFUSING_HEADERS:
            value = headers.get(name)
            if value is not None and part in value.lower():
                return Verdict(Kind.BLOCKED, vendor)
    return None


def _by_status(status: int) -> Verdict | None:
    if 200 <= status < 300:
        return None
    if status == 429:
        return Verdict(Kind.RATE_LIMITED, _words_of(status))
    if status == 401:
        return Verdict(Kind.LOGIN_WALL, _words_of(status))
    return Verdict(Kind.ERROR, _words_of(status))


def _words_of(status: int) -> str:
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def _read(page: Look, body: bytes, status: int, words: _Words, rendered: bool) -> Verdict:
    """The class of an HTML page whose title, status or lack of text leaves a doubt."""
    title, heading, text = words.of(page.title), words.of(page.heading), words.of(page.text)
    is_notice = page.whole and (200 <= status < 300 or status in REFUSED)
    found = _refused(page, body, status, f"{title} | {heading}", text) if is_notice else None
    if found := found or _by_status(status):
        return found
    if not page.whole or _has_state(page):
        return OK
    for name in (title, heading):
        if gone := marks.GONE.search(name):
            return Verdict(Kind.SOFT_404, f"the page says {_quoted(gone[0])}")
    if page.password and marks.LOGIN.search(f"{title} | {heading}"):
        return Verdict(Kind.LOGIN_WALL, "a form for name and password")
    if b"itemprop=" in body:
        return OK
    shell = _unrendered(page, body, text) if rendered else _shell(page, body, words, text)
    return shell or _empty(page) or OK


def _refused(page: Look, body: bytes, status: int, named: str, text: str) -> Verdict | None:
    """Whether somebody between us and the page turns us away, or asks for a proof."""
    markup = body[:MARKUP].lower()
    vendor = next((name for mark, name in marks.VENDORS.items() if mark in markup), "")
    widget = next((name for mark, name in marks.WIDGETS.items() if mark in markup), "")
    if not widget and b"captcha" in markup and marks.PUZZLE.search(markup):
        widget = "a puzzle"
    is_refusing = status in REFUSED
    short = f"{named} | {text[:1_500]}" if is_refusing or page.length < SHORT else named
    challenge = marks.CHALLENGE.search(short)
    if widget and (challenge or vendor or is_refusing):
        return Verdict(Kind.CAPTCHA, vendor or widget)
    if vendor:
        return Verdict(Kind.BLOCKED, vendor + (" challenge" if challenge else ""))
    if status == 429:
        return Verdict(Kind.RATE_LIMITED, _words_of(status))
    limited, refusal = marks.LIMITED.search(short), marks.REFUSAL.search(short)
    if limited and (is_refusing or marks.LIMITED.search(named)):
        return Verdict(Kind.RATE_LIMITED, f"the page says {_quoted(limited[0])}")
    told = refusal or challenge
    if told and (is_refusing or (page.length < SHORT and _is_named_so(named))):
        return Verdict(Kind.BLOCKED, f"the page says {_quoted(told[0])}")
    return None


def _is_named_so(named: str) -> bool:
    """Whether a title or heading is a notice: it begins with one, and tells little else."""
    for name in named.split(" | "):
        told = marks.REFUSAL.search(name) or marks.CHALLENGE.search(name)
        share = 0.9 if told and marks.SUBJECT.fullmatch(told[0]) else 0.4
        if told and told.start() <= LEAD and len(told[0]) >= share * len(name):
            return True
    return False


def _has_state(page: Look) -> bool:
    """Whether scripts hold as data what the page is about."""
    tells = 0
    for script in page.scripts:
        if b"ld+json" in script[:200].lower():
            if any(kind not in marks.SITE_TYPES for kind in marks.JSON_LD_TYPE.findall(script)):
                return True
        elif b"{" in script:
            tells += sum(1 for _, _ in zip(marks.TELLS.finditer(script), range(STATE), strict=False))
            if tells >= STATE:
                return True
    return False


def _shell(page: Look, body: bytes, words: _Words, text: str) -> Verdict | None:
    """Whether the page is there only once its scripts have run."""
    scripts = page.inline + page.sources * HEAVY / 2
    if not scripts or page.length >= SHELL:
        return None
    root = marks.ROOT.search(body) or marks.ROOT_ELEMENT.search(body)
    if root and root[2]:
        return Verdict(Kind.JS_SHELL, f"nothing stands in #{root[1].decode('latin-1')}")
    if (root or page.links + page.media < CONTENT) and (asked := marks.NEEDS_SCRIPT.search(words.of(page.noscript))):
        return Verdict(Kind.JS_SHELL, f"the page says {_quoted(asked[0])}")
    if page.length >= SPARSE:
        return None
    if not page.length + page.links + page.media:
        return Verdict(Kind.JS_SHELL, f"no text, {_scripts(page)}")
    if asked := marks.NEEDS_SCRIPT.search(text) or marks.WAITING.search(text):
        return Verdict(Kind.JS_SHELL, f"the page says {_quoted(asked[0])}")
    bare = not page.heading and page.length < BARE and page.links + page.media < CONTENT
    if (root or bare) and scripts >= max(HEAVY, 20 * page.length):
        return Verdict(Kind.JS_SHELL, f"{page.length} bytes of text, {_scripts(page)}")
    return None


def _unrendered(page: Look, body: bytes, text: str) -> Verdict | None:
    """Whether a page whose scripts have run shows nothing all the same."""
    if page.length >= SPARSE:
        return None
    if page.media + page.links < CONTENT and (waits := marks.WAITING.search(text)):
        return Verdict(Kind.JS_SHELL, f"the page says {_quoted(waits[0])}")
    root = marks.ROOT.search(body) or marks.ROOT_ELEMENT.search(body)
    if root and root[2]:
        return Verdict(Kind.JS_SHELL, f"nothing stands in #{root[1].decode('latin-1')}")
    return None


def _scripts(page: Look) -> str:
    return f"{page.inline:,} bytes of scripts and {page.sources} more from elsewhere"


def _empty(page: Look) -> Verdict | None:
    if page.length or page.links or page.media or page.noscript.strip():
        return None
    return Verdict(Kind.EMPTY, "a page without text, links or pictures")


def _quoted(text: str) -> str:
    return '"' + " ".join(text.split())[:60] + '"'
