"""The price asked now, on pages without markup: not old, part, unit, shipping or another product's prices."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema

PRICE, CURRENCY = leaf("price", "number"), leaf("currency")
CARD = "<li class=item><a href=/p/{0}>Lamp {0}</a><span class=price>${0}.00</span></li>"


def record(html: str, *fields: FieldSchema, url: str = "https://shop.example/p/lamp") -> dict[str, Any]:
    result = Extractor(FieldSchema("", "object", fields=fields)).extract(html, url)
    assert unproved(result, html) == []
    return result.records[0]


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<p>Was $249.00</p><p>Now $199.00</p>", 199),
        ("<p>Was $249.00 Now $199.00</p>", 199),
        ("<p>RRP: $249.00</p><p>$199.00</p>", 199),
        ("<span style='text-decoration: line-through'>$249.00</span> <span>$199.00</span>", 199),
        ("<p class=strike-through>$249.00</p><p>$199.00</p>", 199),
        ("<p>or 4 payments of $49.75</p><p>$199.00</p>", 199),
        ("<p>$199.00</p><p>Free shipping over $50</p>", 199),
        ("<p>Free shipping over $50</p>", None),
        ("<p>Price: call for price. Phone 0800 123 456</p>", None),
        ("<p>Old price $249.00</p><p>$199.00</p>", 199),
        ("<p>Regular price $249.00</p><p>Sale price $199.00</p>", 199),
        ("<p>Regular price $249.00</p>", 249),
        ("<p>Before $249.00</p><p>Today $199.00</p>", 199),
        ("<p>Save $50.00</p><p>$199.00</p>", 199),
        ("<p>$50 off</p><p>$199.00</p>", 199),
        ("<p>UVP 249,00 €</p><p>199,00 €</p>", 199),
        ("<p>statt 249,00 € jetzt 199,00 €</p>", 199),
        ("<p>Deposit $20.00</p><p>$199.00</p>", 199),
        ("<p>Only 3 left</p>", None),
        ("<p>Price: Free</p>", None),
        ("<p>料金 無料</p>", None),
        ("<p>定価 3,000円</p><p>価格 ２，９８０円（税込）</p>", 2980),
        ("<p>原價 $420</p><p>特價 $294</p>", 294),
        ("<p>Price: $199.00</p><p>$9.95 per kg</p>", 199),
        ("<p>$19.90 / month</p><p>$199.00</p>", 199),
        ("<p>Price: $199.00</p><p>Ex Tax: $165.83</p>", 199),
        ("<table><tr><td>Was:</td><td>$249.00</td></tr><tr><td>Price:</td><td>$199.00</td></tr></table>", 199),
        ("<p>17,90 – 25,00 €</p>", 17.9),
        ("<p>Qty 2 $20</p>", 20),
        ("<p class=price>12</p>", 12),
        ("<p>Model 120</p>", None),
    ],
)
def test_the_price_asked_now(html: str, price: float | None) -> None:
    assert record(f"<title>Lamp</title><h1>Lamp</h1>{html}", PRICE)["price"] == price


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<p class=price>$229<sup>99</sup></p><button data-price='229.99'>Buy</button>", 229.99),
        ("<p class=price>173<sup>34</sup> Lei</p><script>var x = {price: '173.34'}</script>", 173.34),
        ("<p class=price>$229<sup>99</sup></p>", None),
        ("<div><b>$200</b><i>3 bids</i></div>", 200),
    ],
)
def test_cents_in_an_element_of_their_own(html: str, price: float | None) -> None:
    assert record(f"<title>Lamp</title><h1>Lamp</h1>{html}", PRICE)["price"] == price


def test_a_list_of_products_has_no_price_of_its_own() -> None:
    cards = "".join(CARD.format(n) for n in (5, 6, 7))
    assert record(f"<h1>All products</h1><ul>{cards}</ul>", PRICE, CURRENCY) == {"price": None, "currency": None}


def test_other_products_below_do_not_count() -> None:
    cards = "".join(CARD.format(n) for n in (5, 6, 7))
    assert record(f"<h1>Lamp</h1><p>$20</p><ul>{cards}</ul>", PRICE)["price"] == 20


def test_the_heading_that_the_title_names_is_the_products() -> None:
    html = "<title>Lamp 7</title><h1>Departments</h1><p class=price>$5</p><h1>Lamp 7</h1><p class=price>$20</p>"
    assert record(html, PRICE)["price"] == 20


MARKUP = (
    '<script type="application/ld+json">{"@type": "Product", "name": "Lamp", "offers": {"price": "249.00"}}</script>'
)


@pytest.mark.parametrize(
    ("shown", "price"),
    [
        ("<del>$249.00</del><p class=price>$199.00</p>", 199),
        ("<p class=price>$249.00</p><p>Save $50.00</p>", 249),
        ("<p class=price>$199.00</p>", 249),
        ("<p class=price>$249.00</p><p class=price>$199.00</p>", 249),
    ],
)
def test_markup_gives_way_where_the_page_crosses_its_price_out(shown: str, price: float) -> None:
    assert record(f"<title>Lamp</title>{MARKUP}<h1>Lamp</h1>{shown}", PRICE)["price"] == price


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("99 ر.س", "SAR"),
        ("EUR219.99", "EUR"),
        ("525,00 б.р.", "BYN"),
        ("R$ 1.759,99", "BRL"),
        ("Kn 270", "HRK"),
        ("35€ 99", "EUR"),
        ("Neurologija 8", None),
        ("42R", None),
    ],
)
def test_currencies_beside_a_price(text: str, code: str | None) -> None:
    assert record(f"<h1>Lamp</h1><p class=price>{text}</p>", CURRENCY)["currency"] == code


@pytest.mark.parametrize(
    ("language", "shown", "price"),
    [
        ("de", "3.299 €", 3299),
        ("en", "€3,299", 3299),
        ("en", "€3.30", 3.3),
        ("en", "KWD 3.299", 3.299),
        ("en", "$3.299", None),
        ("de", "Preis auf Anfrage", None),
    ],
)
@pytest.mark.parametrize("number", ["3.299", '"3.299"'])
def test_three_decimals_in_markup_are_read_as_the_page_shows_them(
    language: str, shown: str, price: float | None, number: str
) -> None:
    markup = f'{{"@type": "Product", "name": "Lamp", "offers": {{"@type": "Offer", "price": {number}}}}}'
    script = f"<script type=application/ld+json>{markup}</script>"
    html = f"<html lang={language}>{script}<h1>Lamp</h1><p class=price>{shown}</p>"
    assert record(html, PRICE) == {"price": price}


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<p>We began in 1998 with €500 and a wheel.</p>", None),
        ("<p>We began in 1998 with <b>€500</b> and a wheel.</p>", None),
        ("<p>Raised $2 million</p>", None),
        ("<p>Breakages are charged at £5</p>", None),
        ("<p>Winner of the €1,000 prize</p>", None),
        ("<p>A vase like ours sold for €900 at auction.</p><p>€45.00</p>", 45),
        ("<p>Sold for €45</p>", 45),
        ("<p>Yours for €45 with a lid</p>", 45),
        ("<p>At the low price of about €45</p>", 45),
        ("<p>It costs €45 a piece.</p>", 45),
    ],
)
def test_an_amount_of_which_a_sentence_tells_is_no_price(html: str, price: float | None) -> None:
    assert record(f"<h1>Ash Jar</h1>{html}", PRICE)["price"] == price
