"""From a field's name and description to a concept."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from scraping_ai.extraction.vocabulary import CONCEPTS, Concept
from scraping_ai.schema import FieldSchema

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_WORD = re.compile(r"[\W_]+")
_CLAUSE = re.compile(r"[,.;:()\n]|\s(?:of|for|in|as|from|on|with|without|at|to|that|which)\s", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an|full|main|current|der|die|das|le|la|el|il|o) ")
MAX_NAME = 80  # characters of a name or label
MIN_BASE = 5  # characters; shorter words mean too much
_PLURAL = re.compile(r"ies\Z|(?:(?<=[sxz])|(?<=ch)|(?<=sh))es\Z|(?<=[^su])s\Z")
_BRITISH = re.compile(r"(?<=[a-z]{3})(?:is(?=e[rd]?\Z|ing\Z|ation\Z)|our\Z)")
# What a name may carry in front without changing what it means: `product_name`, `recipe title`.
_OWNERS = frozenset(
    "product item article recipe book movie film event job page post story news listing offer car vehicle company shop "
    "store hotel restaurant entry record thing".split()
)


def fold(text: str) -> str:
    """A name for comparison: `publishDate`, `publish_date` and `Publish date:` fold to `publish date`."""
    return _remembered(text) if len(text) <= MAX_NAME else _fold(text)


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    return _NO_WORD.sub(" ", _CAMEL.sub(" ", text)).strip().casefold()


_remembered = lru_cache(maxsize=8192)(_fold)


def base(folded: str) -> str:
    """What a folded English name has in common with its plural and its British spelling: `organisers`, `organizer`."""
    singular = _PLURAL.sub(lambda ending: "y" if ending[0] == "ies" else "", folded)
    return _BRITISH.sub(lambda part: "iz" if part[0] == "is" else "or", singular)


_BY_NAME: dict[str, Concept] = {}
for _concept in CONCEPTS:
    for _name in (*_concept.names, *(p for p in _concept.properties if "." not in p)):
        _BY_NAME.setdefault(fold(_name), _concept)
_BY_BASE: dict[str, Concept] = {}
for _folded, _concept in _BY_NAME.items():
    if len(base(_folded)) >= MIN_BASE:
        _BY_BASE.setdefault(base(_folded), _concept)


def named(text: str) -> Concept | None:
    """The concept that a name or a label on a page stands for."""
    return _named(text) if len(text) <= MAX_NAME else None


@lru_cache(maxsize=4096)
def _named(text: str) -> Concept | None:
    folded = fold(text)
    if folded in _BY_NAME:
        return _BY_NAME[folded]
    owner, _, rest = folded.partition(" ")
    if owner in _OWNERS and rest in _BY_NAME:
        return _BY_NAME[rest]
    return _BY_BASE.get(base(folded))


def concept_of(field: FieldSchema) -> Concept | None:
    """The concept of a field: by its name, else by the first words of its description."""
    return named(field.name) or _described(field.description)


@lru_cache(maxsize=4096)
def _described(description: str) -> Concept | None:
    words = _ARTICLE.sub("", fold(_CLAUSE.split(description[:200], maxsplit=1)[0]))
    return _BY_NAME.get(words)
