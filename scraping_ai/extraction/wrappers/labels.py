"""Which labels are a field's own, and which places they name."""

from __future__ import annotations

from collections.abc import Iterator

from scraping_ai.extraction.normalise.words import stated
from scraping_ai.extraction.wrappers.amounts import is_numeric
from scraping_ai.extraction.wrappers.groups import Group, Sample
from scraping_ai.extraction.wrappers.layout import Layout, label_key
from scraping_ai.extraction.wrappers.places import Place
from scraping_ai.extraction.wrappers.words import names, speaks_of
from scraping_ai.schema import FieldSchema

MAX_LABEL_WORDS = 5
MAX_WORDING = 4  # words before a value in its text


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
        if shared and (speaks or not (is_state(label, field) or _is_worded(groups[0].place))):
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


def is_state(label: str, field: FieldSchema) -> bool:
    """Whether a text is a state of stock, a value of a shop's page that labels no other field."""
    return stated(label)[1] == 1.0 and not speaks_of(label, field)


def is_ambiguous(samples: list[Sample], groups: list[Group]) -> bool:
    """Whether the one example that has a value shows it behind several labels, of which none speaks of the field."""
    if sum(sample.wanted is not None for sample in samples) > 1 or any(group.labelled for group in groups):
        return False
    shown = [_own(group.place, group.sample.layout) for group in groups]
    return bool(shown) and shown[0] != "" and len(set(shown) - {""}) > 1


def _own(place: Place, layout: Layout) -> str:
    """The label of a place by the page's structure, or that its text begins with; "" for none."""
    if place.chunk is None:
        return ""
    return layout.lead(place.chunk) or (layout.label(place.chunk - 1) if layout.is_key(place.chunk - 1) else "")
