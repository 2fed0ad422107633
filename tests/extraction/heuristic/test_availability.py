"""Whether a product can be bought, as pages say it without markup."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


def value(html: str, field: FieldSchema) -> Any:
    result = Extractor(FieldSchema("", "object", fields=(field,))).extract(html, "https://shop.example/p/lamp")
    assert unproved(result, html) == []
    return result.records[0][field.name]


@pytest.mark.parametrize(
    ("html", "in_stock"),
    [
        ("<p>In stock</p>", True),
        ("<p>Out of stock</p>", False),
        ("<p>Sold out</p>", False),
        ("<p>在庫あり</p>", True),
        ("<p>在庫切れ</p>", False),
        ("<p>Only 3 left in stock</p>", True),
        ("<p>Availability: In stock</p>", True),
        ("<button>Kaufen</button>", True),
        ('<a class="btn compare-offers" href="/offers">Compare all prices (2)</a>', True),
        ('<a class="btn" href="/out/7">Zum Shop</a>', True),
        ("<p>Compare prices before you buy anything from a shop that you have never heard of, we say.</p>", None),
        (
            '<div><i style="display:none" url="//w.example/?a=1&amp;Availability=Available"></i></div>',
            True,
        ),
        ('<div><i style="display:none" url="//w.example/?a=1&amp;Availability=SoldOut&amp;b=2"></i></div>', False),
        ('<div class="related"><i url="//w.example/?a=1&amp;Availability=Available"></i></div>', None),
        ("<p>Nothing is said</p>", None),
    ],
)
def test_in_stock_without_a_label(html: str, in_stock: bool | None) -> None:
    assert value(f"<title>Lamp</title><h1>Lamp</h1>{html}", leaf("in_stock", "boolean")) is in_stock


@pytest.mark.parametrize(
    ("html", "state"),
    [
        (
            "<p>Sorry, this item is currently unavailable. We show you others that you may like instead.</p>",
            "OutOfStock",
        ),
        ("<div class=modal><h2>Sold out</h2></div><button>Add to cart</button>", "InStock"),
        ("<p>Add to cart<span style='display:none'>Sold out</span></p><button>Add to cart</button>", "InStock"),
        ("<p>Unavailable for store pickup</p><button>Add to cart</button>", "InStock"),
        ("<table><tr><th>Date First Available</th><td>4 April 2009</td></tr></table>", None),
        ("<table><tr><td>Bluetooth</td><td>Áno</td></tr></table>", None),
        ("<ul><li class=card><a href=/1>A</a> $1 <b>In stock</b><li class=card><a href=/2>B</a> $2</ul>", None),
        ("<p class='stock'>Nicht verfügbar</p>", "OutOfStock"),
        ("<p class='stock'>Lieferbar</p>", "InStock"),
        ("<a>Ajouter au panier</a>", "InStock"),
    ],
)
def test_states(html: str, state: str | None) -> None:
    assert value(f"<title>Lamp</title><h1>Lamp</h1>{html}", leaf("availability")) == state


MARKUP = (
    '<script type="application/ld+json">{"@type": "Product", "name": "Lamp", "offers": '
    '{"price": "9", "availability": "https://schema.org/InStock"}}</script>'
)


@pytest.mark.parametrize(
    ("shown", "state"),
    [
        ("<p>This product is out of stock</p>", "OutOfStock"),
        ("<p>Out of stock in blue</p><button>Add to cart</button>", "InStock"),
        ("<div style='-webkit-backface-visibility: hidden'><p>Out of stock</p></div>", "OutOfStock"),
        ("<p style='visibility: hidden'>Out of stock</p>", "InStock"),
    ],
)
def test_markup_gives_way_to_a_notice_that_it_is_sold_out(shown: str, state: str) -> None:
    assert value(f"<title>Lamp</title>{MARKUP}<h1>Lamp</h1>{shown}", leaf("availability")) == state


@pytest.mark.parametrize(
    "notice",
    [
        "Email me when available",
        "Benachrichtigen Sie mich, sobald verfügbar",
        "Stock: 0 (next delivery 14 Dec)",
        "Auf Lager: 0",
        "在庫数：0",
        "В наличии: 0 шт.",
        "Bientôt de retour",
        "Sin existencias",
        "Loppu varastosta",
        "Nu este în stoc",
        "Non in stock",
        "Niet beschikbaar",
        "Finns ej i lager",
        "Chwilowo brak",
        "Dočasně vyprodáno",
        "Jelenleg nem kapható",
        "Ei ole laos",
        "Stokta bulunmuyor",
        "Εξαντλημένο",
        "Товар закончился",
        "Няма наличност",
        "غير متاح",
        "אין במלאי",
        "Stok kosong",
        "Đã hết hàng",
        "สินค้าหมด",
        "无货",
    ],
)
def test_notices_that_it_is_sold_out_outweigh_a_button(notice: str) -> None:
    html = f"<title>Vase 77</title><h1>Vase 77</h1><p>{notice}</p><button>Add to cart</button>"
    assert Extractor("in_stock:boolean").extract(html, "https://v.example/1").records == [{"in_stock": False}]


@pytest.mark.parametrize(
    ("shown", "state"),
    [
        ("<p>Out of stock online, in stock in stores</p>", None),
        ("<p>Online ausverkauft, in der Filiale verfügbar</p>", None),
        ("<p>Stock: 20</p>", True),
        ("<p>In stock: 0-3 days</p>", True),
        ("<p>Notify me of new posts by email</p>", True),
        ("<p>สินค้าทั้งหมด</p>", True),  # "all goods"
    ],
)
def test_what_a_button_is_worth_beside_other_words(shown: str, state: bool | None) -> None:
    html = f"<title>Vase 77</title><h1>Vase 77</h1>{shown}<button>Add to cart</button>"
    assert Extractor("in_stock:boolean").extract(html, "https://v.example/1").records == [{"in_stock": state}]


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("Made to order", "BackOrder"),
        ("Pre-order", "PreOrder"),
        ("Sold", None),
        ("On display only.", None),
        ("Ships in 2 weeks", None),
    ],
)
def test_words_about_stock_come_before_a_button(said: str, state: str | None) -> None:
    html = f"<h1>Ash Jar</h1><p>€45.00</p><p>{said}</p><button>Add to basket</button>"
    result = Extractor("availability").extract(html, "https://shop.example/p/1")
    assert result.records == [{"availability": state}]
    assert all(e.text == said for e in result.evidence.values())


def test_texts_of_blocks_are_not_run_together_for_a_count_in_stock() -> None:
    html = "<h1>Ash Jar</h1><p>€45.00</p><p>7 in stock</p>"
    result = Extractor("stock:integer").extract(html, "https://shop.example/p/1")
    assert result.records == [{"stock": 7}]
    assert [e.text for e in result.evidence.values()] == ["7 in stock"]
