"""Learning: rules that give the right value on the examples, the likeliest to survive on other pages first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from scraping_ai.extraction.concepts import concept_of, fold
from scraping_ai.extraction.heuristic.view import hints
from scraping_ai.extraction.wrappers.amounts import amount, is_numeric
from scraping_ai.extraction.wrappers.groups import Group, Judged, Sample
from scraping_ai.extraction.wrappers.labels import is_ambiguous, is_labelled, is_state, own_labels
from scraping_ai.extraction.wrappers.layout import Layout, ancestors, label_key
from scraping_ai.extraction.wrappers.parts import WHOLE
from scraping_ai.extraction.wrappers.places import Place
from scraping_ai.extraction.wrappers.propose import proposals
from scraping_ai.extraction.wrappers.rules import Near, Rule, Under
from scraping_ai.schema import FieldSchema

MAX_RULES = 12  # of one field
MAX_TRIES = 60_000  # of rules on examples, for one field
LEAST = 0.02  # of the weight of all; a rule with less cannot matter
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


def learn_field(
    field: FieldSchema, samples: list[Sample], known: frozenset[str] = frozenset()
) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """The rules of one field, at most MAX_RULES, those with the greatest weight first; and its own labels.

    Rules are never wrong on a sample; where those do not reach every value, some that are mostly right are added.
    `known`: the examples' values, folded, which are no labels.
    """
    total = sum(s.wanted is not None for s in samples)
    groups = _groups(field, samples, known, total)
    if is_ambiguous(samples, groups):
        return (), ()
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
        if rule not in seen and label not in known and not is_state(label, field):
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
