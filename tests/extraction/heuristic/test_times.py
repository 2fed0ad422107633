"""A recipe's whole time out of the times that it takes to prepare and to cook."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema

TABLE = (
    "<table><tr><td>Vorbereitungszeit</td><td>10 Min.</td></tr><tr><td>Backzeit</td><td>1 Std. 5 Min.</td></tr></table>"
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>Prep Time: 10 minutes</li> <li>Cook Time: 1 hour 20 minutes</li></ul>", 90),
        ("<div><p><b>Prep</b>10 mins</p><p><b>Cook</b>50 mins</p><p>Serves</p></div>", 60),
        ("<p><b>5 minutes <i>mins</i></b> prep + <b>45 minutes <i>mins</i></b> cook</p>", 50),
        (TABLE, 75),
        ("<ul><li>Préparation : 10 min</li><li>Cuisson : 20 min</li></ul>", 30),
        ("<p>Prep Time: 10 min</p><p>Cook Time: 20 min</p><p>Total Time: 45 min</p>", 45),
        ("<p>Prep Time: 10 min. Chilling Time: 30 min. Cook Time: 20 min.</p>", None),
        ("<p>Prep the leeks for 10 minutes, then cook for 20 minutes.</p>", None),
        ("<p>Prep Time: 10 min</p>", None),
    ],
)
def test_what_a_recipe_takes_is_what_its_parts_take_when_the_page_says_no_more(html: str, expected: Any) -> None:
    fields = (leaf("total_time", "number"),)
    result = Extractor(FieldSchema("", "object", fields=fields)).extract(html, "https://cooking.example/bread")
    assert unproved(result, html) == []
    assert result.records[0]["total_time"] == expected
