"""What an item says of its rating where nothing else is near: "★ 4.5", "Rating: 9.2", drawn stars, "(31)"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic import rating
from scraping_ai.extraction.heuristic.view import View, nearest
from scraping_ai.extraction.normalise import stars
from scraping_ai.extraction.vocabulary import CONCEPTS

CONFIDENCE = 0.6
MOST = 10
AROUND = 2  # elements above a number whose names may tell that votes are counted
_CALLED = "|".join(re.escape(name) for concept in CONCEPTS if concept.name == "rating" for name in concept.names)
_SCORE = r"\d{1,2}(?:[.,]\d{1,2})?(?![\d.,]*\d)"
_ALONE = re.compile(rf"[★⭐]\s*({_SCORE})\s*(?:\(|\Z)|(?:{_CALLED})\s*[:：]\s*({_SCORE})", re.I)
_WITH_VOTES = re.compile(r"([0-5][.,]\d)\s*\(\d[\d.,\u00a0\u202f ]*\)\Z")  # 4.5 (1,204)
_VOTES = re.compile(r"\(\s*(\d{1,3}(?:[.,\u00a0\u202f ]\d{3})*|\d{1,9})\s*\)\Z")
_SPEAKS = re.compile(r"rating|stars?(?![a-z])|review|score|vote|bewert")


def candidates(view: View, count: bool) -> Iterator[Candidate]:
    """Scores (`count`: how many gave one) of the thing that a view shows."""
    yield from rating.candidates(view, count=count, own=True)
    for node in view.nodes:
        for text, attribute in rating.texts(view, node):
            if count:
                match = _VOTES.match(text) if view.hinted(_SPEAKS, nearest(node, AROUND)) else None
                found = match[1] if match else ""
            else:
                found = text if stars.drawn(text) is not None else _alone(text)
            if found:
                yield Candidate(found, Anchor(node, attribute), CONFIDENCE, "heuristic")


def _alone(text: str) -> str:
    match = _WITH_VOTES.match(text) or _ALONE.search(text)
    score = next(filter(None, match.groups()), "") if match else ""
    return score if score and 0 < float(score.replace(",", ".")) <= MOST else ""
