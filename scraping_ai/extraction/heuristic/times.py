"""A recipe's whole time where the page states only its parts: the time to prepare and the time to cook."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.normalise import durations
from scraping_ai.extraction.vocabulary import CONCEPTS

CONFIDENCE = 0.5
_PARTS = ("prep_time", "cook_time")
# What labels of times may be shortened to, though alone it names the steps.
_SHORT = {
    "prep_time": (
        "préparation",
        "preparación",
        "preparazione",
        "preparo",
        "preparação",
        "vorbereitung",
        "voorbereiding",
    ),
    "cook_time": ("cuisson", "cocción", "cottura", "cozimento", "garzeit", "kochen", "backen", "kooktijd", "oventijd"),
}


def _pattern() -> re.Pattern[str]:
    """The labels of both times, each a group."""
    words = {c.name: (*c.names, *_SHORT[c.name]) for c in CONCEPTS if c.name in _PARTS}
    names = {part: "|".join(map(re.escape, sorted(found, key=len, reverse=True))) for part, found in words.items()}
    return re.compile("|".join(rf"(?P<{part}>{names[part]})(?![^\W\d_])" for part in _PARTS), re.I)


_LABEL = _pattern()


def candidates(view: View) -> Iterator[Candidate]:
    """The text that says both times and nothing else, of the lowest element that holds it and no third time."""
    for node in reversed(view.nodes):
        text = view.text(node)
        labels = list(_LABEL.finditer(text)) if text else []
        if len(labels) == len(_PARTS) and len({label.lastgroup for label in labels}) == len(_PARTS):
            times = durations.spans(text)
            start, *_, end = sorted(edge for span in [*times, *(label.span() for label in labels)] for edge in span)
            if len(times) == len(_PARTS) and _is_said(text, labels, times) and end - start <= durations.MAX_TEXT:
                yield Candidate(text[start:end], Anchor(node), CONFIDENCE, "heuristic")
                return


def _is_said(text: str, labels: list[re.Match[str]], times: list[tuple[int, int]]) -> bool:
    """Whether labels and times take turns, with no word in between."""
    pieces = sorted([*((*label.span(), True) for label in labels), *((*span, False) for span in times)])
    return all(a[2] != b[2] and not re.search(r"\w", text[a[1] : b[0]]) for a, b in pairwise(pieces))
