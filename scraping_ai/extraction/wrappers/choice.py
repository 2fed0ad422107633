"""Learning: rules that give the right value on the examples, the likeliest to survive on other pages first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scraping_ai.extraction.concepts import concept_of, fold
from scraping_ai.extraction.heuristic.view import hints
from scraping_ai.extraction.normalise.words import stated
from scraping_ai.extraction.wrappers.amounts import amount, is_numeric
from scraping_ai.extraction.wrappers.layout import Layout, ancestors, label_key
from scraping_ai.extraction.wrappers.lists import WantedList
from scraping_ai.extraction.wrappers.parts import WHOLE
from scraping_ai.extraction.wrappers.places import Place, Wanted
from scraping_ai.extraction.wrappers.propose import proposals
from scraping_ai.extraction.wrappers.rules import Near, Rule, Under
from scraping_ai.extraction.wrappers.words import names, speaks_of
from scraping_ai.schema import FieldSchema

MAX_RULES = 12  # of one field
MAX_TRIES = 60_000  # of rules on examples, for one field
LEAST = 0.02  # of the weight of all; a rule with less cannot matter
MAX_LABEL_WORDS = 5
MAX_WORDING = 4  # words before a value in its text
MAX_OF_FAMILY = 2  # of one place
MAX_OF_PLACE = 8
MAX_PLACES = 4  # that rules are kept of

# How often a rule of a kind that was learned from one page is right where it finds something on the site's other pages,
# and how often it finds something at all: measured on pages of twelve sites.
PRIOR: Mapping[str, tuple[float, float]] = {
    "lead": (0.95, 0.9), "own-1": (0.97, 0.93), "own-n": (0.87, 0.84), "under": (0.82, 0.45),
    "label1-way": (0.96, 0.87), "label1": (0.91, 0.82), "label2-way": (0.97, 0.5), "label2": (0.88, 0.5),
    "label3-way": (0.95, 0.65), "label3": (0.85, 0.64), "label-1-way": (0.97, 0.78), "label-1": (0.93, 0.8),
    "text1-way": (0.9, 0.53), "text1": (0.8, 0.5), "text2-way": (0.97, 0.3), "text2": (0.85, 0.29),
    "text3-way": (0.9, 0.4), "text3": (0.65, 0.33), "text-1-way": (0.95, 0.55), "text-1": (0.81, 0.5),
    "label-like": (0.97, 0.48), "text-like": (0.93, 0.37), "names-like": (0.92, 0.54),
    "id-gap-1": (0.98, 0.95), "id-gap-n": (0.72, 0.6), "class-gap-1": (0.97, 0.9), "class-gap-n": (0.79, 0.72),
    "id-path-1": (0.88, 0.77), "id-path-n": (0.7, 0.3), "class-path-1": (0.84, 0.76), "class-path-n": (0.85, 0.8),
    "path": (0.87, 0.72),
}  # fmt: skip
FAMILIES = {"own": "names", "id-gap": "names", "class-gap": "names", "id-path": "path", "class-path": "path"}


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


def learn_field(
    field: FieldSchema, samples: list[Sample], known: frozenset[str] = frozenset()
) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """The rules of one field, at most MAX_RULES, those with the greatest weight first; and its own labels.

    Rules are never wrong on a sample; where those do not reach every value, some that are mostly right are added.
    `known`: the examples' values, folded, which are no labels.
    """
    total = sum(s.wanted is not None for s in samples)
    groups = _groups(field, samples, known, total)
    sure = _chosen([[j for j in group.judged if not j.wrong] for group in groups])
    covered = frozenset[int]().union(*(j.right for j in sure))
    if len(covered) < total:
        sure += _chosen([[j for j in group.judged if j.right - covered] for group in groups])
    rules = dict.fromkeys(replace(j.rule, weight=round(j.weight, 3)) for j in sure)
    first = sorted(rules, key=lambda r: -r.weight)[:MAX_RULES]
    least = LEAST * sum(rule.weight for rule in first)
    return tuple(rule for rule in first if rule.weight >= least), own_labels(field, samples, groups, known)


def _groups(field: FieldSchema, samples: list[Sample], known: frozenset[str], total: int) -> list[Group]:
    """The places that examples show, likeliest first: one that is labelled for the field before all others.

    What agrees with such a place on one example only agrees by chance and is left out.
    """
    seen: set[Rule] = set()
    groups = []
    for sample in samples:
        for place in sample.wanted.places if sample.wanted else ():
            if len(seen) * len(samples) > MAX_TRIES:
                break
            if judged := [*_judged(field, sample.layout, place, samples, seen, known)]:
                score = max(j.weight for j in judged) * role(field, place, sample.layout)
                groups.append(Group(sample, place, judged, score, is_labelled(field, place, sample.layout)))
    groups.sort(key=lambda g: (not (g.labelled and g.reach == total), -g.score))
    if groups and groups[0].labelled and groups[0].reach == total:
        groups = [g for g in groups if g.labelled or g.reach > 1]
    return groups


def _chosen(groups: list[list[Judged]]) -> list[Judged]:
    """Rules of different families from different places; later places give fewer, and count for less."""
    kept: list[Judged] = []
    for rank, group in enumerate([g for g in groups if g][:MAX_PLACES]):
        families: dict[str, int] = {}
        best: list[Judged] = []
        for judged in sorted(group, key=lambda j: -j.weight):
            family = family_of(judged.kind)
            families[family] = families.get(family, 0) + 1
            if families[family] <= MAX_OF_FAMILY:
                best.append(replace(judged, weight=judged.weight / (1 + rank)))
        kept += best[: MAX_OF_PLACE if rank == 0 else MAX_OF_PLACE // 2]
    return kept


def family_of(kind: str) -> str:
    """Kinds of one family tend to be right and wrong together."""
    if kind.endswith("-like"):
        return "like"
    stem = kind.removesuffix("-1").removesuffix("-n")
    return FAMILIES.get(stem, re.sub(r"\W|\d", "", stem.removesuffix("-way")))


def _judged(
    field: FieldSchema, layout: Layout, place: Place, samples: list[Sample], seen: set[Rule], known: frozenset[str]
) -> Iterator[Judged]:
    for kind, rule in proposals(layout, place):
        label = label_of(rule)
        if rule not in seen and label not in known and not _is_state(label, field):
            seen.add(rule)
            judged = judge(kind, rule, samples)
            if judged is not None and (len(judged.right) > 1 or not _quotes(rule, known)):
                yield judged


def _quotes(rule: Rule, known: frozenset[str]) -> bool:
    """Whether what a rule goes by has a value of the examples in it, or the end of one, which other pages have not."""
    after, before = fold(rule.part.after), fold(rule.part.before)
    return any(
        f" {value} " in f" {text} " for text in (after, before) if text for value in known if len(value) > 1
    ) or any(
        (" " in after and value.endswith(" " + after.split()[0]))
        or (" " in before and value.startswith(before.split()[-1] + " "))
        for value in known
    )


def _is_state(label: str, field: FieldSchema) -> bool:
    """Whether a text is a state of stock, a value of a shop's page that labels no other field."""
    return stated(label)[1] == 1.0 and not speaks_of(label, field)


def judge(kind: str, rule: Rule, samples: list[Sample]) -> Judged | None:
    """How a rule does on the examples; None when it is wrong as often as right.

    The weight is the odds that it is right, by its kind's prior and the examples, times the square of its reach, so
    that silence of a rule that seldom speaks says little.
    """
    outcomes = [sample.right(rule) for sample in samples]
    right = frozenset(index for index, outcome in enumerate(outcomes) if outcome)
    wrong = outcomes.count(False)
    silent = sum(o is None and s.wanted is not None for o, s in zip(outcomes, samples, strict=True))
    if len(right) <= wrong:
        return None
    precision, reach = PRIOR[kind]
    if kind != "lead" and rule.part != WHOLE:
        precision, reach = 0.92 * precision, (0.5 if rule.part.is_plain else 0.25) * reach
    precision = (2 * precision + len(right)) / (2 + len(right) + 2 * wrong)
    reach = (2 * reach + len(right) - 1) / (1 + len(right) + silent)
    return Judged(rule, kind, precision / (1.01 - precision) * reach**2, right, wrong)


def role(field: FieldSchema, place: Place, layout: Layout) -> float:
    """How likely a place is where the page means to say the value: labelled, named for it, seen, whole."""
    concept = concept_of(field)
    called = {label_key(name) for name in (field.name, *(concept.names if concept else ()))}
    score = 1.0 if place.chunk is not None else 0.6
    if place.chunk is not None and {layout.label(place.chunk - 1), layout.lead(place.chunk)} & called:
        score *= 4.0
    elif any(f" {name} " in f" {text} " for name in called for text in _around(layout, place)):
        score *= 2.0
    if place.part.after or place.part.before:
        score *= 0.8
    if is_numeric(field) and not _is_bare(field, place, layout):
        score *= 0.3
    headed = concept is not None and concept.name == "title" and place.node.tag == "h1"
    return score * (2.0 if headed else 1.0)


def _is_bare(field: FieldSchema, place: Place, layout: Layout) -> bool:
    """Whether a number's text is the number alone, no date, code or sentence."""
    if place.chunk is None or place.part != WHOLE:
        return False
    found = amount(field, layout.chunks[place.chunk].text, layout.document)
    return found is not None and found.bare


def _around(layout: Layout, place: Place) -> Iterator[str]:
    """What stands about a place: the texts before it, its own beginning, and what class and id say."""
    if place.chunk is not None:
        yield from (layout.label(place.chunk - back) for back in (1, 2))
        yield fold(layout.chunks[place.chunk].text[:60])
    yield from (fold(hints(node)) for node in (place.node, *ancestors(place.node)[:2]))


def label_of(rule: Rule) -> str:
    """The label or heading that a rule goes by, "" for none."""
    at = rule.locator
    return at.label if isinstance(at, Near) else at.heading if isinstance(at, Under) else ""


def labels_of(place: Place, layout: Layout) -> tuple[str, ...]:
    """The labels of a place: the text before it, and what its own text begins with."""
    if place.chunk is None:
        return ()
    return tuple(label for label in (layout.label(place.chunk - 1), layout.lead(place.chunk)) if label)


def is_labelled(field: FieldSchema, place: Place, layout: Layout) -> bool:
    """Whether a label speaks of the field, or the words before a number do."""
    words = (label_key(place.part.after),) if is_numeric(field) else ()
    return any(speaks_of(label, field) for label in (*labels_of(place, layout), *words)) or _is_worded_for(
        field, place, layout
    )


def _is_worded_for(field: FieldSchema, place: Place, layout: Layout) -> bool:
    """Whether the few words before a value in its own text have one of the field's own name: "Glaze is ash, signed"."""
    if place.chunk is None or not place.part.after or place.is_list:
        return False
    text, after = layout.chunks[place.chunk].text, place.part.after
    head = text[: text.lower().find(after.lower())] + after
    return len(head.split()) <= MAX_WORDING and names(head, field)


def own_labels(
    field: FieldSchema, samples: list[Sample], groups: list[Group], known: frozenset[str]
) -> tuple[str, ...]:
    """The label that stands beside the value on every example, when it is sure to be one, else none.

    One example shows it only by words of the field or by its row, several by all having it, unless it may stand there
    by chance. A value that all say elsewhere too can do without the label.
    """
    told = [sample for sample in samples if sample.wanted is not None]
    for label in _marked(groups[0].place, groups[0].sample.layout) if groups else ():
        valued = any(f" {value} " in f" {label} " for value in known)
        if valued or len(label.split()) > MAX_LABEL_WORDS or not all(_stands_beside(label, s) for s in told):
            continue
        speaks = speaks_of(label, field)
        if len(told) == 1 and (speaks or _is_keyed(label, groups[0])):
            return (label,)
        shared = len(told) > 1 and all(_is_beside(label, g) or g.reach < len(told) for g in groups)
        if shared and (speaks or not (_is_state(label, field) or _is_worded(groups[0].place))):
            return (label,)
    return ()


def _is_keyed(label: str, group: Group) -> bool:
    """Whether a label is its place's by the page's structure."""
    layout, chunk = group.sample.layout, group.place.chunk
    return chunk is not None and layout.is_key(chunk - 1) and layout.label(chunk - 1) == label


def _is_worded(place: Place) -> bool:
    """Whether a value goes by words of its own text ("packed by Ann Lee"), so that one before it is there by chance."""
    return any(c.isalpha() for c in place.part.after)


def _marked(place: Place, layout: Layout) -> Iterator[str]:
    """Those labels of a place that look like one."""
    if place.chunk is not None:
        found = (layout.label(place.chunk - 1) if layout.is_label(place.chunk - 1) else "", layout.lead(place.chunk))
        yield from (label for label in found if label)


def _is_beside(label: str, group: Group) -> bool:
    return label in labels_of(group.place, group.sample.layout)


def _stands_beside(label: str, sample: Sample) -> bool:
    places = sample.wanted.places if sample.wanted else ()
    return any(label in labels_of(place, sample.layout) for place in places)
