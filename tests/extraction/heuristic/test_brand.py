"""The product's brand where no label names it."""

from __future__ import annotations

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


@pytest.mark.parametrize(
    ("html", "brand"),
    [
        ("<a class=byline href=/x>Visit the Acme Store</a>", "Acme"),
        ("<div class=product-brand><a href=/x>Acme</a></div>", "Acme"),
        ("<a href='/brands/acme'>Acme</a>", "Acme"),
        ("<a href='/marca/acme'><img alt=Acme src=a.png></a>", "Acme"),
        ("<a href=/acme>Acme</a>", "Acme"),
        ("<div data-brand=Acme></div>", "Acme"),
        ("<script>var p = {'brand': 'Acme', 'id': 7}</script>", "Acme"),
        ("<p class=brand>Brand</p>", None),
        ("<a href=/help>Help</a>", None),
        ("<ol class=breadcrumb><li><a href=/l>Lamp</a></ol>", None),
        ("<ul><li class=c><a href=/1>A</a> $1 <i class=brand>Zed</i><li class=c><a href=/2>B</a> $2</ul>", None),
    ],
)
def test_brands(html: str, brand: str | None) -> None:
    page = f"<title>Acme Lamp 7</title><h1>Lamp 7</h1>{html}"
    result = Extractor(FieldSchema("", "object", fields=(leaf("brand"),))).extract(page, "https://shop.example/p/7")
    assert unproved(result, page) == []
    assert result.records[0]["brand"] == brand
