"""Scalar values of elements whose class or id names the field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import named
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.marks import Marks
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.vocabulary import Concept

CONFIDENCE, SAYING = 0.78, 0.6
MAX_VALUE = 100  # characters
MAX_DESCRIPTION = 1_500
MAX_FOUND = 4
REPEATED = 3  # so many alike are teasers of other things
_LABEL = re.compile(r"\s*([^:：\n]{1,40}?)\s*[:：]\s*")


def candidates(view: View, marks: Marks, concept: Concept) -> Iterator[Candidate]:
    """Texts of the marked elements, without a label in front, in page order."""
    limit = MAX_DESCRIPTION if concept.name == "description" else MAX_VALUE
    nodes = [n for n in marks.of(concept.name) if 0 < view.length(n) <= limit]
    chosen = _outermost(nodes) if concept.kind == "duration" else _innermost(nodes)
    kinds = Counter((node.tag, node.get("class")) for node in chosen)
    for node in [n for n in chosen if kinds[n.tag, n.get("class")] < REPEATED][:MAX_FOUND]:
        text = _unlabelled(string_value(node).strip(), concept)
        if text:
            yield Candidate(text, Anchor(node), CONFIDENCE, "heuristic")


def saying(view: View, says: Callable[[str], bool], limit: int) -> Iterator[Candidate]:
    """Texts of at most `limit` characters that say for themselves what they are, in page order."""
    short = (n for n in view.nodes if 0 < view.length(n) <= 2 * limit)
    found = (n for n in short if 0 < len(text := view.text(n)) <= limit and says(text))
    yield from (Candidate(view.text(n), Anchor(n), SAYING, "heuristic") for n in islice(found, MAX_FOUND))


def _outermost(nodes: list[etree._Element]) -> list[etree._Element]:
    """A duration's hours and minutes may be marked one by one; the element around them holds it whole."""
    known = set(nodes)
    found = [n for n in nodes if not any(a in known for a in n.iterancestors())]
    parents = Counter(p for n in found if (p := n.getparent()) is not None)
    return list(dict.fromkeys(p if (p := n.getparent()) is not None and parents[p] > 1 else n for n in found))


def _innermost(nodes: list[etree._Element]) -> list[etree._Element]:
    holders = {a for n in nodes for a in n.iterancestors()}
    return [n for n in nodes if n not in holders]


def _unlabelled(text: str, concept: Concept) -> str:
    """A text without the concept's own name before a colon; "" when only another's or no value stands there."""
    label = _LABEL.match(text)
    if label is not None and (found := named(label[1])) is not None:
        return text[label.end() :] if found is concept else ""
    return "" if named(text) is concept else text
