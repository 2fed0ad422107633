"""Words of pages in many languages that heuristics look for, from `words.json`."""

from __future__ import annotations

import json
from importlib.resources import files

_WORDS: dict[str, list[str]] = json.loads(
    files("scraping_ai.extraction.heuristic").joinpath("words.json").read_text("utf-8")
)
HOME = frozenset(_WORDS["home"])  # links to a site's first page that do not name it; folded
