"""What learning knows of one field: the examples, the places they show and the rules of each."""

from __future__ import annotations

from dataclasses import dataclass

from scraping_ai.extraction.normalise import normalise
from scraping_ai.extraction.normalise.placeholders import is_placeholder
from scraping_ai.extraction.wrappers.amounts import amount, is_numeric
from scraping_ai.extraction.wrappers.layout import Layout
from scraping_ai.extraction.wrappers.lists import WantedList
from scraping_ai.extraction.wrappers.places import Place, Wanted
from scraping_ai.extraction.wrappers.rules import Rule
from scraping_ai.schema import FieldSchema


@dataclass(frozen=True, slots=True)
class Sample:
    """One example's page and what a field is there; `wanted` is None where it has no value."""

    layout: Layout
    wanted: Wanted | WantedList | None
    field: FieldSchema  # of a list that of its items

    def right(self, rule: Rule) -> bool | None:
        """Whether a rule is right here, None when it finds nothing that is a value."""
        if self.wanted is not None:
            return self.wanted.right(rule)
        spot = rule.find(self.layout)
        return False if spot is not None and self._is_value(spot.text) else None

    def _is_value(self, text: str) -> bool:
        """Whether the field could read a text: "Ask us" is no price."""
        document = self.layout.document
        if is_placeholder(text):
            return False
        if is_numeric(self.field):
            found = amount(self.field, text, document)
            return found is not None and found.leads
        return normalise(self.field, text, url=document.base_url, language=document.language) is not None


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
