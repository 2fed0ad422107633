"""The vote of a field's rules: the value that most of them find, when enough find it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scraping_ai.extraction.normalise import normalise
from scraping_ai.extraction.wrappers.layout import Layout
from scraping_ai.extraction.wrappers.rules import Rule, Spot
from scraping_ai.schema import FieldSchema

LEAST_SHARE = 0.3  # of the rules' weight; below it the page more likely has no value, or is of another template


@dataclass(frozen=True, slots=True)
class Learned:
    """What is learned of one field. `letters` is false when no example's value has a letter in it."""

    rules: tuple[Rule, ...]
    letters: bool = True


@dataclass(frozen=True, slots=True)
class Elected:
    """A value's texts (one, or those of a list's items) and the share of the weight that voted for it."""

    spots: tuple[Spot, ...]
    share: float


def elect(field: FieldSchema, learned: Learned, layout: Layout, item: FieldSchema | None = None) -> list[Elected]:
    """The values that rules find, those with the most weight first. `item`: the schema of a list's items."""
    tally: dict[Any, tuple[float, tuple[Spot, ...]]] = {}
    total = 0.0
    for rule in learned.rules:
        found = rule.find_all(layout) if item else [spot for spot in [rule.find(layout)] if spot]
        values = _values(item or field, found, layout)
        if not learned.letters and any(_is_words(str(value)) for value in values):
            continue  # no vote, neither for what it found nor for there being nothing
        total += rule.weight
        if values:
            weight, spots = tally.get(tuple(values), (0.0, tuple(values.values())))
            tally[tuple(values)] = (weight + rule.weight, spots)
    ranked = sorted(tally.values(), key=lambda entry: -entry[0])
    return [Elected(spots, weight / total) for weight, spots in ranked if total and weight / total >= LEAST_SHARE]


def _is_words(text: str) -> bool:
    """Whether a text has more letters than digits."""
    return sum(c.isalpha() for c in text) > sum(c.isdigit() for c in text)


def _values(field: FieldSchema, found: Sequence[Spot], layout: Layout) -> dict[Any, Spot]:
    document = layout.document
    values: dict[Any, Spot] = {}
    for spot in found:
        value = normalise(field, spot.text, url=document.base_url, language=document.language)
        if value is not None:
            values.setdefault(value, spot)
    return values
