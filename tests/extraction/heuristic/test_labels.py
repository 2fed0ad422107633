"""Values beside, below and after a label, for fields of any name."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


def value(field: FieldSchema, html: str) -> Any:
    html = f"<h1>Car</h1>{html}"
    result = Extractor(FieldSchema("", "object", fields=(field,))).extract(html, "https://cars.example/1")
    assert unproved(result, html) == []
    return result.records[0][field.name]


@pytest.mark.parametrize(
    "html",
    [
        "<p>Mileage: 12,000 mi</p>",
        "<p><b>Mileage:</b> 12,000 mi</p>",
        "<p><span>Mileage:</span> <span>12,000 mi</span></p>",
        "<dl><dt>Mileage<dd>12,000 mi</dl>",
        "<table><tr><td>Mileage<td>12,000 mi</table>",
        "<table><tr><th>Year<th>Mileage<tr><td>2019<td>12,000 mi</table>",
        "<div><span>Mileage</span><span>12,000 mi</span></div>",
        "<div><div>Mileage</div><div>12,000 mi</div></div>",
        "<ul><li>Mileage - 12,000 mi</ul>",
        "<div><div>Year: 2019</div><div>Mileage: 12,000 mi</div></div>",
        "<p><b>Mileage</b> 12,000 mi</p>",
    ],
)
def test_mileage(html: str) -> None:
    assert value(leaf("mileage", "integer"), html) == 12000
    assert value(leaf("odometer_check"), html) is None


@pytest.mark.parametrize(
    ("field", "html", "expected"),
    [
        (leaf("organizer"), "<p>Organiser: Ann Lee</p>", "Ann Lee"),
        (leaf("organisers"), "<p>Organizer: Ann Lee</p>", "Ann Lee"),
        (leaf("location"), "<p>Where: Town Hall</p>", "Town Hall"),
        (leaf("venue"), "<p>会場：市民ホール</p>", "市民ホール"),
        (leaf("released", "date"), "<p>発売日：2026年3月12日</p>", "2026-03-12"),
        (leaf("colour"), "<p>Color: red</p>", "red"),
    ],
)
def test_other_spellings_and_languages(field: FieldSchema, html: str, expected: str) -> None:
    assert value(field, html) == expected


@pytest.mark.parametrize(
    ("name", "html", "expected"),
    [
        ("side_effects", "<p>Side effects: headache, fever</p>", ["headache", "fever"]),
        ("tags", "<p>Tags: <a href=/a>a</a> <a href=/b>b c</a></p>", ["a", "b c"]),
        ("colors", "<dl><dt>Colors<dd>red; blue</dl>", ["red", "blue"]),
        ("breadcrumbs", "<nav class=breadcrumb><a>Home</a> &gt; <a>Cars</a></nav>", ["Home", "Cars"]),
        ("extras", "<p>No extras</p>", None),
    ],
)
def test_lists_beside_a_label(name: str, html: str, expected: list[str] | None) -> None:
    assert value(many(leaf(""), name=name), html) == expected


def test_items_that_run_into_each_other_are_no_value() -> None:
    html = "<p><b>Category:</b></p><p><b>Category:</b><ul><li>Sport</li><li>Fun</li></ul>"
    menu = "<nav><div><div>Category</div><div><p>Sport</p><p>Fun</p></div></div></nav>"
    assert value(leaf("category"), html) is None
    assert value(leaf("category"), menu) is None


@pytest.mark.parametrize("field", ["cook_time", "cookTime", "prep_time"])
def test_a_total_time_is_no_other_time(field: str) -> None:
    html = '<script type=\'application/ld+json\'>{"@type": "Recipe", "totalTime": "PT50M"}</script>'
    assert value(leaf(field, "number"), html + "<p>Total time: 50 min</p>") is None
    assert value(leaf("total_time", "number"), "<p>Cook time: 50 min</p><p class=prep-time>5 min</p>") is None


def test_a_line_of_several_pairs_is_read_one_by_one() -> None:
    html = '<html lang="en"><body><h1>Cold Ness</h1><div>Tower: 22 m &middot; Range: 12 nm</div></body></html>'
    (record,) = Extractor("tower, range:integer").extract(html).records
    assert record == {"tower": "22 m", "range": 12}
