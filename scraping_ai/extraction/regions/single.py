"""Lists of one: the only row of a table, the only entry of a container that is called a list of entries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice

from lxml import etree

from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.regions.groups import Group
from scraping_ai.extraction.regions.tables import Tables

MAX_FOUND = 20
MAX_CHILDREN = 8  # of a container with one entry: its heading, a note, a button for more
MAX_NAME = 200  # characters
_WORDS = json.loads(files("scraping_ai.extraction.regions").joinpath("single.json").read_text("utf-8"))
_LISTS, _ENTRIES = frozenset(_WORDS["lists"]), frozenset(_WORDS["entries"])
_WORD = re.compile(r"[a-z]+")
_BLOCKS = frozenset("li article div section".split())


def groups(view: View, tables: Tables) -> Iterator[Group]:
    """Groups of one item each."""
    yield from (Group([[row]]) for row in islice(tables.only_rows(), MAX_FOUND))
    yield from (Group([[entry]]) for entry in islice(_entries(view), MAX_FOUND))


def _entries(view: View) -> Iterator[etree._Element]:
    for node in view.nodes:
        if 0 < len(node) <= MAX_CHILDREN and not _LISTS.isdisjoint(_words(node)):
            blocks = [child for child in node if child.tag in _BLOCKS and view.length(child) > 0]
            if len(blocks) == 1 and (blocks[0].tag in ("li", "article") or not _ENTRIES.isdisjoint(_words(blocks[0]))):
                yield blocks[0]


def _words(node: etree._Element) -> list[str]:
    return _WORD.findall(f"{node.get('class') or ''} {node.get('id') or ''}"[:MAX_NAME].lower())
