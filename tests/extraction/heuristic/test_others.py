"""What stands under headings of other things is not the page's own."""

from __future__ import annotations

from typing import Any

import pytest

from scraping_ai.extraction import Extractor


def record(fields: str, body: str, language: str = "en") -> dict[str, Any]:
    html = f"<html lang={language}><title>Red lamp</title><body>{body}"
    found: dict[str, Any] = Extractor(fields).extract(html, "https://l.example/1").records[0]
    return found


@pytest.mark.parametrize(
    ("language", "heading"),
    [
        ("en", "Customers also bought"),
        ("de", "Ähnliche Artikel"),
        ("es", "Otros productos"),
        ("pl", "Polecamy"),
        ("ja", "おすすめ商品"),
    ],
)
def test_prices_and_stock_of_other_things(language: str, heading: str) -> None:
    other = f"<section><h2>{heading}</h2><article>Lamp 12 <span>89,00 €</span> <b>Sold out</b></article></section>"
    body = "<main><h1>Red lamp</h1><p>119,95 €</p></main>"
    assert record("price:number, availability", body + other, language) == {"price": 119.95, "availability": None}
    bare = f"<h1>Red lamp</h1><p>A lamp.</p><h2>{heading}</h2><p>Lamp 12 <span>89,00 €</span></p>"
    assert record("price:number", bare, language) == {"price": None}


def test_headings_that_only_sound_so() -> None:
    body = "<h1>Red lamp</h1><h2>More information</h2><p class=price>$25.00</p><p>In stock</p>"
    assert record("price:number, availability", body) == {"price": 25, "availability": "InStock"}


def test_numbers_beside_icons() -> None:
    body = "<h1>Red lamp</h1><ul><li><svg></svg>3 beds<li><svg></svg>2 baths</ul><h2>More</h2><span>5 beds</span>"
    assert record("bedrooms:integer, bathrooms:integer", body) == {"bedrooms": 3, "bathrooms": 2}


def test_a_score_does_not_run_into_the_count() -> None:
    body = "<h1>Red lamp</h1><p>8,9/10 412 avis</p>"
    assert record("review_count:integer", body, "fr") == {"review_count": 412}


def test_choices_are_no_value() -> None:
    body = "<h1>Robe</h1><p>Taille : <select><option>36<option>38</select></p>"
    assert record("size", body, "fr") == {"size": None}


def test_how_many_are_left() -> None:
    assert record("availability", "<h1>Red lamp</h1><p class=stock>在庫：残り2点</p>", "ja") == {
        "availability": "InStock"
    }


def test_a_label_of_two_words_is_no_code() -> None:
    body = "<h1>Red lamp</h1><p>$25.00</p><ul><li><span>Item no.</span><span>OK-1200-B</span></ul>"
    assert record("sku", body) == {"sku": "OK-1200-B"}


def test_a_date_in_a_long_byline() -> None:
    byline = "<p>Von Jana Bertram und Ole Kruse · 12. Okt. 2023, 17:45 Uhr · Lesezeit 4 Min.</p>"
    body = f"<div>Montag, 3. Juni 2024</div><h1>Red lamp</h1>{byline}"
    assert record("publish_date:date", body, "de") == {"publish_date": "2023-10-12"}


@pytest.mark.parametrize(
    ("language", "heading"),
    [
        ("en", "Also"),
        ("en", "Hotels nearby"),
        ("de", "Passend dazu"),
        ("sv", "Andra köpte också"),
        ("cs", "Související zboží"),
        ("tr", "Benzer ürünler"),
        ("el", "Σχετικά προϊόντα"),
        ("ar", "منتجات ذات صلة"),
        ("th", "สินค้าที่เกี่ยวข้อง"),
        ("vi", "Sản phẩm tương tự"),
    ],
)
def test_labels_and_prices_under_headings_of_other_things(language: str, heading: str) -> None:
    body = f"<h1>Red lamp</h1><p>A lamp.</p><h2>{heading}</h2><p>Strap, 25,00 €</p><p>Brand: Lux</p><p>SKU: LX-1</p>"
    assert record("price:number, brand, sku", body, language) == {"price": None, "brand": None, "sku": None}


@pytest.mark.parametrize(
    ("shown", "price"),
    [
        ("<p>Discontinued</p><p>Add an album for $12.00</p>", None),
        ("<p>$9.00</p><p>Add to cart for $9.00</p>", 9),
        ("<label>Color: <select><option>Red (+$2.00)</option><option>Blue</option></select></label><p>$18.00</p>", 18),
        (
            "<table><tr><th></th><th>K1</th><th>K2</th></tr><tr><th>Price</th><td>$20</td><td>$30</td></tr></table>",
            None,
        ),
        ("<table><tr><th>Price</th><td>$20</td></tr></table>", 20),
        ("<p>Price on request</p><p>Lamps of our clients cost $120.</p>", None),
        ("<p>Preis auf Anfrage</p><p>Kabel 12,00 €</p>", None),
    ],
)
def test_amounts_of_choices_additions_and_comparisons(shown: str, price: float | None) -> None:
    assert record("price:number", f"<h1>Red lamp</h1>{shown}") == {"price": price}


def test_an_aside_may_tell_of_the_page() -> None:
    body = "<h1>Red lamp</h1><aside><h3>Facts</h3><p>Color: red</p></aside>"
    assert record("color", body) == {"color": "red"}
