"""Objects and lists of objects below the root, on pages without markup."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved

from scraping_ai.extraction import Extractor
from scraping_ai.extraction.result import Result

CARDS = "".join(
    f'<li class="card"><a href="/l/{number}"><h3>{colour} lamp</h3></a><span class="price">${number}9.00</span></li>'
    for number, colour in enumerate(("Red", "Blue", "Green", "Black"), 1)
)
REVIEWS = "".join(
    f'<div><span class="author">{name}</span><span class="rating">{stars} out of 5</span></div>'
    for name, stars in (("Ann", 5), ("Bob", 4), ("Cid", 3))
)


def extract(properties: dict[str, Any], body: str) -> Result:
    html = f"<html><title>Lamps</title><body>{body}</body></html>"
    result = Extractor({"type": "object", "properties": properties}).extract(html, "https://www.example.com/p/1")
    assert unproved(result, html) == []
    return result


def thing(**types: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": kind} for name, kind in types.items()}}


def test_an_object_is_read_from_the_page() -> None:
    result = extract({"dimensions": thing(width="string", height="string")}, "<p>Width: 40 cm<p>Height: 60 cm")
    assert result.records == [{"dimensions": {"width": "40 cm", "height": "60 cm"}}]
    assert set(result.evidence) == {"dimensions.width", "dimensions.height"}
    assert extract({"offer": thing(price="number")}, "<p>Price: $50.00").records == [{"offer": {"price": 50}}]


def test_the_name_of_the_page_is_not_that_of_an_object_on_it() -> None:
    result = extract({"offer": thing(name="string", price="number")}, "<h1>Red lamp</h1><p>Price: $50.00")
    assert result.records == [{"offer": {"name": None, "price": 50}}]
    assert extract({"brand": thing(name="string")}, "<h1>Red lamp</h1>").records == [{"brand": None}]


def test_a_list_of_objects_is_read_as_records_are() -> None:
    products = {"type": "array", "items": thing(name="string", price="number")}
    result = extract({"products": products}, f"<h1>Lamps</h1><ul>{CARDS}</ul>")
    assert result.records[0]["products"][:2] == [{"name": "Red lamp", "price": 19}, {"name": "Blue lamp", "price": 29}]
    assert result.evidence["products[0].name"].text == "Red lamp"


def test_the_section_that_a_list_s_name_heads_comes_first() -> None:
    reviews = {"type": "array", "items": thing(author="string", rating="number")}
    result = extract({"reviews": reviews}, f"<h2>Related</h2><ul>{CARDS}</ul><h2>Reviews</h2><div>{REVIEWS}</div>")
    assert result.records[0]["reviews"] == [
        {"author": "Ann", "rating": 5},
        {"author": "Bob", "rating": 4},
        {"author": "Cid", "rating": 3},
    ]


def test_a_list_without_items_leaves_nothing_behind() -> None:
    reviews = {"type": "array", "items": thing(author="string", text="string")}
    result = extract({"reviews": reviews}, "<h2>Reviews</h2><p>No reviews yet.</p>")
    assert (result.records, result.evidence) == ([{"reviews": None}], {})


BOLT = (
    "<main><h1>Bolt</h1><p>Part no. SP-2</p><div><b>£3.20</b> <span>In stock</span></div><h2>Fits</h2><ul><li>Heron 50"
    "</li></ul><p>Questions? Ring 01632 960002.</p></main>"
)
ALSO = (
    "<aside><h3>Others bought</h3><ul><li><a href=/2>Nut</a> <b>£0.20</b><li><a href=/3>Disc</a> <b>£0.10</b></ul>"
    "</aside>"
)


def test_a_list_is_not_made_of_the_page_s_own_parts() -> None:
    spares = {"type": "array", "items": thing(title="string", price="number")}
    assert extract({"accessories": spares}, BOLT).records == [{"accessories": None}]
    assert extract({"accessories": spares}, BOLT + ALSO).records == [{"accessories": None}]
    related = f"<h1>Shade</h1><p>Price: $3.00</p><h2>You may also like</h2><ul>{CARDS}</ul>"
    assert extract({"accessories": spares}, related).records == [{"accessories": None}]


def test_a_list_s_description_finds_its_heading() -> None:
    also = {"type": "array", "description": "Others bought", "items": thing(title="string", price="number")}
    found = extract({"also": also}, BOLT + ALSO).records[0]["also"]
    assert found == [{"title": "Nut", "price": 0.2}, {"title": "Disc", "price": 0.1}]


def test_a_list_under_another_heading_that_only_its_fields_name() -> None:
    voices = {"type": "array", "items": thing(author="string", rating="number")}
    found = extract({"reviews": voices}, f"<h1>Lamp</h1><h2>What they say</h2><div>{REVIEWS}</div>")
    assert [one["author"] for one in found.records[0]["reviews"]] == ["Ann", "Bob", "Cid"]


def named(said: str) -> dict[str, Any]:
    return {"type": "string", "description": said}


SUPPLIER = thing(name="string", since="integer", phone="string")


@pytest.mark.parametrize(
    ("field", "asked", "body", "expected"),
    [
        (
            "supplier",
            SUPPLIER,
            "<p>Supplier: Forge Ltd</p><p>Supplier since: 2009</p>",
            {"name": "Forge Ltd", "since": 2009, "phone": None},
        ),
        (
            "supplier",
            SUPPLIER,
            "<p>Phone: 1</p><h2>Supplier</h2><dl><dt>Name<dd>Forge Ltd<dt>Since<dd>2009<dt>Phone<dd>01632 960002</dl>",
            {"name": "Forge Ltd", "since": 2009, "phone": "01632 960002"},
        ),
        (
            "maker",
            {"type": "object", "properties": {"name": named("Made by"), "country": named("Made in")}},
            "<ul><li>Made by: Forge Ltd<li>Made in: Wales</ul>",
            {"name": "Forge Ltd", "country": "Wales"},
        ),
        (
            "company",
            thing(name="string", phone="string"),
            "<div class=company-card><h3>Forge Ltd</h3><a href='tel:+441632960003'>01632 960003</a></div>",
            {"name": "Forge Ltd", "phone": "01632 960003"},
        ),
        ("author", thing(name="string"), "<p>By <a rel=author href=/a/ann>Ann Lee</a></p>", {"name": "Ann Lee"}),
    ],
)
def test_an_object_s_own_part_and_labels(field: str, asked: dict[str, Any], body: str, expected: Any) -> None:
    found = extract({"title": {"type": "string"}, field: asked}, f"<h1>Brass bolt</h1><p>£3.20</p>{body}")
    assert found.records[0][field] == expected


def test_an_object_does_not_take_what_the_record_asks_for() -> None:
    asked = {"rating": {"type": "number"}, "seller": thing(name="string", rating="number")}
    body = "<h1>Bolt</h1><p>Rating: 4.5 out of 5</p>"
    assert extract(asked, body).records == [{"rating": 4.5, "seller": None}]
    box = "<div class=seller-box>Sold by <a href=/s/ann>Ann's Bolts</a> <span>Seller rating: 4.8</span></div>"
    assert extract(asked, body + box).records[0]["seller"] == {"name": "Ann's Bolts", "rating": 4.8}
