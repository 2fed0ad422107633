"""The vote of a field's rules: the value that most of them find, when enough find it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scraping_ai.extraction.normalise import normalise
from scraping_ai.extraction.normalise.placeholders import is_placeholder
from scraping_ai.extraction.wrappers.amounts import amount, is_like, is_numeric
from scraping_ai.extraction.wrappers.crossed import uncrossed
from scraping_ai.extraction.wrappers.layout import Layout
from scraping_ai.extraction.wrappers.lists import is_divisible
from scraping_ai.extraction.wrappers.parts import WHOLE
from scraping_ai.extraction.wrappers.rules import Rule, Spot
from scraping_ai.extraction.wrappers.words import is_words
from scraping_ai.schema import FieldSchema

LEAST_SHARE = 0.3  # of the rules' weight; below it the page more likely has no value, or is of another template


@dataclass(frozen=True, slots=True)
class Learned:
    """What is learned of one field.

    `letters` is false when no example's value has a letter in it, true when all are words. `labels` are the folded
    labels of which one stands beside the value on every example; `units` those of numbers. `alone`: no example's list
    had more than one item, so that nothing shows what stands between two. `crossed`: an example's number is
    crossed out.
    """

    rules: tuple[Rule, ...]
    letters: bool | None = None
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    alone: bool = False
    crossed: bool = False


@dataclass(frozen=True, slots=True)
class Elected:
    """A value's texts (one, or those of a list's items) and the share of the weight that voted for it."""

    spots: tuple[Spot, ...]
    share: float


def elect(field: FieldSchema, learned: Learned, layout: Layout, item: FieldSchema | None = None) -> list[Elected]:
    """The values that rules find, those with the most weight first. `item`: the schema of a list's items."""
    tally: dict[Any, tuple[float, tuple[Spot, ...]]] = {}
    total = 0.0
    unlabelled = bool(learned.labels) and not any(k in layout.labels or k in layout.leads for k in learned.labels)
    for rule in learned.rules:
        silent = unlabelled and not rule.names_itself(layout)
        found = [] if silent else rule.find_all(layout) if item else [spot for spot in [rule.find(layout)] if spot]
        if learned.alone and any(is_divisible(spot.text) for spot in found):
            found = []
        if is_numeric(item or field) and not learned.crossed:
            found = [shown for spot in found if (shown := uncrossed(layout, spot))]
        if learned.letters and rule.part != WHOLE:
            found = [spot for spot in found if not _runs_on(spot.text)]
        values = _values(item or field, found, layout, learned)
        if learned.letters is False and any(is_words(str(value)) for value in values):
            continue  # no vote, neither for what it found nor for there being nothing
        total += rule.weight
        if values:
            weight, spots = tally.get(tuple(values), (0.0, tuple(values.values())))
            tally[tuple(values)] = (weight + rule.weight, spots)
    ranked = sorted(tally.values(), key=lambda entry: -entry[0])
    return [Elected(spots, weight / total) for weight, spots in ranked if total and weight / total >= LEAST_SHARE]


def _runs_on(text: str) -> bool:
    """Whether a part of a text goes on past what is words, as no example's value does."""
    return any(c.isdigit() or c in "()[]" for c in text)


def _values(field: FieldSchema, found: Sequence[Spot], layout: Layout, learned: Learned) -> dict[Any, Spot]:
    values: dict[Any, Spot] = {}
    for spot in found:
        value, text = _read(field, spot.text, layout, learned)
        if value is not None and not (learned.letters and not any(c.isalpha() for c in str(value))):
            values.setdefault(value, Spot(text, spot.anchor))
    return values


def _read(field: FieldSchema, text: str, layout: Layout, learned: Learned) -> tuple[Any, str]:
    """The value of a text and the part of it that gives the value."""
    document = layout.document
    if is_placeholder(text):
        return None, text
    if not is_numeric(field):
        return normalise(field, text, url=document.base_url, language=document.language), text
    found = amount(field, text, document)
    if found is None or not found.leads or not is_like(found.unit, learned.units):
        return None, text
    return found.value, found.text
