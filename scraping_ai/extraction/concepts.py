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
# What a name may carry in front without changing what it means: `product_name`, `recipe title`.
_OWNERS = frozenset(
    "product item article recipe book movie film event job page post story news listing offer car vehicle company shop "
    "store hotel restaurant entry record thing".split()
)


def fold(text: str) -> str:
    """A name for comparison: `publishDate`, `publish_date` and `Publish date:` fold to `publish date`."""
    text = unicodedata.normalize("NFKC", text)
    return _NO_WORD.sub(" ", _CAMEL.sub(" ", text)).strip().casefold()


_BY_NAME: dict[str, Concept] = {}
for _concept in CONCEPTS:
    for _name in (*_concept.names, *(p for p in _concept.properties if "." not in p)):
        _BY_NAME.setdefault(fold(_name), _concept)


def named(text: str) -> Concept | None:
    """The concept that a name or a label on a page stands for."""
    return _named(text) if len(text) <= 80 else None


@lru_cache(maxsize=4096)
def _named(text: str) -> Concept | None:
    folded = fold(text)
    if folded in _BY_NAME:
        return _BY_NAME[folded]
    owner, _, rest = folded.partition(" ")
    return _BY_NAME.get(rest) if owner in _OWNERS else None


def concept_of(field: FieldSchema) -> Concept | None:
    """The concept of a field: by its name, else by the first words of its description."""
    return named(field.name) or _described(field.description)


@lru_cache(maxsize=4096)
def _described(description: str) -> Concept | None:
    words = _ARTICLE.sub("", fold(_CLAUSE.split(description[:200], maxsplit=1)[0]))
    return _BY_NAME.get(words)
