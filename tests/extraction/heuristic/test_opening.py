"""Values behind a field's name in one text, with no mark between."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.trees import leaf, many, record

from scraping_ai.extraction import Extractor
from scraping_ai.schema import FieldSchema


def value(field: FieldSchema, body: str) -> Any:
    html = f"<html lang=en><title>Ann Lee</title><body><h1>Ann Lee</h1>{body}"
    return Extractor(record(field)).extract(html, "https://l.example/").records[0][field.name]


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        (leaf("with_us_since", "integer"), "With us since 2009", 2009),
        (leaf("part_no"), "Part no. SP-1001", "SP-1001"),
        (leaf("part_no"), "Part no. <b>SP-1001</b>", "SP-1001"),
        (leaf("x", description="Drawing number"), "Drawing number 12-7", "12-7"),
        (leaf("ext"), "Ext. 201", "201"),
        (leaf("room"), "Room 12", "12"),
        (leaf("room"), "Room 12 is where we meet on Mondays", None),
        (leaf("room"), "Room service", None),
        (leaf("opening_hours_note"), "Opening hours note may vary by 1 day", None),
        (leaf("with_us_since", "integer"), "With us since the start", None),
        (leaf("with_us_since", "integer"), "She is with us since 2009", None),
    ],
)
def test_a_value_behind_a_name(field: FieldSchema, text: str, expected: Any) -> None:
    assert value(field, f"<p>{text}</p>") == expected


def test_texts_that_differ_are_no_answer() -> None:
    assert value(leaf("room"), "<ul><li>Room 12</li><li>Room 13</li></ul>") is None


def test_codes_in_cards() -> None:
    cards = "".join(
        f"<div><h3><a href=/{n}>Nut {n}</a></h3><p>Part no. N-{n}</p><b>£{n}.10</b></div>" for n in (1, 2, 3)
    )
    schema = many(record("title", "part_number", "price:number"))
    found = Extractor(schema).extract(f"<h1>Nuts</h1>{cards}", "https://l.example/").records
    assert [one["part_number"] for one in found] == ["N-1", "N-2", "N-3"]
