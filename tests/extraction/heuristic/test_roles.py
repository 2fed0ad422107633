"""What the words beside an amount and about stock mean: labels, ranges, members, old prices, notices."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema

PRICE, STOCK = leaf("price", "number"), leaf("in_stock", "boolean")
OFFER = (
    '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Lamp",'
    ' "offers": %s}</script>'
)
IN_STOCK = OFFER % '{"@type": "Offer", "price": "18.00", "availability": "https://schema.org/InStock"}'
RANGE = OFFER % '{"@type": "AggregateOffer", "lowPrice": "80.00", "highPrice": "120.00"}'


def value(html: str, field: FieldSchema, lang: str = "en") -> Any:
    html = f"<html lang={lang}><body>{html}</body></html>"
    result = Extractor(FieldSchema("", "object", fields=(field,))).extract(html, "https://www.example.com/p/1")
    assert unproved(result, html) == []
    return result.records[0][field.name]


@pytest.mark.parametrize(
    "name", ["Gift Card Value", "Shipping Box", "Save the Cat", "Monthly Planner", "Day Before", "Kaffee Prima"]
)
def test_a_heading_is_no_label_of_an_amount(name: str) -> None:
    assert value(f"<h1>{name}</h1><p class=price>€129.00</p>", PRICE) == 129
    assert value(f"<h1>{name}</h1><div><div>{name}</div><p>€129.00</p></div>", PRICE) == 129


@pytest.mark.parametrize(
    ("html", "lang", "price"),
    [
        ("<p>From <b>$80.00</b> to $120.00</p>", "en", 80),
        (f"{RANGE}<p>From <b>$80.00</b> to $120.00</p>", "en", 80),
        ("<p>Member price $68.00</p><p>Price $85.00</p>", "en", 85),
        ("<p>Member price $68.00 / Price $85.00</p>", "en", 85),
        ("<p>MRP: $99.00</p><p>$79.00</p>", "en", 79),
        ("<p>1万2000円</p>", "ja", 12_000),
        ("<p>価格 1万円</p>", "ja", 10_000),
        ("<p>ab 12,50 €</p>", "de", 12.5),
        ("<p>1 299:-</p>", "sv", 1299),
    ],
)
def test_the_price_among_others(html: str, lang: str, price: float) -> None:
    assert value(f"<h1>Lamp</h1>{html}", PRICE, lang) == price


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<del>$99.00</del> <b>$79.00</b>", 99),
        ("<s>$99.00</s> <b>$79.00</b>", 99),
        ("<p>Was $99.00</p><p>$79.00</p>", 99),
        ("<p>statt 99,00 € jetzt 79,00 €</p>", 99),
        ("<p>MRP: $99.00</p><p>$79.00</p>", 99),
        ("<p>$79.00</p>", None),
    ],
)
@pytest.mark.parametrize("name", ["list_price", "original_price", "old_price"])
def test_the_price_asked_before(name: str, html: str, price: float | None) -> None:
    assert value(f"<h1>Lamp</h1>{html}", leaf(name, "number")) == price


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("No longer in stock", False),
        ("In stock soon", False),
        ("Lieferbar ab 12.05.", None),
        ("Never out of stock", None),
        ("Only 3 left", True),
        ("This item is no longer available", False),
        ("Currently out of stock. Expected back on 12 May", False),
        ("Sofort lieferbar", True),
        ("Disponibilità immediata", True),
        ("残りわずか", True),
        ("10 in stock", True),
        ("0 in stock", False),
    ],
)
def test_words_about_stock(words: str, state: bool | None) -> None:
    assert value(f"<h1>Lamp</h1><p>$18.00</p><p>{words}</p>", STOCK) is state


@pytest.mark.parametrize("markup", ["", IN_STOCK])
def test_a_disabled_button_that_says_sold_out_is_a_notice(markup: str) -> None:
    assert value(f"{markup}<h1>Lamp</h1><p>$18.00</p><button disabled>Sold out</button>", STOCK) is False


def test_a_disabled_choice_that_is_sold_out_is_no_notice() -> None:
    html = f"{IN_STOCK}<h1>Lamp</h1><p>$18.00</p><button disabled>Extra large <i>Sold out</i></button>"
    assert value(html, STOCK) is True


@pytest.mark.parametrize(
    ("lang", "old", "now"),
    [
        ("en", "Valued at $50.00", "Yours for $35.00"),
        ("de", "Regulärer Preis 50,00 €", "Aktionspreis 35,00 €"),
        ("fr", "Prix d'origine : 50,00 €", "Nouveau prix : 35,00 €"),
        ("es", "Precio de lista: 50,00 €", "Precio rebajado: 35,00 €"),
        ("it", "Prezzo consigliato 50,00 €", "Prezzo scontato 35,00 €"),
        ("pt", "Preço de tabela R$ 50,00", "Preço promocional R$ 35,00"),
        ("nl", "Normale prijs € 50,00", "Actieprijs € 35,00"),
        ("sv", "Rek. pris 50 kr", "Kampanjpris 35 kr"),
        ("da", "Vejledende pris 50 kr.", "Tilbudspris 35 kr."),
        ("fi", "Norm. hinta 50,00 €", "Nyt 35,00 €"),
        ("pl", "Cena pierwotna 50,00 zł", "Cena promocyjna 35,00 zł"),
        ("cs", "Doporučená cena 50 Kč", "Akční cena 35 Kč"),
        ("sk", "Odporúčaná cena 50,00 €", "Akciová cena 35,00 €"),
        ("hr", "Stara cijena 50,00 €", "Akcijska cijena 35,00 €"),
        ("hu", "Korábbi ár 5000 Ft", "Akciós ár 35 Ft"),
        ("ro", "Preț inițial 50 lei", "Preț nou 35 lei"),
        ("et", "Endine hind 50,00 €", "Soodushind 35,00 €"),
        ("lv", "Vecā cena 50,00 €", "Akcijas cena 35,00 €"),
        ("lt", "Pradinė kaina 50,00 €", "Akcijos kaina 35,00 €"),
        ("ru", "Цена без скидки 50 ₽", "Цена со скидкой 35 ₽"),
        ("uk", "Попередня ціна 50 ₴", "Акційна ціна 35 ₴"),
        ("bg", "Предишна цена 50 лв.", "Промо цена 35 лв."),
        ("el", "Παλιά τιμή: 50,00 €", "Τιμή προσφοράς: 35,00 €"),
        ("tr", "Liste fiyatı 50,00 TL", "İndirimli fiyat 35,00 TL"),
        ("ar", "السعر السابق: 50 درهم", "السعر الحالي: 35 درهم"),
        ("he", "מחיר מחירון ₪50", "מחיר סופי ₪35"),
        ("id", "Harga asli Rp50", "Harga promo Rp35"),
        ("vi", "Giá niêm yết: 50đ", "Giá bán: 35đ"),
        ("th", "ราคาเต็ม 50 บาท", "ราคาพิเศษ 35 บาท"),
        ("zh", "划线价 ¥50", "到手价 ¥35"),
        ("ko", "정가 50원", "할인가격 35원"),
    ],
)
def test_old_prices_and_those_asked_now_by_their_labels(lang: str, old: str, now: str) -> None:
    assert value(f"<title>Xy</title><h1>Xy</h1><p>{old}</p><p>{now}</p>", PRICE, lang) == 35


@pytest.mark.parametrize(
    ("name", "shown", "amount"),
    [
        ("unit_price", "<p>$5.00</p><p>Unit price: $50.00 / kg</p>", 50),
        ("current_bid", "<p>Current bid: $41.00 (7 bids)</p>", 41),
        ("bids", "<p>Bids: $41.00 (7 bids)</p>", 7),
        ("price", "<p>$5.00</p><p>Unit price: $50.00 / kg</p>", 5),
    ],
)
def test_amounts_beside_the_very_name_of_a_field(name: str, shown: str, amount: int) -> None:
    assert value(f"<title>Xy</title><h1>Xy</h1>{shown}", leaf(name, "number")) == amount
