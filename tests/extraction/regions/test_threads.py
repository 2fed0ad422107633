"""Comments with replies, questions with answers, lists of one entry."""

from __future__ import annotations

import time
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import many, record

from scraping_ai.extraction import Extractor


def records(body: str, *fields: Any) -> list[dict[str, Any]]:
    page = f'<html lang="en"><title>List</title><body><h1>List</h1>{body}</body></html>'
    result = Extractor(many(record(*fields))).extract(page, "https://a.example/list")
    assert unproved(result, page) == []
    return result.records


SAID = ["I like this a lot.", "So do I.", "And I.", "I do not like it.", "My cat does."]


def comment(index: int, replies: str = "", tag: str = "li", name: str = "comment depth-1") -> str:
    return (
        f'<{tag} class="{name}"><b class="comment-author">ann{index}</b> <time datetime="2024-01-0{index + 1}">x</time>'
        f'<p class="comment-text">{SAID[index]}</p>{f"<ul>{replies}</ul>" if replies else ""}</{tag}>'
    )


@pytest.mark.parametrize(
    "body",
    [
        comment(0, comment(1, comment(2))) + comment(3) + comment(4),
        comment(0) + comment(1, comment(2) + comment(3)) + comment(4),
        comment(0, comment(1, comment(2, comment(3, comment(4))))),
    ],
)
def test_replies_are_records_of_their_own_and_give_their_parents_nothing(body: str) -> None:
    found = records(f'<ol class="thread">{body}</ol>', "author", "date:date", "text")
    assert [(r["author"], r["date"], r["text"]) for r in found] == [
        (f"ann{i}", f"2024-01-0{i + 1}", said) for i, said in enumerate(SAID)
    ]


def test_what_is_said_beside_a_writers_name_is_no_part_of_it() -> None:
    said = (
        '<li class="comment"><footer><div class="comment-author"><b class="fn">{}</b> <i>says:</i></div>'
        '<div class="meta"><time datetime="2024-01-01">x</time></div></footer>'
        '<p class="comment-text">I like it.</p>{}</li>'
    )
    body = said.format("Ann", f"<ol>{said.format('Bob', '')}</ol>")
    assert [r["author"] for r in records(f'<ol class="comments">{body}</ol>', "author", "date:date", "text")] == [
        "Ann",
        "Bob",
    ]


def test_deep_threads_take_linear_time() -> None:
    deep = "<div class='comment'><b class='author'>ann</b> says this" * 200 + "</div>" * 200
    started = time.process_time()
    records(deep * 30, "author", "text")
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "entry",
    [
        "<dt>{}?</dt><dd>{} is so because it was always so.</dd>",
        "<details><summary>{}?</summary><p>{} is so because it was always so.</p></details>",
        "<h3>{}?</h3><p>{} is so because it was always so.</p>",
    ],
)
def test_questions_and_their_answers(entry: str) -> None:
    names = ["Ash", "Birch", "Cedar", "Elm"]
    body = "".join(entry.replace("{}", name) for name in names)
    assert records(f"<dl>{body}</dl>" if "<dt" in entry else body, "question", "answer") == [
        {"question": f"{name}?", "answer": f"{name} is so because it was always so."} for name in names
    ]


ENTRY = '<h3><a href="/x">Oak desk</a></h3><span class="price">$5.00</span><p class="location">Leeds</p>'


@pytest.mark.parametrize(
    "body",
    [
        f'<div class="search-results"><h2>1 result</h2><div class="result-item">{ENTRY}</div></div>',
        f'<ul id="listings"><li>{ENTRY}</li></ul>',
        f'<div class="product-grid"><article>{ENTRY}</article><p>That is all.</p></div>',
        "<table><thead><tr><th>Title</th><th>Price</th><th>Location</th></tr></thead><tbody><tr><td>Oak desk</td>"
        "<td>$5.00</td><td>Leeds</td></tr></tbody></table>",
        "<table><tr><th>Title</th><th>Price</th><th>Location</th></tr><tr><td>Oak desk</td><td>$5.00</td>"
        "<td>Leeds</td></tr></table>",
    ],
)
def test_a_list_of_one_entry_gives_a_record(body: str) -> None:
    assert records(body, "title", "price:number", "location") == [
        {"title": "Oak desk", "price": 5, "location": "Leeds"}
    ]


@pytest.mark.parametrize(
    "body",
    [
        f'<div class="content"><div class="text">{ENTRY}</div></div>',
        '<ul class="list"><li><a href="/x">Oak desk</a></li></ul>',
        "<p>Desks are made of oak, or of other wood, in many places and by many hands.</p>"
        f'<aside class="related"><ul class="products"><li>{ENTRY}</li></ul></aside>',
    ],
)
def test_one_thing_that_is_no_list_gives_none(body: str) -> None:
    assert records(body, "title", "price:number", "location") == []
