"""Records of listings without markup: one an item, in page order, each value proved inside its item."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor, Result

NAV = """<nav><ul><li><a href="/home">Home of the shop</a></li><li><a href="/all">All our things</a></li>
<li><a href="/about">About this shop</a></li></ul></nav>"""
PAGES = '<ul class="pagination">' + "".join(f'<li><a href="?p={i}">{i}</a></li>' for i in (1, 2, 3)) + "</ul>"
NAMES = ["Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir"]


def extract(body: str, *fields: Any, url: str = "https://shop.example/list") -> Result:
    page = f'<html lang="en"><title>List</title><body>{NAV}{body}{PAGES}</body></html>'
    result = Extractor(many(record(*fields))).extract(page, url)
    assert unproved(result, page) == []
    return result


def card(name: str, price: str, classes: str = "card") -> str:
    return (
        f'<div class="{classes}"><a href="/{name.lower()}"><img src="/{name}.jpg" alt=""></a>'
        f'<h3><a href="/{name.lower()}">{name} tree</a></h3><p class="price">{price}</p></div>'
    )


def product(name: str, price: float) -> dict[str, Any]:
    base = "https://shop.example"
    return {
        "title": f"{name} tree",
        "price": price,
        "url": f"{base}/{name.lower()}",
        "image": f"{base}/{name}.jpg",
    }


FIELDS = ("title", "price:number", "url", "image")
GRID = [product(name, index + 5) for index, name in enumerate(NAMES)]
CARDS = [card(name, f"${index + 5}.00") for index, name in enumerate(NAMES)]


def test_a_grid_gives_a_record_a_product_with_evidence_inside_it() -> None:
    result = extract(f'<main><div class="grid">{"".join(CARDS)}</div></main>', *FIELDS)
    assert result.records == GRID
    for index in range(len(GRID)):
        places = [e.xpath for path, e in result.evidence.items() if path.startswith(f"[{index}]")]
        assert all(f"/div/div[{index + 1}]/" in place for place in places)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("".join(f'<div class="row">{"".join(CARDS[i : i + 2])}</div>' for i in (0, 2, 4)), id="rows"),
        pytest.param("".join(f"<div><section>{c}</section></div>" for c in CARDS), id="wrappers"),
        pytest.param(
            "".join(
                c + '<div class="ad"><a href="/x">Buy our insurance</a></div>' * (i == 2) for i, c in enumerate(CARDS)
            ),
            id="an advertisement between",
        ),
        pytest.param(
            "".join(card(n, f"${i + 5}", f"card post-{i} {'odd' if i % 2 else 'even'}") for i, n in enumerate(NAMES)),
            id="classes of state and number",
        ),
        pytest.param("".join(CARDS + CARDS[:2]), id="doubles of a carousel"),
        pytest.param(
            "".join(CARDS) + f"<aside><h2>Seen before</h2>{''.join(CARDS[:3])}</aside>", id="a sidebar with the same"
        ),
        pytest.param(
            "".join(card(n, f"<del>$90.00</del> <ins>${i + 5}.00</ins>") for i, n in enumerate(NAMES)), id="old prices"
        ),
    ],
)
def test_what_stands_around_and_between_the_items_does_not_count(body: str) -> None:
    assert extract(f"<div>{body}</div>", *FIELDS).records == GRID


def test_cents_in_an_element_of_their_own_are_not_read_as_thousands() -> None:
    cards = "".join(card(name, "<span>$549</span><sup>99</sup>") for name in NAMES)
    assert {r["price"] for r in extract(cards, *FIELDS).records} <= {None}


@pytest.mark.parametrize("header", ["<thead><tr>{}</tr></thead>", "<tr>{}</tr>"])
def test_a_table_gives_a_record_a_row_by_the_names_of_its_columns(header: str) -> None:
    heads = "".join(f"<th>{name}</th>" for name in ("Rank", "City", "Population (2020)", "Note"))
    rows = "".join(
        f"<tr><td>{i}</td><td><a href='/c{i}'>City {i}</a></td><td>{i},200</td><td colspan=2>n{i}</td></tr>"
        for i in (1, 2, 3)
    )
    result = extract(f"<table>{header.format(heads)}{rows}</table>", "city", "population:integer", "note")
    assert result.records == [{"city": f"City {i}", "population": i * 1000 + 200, "note": f"n{i}"} for i in (1, 2, 3)]


def test_rows_of_two_tables_are_two_regions() -> None:
    one = "<table><tr><th>Size</th><th>Weight</th></tr>" + "<tr><td>5 cm</td><td>9 kg</td></tr>" * 9 + "</table>"
    rows = "".join(f"<tr><td>{n}</td><td>${i + 5}</td></tr>" for i, n in enumerate(NAMES))
    result = extract(f"{one}<table><tr><th>Name</th><th>Price</th></tr>{rows}</table>", "title", "price:number")
    assert [r["title"] for r in result.records] == NAMES


def test_a_definition_list_gives_a_record_a_term() -> None:
    pairs = "".join(f"<dt>{n}</dt><dd>{n} grows in woods of the north and elsewhere.</dd>" for n in NAMES)
    result = extract(f"<dl>{pairs}</dl>", "title", "description")
    assert result.records == [
        {"title": n, "description": f"{n} grows in woods of the north and elsewhere."} for n in NAMES
    ]


def test_an_item_may_be_several_rows_in_a_line() -> None:
    rows = "".join(
        f'<tr class="story"><td>{i}.</td><td><a href="https://a.example/{n}">{n} in the news</a></td></tr>'
        f'<tr><td></td><td><b class="score">{i + 10} points</b> by <i class="author">ann{i}</i></td></tr>'
        '<tr class="space"></tr>'
        for i, n in enumerate(NAMES)
    )
    result = extract(f"<table>{rows}</table>", "title", "url", "score:integer", "author")
    assert result.records == [
        {"title": f"{n} in the news", "url": f"https://a.example/{n}", "score": i + 10, "author": f"ann{i}"}
        for i, n in enumerate(NAMES)
    ]


def test_headings_with_what_follows_are_items() -> None:
    parts = "".join(
        f'<h3><a href="/{n}">{n} and its leaves</a></h3><p>{n} has leaves of a colour that no other tree has.</p>'
        for n in NAMES
    )
    result = extract(f"<main><h1>Leaves</h1>{parts}</main>", "title", "url", "description")
    assert [(r["title"], r["url"][-3:], r["description"][:7]) for r in result.records] == [
        (f"{n} and its leaves", n[-3:], f"{n} has leaves"[:7]) for n in NAMES
    ]


def test_events_quotes_and_other_kinds_are_read_by_what_their_classes_say() -> None:
    items = "".join(
        f'<li class="event"><span class="event-name">{n} Day</span><time datetime="2025-05-0{i + 1}">May</time>'
        f'<span class="venue-city">Town {i}</span><ul class="tags"><li>a{i}</li><li>b{i}</li></ul></li>'
        for i, n in enumerate(NAMES)
    )
    result = extract(f'<ul id="events">{items}</ul>', "title", "start_date:date", "city", many(leaf(""), "tags"))
    assert result.records == [
        {"title": f"{n} Day", "start_date": f"2025-05-0{i + 1}", "city": f"Town {i}", "tags": [f"a{i}", f"b{i}"]}
        for i, n in enumerate(NAMES)
    ]


def test_a_label_that_every_item_has_is_no_title() -> None:
    cards = "".join(
        f'<div class="card"><h4>Tags</h4><a href="/{n}">{n} tree</a> <b>${i}.50</b></div>' for i, n in enumerate(NAMES)
    )
    assert [r["title"] for r in extract(cards, "title", "price:number").records] == [f"{n} tree" for n in NAMES]


def test_of_several_lists_the_one_that_answers_the_schema_is_taken() -> None:
    posts = "".join(
        f'<article><h2><a href="/p{i}">About {n}</a></h2><time>2024-01-0{i + 1}</time></article>'
        for i, n in enumerate(NAMES)
    )
    body = f'<div class="posts">{posts}</div><div class="grid">{"".join(CARDS)}</div>'
    assert extract(body, *FIELDS).records == GRID
    assert extract(body, "title", "url", "publish_date").records[0]["publish_date"] == "2024-01-01"


@pytest.mark.parametrize(
    "body",
    [
        "<h1>One thing</h1><p class='price'>$5.00</p>",
        "<ul><li><a href='/1'>Trees</a></li><li><a href='/2'>Shrubs</a></li><li><a href='/3'>Seeds</a></li></ul>",
        "",
    ],
)
def test_a_page_without_a_list_of_such_things_has_no_records(body: str) -> None:
    assert extract(body, *FIELDS).records == []


LISTED = [
    {"@type": "Product", "name": f"{n} tree", "sku": f"S{i}", "offers": {"price": i + 5}} for i, n in enumerate(NAMES)
]


def test_listed_things_and_visible_items_that_agree_are_one_list_in_page_order() -> None:
    shown = f'<div class="grid">{"".join(reversed(CARDS))}</div>'
    script = f'<script type="application/ld+json">{json.dumps(LISTED[:4])}</script>'
    result = extract(script + shown, *FIELDS, "sku")
    assert [r["title"] for r in result.records] == [f"{n} tree" for n in reversed(NAMES)]
    assert [r["sku"] for r in result.records] == [None, None, "S3", "S2", "S1", "S0"]
    assert (result.evidence["[2].price"].method, result.evidence["[2].url"].method) == ("structured", "heuristic")


def test_listed_things_that_the_page_does_not_show_are_the_list() -> None:
    script = f'<script type="application/ld+json">{json.dumps(LISTED)}</script>'
    others = "".join(card(name, "$1.00") for name in ("Oak", "Pine", "Yew"))
    assert [r["sku"] for r in extract(script + others, *FIELDS, "sku").records] == [f"S{i}" for i in range(6)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<div class='a b c d'>" * 200 + "x" + "</div>" * 200, id="depth"),
        pytest.param(
            "".join(f"<p class='{' '.join(f'c{i}x{j}' for j in range(40))}'>a 1</p>" for i in range(2000)), id="classes"
        ),
        pytest.param("<ul>" + "<li><a href='/a'>a</a><b>$5</b></li>" * 9000 + "</ul>", id="items"),
        pytest.param("<table>" + "<tr><th>a</th><th>b</th></tr>" * 3000 + "</table>", id="header rows"),
        pytest.param("<dl>" + "<dt>a</dt>" + "<dd>b</dd>" * 9000 + "</dl>", id="one long run"),
    ],
)
def test_hostile_lists_take_seconds_at_most(body: str) -> None:
    started = time.process_time()
    extract(body, *FIELDS)
    assert time.process_time() - started < 5


POSTS = [f"Post {n} says rather a lot. " * 20 for n in NAMES]


def thread(thing: str) -> str:
    """Posts, and JSON-LD about the page as a whole."""
    posts = "".join(
        f'<div class="post"><b class="author">ann{i}</b><time datetime="2024-01-0{i + 1}">x</time>'
        f'<div class="body" data-body="k-{i}">{text}</div></div>'
        for i, text in enumerate(POSTS)
    )
    data = {"@type": thing, "name": "List", "author": "zoe", "datePublished": "2023-01-01", "text": "First."}
    return f'<script type="application/ld+json">{json.dumps(data)}</script>{posts}'


def test_posts_are_the_records_of_a_thread_whatever_is_said_of_the_whole() -> None:
    records = extract(thread("DiscussionForumPosting"), "author", "publish_date", "text").records
    assert [r["author"] for r in records] == [f"ann{i}" for i in range(len(NAMES))]
    assert [r["text"] for r in records] == [text.strip() for text in POSTS]


def test_a_single_thing_that_the_page_is_about_is_the_record() -> None:
    assert [r["author"] for r in extract(thread("Product"), "author", "publish_date", "text").records] == ["zoe"]


def person(name: str, *lines: str) -> str:
    return f"<section><h2>{name}</h2>{''.join(f'<p>{line}</p>' for line in lines)}</section>"


@pytest.mark.parametrize("fields", [("name", "role", "email"), ("name", "role", "since:integer", "email", "office")])
def test_an_entry_that_lacks_a_value_is_an_entry(fields: tuple[str, ...]) -> None:
    full = [person(n, "Packer", "In since 2001", f"<a href='mailto:{n}@l.example'>Write</a>", "Room 2") for n in NAMES]
    body = (
        f"<main><h1>People</h1>{''.join(full[:2])}{person('Ida', 'Packer', 'In since 2003', 'Room 3')}{full[3]}</main>"
    )
    found = extract(body, *fields).records
    assert [one["name"] for one in found] == ["Ash", "Birch", "Ida", "Dogwood"]
    assert found[2]["email"] is None


def test_an_entry_with_a_dash_for_a_value_is_an_entry() -> None:
    people = "".join(person(name, f"Room: {room}") for name, room in zip(NAMES, ("12", "—", "14"), strict=False))
    assert [one["room"] for one in extract(f"<h1>People</h1>{people}", "name", "room").records] == ["12", None, "14"]


def test_three_cards_in_one_of_several_parts_of_a_page() -> None:
    cards = "".join(f"<div class=card><h3><a href=/{n}>Tent {n}</a></h3><p>£{n}9.00</p></div>" for n in (1, 2, 3))
    html = f"<body><div class=note>Hello</div><h1>Tents</h1><div class=grid>{cards}</div><div class=end>Bye</div>"
    found = Extractor(many(record("title", "price:number"))).extract(html, "https://l.example/").records
    assert [one["title"] for one in found] == ["Tent 1", "Tent 2", "Tent 3"]
