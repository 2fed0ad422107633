"""What learning knows of one field: the examples, the places they show and the rules of each."""

from __future__ import annotations

from dataclasses import dataclass

from scraping_ai.extraction.wrappers.layout import Layout
from scraping_ai.extraction.wrappers.lists import WantedList
from scraping_ai.extraction.wrappers.places import Place, Wanted
from scraping_ai.extraction.wrappers.rules import Rule


@dataclass(frozen=True, slots=True)
class Sample:
    """One example's page and what a field is there; `wanted` is None where it has no value."""

    layout: Layout
    wanted: Wanted | WantedList | None

    def right(self, rule: Rule) -> bool | None:
        """Whether a rule is right here, None when it finds nothing."""
        if self.wanted is not None:
            return self.wanted.right(rule)
        return None if rule.find(self.layout) is None else False


@dataclass(frozen=True, slots=True)
class Judged:
    rule: Rule
    kind: str
    weight: float
    right: frozenset[int]  # samples
    wrong: int


@dataclass(frozen=True, slots=True)
class Group:
    """The rules of one place."""

    sample: Sample
    place: Place
    judged: list[Judged]
    score: float
    labelled: bool  # by a label that speaks of the field

    @property
    def reach(self) -> int:
        """On how many samples a rule is right that is wrong on none."""
        return max((len(j.right) for j in self.judged if not j.wrong), default=0)
