"""Lists of the visible page for a field: its items, or all of them as one text with a line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from scraping_ai.extraction import pieces
from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of, fold, phrase
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.blocks import MAX_ITEMS, Item
from scraping_ai.extraction.heuristic.labels import Labels
from scraping_ai.extraction.heuristic.sections import Part, Sections
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.schema import FieldSchema

MAX_LINES = 50_000  # characters of a text
DENSE = 0.6  # of a text that must be its items
MARKED, HEADED = 0.75, 0.65


def key_of(field: FieldSchema) -> str:
    """What sections are asked by: the concept's name, else the field's."""
    concept = concept_of(field)
    return concept.name if concept else fold(field.name)


def parts(sections: Sections, field: FieldSchema) -> list[Part]:
    """The parts of the page that a field's name marks or heads, then those that its description's first words head."""
    said = phrase(field.description)
    return [*sections.of(key_of(field)), *(sections.of(said) if said else ())]


def items(sections: Sections, labels: Labels, field: FieldSchema) -> list[Candidate]:
    """The items of the likeliest part, in page order; else what stands beside a label, set apart by commas."""
    part = next(iter(parts(sections, field)), None)
    if part is not None and len(part.items) > 1:
        return [Candidate(item.text, item.anchor, _confidence(part), "heuristic") for item in part.items]
    labelled = next(iter(labels.candidates(field)), None)
    if labelled is not None:
        return _beside(sections.view, labelled)
    one = [Candidate(item.text, item.anchor, _confidence(part), "heuristic") for item in part.items] if part else []
    return list(pieces.of_enumeration(one))


def _beside(view: View, labelled: Candidate) -> list[Candidate]:
    """The items of a labelled value: its list items or links where it has some, else what commas set apart."""
    node = labelled.anchor.node
    below = view.nodes[view.order[node] + 1 : view.end(node)] if node in view.order else []
    for tag in ("li", "a"):
        found = [(n, text) for n in below if n.tag == tag and (text := view.text(n)) and text in labelled.text]
        if len(found) > 1 and 2 * sum(len(text) for _, text in found) >= len(labelled.text):
            return [Candidate(text, Anchor(n), labelled.confidence, "heuristic") for n, text in found[:MAX_ITEMS]]
    return list(pieces.of_enumeration([labelled]))


def texts(sections: Sections, field: FieldSchema) -> Iterator[Candidate]:
    """Each part as one text: what stands from its first item to its last."""
    for part in sections.of(key_of(field)):
        holder = _common([item.node for item in part.items])
        if holder is not None and sections.view.length(holder) <= MAX_LINES:
            text = _from_to(holder, part.items)
            if text and len(text) * DENSE <= sum(len(item.text) for item in part.items):
                yield Candidate(text, Anchor(holder), _confidence(part), "heuristic")


def _confidence(part: Part) -> float:
    return MARKED if part.marked else HEADED


def _common(nodes: Sequence[etree._Element]) -> etree._Element | None:
    """The lowest element around all nodes; they are in page order, so around the first and the last."""
    around = {nodes[-1], *nodes[-1].iterancestors()}
    return next((a for a in (nodes[0], *nodes[0].iterancestors()) if a in around), None)


def _from_to(holder: etree._Element, items: Sequence[Item]) -> str:
    """The slice of an element's string-value from the first item's text to the end of the last one's."""
    whole = string_value(holder)
    start = whole.find(items[0].text)
    end = whole.rfind(items[-1].text)
    return whole[start : end + len(items[-1].text)].strip() if 0 <= start <= end else ""
