"""Tables as records: which cell of a row stands below which heading, which rows are none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import islice

from lxml import etree

from scraping_ai.extraction.concepts import label_key, named
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.regions.marks import IN_FULL

MAX_COLUMNS = 100
MAX_DOWN = 1_000  # rows of one cell
MAX_LABEL = 40  # characters of a heading in a plain cell
MAX_CLASS = 200
ABOVE = 8  # elements between a row and its table
KNOWN = 2  # names of fields that make a row of plain cells a header
_NOTE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_SUM = re.compile(r"(?:^|[\s_-])(?:sum|total|totals|subtotal|summary)(?:[\s_-]|$)", re.I)
_WORDS = json.loads(files("scraping_ai.extraction.regions").joinpath("tables.json").read_text("utf-8"))
_SUMS = frozenset(_WORDS["sums"])
# Tables in HTML, and in ARIA (https://www.w3.org/TR/wai-aria-1.2/#table).
_CELLS, _CELL_ROLES = ("td", "th"), ("cell", "gridcell", "columnheader", "rowheader")
_ASKING = frozenset("dt summary h2 h3 h4 h5 h6".split())
_TABLE_ROLES = ("table", "grid", "treegrid")
_LABELS = ("data-label", "data-title", "data-th", "data-header", "data-column")


def is_row(node: etree._Element) -> bool:
    return node.tag == "tr" or node.get("role") == "row"


class Tables:
    """The tables of a view. `asked` are the label keys of the fields that are asked for."""

    def __init__(self, view: View, asked: Iterable[str] = ()) -> None:
        self.view, self._asked = view, frozenset(asked)
        self._rows: dict[etree._Element, list[etree._Element]] = {}
        self._lines: dict[etree._Element, list[etree._Element]] = {}
        self._names: dict[etree._Element, list[str]] = {}
        self._headers: set[etree._Element] = set()
        self._attributes: set[etree._Element] = set()  # rows of one attribute each: the records are the columns
        for node in view.nodes:
            if is_row(node) and (table := _table_of(node)) is not None:
                self._rows.setdefault(table, []).append(node)
        for table, rows in self._rows.items():
            self._lines.update(_laid_out(rows))
            self._names[table] = self._heads(rows)
            if not self._names[table] and self._is_of_columns(rows):
                self._attributes.update(rows)

    def headings(self, table: etree._Element) -> list[str]:
        """The label keys of a table's columns; [] when it has no header row."""
        return self._names.get(table, [])

    def is_record(self, row: etree._Element) -> bool:
        """False for a row that names columns, sums them up or heads those below it."""
        if row in self._headers or row in self._attributes or (row.tag == "td" and _is_headed(row)):
            return False
        cells = _cells(row) if row in self._lines else []
        return not cells or not (self._is_sum(row, cells[0]) or self._is_between(row, cells))

    def only_rows(self) -> Iterator[etree._Element]:
        """The records of tables that have named columns and one record."""
        for table, rows in self._rows.items():
            if len(self.headings(table)) > 1:
                found = list(islice(filter(self.is_record, rows), 2))
                yield from found if len(found) == 1 else ()

    def cells(self, row: etree._Element) -> dict[str, etree._Element]:
        """The cells of a row by the label key of their column; of columns that are named alike the first."""
        table, found = _table_of(row), dict[str, etree._Element]()
        names = self.headings(table) if table is not None else []
        line = self._lines.get(row, [])
        for column, cell in enumerate(line):
            if column and cell is line[column - 1]:
                continue
            own = next((text for name in _LABELS if (text := cell.get(name))), "")
            if name := names[column] if column < len(names) else label_key(own[:MAX_LABEL]):
                found.setdefault(name, cell)
        return found

    def _heads(self, rows: list[etree._Element]) -> list[str]:
        """The names in the last of a table's leading header rows."""
        heads: etree._Element | None = None
        for row in rows:
            plain = heads is None and self._names_columns(_cells(row))
            if _is_header(row) or plain:
                self._headers.add(row)
                heads = row
            elif len(_cells(row)) > 1:
                break
        self._headers.update(row for row in rows if _is_header(row))
        return [self._name(cell) for cell in self._lines[heads]] if heads is not None else []

    def _is_of_columns(self, rows: list[etree._Element]) -> bool:
        heads = [cells[0] for row in rows if len(cells := _cells(row)) > 2 and cells[0].tag == "th"]
        return len(heads) == len(rows) and sum(self._name(head) in self._asked for head in heads) >= KNOWN

    def _name(self, cell: etree._Element) -> str:
        """What a column is called; an abbreviation in full where its `title` gives that."""
        text = self.view.text(cell)
        full = next((title for n in cell.iter("abbr") if (title := n.get("title"))), "")
        return label_key(_NOTE.sub(" ", full if len(text) < len(full) <= MAX_LABEL else text))

    def _names_columns(self, cells: list[etree._Element]) -> bool:
        """Whether plain cells are all emphasised labels, or name several of the fields."""
        texts = [self.view.text(cell) for cell in cells]
        if len(cells) < 2 or any(len(text) > MAX_LABEL or any(map(str.isdigit, text)) for text in texts):
            return False
        strong = all(len(cell) == 1 and cell[0].tag in ("b", "strong") for cell in cells)
        return strong or sum(not self._asked.isdisjoint(keys_of(label_key(text))) for text in texts) >= KNOWN

    def _is_between(self, row: etree._Element, cells: list[etree._Element]) -> bool:
        """Whether one cell across several named columns stands for those below it."""
        table = _table_of(row)
        return table is not None and len(cells) == 1 < len(self.headings(table)) and _span(cells[0], "colspan") > 1

    def _is_sum(self, row: etree._Element, first: etree._Element) -> bool:
        """Whether a row is called a total, and set apart: last, in a footer, in bold."""
        if label_key(self.view.text(first)) not in _SUMS:
            return False
        table = _table_of(row)
        is_last = table is not None and self._rows[table][-1] is row
        parent = row.getparent()
        in_foot = parent is not None and parent.tag == "tfoot"
        is_strong = first.tag == "th" or next(first.iter("b", "strong"), None) is not None
        is_named = _SUM.search((row.get("class") or "")[:MAX_CLASS]) is not None
        return is_last or in_foot or is_strong or is_named or _span(first, "colspan") > 1


def keys_of(label: str) -> list[str]:
    """What a column is found by, as fields are by `concepts.keys_of`: its words, the concept that they name."""
    concept = named(label)
    return [*([label] if label else []), *([f"concept:{concept.name}"] if concept else [])]


def matching(cells: dict[str, etree._Element], keys: list[str]) -> list[etree._Element]:
    """The cells below headings that are one of a field's keys, or abbreviate one."""
    found = [cell for key in keys for column, cell in cells.items() if key in keys_of(column)]
    found += [cell for column, cell in cells.items() if IN_FULL.get(column) in keys]
    return list(dict.fromkeys(found))


def pair(run: list[etree._Element]) -> dict[str, etree._Element]:
    """The two sides of a term with its definition, a question with its answer; {} where a run is neither."""
    parts = list(run[0]) if len(run) == 1 and run[0].tag == "details" else run
    if len(parts) < 2 or parts[0].tag not in _ASKING or (len(parts) > 2 and parts[0].tag != "dt"):
        return {}
    return {**dict.fromkeys(_WORDS["terms"], parts[0]), **dict.fromkeys(_WORDS["definitions"], parts[1])}


def _table_of(row: etree._Element) -> etree._Element | None:
    around = islice(row.iterancestors(), ABOVE)
    return next((a for a in around if a.tag == "table" or a.get("role") in _TABLE_ROLES), None)


def _is_header(row: etree._Element) -> bool:
    """Whether a row names columns: in a table's head, or with headings in all cells that are not empty."""
    cells, parent = _cells(row), row.getparent()
    if len(cells) > 1 and parent is not None and parent.tag == "thead":
        return True
    heads = [cell for cell in cells if _is_heading(cell)]
    return len(heads) > 1 and all(cell in heads or (len(cell) == 0 and not (cell.text or "").strip()) for cell in cells)


def _is_heading(cell: etree._Element) -> bool:
    return (cell.tag == "th" and cell.get("scope") != "row") or cell.get("role") == "columnheader"


def _is_headed(cell: etree._Element) -> bool:
    """Whether a cell is one of a row's that is named at its start: a part of what its column shows."""
    return next(cell.itersiblings("th", preceding=True), None) is not None


def _cells(row: etree._Element) -> list[etree._Element]:
    return [cell for cell in row if cell.tag in _CELLS or cell.get("role") in _CELL_ROLES][:MAX_COLUMNS]


def _laid_out(rows: list[etree._Element]) -> Iterator[tuple[etree._Element, list[etree._Element]]]:
    """Each row with the cell of each column, those that reach into it from above too."""
    reaching: dict[int, tuple[etree._Element, int]] = {}
    for row in rows:
        line: list[etree._Element] = []
        for cell in (*_cells(row), None):
            while len(line) in reaching:
                above, left = reaching.pop(len(line))
                if left > 1:
                    reaching[len(line)] = (above, left - 1)
                line.append(above)
            if cell is None or len(line) >= MAX_COLUMNS:
                break
            for _ in range(_span(cell, "colspan")):
                if (down := _span(cell, "rowspan", MAX_DOWN)) > 1:
                    reaching[len(line)] = (cell, down - 1)
                line.append(cell)
        yield row, line


def _span(cell: etree._Element, name: str, most: int = MAX_COLUMNS) -> int:
    """How many columns or rows a cell takes."""
    text = (cell.get(name) or "1").strip()
    return min(int(text), most) if text.isdecimal() and len(text) < 5 and int(text) > 0 else 1
