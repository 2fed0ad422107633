"""Authors in markup that are no persons, and several of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from extraction.proof import unproved

from scraping_ai.extraction import Extractor, Result

TITLE = "Bridge opens after two years of work"
TEXT = "<p>" + "The bridge was opened on Monday by the mayor. " * 12 + "</p>"
POST = {"@type": "Organization", "name": "The Leeds Post"}
ANN, BOB = {"@type": "Person", "name": "Ann Lee"}, {"@type": "Person", "name": "Bob Day"}


def article(body: str, head: str = "", fields: str = "author", **markup: Any) -> Result:
    data = json.dumps({"@type": "NewsArticle", "headline": TITLE, **markup})
    html = f"""<html lang=en><title>{TITLE}</title>{head}<script type="application/ld+json">{data}</script>
        <body><article><h1>{TITLE}</h1>{body}{TEXT}</article>"""
    result = Extractor(fields).extract(html, "https://site.example/a")
    assert unproved(result, html) == []
    return result


@pytest.mark.parametrize(
    ("markup", "head", "author"),
    [
        ({"author": POST, "publisher": POST}, "", "Ann Lee"),
        ({"author": [{"@type": "NewsMediaOrganization", "name": "Post Staff"}]}, "", "Ann Lee"),
        ({"author": "The Leeds Post", "publisher": POST}, "", "Ann Lee"),
        (
            {"author": {"@type": "Person", "name": "The Leeds Post"}},
            '<meta property="og:site_name" content="The Leeds Post">',
            "Ann Lee",
        ),
        ({"author": BOB}, "", "Bob Day"),
    ],
)
def test_a_byline_comes_before_an_organization(markup: dict[str, Any], head: str, author: str) -> None:
    assert article("<p class=byline>By Ann Lee</p>", head, **markup).records[0]["author"] == author


def test_an_organization_is_the_author_where_nobody_else_is() -> None:
    assert article("", author=POST, publisher=POST).records[0]["author"] == "The Leeds Post"
    assert article("", author=[POST, ANN], publisher=POST).records[0]["author"] == "Ann Lee"
    assert article("", author=[ANN, BOB], publisher=POST).records[0]["author"] == "Ann Lee, Bob Day"


def test_several_authors_of_a_byline() -> None:
    byline = '<p class="byline">By <a rel=author href=/a>Ann Lee</a> and <a rel=author href=/b>Bob Day</a></p>'
    assert article(byline, fields="authors:string[]").records[0]["authors"] == ["Ann Lee", "Bob Day"]


@pytest.mark.parametrize(("between", "author"), [(" and ", "Ann Lee and Bob Day"), (" ", "Ann Lee")])
def test_several_authors_of_microdata(between: str, author: str) -> None:
    person = '<span itemprop=author itemscope itemtype="https://schema.org/Person"><b itemprop=name>{}</b></span>'
    authors = person.format("Ann Lee") + between + person.format("Bob Day")
    html = f"""<title>{TITLE}</title><body><article itemscope itemtype="https://schema.org/NewsArticle">
        <h1 itemprop=headline>{TITLE}</h1>{authors}{TEXT}</article>"""
    assert Extractor("author").extract(html, "https://site.example/a").records[0]["author"] == author
