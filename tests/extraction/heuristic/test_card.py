"""A thing's own card inside an article about it: its title is the card's."""

from __future__ import annotations

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor

LISTS = "<h3>Ingredients</h3><ul><li>1 egg<li>2 nuts</ul><h3>Instructions</h3><ol><li>Mix them.<li>Bake.</ol>"
RECIPE = record("title", many(leaf(""), name="ingredients"), "instructions")


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (f"<h1>The best nut cake ever</h1><p>Ah.</p><div><h2>Nut cake</h2>{LISTS}</div>", "Nut cake"),
        (f"<h1>The best nut cake</h1><div><p class=recipe-name>Nut cake</p>{LISTS}</div>", "Nut cake"),
        (f"<h1>The best nut cake</h1><div><h2>Recipe ingredients</h2>{LISTS}</div>", "The best nut cake"),
        (f"<div><h1>The best nut cake</h1><h2>Nut cake</h2>{LISTS}</div>", "The best nut cake"),
        (f"<h1>The best nut cake</h1><div><h2>Print</h2>{LISTS}</div>", "The best nut cake"),
    ],
)
def test_the_title_of_the_card(html: str, title: str) -> None:
    html = f"<title>The best nut cake ever</title><body><section>{html}</section>"
    result = Extractor(RECIPE).extract(html)
    assert result.records[0]["title"] == title
    assert unproved(result, html) == []
