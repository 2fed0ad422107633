"""The statements of the SQL files beside this module, by name."""

from __future__ import annotations

import re
from importlib.resources import files

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_FOLDER = files("scraping_ai.frontier.sqlite")


def named(text: str) -> dict[str, str]:
    """The statements of a file, each under a line `-- name: NAME`."""
    parts = _NAME.split(text)
    return {name: statement.strip() for name, statement in zip(parts[1::2], parts[2::2], strict=True)}


SCHEMA: str = _FOLDER.joinpath("schema.sql").read_text("utf-8")
Q = named(_FOLDER.joinpath("queries.sql").read_text("utf-8"))


def storable(text: str) -> str:
    """The text as SQLite can hold it: half a surrogate pair, which no encoding has, becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
