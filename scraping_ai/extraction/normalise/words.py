"""Words that stand for a state of availability."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from importlib.resources import files
from typing import Any

IN_STOCK, OUT_OF_STOCK, PRE_ORDER, BACK_ORDER = "InStock", "OutOfStock", "PreOrder", "BackOrder"
MAX_STATE = 300  # characters
MAX_CODE = 60  # characters of a state's name or address

_WORDS: dict[str, Any] = json.loads(files("scraping_ai.extraction.normalise").joinpath("words.json").read_text("utf-8"))
# schema.org's ItemAvailability, and the words of feeds and OpenGraph.
_STATE_OF: dict[str, str] = {word: state for state, words in _WORDS["codes"].items() for word in words}


def _pattern(phrases: list[str], edge: str = r"(?<!\w)") -> re.Pattern[str]:
    """Any of the phrases; those of spaced scripts as whole words ("*": any ending).

    Those that begin alike are one alternative: `re` tries each, at each character.
    """
    phrases = [unicodedata.normalize("NFKC", phrase).casefold() for phrase in phrases]
    latin, other = ([p for p in phrases if (p[0] < "\u2e80") == spaced] for spaced in (True, False))
    starting: dict[str, list[str]] = {}
    for phrase in latin:
        rest = re.escape(phrase[1:-1]) if phrase.endswith("*") else rf"{re.escape(phrase[1:])}(?!\w)"
        starting.setdefault(re.escape(phrase[0]), []).append(rest)
    words = (f"{first}(?:{'|'.join(rests)})" for first, rests in starting.items())
    return re.compile("|".join([rf"{edge}(?:{'|'.join(words)})"] * bool(latin) + [re.escape(p) for p in other]))


_NOT_LATIN = re.compile("[\u0370-\u1fff\u2e80-\uffff]")
# As pages write it; the first state whose words stand in a text decides, so the negated ones come first in the file.
_PATTERNS = {state: _pattern(phrases) for state, phrases in _WORDS["phrases"].items()}
_PHRASES = [*_WORDS["notices"], *(phrase for phrases in _WORDS["phrases"].values() for phrase in phrases)]
_ANY = _pattern(_PHRASES)
_ANY_LATIN = _pattern([phrase for phrase in _PHRASES if not _NOT_LATIN.search(phrase)])
_NOTICES = _pattern(_WORDS["notices"])
_PLACES = re.compile("|".join(map(re.escape, _WORDS["places"])))
# "Stock: 0", "在庫数：0 点", "Auf Lager (0)", "0 left".
_NONE = re.compile(
    rf"(?<!\w)(?:{'|'.join(map(re.escape, _WORDS['counted']))})(?:\s?[:：=]\s?0(?![\d.,:%/–-])|\s?\(?0\)?\Z)"
    r"|(?<![\d.,:-])0 (?:items? |pieces? |units? )?(?:left|remaining|available|in stock)\b"
)
_NEUTRAL = _pattern(_WORDS["neutral"], edge=r"(?<![^\W\d])")
_THINGS = _pattern(_WORDS["things"])
_BUTTONS = frozenset(_WORDS["buttons"])
_SCHEMA = re.compile(r"^https?://(?:www\.)?schema\.org/")
_LEFT = re.compile(
    r"\bonly [1-9]\d{0,2} (?:items? |pieces? |units? )?(?:left|remaining)\b(?! to)"
    r"|残り[1-9]\d{0,2}(?:点|個|本|枚|台|着|足|冊|セット)"
    r"|\bnur noch [1-9]\d{0,2} (?:stück|auf lager|verfügbar)"
)
_NO_LETTER = re.compile(r"[\W_]+")


def availability(text: str) -> str | None:
    """One of schema.org's InStock, OutOfStock, PreOrder, BackOrder, from its URL, a feed's word or a page's words."""
    return stated(text)[0]


@lru_cache(maxsize=4096)
def stated(text: str) -> tuple[str | None, float]:
    """The state of availability that a text speaks of, and the share of the text that says so."""
    if len(text) > MAX_STATE:
        return None, 0.0
    text = (text if text.isascii() else unicodedata.normalize("NFKC", text)).strip().casefold()
    word = _code(text)
    if word in _STATE_OF:
        return _STATE_OF[word], 1.0
    if text.strip(" .!>»›→+") in _BUTTONS:
        return IN_STOCK, 1.0
    if "0" in text and (none := _NONE.search(text)):
        return OUT_OF_STOCK, 1.0 if none.start() == 0 else len(none[0]) / len(text)
    if not _LEFT.search(text) and not (_ANY if _NOT_LATIN.search(text) else _ANY_LATIN).search(text):
        return None, 0.0
    if notice := _NOTICES.search(text):
        return OUT_OF_STOCK, len(notice[0]) / len(text)
    text = _NEUTRAL.sub(" ", text)
    if left := _LEFT.search(text):
        return IN_STOCK, len(left[0]) / len(text)
    for state, pattern in _PATTERNS.items():
        if match := pattern.search(text):
            return state, len(match[0]) / len(text)
    return None, 0.0


def is_notice(text: str) -> bool:
    """Whether a text offers to tell when something can be bought."""
    return _NOTICES.search(unicodedata.normalize("NFKC", text[:MAX_STATE]).casefold()) is not None


@lru_cache(maxsize=1024)
def differs_by_place(text: str) -> bool:
    """Whether a text says that what is sold out in one place can be bought in another: "out of stock online, in stock
    in stores".
    """
    text = unicodedata.normalize("NFKC", text[:MAX_STATE]).casefold()
    if _PLACES.search(text) is None:
        return False
    rest, missing = _PATTERNS[OUT_OF_STOCK].subn(" ", text)
    return missing > 0 and _PATTERNS[IN_STOCK].search(rest) is not None


def _code(text: str) -> str:
    """The letters of a text that may be a state's name or address."""
    if len(text) > MAX_CODE:
        return ""
    letters = text.replace(" ", "")
    return letters if letters.isalpha() else _NO_LETTER.sub("", _SCHEMA.sub("", text))


def names_product(text: str) -> bool:
    """Whether a text speaks of a product or item."""
    return _THINGS.search(text.casefold()) is not None


def in_state(text: str, values: tuple[Any, ...]) -> Any:
    """The allowed value that speaks of the same state of availability as a text."""
    state = availability(text)
    return next((v for v in values if state and isinstance(v, str) and availability(v) == state), None)
