from __future__ import annotations

from typing import Any

import pytest
from extraction.trees import leaf

from scraping_ai.extraction import Extractor, normalise
from scraping_ai.extraction.normalise.placeholders import is_placeholder
from scraping_ai.schema import FieldSchema

NONE = [
    "—",
    " - ",
    "--",
    "n/a",
    "N/A",
    "(n/a)",
    "k. A.",
    "s/o",
    "無し",
    "なし",
    "нет данных",
    "Keine Angabe",
    "해당 없음",
    "－",
    "…",
    "Unknown",
    "Unbekannt",
    "不明",
    "Please select",
    "-- Choose an option --",
    "Bitte wählen",
    "請選擇",
]


@pytest.mark.parametrize("text", NONE)
def test_a_placeholder_is_no_value(text: str) -> None:
    assert is_placeholder(text)
    for kind in ("string", "number", "integer", "date", "url"):
        assert normalise(leaf("finish", kind), text) is None


@pytest.mark.parametrize(
    "text",
    ["none", "N", "A-", "zinc", "0", "無塩", "Nathan", "n/a in this size, ask for others", "Selecta", "Choose Love"],
)
def test_other_short_texts_are_values(text: str) -> None:
    assert normalise(leaf("finish"), text) == text


def test_a_placeholder_is_a_value_where_the_schema_allows_it_or_the_page_is_about_it() -> None:
    allowed = FieldSchema("rating", "string", enum=("PG", "n/a"))
    assert normalise(allowed, "N/A") == "n/a"
    assert normalise(leaf("title"), "undefined") == "undefined"
    assert normalise(leaf("title"), "—") is None


TABLE = "<table><tr><th>Name<th>Role<th>Ext.</tr>{}</table>"
ROWS = [("Ann Lee", "Buyer", "201"), ("Bo Kim", "n/a", "—"), ("Cy Orr", "Driver", "k. A.")]
STAFF = {
    "type": "array",
    "items": {"type": "object", "properties": {name: {"type": "string"} for name in ("name", "role", "ext")}},
}


@pytest.mark.parametrize(
    ("schema", "html", "expected"),
    [
        ("finish", "<h1>Bolt</h1><table><tr><th>Finish<td>n/a<tr><th>Colour<td>red</table>", [{"finish": None}]),
        ("finish", "<h1>Bolt</h1><dl><dt>Finish<dd>—<dt>Colour<dd>red</dl>", [{"finish": None}]),
        ("finish", "<h1>Bolt</h1><p>Finish: N/A</p>", [{"finish": None}]),
        ("fits[]", "<h1>Bolt</h1><h2>Fits</h2><ul><li>n/a</li></ul>", [{"fits": None}]),
        (
            STAFF,
            TABLE.format("".join("<tr>" + "".join(f"<td>{cell}" for cell in row) + "</tr>" for row in ROWS)),
            [
                {"name": "Ann Lee", "role": "Buyer", "ext": "201"},
                {"name": "Bo Kim", "role": None, "ext": None},
                {"name": "Cy Orr", "role": "Driver", "ext": None},
            ],
        ),
    ],
)
def test_placeholders_are_null_wherever_they_stand(schema: Any, html: str, expected: list[dict[str, Any]]) -> None:
    assert Extractor(schema).extract(f"<html lang=en><body>{html}</body></html>").records == expected
