"""From a field's name and description to a concept."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from scraping_ai.extraction import units
from scraping_ai.extraction.vocabulary import CONCEPTS, Concept
from scraping_ai.schema import FieldSchema

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_WORD = re.compile(r"[\W_]+")
_CLAUSE = re.compile(r"[,.;:()\n]|\s(?:of|for|in|as|from|on|with|without|at|to|that|which)\s", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an|full|main|current|der|die|das|le|la|el|il|o) ")
_ACCENT = re.compile(r"[\u0300-\u036f]")
_COUNT = re.compile(r"(?:number of|num of|no of|nr of|nombre de|numero de|anzahl(?: der)?) (?=\w)")
MAX_NAME = 80  # characters of a name or label
MIN_BASE = 5  # characters; shorter words mean too much
_PLURAL = re.compile(r"ies\Z|(?:(?<=[sxz])|(?<=ch)|(?<=sh))es\Z|(?<=[^su])s\Z")
_BRITISH = re.compile(r"(?<=[a-z]{3})(?:is(?=e[rd]?\Z|ing\Z|ation\Z)|our\Z)")
_OWNED = re.compile(
    r"(?:(?:the|an?|full) )?(\w+) (?:of|for) (?:(?:the|an?) )?([\w -]{1,40}?)\s*(?:[,.;:()\n]|\Z)", re.I
)
# What says nothing without whose it is, and what has a cost or weight of its own.
_HEADS = frozenset("name title date number price cost amount time".split())
_OTHERS = frozenset("shipping delivery postage handling deposit installation insurance".split())
# What a name may carry in front without changing what it means: `product_name`, `recipe title`.
_OWNERS = frozenset(
    "product item article recipe book movie film event job page post story news listing offer car vehicle company shop "
    "store hotel restaurant entry record thing".split()
)
# What a page about a company does not have, and one about a job there does.
_OF_JOBS = frozenset("salary salary_min salary_max salary_period employment_type valid_through position".split())


def fold(text: str) -> str:
    """A name for comparison: `publishDate`, `publish_date` and `Publish date:` fold to `publish date`."""
    return _remembered(text) if len(text) <= MAX_NAME else _fold(text)


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    return _NO_WORD.sub(" ", _CAMEL.sub(" ", text)).strip().casefold()


def bare(text: str) -> str:
    """A text folded, without accents: addresses have none."""
    return "".join(c for c in unicodedata.normalize("NFKD", fold(text)) if not unicodedata.combining(c))


@lru_cache(maxsize=8192)
def label_key(text: str) -> str:
    """What labels and fields' names are compared by: folded, without accents, a unit behind or "number of" before."""
    folded = units.without(_COUNT.sub("", fold(text)))
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", folded)))


def in_other_unit(name: str, text: str) -> bool:
    """Whether a value is of another unit than the one that a field's name ends in: 500 g for `weight_kg`."""
    return units.is_other(fold(name), text)


_remembered = lru_cache(maxsize=8192)(_fold)


def base(folded: str) -> str:
    """What a folded English name has in common with its plural and its British spelling: `organisers`, `organizer`."""
    return _base(folded) if len(folded) <= MAX_NAME else folded


@lru_cache(maxsize=8192)
def _base(folded: str) -> str:
    singular = _PLURAL.sub(lambda ending: "y" if ending[0] == "ies" else "", folded)
    return _BRITISH.sub(lambda part: "iz" if part[0] == "is" else "or", singular)


_BY_NAME: dict[str, Concept] = {}
for _concept in CONCEPTS:
    for _name in (*_concept.names, *(p for p in _concept.properties if p.isalnum())):
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
    return _BY_BASE.get(base(folded)) or _of_unit(folded)


def _of_unit(folded: str) -> Concept | None:
    """The concept of a name without its unit: `price usd`, `duration hours`; the length in cm is no film's."""
    unit, currency = units.of_name(folded), units.currency_of(folded)
    concept = _BY_NAME.get(units.without(folded)) if unit or currency else None
    if concept is None or (concept.kind == "duration" and unit not in units.TIMES):
        return None
    return concept if concept.kind != "price" or currency else None


def concept_of(field: FieldSchema) -> Concept | None:
    """The concept of a field: by its name, else by the first words of its description."""
    return _concept_of(field.name, field.description)


@lru_cache(maxsize=4096)
def _concept_of(name: str, description: str) -> Concept | None:
    concept = named(name)
    if concept is None:
        return _described(description)
    said = phrase(description)
    whole = named(said) if named(said.rpartition(" ")[2]) is concept else None
    if whole is not None:  # a cost that is "the shipping cost"
        return whole
    return None if _is_of_other(concept, description) else concept


def of_company(field: FieldSchema, schema: FieldSchema) -> FieldSchema:
    """A `company_name` beside another field for a title, or beside what only jobs have, as the company that it asks
    for; any other field as it is.
    """
    if fold(field.name) != "company name":
        return field
    asked = [concept.name for f in schema.fields if (concept := concept_of(f)) is not None]
    is_other = asked.count("title") > 1 or not _OF_JOBS.isdisjoint(asked)
    return replace(field, name="company") if is_other else field


def keys_of(field: FieldSchema) -> list[str]:
    """What labels a field has on a page: the first words of its description, its name, its concept."""
    concept, said = concept_of(field), phrase(field.description)
    own = [field.name, units.without_any(fold(field.name))]
    if named(field.name) not in (None, concept):  # "the shipping cost": what stands beside "Shipping"
        names = [said, said.rpartition(" ")[0]]
    elif said in _HEADS:  # "date of birth": any date will not do
        owned = _OWNED.match(field.description[:200])
        names = [*([f"{said} of {owned[2]}", f"{owned[2]} {said}"] if owned else []), *own]
    else:
        names = [said, *own]
    keys = [*map(label_key, names), *([f"concept:{concept.name}"] if concept else [])]
    return [key for key in dict.fromkeys(keys) if key]


@lru_cache(maxsize=4096)
def phrase(description: str) -> str:
    """The first words of a description, folded, without an article."""
    return _ARTICLE.sub("", fold(_CLAUSE.split(description[:200], maxsplit=1)[0]))


def _is_of_other(concept: Concept, description: str) -> bool:
    """Whether a description speaks of another thing's value, such as the shipping cost where the field is a cost."""
    qualifier, _, head = phrase(description).rpartition(" ")
    if named(head) is not concept or named(f"{qualifier} {head}") is not None:
        return False
    other = named(qualifier)
    return qualifier in _OTHERS or (concept.name == "title" and other is not None and other is not concept)


def _described(description: str) -> Concept | None:
    """The concept of a description's first words; "X of the Y" means Y where X is what everything has."""
    head, owned = phrase(description), _OWNED.match(description[:200])
    if owned is None or label_key(owned[1]) not in _HEADS:
        return _BY_NAME.get(head)
    owner = fold(owned[2])
    if whole := _BY_NAME.get(f"{head} of {owner}") or _BY_NAME.get(f"{owner} {head}"):
        return whole
    if owner in _OWNERS or base(owner) in _OWNERS:
        return _BY_NAME.get(head)
    return _BY_NAME.get(owner) if head in ("name", "title") else None
