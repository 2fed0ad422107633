"""SKU, manufacturer's part number and GTIN: beside labels, in hints, attributes, scripts and the address."""

from __future__ import annotations

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.extraction.normalise.codes import gtin
from scraping_ai.schema import FieldSchema


def value(name: str, html: str, url: str = "https://shop.example/p/lamp") -> str | None:
    html = f"<title>Lamp</title><h1>Lamp</h1>{html}"
    result = Extractor(FieldSchema("", "object", fields=(leaf(name),))).extract(html, url)
    assert unproved(result, html) == []
    found = result.records[0][name]
    assert found is None or isinstance(found, str)
    return found


@pytest.mark.parametrize(
    ("html", "sku"),
    [
        ("<p>SKU: AB-123</p>", "AB-123"),
        ("<p>Item #418295</p>", "418295"),
        ("<p><span>Item #</span> 418295</p>", "418295"),
        ("<p>Produkta kods 545642356</p>", "545642356"),
        ("<div><span>Artikelnummer</span><span>1049084</span></div>", "1049084"),
        ("<div class=sku>Ref. AB-123</div>", "AB-123"),
        ("<span data-sku='AB-123'>Buy</span>", "AB-123"),
        ("<span data-sku='AB-123'>a</span><span data-sku='AB-124'>b</span>", None),
        ("<script>dataLayer.push({'sku': 'AB-123'})</script>", "AB-123"),
        ("<p>SKU: see below</p>", None),
        ("<p>Item costs $12</p>", None),
    ],
)
def test_skus(html: str, sku: str | None) -> None:
    assert value("sku", html) == sku


@pytest.mark.parametrize(
    ("html", "url", "sku"),
    [
        ("<input type=hidden name=asin value=B00ABCD123>", "https://shop.example/Lamp/dp/B00ABCD123", "B00ABCD123"),
        ("<div data-itemid=93133869></div>", "https://shop.example/item/93133869_lamp", "93133869"),
        ("<script>var x = {itemId: 93133869}</script>", "https://shop.example/item/93133869_lamp", "93133869"),
        ("<p>Nothing repeats it</p>", "https://shop.example/item/93133869_lamp", None),
        ("<div data-category-id=93133869></div>", "https://shop.example/item/93133869_lamp", None),
    ],
)
def test_the_identifier_of_the_address_counts_where_the_page_repeats_it(html: str, url: str, sku: str | None) -> None:
    assert value("sku", html, url) == sku


@pytest.mark.parametrize(
    ("name", "html", "code"),
    [
        ("mpn", "<p>Part number: XW-61</p>", "XW-61"),
        ("mpn", "<table><tr><th>Modello<td>XW-61</table>", "XW-61"),
        ("gtin", "<p>EAN: 4006381333931</p>", "4006381333931"),
        ("gtin", "<p>EAN: 4006381333932</p>", None),
        ("gtin", "<p>ISBN: 978-3-16-148410-0</p>", "978-3-16-148410-0"),
        ("gtin", "<li><span>EAN-Nummer</span><span>4006381333931</span></li>", "4006381333931"),
        ("gtin", "<div class=ean>4006381333931</div>", "4006381333931"),
    ],
)
def test_part_numbers_and_gtins(name: str, html: str, code: str | None) -> None:
    assert value(name, html) == code


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("96385074", True),
        ("036000291452", True),
        ("4006381333931", True),
        ("10614141000415", True),
        ("0-306-40615-2", True),
        ("080442957X", True),
        ("4006381333930", False),
        ("00000000", False),
        ("12345", False),
        ("", False),
    ],
)
def test_check_digits(text: str, valid: bool) -> None:
    assert gtin(text) is valid
