"""Scores and how many gave them, as pages show them."""

from __future__ import annotations

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, record

from scraping_ai.extraction import Extractor


@pytest.mark.parametrize(
    ("html", "score", "count"),
    [
        ("<p>4.6 from 312 reviews</p>", 4.6, 312),
        ("<p>4.6/5 (1,312 votes)</p>", 4.6, 1312),
        ("<p>4,5 von 5 Sternen aus 20 Bewertungen</p>", 4.5, 20),
        ("<p>4,5 sur 5 · 20 avis</p>", 4.5, 20),
        ("<p>5.0 (4 reviews)</p>", 5, 4),
        ("<p>Rated 3.5 out of 5</p>", 3.5, None),
        ('<i class=stars aria-label="4.5 out of 5 stars"></i>', 4.5, None),
        ('<i class=stars title="4.5 of 5 stars from 7 ratings"></i>', 4.5, 7),
        ('<i data-acme-rating="4.5" data-acme-total-ratings="386"></i>', 4.5, 386),
        ('<i data-rating="1"></i><i data-rating="2"></i>', None, None),
        ("<div class=comments><p>5 out of 5</p></div>", None, None),
        ("<p>Read 12 reviews</p>", None, None),
    ],
)
def test_score_and_count(html: str, score: float | None, count: int | None) -> None:
    html = f"<h1>Kettle</h1>{html}"
    result = Extractor(record(leaf("rating", "number"), leaf("review_count", "integer"))).extract(html)
    assert result.records == [{"rating": score, "review_count": count}]
    assert unproved(result, html) == []


@pytest.mark.parametrize(("field", "count"), [("ratings_count", 210), ("review_count", 88)])
def test_a_text_that_tells_ratings_from_reviews_is_read_by_what_is_asked(field: str, count: int) -> None:
    html = "<h1>Kettle</h1><p>4.6 out of 5 (210 ratings, 88 customer reviews)</p>"
    result = Extractor(record(leaf(field, "integer"))).extract(html)
    assert result.records == [{field: count}]
    assert unproved(result, html) == []
