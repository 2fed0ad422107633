"""Tables as records: what the rows and columns of real ones look like."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.proof import unproved
from extraction.trees import many, record

from scraping_ai.extraction import Extractor, Result


def extract(body: str, *fields: Any) -> Result:
    page = f'<html lang="en"><title>List</title><body>{body}</body></html>'
    result = Extractor(many(record(*fields))).extract(page, "https://a.example/list")
    assert unproved(result, page) == []
    return result


PEOPLE = [("Ann Lee", "Room 12", "250"), ("Bob Ray", "Room 14", "300"), ("Cy Fox", "Room 20", "175")]
HEAD = "<tr><th>Name</th><th>Office</th><th>Pay</th></tr>"


def rows(people: list[tuple[str, str, str]]) -> str:
    return "".join(f"<tr><td>{a}</td><td>{b}</td><td>{c}</td></tr>" for a, b, c in people)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            f"<h2>Day</h2><table>{HEAD}{rows(PEOPLE[:2])}</table><h2>Night</h2><table>{HEAD}{rows(PEOPLE[2:])}</table>",
            id="two tables with the same columns",
        ),
        pytest.param(f"<table>{HEAD}{rows(PEOPLE)}<tr><td>Total</td><td></td><td>725</td></tr></table>", id="sum"),
        pytest.param(
            f"<table>{HEAD}{rows(PEOPLE[:2])}<tr><td><b>Subtotal</b></td><td></td><td>550</td></tr>"
            f"{rows(PEOPLE[2:])}</table>",
            id="sum within",
        ),
        pytest.param(
            f"<table>{HEAD}<tr><td colspan=3>Day</td></tr>{rows(PEOPLE[:2])}<tr><td colspan=3>Night</td></tr>"
            f"{rows(PEOPLE[2:])}</table>",
            id="rows that head others",
        ),
        pytest.param(
            f"<table>{HEAD.replace('<th>', '<td><b>').replace('</th>', '</b></td>')}{rows(PEOPLE)}</table>",
            id="names in bold",
        ),
        pytest.param(f"<table>{HEAD.replace('th>', 'td>')}{rows(PEOPLE)}</table>", id="names in plain cells"),
        pytest.param(
            f"<table>{HEAD.replace('Office', '<abbr title=Office>O</abbr>')}{rows(PEOPLE)}</table>", id="abbreviated"
        ),
        pytest.param(
            f"<table>{HEAD}{rows(PEOPLE)}</table>".replace("<tr>", "<div role=row>")
            .replace("</tr>", "</div>")
            .replace("<td>", "<div role=cell>")
            .replace("<th>", "<div role=columnheader>")
            .replace("</td>", "</div>")
            .replace("</th>", "</div>")
            .replace("<table>", "<div role=table>")
            .replace("</table>", "</div>"),
            id="a table by its roles",
        ),
    ],
)
def test_a_table_gives_its_rows_of_data_alone(body: str) -> None:
    result = extract(body, "name", "office", "pay:number")
    assert result.records == [{"name": a, "office": b, "pay": int(c)} for a, b, c in PEOPLE]


def test_a_cell_that_reaches_down_counts_for_each_row() -> None:
    body = "<tr><td rowspan=2>Ash</td><td>2024</td><td>10</td></tr><tr><td>2025</td><td>12</td></tr>"
    head = "<tr><th>Tree</th><th>Year</th><th>Height</th></tr>"
    result = extract(f"<table>{head}{body}</table>", "tree", "year:integer", "height:number")
    assert result.records == [{"tree": "Ash", "year": y, "height": h} for y, h in ((2024, 10), (2025, 12))]


def test_a_company_called_total_is_a_record_and_cells_name_their_columns() -> None:
    cells = "".join(
        f"<tr><td data-label='Company'>{n}</td><td data-label='Founded'>{y}</td></tr>"
        for n, y in (("Shell", 1907), ("Total", 1924), ("Repsol", 1987))
    )
    result = extract(f"<table>{cells}</table>", "company", "founded:integer")
    assert [r["company"] for r in result.records] == ["Shell", "Total", "Repsol"]
    assert result.records[1]["founded"] == 1924
