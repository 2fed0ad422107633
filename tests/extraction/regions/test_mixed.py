"""Listings whose items are not all alike, and lists that are none of what was asked."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import many, record

from scraping_ai.extraction import Extractor


def records(body: str, *fields: Any, language: str = "en-US") -> list[dict[str, Any]]:
    page = f"<html lang={language}><title>List</title><body>{body}</body></html>"
    result = Extractor(many(record(*fields))).extract(page, "https://shop.example/list")
    assert unproved(result, page) == []
    return result.records


def test_a_list_of_news_is_not_called_by_its_dates() -> None:
    news = {"2026年11月5日": "冬季休業について", "2026年10月1日": "新商品のご案内", "2026年9月12日": "サイト更新"}
    terms = "".join(f"<dt>{day}</dt><dd><a href=/{i}>{name}</a></dd>" for i, (day, name) in enumerate(news.items()))
    found = records(f"<h1>お知らせ</h1><dl>{terms}</dl>", "title", "date:date", language="ja")
    assert [r["title"] for r in found] == list(news.values())
    assert [r["date"] for r in found] == ["2026-11-05", "2026-10-01", "2026-09-12"]


def test_a_line_with_an_amount_is_no_item_of_its_own() -> None:
    cards = "".join(
        f"<li><a href=/{i}>Lot {i}</a><span>Weight {i}5 kg</span><span>Now: ${i}0</span></li>" for i in (1, 2, 3)
    )
    found = records(f"<ul>{cards}</ul>", "title", "price:number")
    assert found == [{"title": f"Lot {i}", "price": i * 10} for i in (1, 2, 3)]


def test_a_price_cut_is_no_price() -> None:
    homes = "".join(
        f"<article><h3><a href=/{i}>Home {i}</a></h3><div>${i}89,900 <small>Price cut: $10,000</small></div></article>"
        for i in (1, 2, 3)
    )
    found = records(homes, "title", "price:number")
    assert found == [{"title": f"Home {i}", "price": i * 100_000 + 89_900} for i in (1, 2, 3)]


def test_cards_with_a_rating_or_a_price_or_both_are_one_list() -> None:
    said = ["<p>$5</p><p>4.5 (12)</p>", "<p>Sold out</p><p>3.9 (1,204)</p>", "<p>$7 <s>$9</s></p><p>No reviews</p>"]
    cards = "".join(f"<div class=p><h3><a href=/{i}>Tea {i}</a></h3>{text}</div>" for i, text in enumerate(said))
    assert records(cards, "title", "price:number", "rating:number") == [
        {"title": "Tea 0", "price": 5, "rating": 4.5},
        {"title": "Tea 1", "price": None, "rating": 3.9},
        {"title": "Tea 2", "price": 7, "rating": None},
    ]


@pytest.mark.parametrize(
    "heading", ["0 results for x", "Sorry, no results found", "Keine Treffer", "Aucun résultat", "検索結果 0件"]
)
def test_what_is_popular_is_no_result_of_a_search_that_found_nothing(heading: str) -> None:
    popular = "".join(f"<li><a href=/{i}>Jug {i}</a> ${i}</li>" for i in (5, 6, 7))
    page = "<h1>{}</h1><h2>Popular now</h2><ul>" + popular + "</ul>"
    assert records(page.format(heading), "title", "price:number") == []
    assert len(records(page.format("10 results for jug"), "title", "price:number")) == 3


def test_records_in_columns_are_not_cut_to_pieces() -> None:
    table = "<tr><th>Name<td>Basic<td>Pro<td>Max</tr><tr><th>Price<td>$5<td>$9<td>$20</tr>"
    assert records(f"<h1>Plans</h1><table>{table}</table>", "name", "price:number") == []
