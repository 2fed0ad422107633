"""Words of pages in many languages that heuristics look for, from `words.json`."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

_WORDS: dict[str, Any] = json.loads(files("scraping_ai.extraction.heuristic").joinpath("words.json").read_text("utf-8"))
HOME = frozenset(_WORDS["home"])  # links to a site's first page that do not name it; folded
BY: dict[str, list[str]] = _WORDS["by"]  # what stands before an author's name, by language; "*": in any
ROLES = frozenset(_WORDS["roles"])  # what people are, in bylines: no part of their names; folded
NOT_NAMES = frozenset(_WORDS["not_names"])  # buttons, notices and stand-ins near bylines; folded
CREDENTIALS = frozenset(_WORDS["credentials"])  # after a person's name and a comma, part of it; folded, no spaces
DEPARTMENTS = frozenset(_WORDS["departments"])  # after a person's name, where they work; folded
PUBLISHED, UPDATED = (tuple(sorted(_WORDS[key], key=len, reverse=True)) for key in ("published", "updated"))
OCCASION = tuple(_WORDS["occasion"])  # labels of what an event has besides its date
