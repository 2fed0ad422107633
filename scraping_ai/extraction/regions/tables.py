"""Columns of tables: which cell of a row stands below which heading."""

from __future__ import annotations

import re

from lxml import etree

from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.heuristic.view import View

MAX_COLUMNS = 100
_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")


def headings(view: View, row: etree._Element) -> list[str]:
    """The folded column names of the table that a row stands in; [] when it has no header row."""
    table = next(row.iterancestors("table"), None)
    first = next((n for n in table.iter("tr") if n in view.order), None) if table is not None else None
    if first is None or not is_header(first):
        return []
    names: list[str] = []
    for cell in _cells(first):
        names += [fold(_NOTE.sub(" ", view.text(cell)))] * _span(cell)
    return names[:MAX_COLUMNS]


def is_header(row: etree._Element) -> bool:
    """Whether a row names columns."""
    cells = _cells(row)
    parent = row.getparent()
    in_head = parent is not None and parent.tag == "thead"
    return len(cells) > 1 and (in_head or all(cell.tag == "th" for cell in cells))


def cells_of(row: etree._Element, names: list[str]) -> dict[str, etree._Element]:
    """The cells of a row by column name; of columns that are named alike the first."""
    found: dict[str, etree._Element] = {}
    column = 0
    for cell in _cells(row):
        if column < len(names) and names[column]:
            found.setdefault(names[column], cell)
        column += _span(cell)
    return found


def _cells(row: etree._Element) -> list[etree._Element]:
    return [cell for cell in row if cell.tag in ("td", "th")][:MAX_COLUMNS]


def _span(cell: etree._Element) -> int:
    """How many columns a cell takes."""
    text = (cell.get("colspan") or "1").strip()
    return min(int(text), MAX_COLUMNS) if text.isdecimal() and len(text) < 5 and int(text) > 0 else 1
