"""Which links belong to a crawl: one pure function, with a reason for each refusal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fnmatch import translate
from typing import TypeAlias
from urllib.parse import urlsplit

import regex
from w3lib.url import canonicalize_url

from scraping_ai.frontier.traps import trap

TOO_DEEP = "too deep"
NOT_INCLUDED = "not included"
WITH_LOGIN = "a password in the address"
MAX_URL_LENGTH = 2_083  # as Scrapy's URLLENGTH_LIMIT; longer ones are traps far more often than pages
PATTERN_TIMEOUT = 0.05  # seconds a pattern may take on one URL
MAX_PATTERN_LENGTH = 1_000
REPEATS = re.compile(r"(?<=[{,])0*([1-9]\d*)(?=[,}])")
MAX_REPEATS = 10_000  # all of a pattern multiplied: compiling writes them out
# What a browser would download rather than show: no record stands there.
FILE_SUFFIXES = frozenset(
    (
        *("7z", "bz2", "dmg", "exe", "gz", "iso", "jar", "rar", "tar", "tgz", "zip"),
        *("bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "tif", "tiff", "webp"),
        *("avi", "m4a", "mov", "mp3", "mp4", "mpeg", "mpg", "ogg", "wav", "webm"),
        *("doc", "docx", "epub", "odt", "pdf", "ppt", "pptx", "xls", "xlsx"),
        *("css", "js", "json", "rss", "ttf", "woff", "woff2", "xml"),
    )
)

Pattern: TypeAlias = "regex.Pattern[str]"


class PatternError(ValueError):
    """An include or exclude pattern that can't be used."""


def fingerprint(url: str) -> str:
    """The form under which two spellings of an address are one: sorted query, no fragment, default escapes."""
    return canonicalize_url(url)


def compile_pattern(text: str) -> Pattern:
    """A regular expression searched for in the URL; one that is not valid as such is read as a glob (`*/product/*`)."""
    if len(text) > MAX_PATTERN_LENGTH:
        raise PatternError(f"pattern of {len(text):,} characters: write one of at most {MAX_PATTERN_LENGTH:,}")
    if math.prod(int(n) for n in REPEATS.findall(text)) > MAX_REPEATS:
        raise PatternError(f"pattern {text[:80]!r}: repeats too often; write + or * for many")
    try:
        return regex.compile(text)
    except (regex.error, RecursionError) as error:
        if "*" in text or "?" in text:
            return regex.compile(translate(text))
        raise PatternError(f"pattern {text!r}: {error}; write a regular expression such as '/product/'") from None


def host_of(url: str) -> str:
    """The host (and port) that counts as one site: `www.` does not make another."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower().removeprefix("www.")
    except ValueError:
        return ""


def login_of(url: str) -> str:
    """The name and password in an address with the `@` behind them, "" where there are none."""
    try:
        return "".join(urlsplit(url).netloc.rpartition("@")[:2])
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class Scope:
    """The bounds of one crawl."""

    hosts: frozenset[str] = frozenset()
    include: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    max_depth: int | None = None
    year: int = field(default_factory=lambda: datetime.now(UTC).year)  # the present one, for calendars

    def with_host(self, url: str) -> Scope:
        """The scope with a further host: where a named page redirected to."""
        return replace(self, hosts=self.hosts | {host_of(url)})

    def refusal(self, url: str, depth: int) -> str | None:
        """Why a link is not followed, or None when it is."""
        if self.is_too_deep(depth):
            return TOO_DEEP
        return self.refusal_at_any_depth(url)

    def is_too_deep(self, depth: int) -> bool:
        return self.max_depth is not None and depth > self.max_depth

    def refusal_at_any_depth(self, url: str) -> str | None:
        """As `refusal`, which depends on nothing else of a link than its address and its depth."""
        if not url.startswith(("http://", "https://")):
            return "not http"
        if len(url) > MAX_URL_LENGTH:
            return "address too long"
        if login_of(url):
            return WITH_LOGIN
        if host_of(url) not in self.hosts:
            return "other host"
        if suffix_of(url) in FILE_SUFFIXES:
            return "a file, not a page"
        if self.include and not matches(self.include, url):
            return NOT_INCLUDED
        if matches(self.exclude, url):
            return "excluded"
        return trap(url, self.year)


def suffix_of(url: str) -> str:
    """The extension of the last path segment, lower case, without its dot."""
    name = urlsplit(url).path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


def matches(patterns: Iterable[Pattern], url: str) -> bool:
    """Whether one is found in the URL; one that takes too long is taken not to be."""
    for pattern in patterns:
        try:
            if pattern.search(url, timeout=PATTERN_TIMEOUT):
                return True
        except TimeoutError:
            continue
    return False
