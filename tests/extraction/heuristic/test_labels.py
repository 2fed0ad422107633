"""Values beside, below and after a label, for fields of any name."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, many

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


def value(field: FieldSchema, html: str) -> Any:
    html = f"<h1>Car</h1>{html}"
    result = Extractor(FieldSchema("", "object", fields=(field,))).extract(html, "https://cars.example/1")
    assert unproved(result, html) == []
    return result.records[0][field.name]


@pytest.mark.parametrize(
    "html",
    [
        "<p>Mileage: 12,000 mi</p>",
        "<p><b>Mileage:</b> 12,000 mi</p>",
        "<p><span>Mileage:</span> <span>12,000 mi</span></p>",
        "<dl><dt>Mileage<dd>12,000 mi</dl>",
        "<table><tr><td>Mileage<td>12,000 mi</table>",
        "<table><tr><th>Year<th>Mileage<tr><td>2019<td>12,000 mi</table>",
        "<div><span>Mileage</span><span>12,000 mi</span></div>",
        "<div><div>Mileage</div><div>12,000 mi</div></div>",
        "<ul><li>Mileage - 12,000 mi</ul>",
        "<div><div>Year: 2019</div><div>Mileage: 12,000 mi</div></div>",
        "<p><b>Mileage</b> 12,000 mi</p>",
    ],
)
def test_mileage(html: str) -> None:
    assert value(leaf("mileage", "integer"), html) == 12000
    assert value(leaf("odometer_check"), html) is None


@pytest.mark.parametrize(
    ("field", "html", "expected"),
    [
        (leaf("organizer"), "<p>Organiser: Ann Lee</p>", "Ann Lee"),
        (leaf("organisers"), "<p>Organizer: Ann Lee</p>", "Ann Lee"),
        (leaf("location"), "<p>Where: Town Hall</p>", "Town Hall"),
        (leaf("venue"), "<p>会場：市民ホール</p>", "市民ホール"),
        (leaf("released", "date"), "<p>発売日：2026年3月12日</p>", "2026-03-12"),
        (leaf("colour"), "<p>Color: red</p>", "red"),
    ],
)
def test_other_spellings_and_languages(field: FieldSchema, html: str, expected: str) -> None:
    assert value(field, html) == expected


@pytest.mark.parametrize(
    ("name", "html", "expected"),
    [
        ("side_effects", "<p>Side effects: headache, fever</p>", ["headache", "fever"]),
        ("tags", "<p>Tags: <a href=/a>a</a> <a href=/b>b c</a></p>", ["a", "b c"]),
        ("colors", "<dl><dt>Colors<dd>red; blue</dl>", ["red", "blue"]),
        ("breadcrumbs", "<nav class=breadcrumb><a>Home</a> &gt; <a>Cars</a></nav>", ["Home", "Cars"]),
        ("extras", "<p>No extras</p>", None),
    ],
)
def test_lists_beside_a_label(name: str, html: str, expected: list[str] | None) -> None:
    assert value(many(leaf(""), name=name), html) == expected


def test_items_that_run_into_each_other_are_no_value() -> None:
    html = "<p><b>Category:</b></p><p><b>Category:</b><ul><li>Sport</li><li>Fun</li></ul>"
    menu = "<nav><div><div>Category</div><div><p>Sport</p><p>Fun</p></div></div></nav>"
    assert value(leaf("category"), html) is None
    assert value(leaf("category"), menu) is None


@pytest.mark.parametrize("field", ["cook_time", "cookTime", "prep_time"])
def test_a_total_time_is_no_other_time(field: str) -> None:
    html = '<script type=\'application/ld+json\'>{"@type": "Recipe", "totalTime": "PT50M"}</script>'
    assert value(leaf(field, "number"), html + "<p>Total time: 50 min</p>") is None
    assert value(leaf("total_time", "number"), "<p>Cook time: 50 min</p><p class=prep-time>5 min</p>") is None


def test_a_line_of_several_pairs_is_read_one_by_one() -> None:
    html = '<html lang="en"><body><h1>Cold Ness</h1><div>Tower: 22 m &middot; Range: 12 nm</div></body></html>'
    (record,) = Extractor("tower, range:integer").extract(html).records
    assert record == {"tower": "22 m", "range": 12}


@pytest.mark.parametrize(
    "html",
    [
        "<p>Rent: $1,450<br>Bathrooms: 1</p>",
        "<div><div>Deposit</div><div>$900</div><div>Rent</div><div>$1,450</div></div>",
        "<ul><li>Rent <b>$1,450</b></ul>",
        "<table><thead><tr><th>Rent<th>Deposit<tbody><tr><td>$1,450<td>$900</table>",
        "<table><tr><th>Beds<td>3<th>Baths<td>1<th>Rent<td>$1,450</table>",
        "<h3>Rent</h3><p>$1,450</p><p>To be paid each month.</p>",
    ],
)
def test_rent(html: str) -> None:
    assert value(leaf("rent", "integer"), html) == 1450
    assert value(leaf("tenant"), html) is None


@pytest.mark.parametrize(
    ("name", "html", "expected"),
    [
        ("beds", "<p><b>3</b> beds <b>2</b> baths</p>", 3),
        ("baths", "<p><b>3</b> beds <b>2</b> baths</p>", 2),
        ("bids", "<p>7 bids</p>", 7),
        ("forks", "<div><span>1,204</span><span>Forks</span></div>", 1204),
        ("forks", "<div><span>Stars</span><span>1,204</span><span>Forks</span></div>", None),
        ("rating", "<p>4 ratings</p>", None),
        ("bids", "<p>7 bids were placed by people from all over</p>", None),
    ],
)
def test_a_number_before_what_it_counts(name: str, html: str, expected: int | None) -> None:
    assert value(leaf(name, "integer"), html) == expected
    assert value(leaf(name), html) is None


@pytest.mark.parametrize(
    ("field", "html", "expected"),
    [
        (leaf("homepage", "url"), '<table><tr><th>Homepage<td><a href="https://l.example/">l.example</a></table>', 1),
        (leaf("homepage", "url"), '<p><a href="https://l.example/">Homepage</a></p>', 1),
        (leaf("homepage", "url"), '<nav><a href="https://l.example/">Homepage</a></nav>', None),
        (leaf("homepage", "url"), "<p>Homepage: l.example</p>", None),
        (leaf("email"), '<p>Email: <a href="mailto:info@l.example?subject=Hi">Write us</a></p>', "info@l.example"),
        (leaf("email"), "<p>Email: write to info@l.example</p>", "info@l.example"),
        (leaf("email"), "<p>Email: write us</p>", None),
        (leaf("phone"), '<p>Phone: <a href="tel:+4930123456">Call us</a></p>', "+4930123456"),
        (leaf("phone"), "<p>Phone: 030 123456</p>", "030 123456"),
    ],
)
def test_addresses_are_those_of_links(field: FieldSchema, html: str, expected: Any) -> None:
    assert value(field, html) == ("https://l.example/" if expected == 1 else expected)


@pytest.mark.parametrize(
    ("name", "html", "expected"),
    [
        ("weight_kg", "<p>Weight: 3 kg</p>", 3),
        ("weight_kg", "<p>Weight: 500 g</p>", None),
        ("weight_g", "<p>Weight: 500 g</p>", 500),
        ("weight_g", "<p>Weight: 3 kg</p>", None),
        ("length_mm", "<p>Length: 40 mm</p>", 40),
        ("torque_nm", "<p>Torque: 12 Nm</p>", 12),
        ("price_m", "<p>Price: 9</p>", None),
        ("energy_kcal", "<table><tr><th>Energy (kJ)<td>80<tr><th>Energy (kcal)<td>19</table>", 19),
        ("energy_kj", "<p>Energy: 80 kJ / 19 kcal</p>", 80),
        ("number_of_floors", "<p>Floors: 4</p>", 4),
        ("floors", "<p>No. of floors: 4</p>", 4),
        ("etages", "<p>Étages: 4</p>", 4),
    ],
)
def test_units_counts_and_accents_of_names(name: str, html: str, expected: int | None) -> None:
    assert value(leaf(name, "number"), html) == expected


def test_a_description_s_words_come_before_what_they_are_a_kind_of() -> None:
    html = "<p>Price: $50</p><p>Shipping: $7.95</p><p>Shipping weight: 3 kg</p><p>Name: Lamp</p><p>Author: Jane Doe</p>"
    assert value(leaf("cost", "number", description="the shipping cost"), html) == 7.95
    assert value(leaf("cost", "number", description="what it costs"), html) == 50
    assert value(leaf("w", description="Shipping weight"), html) == "3 kg"
    assert value(leaf("x", description="Name of the author"), html) == "Jane Doe"
    born = "<p>Date: 1 May 2026</p><p>Birth date: 2 June 1950</p>"
    assert value(leaf("x", "date", description="Date of birth"), born) == "1950-06-02"


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li>Glaze:<li>Potter: Ann Lee</ul>",
        "<p>Glaze:<p>Potter: Ann Lee",
        "<p><b>Glaze:</b> <b>Potter: Ann Lee</b></p>",
        "<div><span>Glaze:</span><span>Potter: Ann Lee</span></div>",
        "<p>Glaze:<h2>Care</h2><p>Wash by hand.",
        "<ul><li>Glaze:<li>Made in our studio</ul>",
        "<p>Glaze:<p>Each piece is thrown by hand in our studio.",
    ],
)
def test_a_label_without_a_value_takes_none_from_what_comes_next(html: str) -> None:
    assert value(leaf("glaze"), html) is None


@pytest.mark.parametrize(
    "html", ["<p>Glaze:<p>Celadon", "<b>Glaze:</b> <span>Celadon</span>", "<p>Glaze:<div>Celadon</div>"]
)
def test_a_label_takes_the_element_after_it(html: str) -> None:
    assert value(leaf("glaze"), html) == "Celadon"
