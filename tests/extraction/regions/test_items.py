"""Fields of one item: people and companies of directories, products with stars, links with their sites."""

from __future__ import annotations

import time
from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import many, record

from scraping_ai.extraction import Extractor

PEOPLE = [("Ann Lee", "Professor"), ("Bob Ray", "Lecturer"), ("Cy Fox", "Head of Department")]


def records(items: list[str], *fields: Any) -> list[dict[str, Any]]:
    page = f'<html lang="en"><title>List</title><body><main>{"".join(items)}</main></body></html>'
    result = Extractor(many(record(*fields))).extract(page, "https://dir.example/list")
    assert unproved(result, page) == []
    return result.records


def test_addresses_in_links_and_numbers_that_read_as_such_need_no_label() -> None:
    cards = [
        f'<div class="p"><h3>{name}</h3><ul><li><a href="mailto:{i}@u.example">Write</a></li>'
        f"<li>Tel. 0113 496 000{i}</li><li>Room 20240{i}</li></ul></div>"
        for i, (name, _) in enumerate(PEOPLE)
    ]
    assert records(cards, "name", "email", "phone") == [
        {"name": name, "email": f"{i}@u.example", "phone": f"0113 496 000{i}"} for i, (name, _) in enumerate(PEOPLE)
    ]


@pytest.mark.parametrize("called", ["role", "position", "title", "job-title"])
@pytest.mark.parametrize("field", ["title", "job_title"])
def test_beside_a_name_a_title_is_a_job(called: str, field: str) -> None:
    cards = [
        f'<div class="card"><div class="name">{name}</div><div class="{called}">{job}</div>'
        f'<a href="mailto:a{i}@u.example">a{i}@u.example</a></div>'
        for i, (name, job) in enumerate(PEOPLE)
    ]
    found = records(cards, "name", field, "email")
    assert [(r["name"], r[field]) for r in found] == PEOPLE


def test_a_title_without_a_job_beside_it_is_what_the_item_is_called() -> None:
    cards = [
        f'<div class="job"><h3><a href="/{i}">{job}</a></h3><b>${i + 5}</b></div>' for i, (_, job) in enumerate(PEOPLE)
    ]
    assert [r["job_title"] for r in records(cards, "job_title", "price:number")] == [job for _, job in PEOPLE]


@pytest.mark.parametrize(
    ("shown", "website"),
    [
        ('<p><b>Website:</b> <a href="https://{}.example/">{}.example</a></p>', "https://{}.example/"),
        (
            '<a href="https://fb.com/{}">f</a><a href="https://{}.example/" rel="nofollow">Visit</a>',
            "https://{}.example/",
        ),
        ("<p>Website: www.{}.example</p>", "http://www.{}.example"),
        ('<a href="/{}/quote">Quote</a>', None),
        ('<a href="https://{}.example/">One</a> <a href="https://other-{}.example/">Two</a>', None),
    ],
)
def test_a_website_is_another_than_the_page_of_the_entry(shown: str, website: str | None) -> None:
    names = ["alder", "brook", "crown"]
    items = [
        f'<li class="entry"><h2><a href="/biz/{n}">{n}</a></h2><p>Phone: 0113 496 0001</p>{shown.replace("{}", n)}</li>'
        for n in names
    ]
    assert [(r["website"], r["url"]) for r in records(items, "name", "phone", "website", "url")] == [
        (website.replace("{}", n) if website else None, f"https://dir.example/biz/{n}") for n in names
    ]


def test_what_is_set_apart_behind_a_linked_title_is_no_part_of_it() -> None:
    items = [
        f'<li><div class="title"><a href="https://e{i}.example/x">{name} on trees</a> <span>e{i}.example</span></div>'
        f'<div>{i + 10} points by <a href="/u/{i}">u{i}</a> | <a href="/c/{i}">{i} comments</a></div></li>'
        for i, (name, _) in enumerate(PEOPLE)
    ]
    assert records(items, "title", "points:integer", "comments:integer") == [
        {"title": f"{name} on trees", "points": i + 10, "comments": i} for i, (name, _) in enumerate(PEOPLE)
    ]


@pytest.mark.parametrize(
    ("shown", "rating", "count"),
    [
        ('<div class="stars">★★★★☆ (3)</div>', 4, 3),
        ("<div>★★★½☆</div>", 3.5, None),
        ('<i role="img" aria-label="4 out of 5 stars"></i>', 4, None),
        ('<span class="stars">★★★★★</span>', 5, None),
        ('<span class="rating" style="--value: 60%">★★★★★</span>', None, None),
        ('<div class="rating"><i>★</i><i>★</i><i class="off">★</i></div>', None, None),
        ('<div class="rating">(12)</div>', None, 12),
        ("<span>★ 4.5</span>", 4.5, None),
        ('<span class="rating-star" aria-label="Rating: 9.2">9.2 (1.2M)</span>', 9.2, None),
        ("<span>(12)</span>", None, None),
    ],
)
def test_stars_are_counted_and_are_not_the_number_of_votes(shown: str, rating: float | None, count: int | None) -> None:
    items = [
        f'<div class="c"><a href="/{n}">{n} desk</a>{shown}<b>€{i + 20}.50</b></div>' for i, n in enumerate("abcd")
    ]
    found = records(items, "title", "price:number", "rating:number", "review_count:integer")
    assert [(r["rating"], r["review_count"]) for r in found] == [(rating, count)] * 4


def test_a_number_above_its_label_is_read_though_the_label_means_a_rating_elsewhere() -> None:
    items = [
        f"<div class=repo><h3><a href=/{n}>{n}</a></h3><div><span>1,20{i}</span><span>Stars</span></div></div>"
        for i, n in enumerate(["alpha", "beta", "gamma"])
    ]
    assert [r["stars"] for r in records(items, "name", "stars:integer")] == [1200, 1201, 1202]


def test_a_text_in_a_plain_element_describes_an_item_of_search_results() -> None:
    items = [
        f'<div class="g"><a href="https://e{i}.example"><h3>{name}</h3></a><div><span>{job} of many things that '
        "grow on hills and in valleys far away.</span></div></div>"
        for i, (name, job) in enumerate(PEOPLE * 2)
    ]
    found = records(items, "title", "url", "description")
    assert [r["description"].split(" of many")[0] for r in found] == [job for _, job in PEOPLE * 2]


def test_a_link_that_shows_a_picture_leads_to_an_address() -> None:
    cards = [
        f'<div class="m"><h4>{name}</h4><a href="mailto:{i}@u.example"><i class="fa"></i></a></div>'
        for i, (name, _) in enumerate(PEOPLE)
    ]
    assert [r["email"] for r in records(cards, "name", "email")] == [f"{i}@u.example" for i in range(3)]


def test_words_in_an_element_called_phone_are_no_number() -> None:
    cards = [
        f'<div class="m"><h4>{name}</h4><p class="phone">Call us</p><p class="email">a{i}@u.example</p></div>'
        for i, (name, _) in enumerate(PEOPLE)
    ]
    assert [(r["phone"], r["email"]) for r in records(cards, "name", "phone", "email")] == [
        (None, f"a{i}@u.example") for i in range(3)
    ]


def test_an_old_price_is_the_list_price_of_an_item() -> None:
    items = [
        f'<li class="product"><a href="/{n}"><h3>{n} oil</h3></a><span class="was">€9.99</span>'
        f'<span class="now">€{i + 5}.50</span></li>'
        for i, n in enumerate("abcd")
    ]
    found = records(items, "title", "price:number", "list_price:number")
    assert [(r["price"], r["list_price"]) for r in found] == [(i + 5.5, 9.99) for i in range(4)]


def test_an_item_that_is_built_as_the_others_counts_though_it_lacks_a_value() -> None:
    items = [
        f'<article class="ad"><a class="pic" href="/{i}"></a><div class="place">Hull</div><h2><a class="t" href="/{i}">'
        f'Shelf {i}</a></h2><p class="price">{price}</p><p class="size">{size}</p></article>'
        for i, (price, size) in enumerate([("$5", "2 m"), ("To give away", ""), ("$7", "1 m"), ("$9", "3 m")])
    ]
    advert = '<article class="ad"><a href="/join">Join our club</a></article>'
    found = records([*items[:2], advert, *items[2:]], "title", "price:number", "size")
    assert [(r["title"], r["price"]) for r in found] == [(f"Shelf {i}", p) for i, p in enumerate((5, None, 7, 9))]


def test_icons_stand_for_labels_and_a_company_name_names_a_company() -> None:
    items = [
        f'<div class="v"><h3>{job}</h3><span class="company-name">Firm {i}</span><p><i class="fa fa-map-marker">'
        f"</i> {i} High St"
        '</p><div><span><i class="fa-solid fa-clock"></i></span><span>Mon to Fri</span></div></div>'
        for i, (_, job) in enumerate(PEOPLE)
    ]
    assert records(items, "title", "company", "address", "opening_hours") == [
        {"title": job, "company": f"Firm {i}", "address": f"{i} High St", "opening_hours": "Mon to Fri"}
        for i, (_, job) in enumerate(PEOPLE)
    ]


def test_many_icons_take_linear_time() -> None:
    started = time.process_time()
    records(["<div><p>" + "<i class='fa fa-phone'></i>" * 900 + f"{i}</p></div>" for i in range(30)], "title", "phone")
    assert time.process_time() - started < 5
