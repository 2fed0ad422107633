"""What every schema has to keep to, however it was written: the size of the whole, names, known types."""

from __future__ import annotations

import difflib
import json
import unicodedata
from collections.abc import Collection

from scraping_ai.schema.tree import SchemaError

MAX_FIELDS = 200
MAX_CHARACTERS = 100_000  # of the text, and of names, descriptions and enums once references are written out
MAX_NAME = 100

_OTHER_WORDS = {
    "str": "string",
    "text": "string",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "money": "number",
    "price": "number",
    "currency": "number",
    "int": "integer",
    "bool": "boolean",
    "time": "datetime",
    "date-time": "datetime",
    "timestamp": "datetime",
    "uri": "url",
    "link": "url",
    "list": "array",
    "dict": "object",
}

_KINDS = {int: "a number", float: "a number", list: "a list", dict: "an object"}


def refusal(path: str, problem: str) -> SchemaError:
    """The error for a field; `path` is "" for the schema as a whole."""
    return SchemaError(f"{path}: {problem}" if path else problem)


def shown(value: object) -> str:
    """What stood there, on one line: text quoted and cut at 40 characters, anything else by its kind."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if not isinstance(value, str):
        return _KINDS.get(type(value), f"a {type(value).__name__}")
    quoted = json.dumps(value[:40] + "..." * (len(value) > 40), ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in quoted)


def join(path: str, name: str) -> str:
    """The path of the field `name` inside the object at `path`."""
    return f"{path}.{name}" if path else name


def check_text(path: str, text: str) -> None:
    """Refuses halves of surrogate pairs, which JSON can spell and no encoding can write."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise refusal(path, f"{shown(text)} has half a surrogate pair; write the whole character")


def check_name(path: str, name: str) -> None:
    """A name that works in field paths, CSV headers and terminals; `path` is that of the object around it."""
    if not name.strip():
        raise refusal(path, "a field has no name; write one before its type")
    if len(name) > MAX_NAME:
        raise refusal(path, f"the name {shown(name)} has {len(name)} characters; at most {MAX_NAME}")
    if any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in name):
        raise refusal(path, f"the name {shown(name)} has characters that can't be printed; leave them out")
    if name.startswith("_"):
        raise refusal(join(path, name), "names that start with _ are the product's own (_url, _id); write another")
    if any(character in name for character in ".[]"):
        raise refusal(path, f"the name {shown(name)} has . [ or ], which field paths use; write _ instead")


def closest(word: str, words: Collection[str]) -> str | None:
    """The one of `words` that was probably meant."""
    word = word[:20].lower()
    meant = _OTHER_WORDS.get(word)
    if meant in words:
        return meant
    return next(iter(difflib.get_close_matches(word, words, n=1)), None)
