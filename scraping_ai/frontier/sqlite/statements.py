"""The statements of the SQL files beside this module, by name."""

from __future__ import annotations

import re
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_FOLDER = files("scraping_ai.frontier.sqlite")

SCHEMA: str = _FOLDER.joinpath("schema.sql").read_text("utf-8")
_PARTS = _NAME.split(_FOLDER.joinpath("queries.sql").read_text("utf-8"))
Q: dict[str, str] = {name: text.strip() for name, text in zip(_PARTS[1::2], _PARTS[2::2], strict=True)}
