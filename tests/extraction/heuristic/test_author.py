"""Who wrote a page, where markup is silent, wrong or names only some."""

from __future__ import annotations

import pytest
from extraction.proof import unproved

from scraping_ai.extraction import Extractor
from scraping_ai.extraction.heuristic import names

URL = "https://www.dailynews.example/a/1"
SEVERAL = "<h1>A</h1><p><a class=w href=/author/a>Ann Lee</a>, <a class=w href=/author/b>Bob Day</a> &amp; "


def author(html: str) -> str | None:
    result = Extractor("author").extract(html, URL)
    assert unproved(result, html) == []
    found: str | None = result.records[0]["author"]
    return found


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A</h1><p>by ibby</p>", "ibby"),
        ("<h1>A</h1><p>Posted by Ann Lee on 4 May</p>", "Ann Lee"),
        ("<h1>A</h1><p>Von Anna Müller, Online-Redaktion</p>", "Anna Müller"),
        ("<h1>A</h1><p>Par Zoé Petit et Luc Blanc</p>", "Zoé Petit et Luc Blanc"),
        ("<html lang=it><h1>A</h1><p>di Anna Rossi</p>", "Anna Rossi"),
        ("<h1>A</h1><p>Автор: Анна Петрова</p>", "Анна Петрова"),
        ("<h1>記事</h1><p>取材・文／山田太郎</p>", "山田太郎"),
        ("<h1>記事</h1><p>著者：佐藤花子</p>", "佐藤花子"),
        ("<h1>기사</h1><p>기자 김철수</p>", "김철수"),
        ("<h1>A</h1><h2>Article by</h2><div>Ann Lee</div>", "Ann Lee"),
        ("<h1>A</h1><p><b>By</b> Ann Lee</p>", "Ann Lee"),
        ("<h1>A</h1><div class=post-author><p>Ann Lee</p><p>Founder</p></div>", "Ann Lee"),
        ("<h1>A</h1><a href='/authors/ann-lee'>Ann Lee</a>", "Ann Lee"),
        ("<h1>A</h1><a class=username href='/members/bob1.7/'>bob1</a><h3><a href='#p2'>Re: A</a></h3>", "bob1"),
        (SEVERAL + "<a class=w href=/author/c>Eve Fox</a></p>", "Ann Lee, Bob Day & Eve Fox"),
        (SEVERAL + "<a href=/tag/x>Red Cars</a></p>", "Ann Lee, Bob Day"),
        ("<h1>A</h1><p class=author>By the Acme Team</p>", "the Acme Team"),
        ("<h1>A</h1><p>Standing by Rivers and lakes</p><p>by default</p><p>By: Follow</p>", None),
        ("<h1>A</h1><nav><a href=/author/x>Ann Lee</a></nav>", None),
        ("<h1>A</h1><div class=comment-author>Ann Lee</div>", None),
        ("<h1>A</h1><p>Written by <a href=/team/a>Dr. Ann Lee, MD, Ph.D.</a></p>", "Dr. Ann Lee, MD, Ph.D."),
        ("<h1>文章</h1><p>2026-07-01 09:30 来源：例报 作者：李明</p>", "李明"),
        ("<h1>A</h1><h4><a href='/index.php?action=profile;u=4'>Rusty</a></h4>", "Rusty"),
        ("<div class=review-page><h1>A</h1><p>By Ann Lee</p></div>", "Ann Lee"),
        ("<h1>A</h1><div><article><h3><a href=/b>B</a></h3><p class=author>Ann Lee</p></article></div>", None),
    ],
)
def test_bylines(html: str, expected: str | None) -> None:
    assert author(html) == expected


def test_a_page_that_lists_what_others_wrote_has_no_author() -> None:
    teasers = "".join(f"<h2><a href=/{n}>Story</a></h2><p>By {n} Lee</p>" for n in ("Ann", "Bob", "Eve"))
    assert author(f"<h1>News</h1>{teasers}") is None


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ("Zoe Hill", "Zoe Hill"),
        ("ann.lee", "Ann Lee"),
        ("page.author", "Ann Lee"),
        ("admin", "Ann Lee"),
        ("content: Zoe, code: Bob", "Ann Lee"),
    ],
)
def test_a_byline_comes_before_markup_that_names_an_account(meta: str, expected: str) -> None:
    html = f"<meta name=author content='{meta}'><h1>A</h1><p>By Ann Lee</p>"
    assert author(html) == expected


def test_a_byline_that_names_more_than_markup_completes_it() -> None:
    html = "<meta name=author content='Ann Lee'><h1>A</h1><p class=byline>By Ann Lee and Bob Day</p>"
    assert author(html) == "Ann Lee and Bob Day"


def test_who_wrote_a_review_did_not_write_the_page() -> None:
    review = "<div itemscope itemtype=https://schema.org/Review><b itemprop=author>Bob Day</b></div>"
    assert author(f"<title>Massage</title><h1>Massage</h1>{review}") is None


def test_properties_of_reviews_are_not_the_page_s() -> None:
    html = """<h1>A</h1><div itemscope itemtype=http://schema.org/Product><div itemscope itemprop=review
        itemtype=http://schema.org/Review><meta itemprop=author content='Bob Day'></div></div>"""
    assert author(html) is None


def test_many_names_and_nested_hints_take_linear_time() -> None:
    many = "<h2><a href=/x>S</a></h2><a rel=author>Ann Lee</a>" * 3_000
    nested = "<h2 class=author>" * 3_000 + "Ann Lee"
    assert author(f"<h1>A</h1>{many}{nested}") == "Ann Lee"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee", True),
        ("Ludwig van Beethoven", True),
        ("山田 太郎", True),
        ("ann lee", False),
        ("Read More", False),
        ("Senior Editor", False),
        ("What You Need To Know About This Thing", False),
        ("", False),
    ],
)
def test_what_reads_as_a_name(text: str, expected: bool) -> None:
    assert names.is_name(text) is expected
