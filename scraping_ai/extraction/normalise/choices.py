"""Yes and no, and a schema's allowed values, in the words that pages use for them."""

from __future__ import annotations

import json
import re
import unicodedata
from importlib.resources import files
from typing import Any

from scraping_ai.extraction.concepts import base, fold

MAX_TEXT = 80  # characters; a longer text is prose

_WORDS: dict[str, list[str]] = json.loads(
    files("scraping_ai.extraction.normalise").joinpath("choices.json").read_text("utf-8")
)
_TRUE, _FALSE = frozenset(_WORDS["true"]), frozenset(_WORDS["false"])
_HELPERS, _NEGATIONS = frozenset(_WORDS["helpers"]), frozenset(_WORDS["negations"])
_PREFIXES = tuple(_WORDS["prefixes"])
MAX_CLAUSE, MAX_DENIAL = 60, 3  # characters before a text, words that may deny it
_CLAUSE = re.compile(r"[.!?;:,\n()|•·。、：]|\s[-\u2010-\u2014]\s")
_DENIES_BEFORE = re.compile("(?:\\bnon-|n't|n\u2019t|[不非無无未没沒]|ไม่|안|لا|ليس|غير|לא)\\Z", re.I)
_DENIES_BEHIND = re.compile(
    r"\s?(?:で|に|し|は|が|では|には)*(?:な[いし]|ありません|ません|不可|非対応)|(?:이|가|은|는|하지)?\s?(?:아닙|아님|아니|않|없|불가)"
)
_LEADING = re.compile(r"([^\W\d_]{2,}|[✓✔✅✗✘❌])(?:\s*[,:;(]|\s+[-\u2010-\u2014]\s)")
_HYPHEN = re.compile(r"(?<=\w)[-\u2010\u2011](?=\w)")
_SEPARATOR = re.compile(r"\s+[-\u2010-\u2014|/]\s+|[,:;()|•·]")
# What tells no value from another: not the signs of A+, C# and A-, nor what parts the digits of a number.
_NO_SIGN = re.compile(r"(?!(?<=\w)[+#]|(?<=\+)\+|(?<=\d)[.,]\d|(?<!\w\w)(?<=\w)[-\u2212]\Z)[\W_]")
_SIGNS = r"(?![\w+#])"
_SCHEMA = re.compile(r"https?://(?:www\.)?schema\.org/")


def boolean(text: str, name: str = "") -> bool | None:
    """Yes or no: by a word for it, alone or before a remark, else by what a text says of a field's own name: "Not
    waterproof", "Unfurnished", "no pets allowed".
    """
    text = unicodedata.normalize("NFKC", text).strip().casefold()
    leading = _LEADING.match(text)
    for word in (text.rstrip(".!"), leading[1] if leading else ""):
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
    return _said_of(fold(name), text) if len(text) <= MAX_TEXT else None


def _said_of(name: str, text: str) -> bool | None:
    """Whether a text that has no words but a name's, those around them and negations affirms it."""
    said = fold(_HYPHEN.sub("", text)).split()
    if not name or "".join(said) == name.replace(" ", ""):
        return True if name and said else None
    own = {base(word) for word in name.split()}
    about = {*own - _HELPERS, base(name.replace(" ", ""))}
    if own & _NEGATIONS or not about:
        return None
    negated, named = 0, False
    for before, word in zip(["", *said], said, strict=False):
        prefix = next((p for p in _PREFIXES if word.startswith(p) and base(word[len(p) :]) in about), "")
        is_negation = bool(prefix) or word in _NEGATIONS or (word == "free" and base(before) in about)
        if not (is_negation or base(word) in about or word in _HELPERS):
            return None
        named, negated = named or bool(prefix) or base(word) in about, negated + is_negation
    return negated == 0 if named and negated < 2 else None


def denies(before: str, behind: str) -> bool:
    """Whether words before a text, or behind it in languages that put them there, deny it."""
    clause = _CLAUSE.split(before[-MAX_CLAUSE:])[-1]
    words = fold(clause).split()[-MAX_DENIAL:]
    if not _NEGATIONS.isdisjoint(words) or _DENIES_BEHIND.match(behind) is not None:
        return True
    return _DENIES_BEFORE.search(clause.rstrip()) is not None


def allowed(text: str, values: tuple[Any, ...]) -> Any:
    """The one allowed value that a text names: as a whole, as one of its parts ("Used - like new"), or by its first
    words where it names no other ("Automatic transmission"); None where it names none or several.
    """
    if (whole := same(text, values)) is not None or len(text) > MAX_TEXT:
        return whole
    parts = {_bare(part) for part in _SEPARATOR.split(text)} - {""}
    found = [value for value in values if _bare(str(value)) in parts]
    if not found:
        return _leading(text, values)
    return found[0] if len(found) == 1 and parts.isdisjoint(_FALSE - {_bare(str(found[0]))}) else None


def same(text: str, values: tuple[Any, ...]) -> Any:
    """The allowed value that is a text, but for case, spaces and punctuation; None where none is."""
    wanted = _bare(text)
    return next((value for value in values if _bare(str(value)) == wanted), None)


def _leading(text: str, values: tuple[Any, ...]) -> Any:
    """The allowed value whose words a text begins with; None where it names another as well."""
    local = _SCHEMA.sub("", text.strip())
    text = fold(local) if local.isalpha() else unicodedata.normalize("NFKC", local).casefold()
    named = [value for value in values if _words(value) and re.search(rf"(?<!\w){_words(value)}{_SIGNS}", text)]
    first = [value for value in named if re.match(rf"{_words(value)}(?=\s)", text)]
    return first[0] if len(named) == 1 and first else None


def _words(value: Any) -> str:
    """A pattern of a value's words, whatever sets them apart; "" for one without letters."""
    folded = fold(str(value))
    return r"[\s_-]*".join(map(re.escape, folded.split())) if any(map(str.isalpha, folded)) else ""


def _bare(text: str) -> str:
    text = _SCHEMA.sub("", unicodedata.normalize("NFKC", text).strip(), count=1)
    return _NO_SIGN.sub("", text).casefold()
