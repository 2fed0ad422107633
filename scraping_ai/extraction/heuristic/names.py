"""Names of people and teams in bylines: where they start and end, and what is none."""

from __future__ import annotations

import re
from functools import lru_cache

from scraping_ai.extraction.concepts import fold, named
from scraping_ai.extraction.heuristic.words import BY, CREDENTIALS, DEPARTMENTS, NOT_NAMES, ROLES

MAX_NAME = 60  # characters of one name
MAX_NAMES = 200  # characters of several
MAX_WORDS = 6  # of one name
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDING = re.compile(
    r"\s*(?:[|•·»]|\s[-–—]\s|\bon\b|\b(?:am|le|el|il|em|den)\b\s+(?=(?:\S+\s+)?\S*\d)|\b(?:published|updated|posted|last)\b|"
    r"(?<![\w.])\d{1,4}[./年-]|\b\d{1,2}\s|\d{4}|\n\s*\n|\().*\Z",
    re.I | re.S,
)
_SEPARATOR = re.compile(
    r"\s*[;、・/&+]\s*|\s*,\s+(?:and|und|et|y|e|og|och)\s+|\s*,\s*|\s+(?:and|und|et|y|e|og|och|en|i|и)\s+"
)
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[.'’\-])*\Z")
_PARTICLES = frozenset(
    "de del della der den di da do dos du la le van von zu zur ter ten bin ibn al el of the et und and y e".split()
)
_HANDLE = re.compile(r"[\w][\w.\-]{1,29}\Z")
_EDGES = " \t\r\n,:：-–—|•·/"


@lru_cache(maxsize=64)
def _prefix(language: str) -> re.Pattern[str]:
    words = _by(language)
    spaced = "|".join(re.escape(w).replace(r"\ ", r"\s+") for w in words if not _CJK.match(w))
    close = "|".join(re.escape(w) for w in words if _CJK.match(w))
    return re.compile(rf"(?:{spaced})(?:\s*[:：]\s*|\s+)|(?:{close})(?:\s*[:：/／=＝|｜]\s*|[\s\u3000]+)", re.I)


@lru_cache(maxsize=64)
def _label(language: str) -> re.Pattern[str]:
    """A "by" and a colon behind something else."""
    return re.compile(rf"[\s|,，、;；](?:{'|'.join(map(re.escape, _by(language)))})\s*[:：]\s*", re.I)


def _by(language: str) -> list[str]:
    return sorted({*BY["*"], *BY.get(language, ())}, key=len, reverse=True)


def introduced(text: str, language: str | None) -> int:
    """Length of the "by" that a text starts with; 0 when there is none."""
    match = _prefix((language or "").split("-")[0]).match(text)
    return match.end() if match else 0


def is_introduction(text: str, language: str | None) -> bool:
    """Whether a text is nothing but a "by", as labels are whose name stands in the next element."""
    return len(text) <= MAX_NAME and introduced(text + " ", language) == len(text) + 1


def labelled(text: str, language: str | None) -> str | None:
    """The name behind a label further on in a text: "2023-07-01 来源：例报 作者：李明"."""
    if (":" not in text and "：" not in text) or introduced(text, language):
        return None
    match = _label((language or "").split("-")[0]).search(text)
    return in_byline(text[match.end() :], language) if match else None


def in_byline(text: str, language: str | None, trusted: bool = False) -> str | None:
    """The name or names in a byline, verbatim: "By Ann Lee and Bob Day, editors | May 3" gives "Ann Lee and Bob Day".

    `trusted`: markup says that it is a name, so one word, or a handle, will do.
    """
    rest = text[introduced(text, language) :]
    rest = _ENDING.sub("", rest[: 2 * MAX_NAMES]).strip(_EDGES)
    if trusted and _HANDLE.match(rest) and not is_nobody(rest) and named(rest) is None:
        return rest
    if is_name(rest, trusted):
        return rest
    end, start = 0, 0
    for separator in [*_SEPARATOR.finditer(rest), None]:
        part = rest[start : separator.start() if separator else len(rest)]
        if (not is_name(part, trusted) and not (end and _is_credential(part))) or (
            end and not DEPARTMENTS.isdisjoint(fold(part).split())
        ):
            break
        end = start + len(part)
        start = separator.end() if separator else end
    found = rest[:end]
    return found if found and len(found) <= MAX_NAMES else None


def is_name(text: str, trusted: bool = False) -> bool:
    """Whether a text reads as one name: a few words, each of them capitalised, none of them a role or a button."""
    words = text.split()
    if not 0 < len(words) <= MAX_WORDS or len(text) > MAX_NAME or named(text) is not None:
        return False
    folded = fold(text)
    if is_nobody(text) or not (ROLES | NOT_NAMES).isdisjoint(folded.split()):
        return False
    if _CJK.search(text):
        return len(text) <= 16 and all(_WORD.match(word) for word in words)
    capital = [word for word in words if word[0].isupper()]
    others = [word for word in words if not word[0].isupper()]
    small = all(word in _PARTICLES or word in DEPARTMENTS for word in others)
    if not capital or not small or not (trusted or words[0][0].isupper()):
        return False
    return all(_WORD.match(word) for word in words) and (trusted or len(words) > 1)


def _is_credential(text: str) -> bool:
    """Whether a text is what follows a name and a comma: "MD", "Ph.D."."""
    return fold(text).replace(" ", "") in CREDENTIALS


def handle_in(text: str, language: str | None) -> str | None:
    """The one word in "by ibby"; None when there is more or less than that."""
    start = introduced(text, language)
    rest = text[start:].strip()
    return rest if start and _HANDLE.match(rest) and not is_nobody(rest) and named(rest) is None else None


def is_handle(text: str) -> bool:
    """Whether a text is an account's name rather than a person's: one lower-case or dotted word."""
    return len(text.split()) == 1 and not _CJK.search(text) and (text.islower() or "." in text[:-1] or "_" in text)


def is_nobody(text: str) -> bool:
    """Whether a text stands where no name was known: "admin", "null", a template's placeholder."""
    return not fold(text) or not NOT_NAMES.isdisjoint((fold(text), text.strip().casefold()))


def parts(text: str) -> list[str]:
    """The single names of an enumeration."""
    return [part for part in _SEPARATOR.split(text) if part]
