"""What the visible page says where markup is silent."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


def value(field: FieldSchema, html: str, url: str = "https://www.dailynews.example/a/1") -> Any:
    result = Extractor(FieldSchema("", "object", fields=(field,))).extract(html, url)
    assert unproved(result, html) == []
    assert all(e.method in ("heuristic", "structured") for e in result.evidence.values())
    return result.records[0][field.name]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Big Story - Daily News</title><h1>Big Story</h1>", "Big Story"),
        ("<title>Big Story | Somebody Else</title><p>text", "Big Story | Somebody Else"),
        ("<title>Why big stories matter today | Somebody</title><p>text", "Why big stories matter today"),
        ("<title>Big Story — Daily News</title><h1>Daily News</h1>", "Big Story"),
        (
            '<meta name="application-name" content="The Paper"><meta property="og:title" content="The Paper | Story">',
            "Story",
        ),
        ("<title>マップを描く「ツリー」:dailynews日誌</title>", "マップを描く「ツリー」"),
        ("<h1>Heading<a href='#x'>¶</a></h1>", "Heading"),
        ("<p>nothing", None),
    ],
)
def test_titles_come_without_the_site_name(html: str, title: str | None) -> None:
    assert value(leaf("title"), html) == title


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<h1>A</h1><del>$30</del> <p class='price'>$20.50</p>", 20.5),
        ("<h1>A</h1><p class='old-price'>30 €</p><p class='new-price'>20 €</p>", 20),
        ("<div class='minicart'>$99.00</div><h1>A</h1><p>Now only</p><span>$20</span>", 20),
        ("<h1>A</h1><p class=price><span>$</span><span>20</span><span>.99</span></p>", 20.99),
        ("<h1>A</h1><p>定価 3,000円</p><p>2,980円（税込）</p>", 2980),
        (
            "<h1>A</h1><span class='price'>$20</span><div class='related-products'><span class='price'>$5</span></div>",
            20,
        ),
        ("<h1>A</h1><p>Ships in 24 hours</p>", None),
    ],
)
def test_the_price_asked_now(html: str, price: float | None) -> None:
    assert value(leaf("price", "number"), html) == price


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<h1>A</h1><button>Add to cart</button>", "InStock"),
        ("<h1>A</h1><button disabled>Add to cart</button>", None),
        ("<h1>A</h1><p class='stock'>Sold out</p><button>Add to cart</button>", "OutOfStock"),
        ("<h1>A</h1><input type=submit value='カートに入れる'>", "InStock"),
        ("<h1>A</h1><input type=hidden value='out of stock'>", None),
        ("<h1>A</h1><div class='related'><p class='stock'>In stock</p></div>", None),
    ],
)
def test_availability(html: str, state: str | None) -> None:
    assert value(leaf("availability"), html) == state


@pytest.mark.parametrize(
    ("html", "date"),
    [
        ("<h1>A</h1><time datetime='2025-03-04T10:00:00Z'>yesterday</time>", "2025-03-04"),
        ("<h1>A</h1><p>March 4, 2025</p>", "2025-03-04"),
        ("<p class='updated'>2025-05-01</p><p class='published-date'>2025-03-04</p>", "2025-03-04"),
        ("<h1>A</h1><p class=date>2025年3月4日</p>", "2025-03-04"),
        ("<h1>A</h1><footer><p>© 2025-01-01</p></footer><p>Since 1999</p>", None),
    ],
)
def test_publication_dates(html: str, date: str | None) -> None:
    assert value(leaf("publish_date", "date"), html) == date


@pytest.mark.parametrize(
    ("html", "author"),
    [
        ("<h1>A</h1><a rel=author href=/ann>Ann Lee</a>", "Ann Lee"),
        ("<h1>A</h1><p class=byline>By <b>Ann Lee</b> on March 4</p>", "Ann Lee"),
        ("<h1>A</h1><p>By Ann Lee | 3 min read</p>", "Ann Lee"),
        ("<h1>A</h1><div class='author-box'><a href=/ann>Ann Lee</a><span>Editor</span></div>", "Ann Lee"),
        ("<h1>A</h1><p class=author>Author</p><div class=review><p class=author>Bob Day</p></div>", None),
        ("<h1>A</h1><p>By the way, this is text.</p>", None),
    ],
)
def test_authors(html: str, author: str | None) -> None:
    assert value(leaf("author"), html) == author


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><th>Mileage</th><td>12,000 mi</td></tr></table>",
        "<table><tr><td>Colour</td><td>red</td><td>Mileage (mi)</td><td>12,000</td></tr></table>",
        "<dl><dt>Mileage:<dd>12,000 mi</dl>",
        "<ul><li>Mileage: 12,000 mi</ul>",
        "<p><b>Mileage</b> 12,000 mi</p>",
        "<div><span>Mileage:</span><span>12,000 mi</span></div>",
        "<p>Mileage：12,000 mi</p>",
    ],
)
def test_labels_answer_any_field_by_its_name(html: str) -> None:
    assert value(leaf("mileage", "number"), "<h1>Car</h1>" + html) == 12000


def test_pairs_that_run_into_each_other_are_read_one_by_one() -> None:
    html = "<p><span>Course: </span><span>Dessert</span><span>Cuisine: </span><span>French</span></p>"
    assert value(leaf("course"), html) == "Dessert"
    assert value(leaf("cuisine"), html) == "French"


def test_labels_answer_in_other_languages() -> None:
    assert value(leaf("brand"), "<dl><dt>ブランド<dd>アクメ</dl>") == "アクメ"
    assert value(leaf("sku"), "<p>Artikelnummer: A-77</p>") == "A-77"
    assert value(leaf("heel_height"), "<p>No such thing: 4</p>") is None
