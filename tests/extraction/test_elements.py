"""Texts of neighbouring elements: what a reader sees apart is never one word or number; what none sees is no value."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, record

from scraping_ai.extraction import Extractor


@pytest.mark.parametrize(
    ("name", "kind", "body", "expected"),
    [
        ("material", "string", "<dl><dt>Material<dd>Clay<script>x=1</script><style>.a{}</style></dl>", "Clay"),
        ("material", "string", "<dl><dt>Material<dd>Clay<span style='display:none'>Tin</span></dl>", "Clay"),
        ("material", "string", "<dl><dt>Material<dd>Clay<span hidden>x</span> and tin</dl>", None),
        ("material", "string", "<dl><dt>Material<dd>Oak<button>Copy</button></dl>", "Oak"),
        ("material", "string", "<dl><dt>Material<dd><button>Oak</button></dl>", "Oak"),
        ("material", "string", "<dl><dt>Material<dd>Wal<b>nut</b></dl>", "Walnut"),
        (
            "material",
            "string",
            "<dl><dt>Material<dd><span>W</span><span>O</span><span>O</span><span>D</span></dl>",
            "WOOD",
        ),
        ("formula", "string", "<dl><dt>Formula<dd>CO<sub>2</sub></dl>", "CO2"),
        ("sizes", "string", "<dl><dt>Sizes<dd><span>S</span><span>M</span></dl>", "S M"),
        ("tags", "string", "<dl><dt>Tags<dd><a>red</a><a>blue</a></dl>", "red blue"),
        (
            "size",
            "string",
            "<label>Size: <select><option>Choose a size</option><option>S</option></select></label>",
            None,
        ),
        ("sku", "string", "<p>SKU: <b>AB12</b><a>Copy</a></p>", "AB12"),
        ("phone", "string", "<p>Phone: <b>020 7946 0001</b><a>Call</a></p>", "020 7946 0001"),
        ("author", "string", "<p>By <a>Ann Lee</a><a>Bo Kim</a></p>", "Ann Lee"),
        ("delivery", "date", "<dl><dt>Delivery<dd><span>2</span><span>4 May 2026</span></dl>", None),
        ("delivery", "date", "<dl><dt>Delivery<dd><div>2</div><div>4 May 2026</div></dl>", "2026-05-04"),
        ("area", "number", "<dl><dt>Area<dd>12<br>300</dl>", 12),
        ("cells", "number", "<dl><dt>Cells<dd>10<sup>6</sup></dl>", None),
        ("currency", "string", "<div><a href=/a>Vitamin A</a><span>$40</span></div>", "USD"),
        ("currency", "string", "<div><b>Lamp</b><span>A$</span><span>40</span></div>", "AUD"),
    ],
)
def test_neighbouring_elements(name: str, kind: str, body: str, expected: Any) -> None:
    html = f"<html lang=en-US><title>T</title><h1>T</h1>{body}<p>{'Text. ' * 40}"
    result = Extractor(record(leaf(name, kind))).extract(html, "https://x.example/1")
    assert result.records == [{name: expected}]
    assert unproved(result, html) == []
