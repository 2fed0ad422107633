"""Numbers of neighbouring elements in minified pages are never one number."""

from __future__ import annotations

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


@pytest.mark.parametrize(
    ("name", "html", "value"),
    [
        ("price", "<div><span>$1,299</span><span>4.5 stars</span></div>", 1299),
        ("price", "<div><p>$1,299<span>4.5 stars</span></p></div>", 1299),
        ("price", "<table><tr><td>$1,299</td><td>12</td></tr></table>", 1299),
        ("price", "<table><tr><td>$12</td><td>99</td></tr></table>", 12),
        ("price", "<ul><li>$1,299</li><li>12 in stock</li></ul>", 1299),
        ("price", "<div><div class=p>$450,000</div><div>3 beds</div></div>", 450_000),
        ("price", "<div><span>12</span><span>€5.00</span></div>", 5),
        ("price", "<p>$12<br>99 reviews</p>", 12),
        ("area", "<dl><dt>Area</dt><dd>1,840<br>300</dd></dl>", 1840),
        ("area", "<dl><dt>Area</dt><dd>74<sup>2</sup></dd></dl>", 74),
        ("mileage", "<div><span>Mileage: 38,500</span><span>2022</span></div>", 38_500),
    ],
)
def test_numbers_of_several_elements(name: str, html: str, value: float) -> None:
    html = f"<html lang=en><body><h1>Lamp</h1>{html}</body></html>"
    result = Extractor(FieldSchema("", "object", fields=(leaf(name, "number"),))).extract(html, "https://x.example/p/1")
    assert unproved(result, html) == []
    assert result.records[0][name] == value
