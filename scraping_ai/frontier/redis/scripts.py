"""The Lua scripts beside this module, one operation a file, each with the parts that its first line includes."""

from __future__ import annotations

from hashlib import sha1
from importlib.resources import files
from typing import NamedTuple

_FOLDER = files("scraping_ai.frontier.redis").joinpath("scripts")
_INCLUDE = "-- include: "


class Script(NamedTuple):
    """A script's text, and the digest by which a server knows it."""

    name: str
    text: str
    sha: str


def load(name: str) -> Script:
    """The script of that name with its parts in front."""
    text = _FOLDER.joinpath(f"{name}.lua").read_text("utf-8")
    first = text.partition("\n")[0]
    parts = first.removeprefix(_INCLUDE).split(", ") if first.startswith(_INCLUDE) else []
    whole = "".join(_FOLDER.joinpath("parts", f"{part}.lua").read_text("utf-8") for part in parts) + text
    return Script(name, whole, sha1(whole.encode(), usedforsecurity=False).hexdigest())
