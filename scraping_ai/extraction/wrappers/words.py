"""What words say about a text: that it is words, that it speaks of a field."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from importlib.resources import files

from scraping_ai.extraction.concepts import base, concept_of, fold
from scraping_ai.schema import FieldSchema

MIN_WORD = 3  # characters of a word that a field and a label share
MAX_DESCRIPTION = 200  # characters

_WORDS = json.loads(files("scraping_ai.extraction.wrappers").joinpath("words.json").read_text("utf-8"))
_STOP = frozenset(_WORDS["stop"])
_CLAUSE = re.compile(r"[,.;:()\n]|\s(?:of|for|as|from|on|at)\s")


def is_words(text: str) -> bool:
    """Whether a text has more letters than digits."""
    return sum(c.isalpha() for c in text) > sum(c.isdigit() for c in text)


def speaks_of(label: str, field: FieldSchema) -> bool:
    """Whether a folded label is a name of the field, or half of its words are of the field's name or description."""
    concept = concept_of(field)
    if label in {fold(field.name), *(concept.names if concept else ())}:
        return True
    words = _stems(label)
    return bool(words) and 2 * len(words & _of_field(field.name, field.description)) >= len(words)


def names(text: str, field: FieldSchema) -> bool:
    """Whether a text has all words of the field's own name."""
    words = _stems(fold(field.name))
    return bool(words) and words <= _stems(fold(text))


@lru_cache(maxsize=512)
def _of_field(name: str, description: str) -> frozenset[str]:
    """The words of a field's name and of the first clause of its description."""
    return _stems(fold(name)) | _stems(fold(_CLAUSE.split(description[:MAX_DESCRIPTION], maxsplit=1)[0]))


def _stems(folded: str) -> frozenset[str]:
    """The words of a folded text that say something, without their endings."""
    return frozenset(base(w) for w in folded.split() if len(w) >= MIN_WORD and w not in _STOP and not w.isdecimal())
