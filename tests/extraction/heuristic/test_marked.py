"""Values of elements whose class or id names the field."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


def value(field: FieldSchema, html: str) -> Any:
    result = Extractor(FieldSchema("", "object", fields=(field,))).extract(html, "https://cooking.example/bread")
    assert unproved(result, html) == []
    return result.records[0][field.name]


@pytest.mark.parametrize(
    ("field", "html", "expected"),
    [
        (leaf("course"), "<p class=acme-recipe-course>Dessert</p>", "Dessert"),
        (leaf("course"), "<p class=acme-recipe-course-container>Course: Dessert</p>", "Dessert"),
        (leaf("course"), "<p class=related-course>Dessert</p>", None),
        (leaf("cuisine"), "<p class=cuisine>Cuisine</p><p class=cuisine>Thai</p>", "Thai"),
        (leaf("summary"), "<p class=recipe-summary>Crisp and warm.</p>", "Crisp and warm."),
        (leaf("summary"), "<p class=shipping-summary>3 days</p>", None),
        (leaf("rating", "number"), "<p><b class=rating-average>4.6</b> of <b class=rating-count>12</b>", 4.6),
        (leaf("total_time", "number"), "<p class=recipe-total-time>Total time: 1 hr 20 min</p>", 80),
        (leaf("total_time", "number"), "<p><b class=total_time>1 hour</b> <b class=total_time>5 min</b></p>", 65),
        (leaf("total_time", "number"), "<p class=cook-time>20 min</p>", None),
        (leaf("yields"), "<p class=p-yield>4</p>", "4"),
        (leaf("yields"), "<p>Warm.</p><p>Serves 4</p>", "4"),
        (leaf("yields"), "<h2>Zutaten für 4 Personen</h2><ul><li>Mehl</li></ul>", "4"),
        (leaf("yields"), "<h2>材料（2人分）</h2><ul><li>卵</li></ul>", "2"),
        (leaf("yields"), "<p>Rated by 12 people</p>", None),
        (leaf("yields"), f"<div class=portions>200 g {'flour ' * 30}</div>", None),
    ],
)
def test_a_class_names_the_field(field: FieldSchema, html: str, expected: Any) -> None:
    assert value(field, html) == expected
