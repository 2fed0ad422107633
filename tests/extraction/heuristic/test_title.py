"""Which of a page's titles is taken, and what is cut from it."""

from __future__ import annotations

import pytest
from extraction.proof import unproved

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema

URL = "https://www.dailynews.example/a/1"
PRODUCT = '<script type="application/ld+json">{"@type": "Product", "name": "%s"}</script>'


def title(html: str, description: str = "", url: str = URL) -> str | None:
    field = FieldSchema("title", "string", description=description)
    result = Extractor(FieldSchema("", "object", fields=(field,))).extract(html, url)
    assert unproved(result, html) == []
    found: str | None = result.records[0]["title"]
    return found


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<title>7 key trends for 2026</title><h1>The key trends in 2026</h1>", "The key trends in 2026"),
        ("<title>Big story of the day</title><h1>Sun &amp; Moon</h1>", "Big story of the day"),
        ("<title>Latest cloud news</title><h1>Cloud</h1>", "Cloud"),
        ("<title>Shop</title><main><h1>Lamp</h1></main>", "Lamp"),
        ("<title>A story</title><h1><a href='/'>The Story Site</a></h1>", "A story"),
        ("<title>One big story</title><h1>Letters</h1><h1>One big story indeed</h1>", "One big story indeed"),
        ("<title>熊本で地震：日々新聞</title><h1>日々新聞</h1><a href='/'>日々新聞</a>", "熊本で地震"),
        ("<title>Roast duck – Acme Food – Recipes and more</title><a href='/'><img alt='Acme Food'></a>", "Roast duck"),
        (
            "<link rel=alternate type=application/rss+xml title='Acme Weekly » Feed'><title>Duck · Acme Weekly</title>",
            "Duck",
        ),
        ("<a href='/'>Home</a><title>Going home - Home</title>", "Going home - Home"),
        (
            "<title>Duck</title><p itemscope itemtype='http://schema.org/Breadcrumb'><b itemprop=name>Start</b>",
            "Duck",
        ),
        ("<title>Big story</title><h1>Thread: Big story</h1>", "Big story"),
        ("<title>Best wood glue? - Shed talk</title><h2>Best wood glue?</h2>", "Best wood glue?"),
    ],
)
def test_the_heading_comes_first_when_it_is_no_logo(html: str, expected: str) -> None:
    assert title(html) == expected


def test_markup_names_a_thing_and_the_heading_names_the_page() -> None:
    html = PRODUCT % "Roast duck" + "<title>Best roast duck ever</title><h1>The best roast duck</h1>"
    assert title(html) == "Roast duck"
    assert title(html, "Title of the page") == "The best roast duck"


def test_a_name_that_the_page_does_not_show_is_of_something_else() -> None:
    html = PRODUCT % "Blue kettle" + "<title>Kitchen chairs</title>"
    assert title(html) == "Kitchen chairs"


@pytest.mark.parametrize("url", ["https://dailynews.example/", "", "http://[::1/"])
def test_a_first_page_may_be_called_like_its_site(url: str) -> None:
    assert title("<title>Daily News</title>", url=url) == "Daily News"


@pytest.mark.parametrize(
    ("shared", "expected"),
    [
        ("Reviews of our boat tours", "Reviews of our boat tours"),
        ("Reviews: boats and tours", "Reviews: boats and tours"),
        ("Reviews - Boats", "Reviews"),
        ("All our reviews", "Reviews"),
    ],
)
def test_a_title_for_sharing_that_goes_on_where_the_heading_ends_is_the_whole(shared: str, expected: str) -> None:
    assert title(f"<meta property='og:title' content='{shared}'><title>Boats</title><h1>Reviews</h1>") == expected
