"""A wrapper's rules as JSON that a person can read, and back, checked, for it may come from anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any

from scraping_ai.extraction.wrappers.parts import MAX_LITERAL, Part
from scraping_ai.extraction.wrappers.rules import MAX_FORM, Down, Named, Near, Rule, Under
from scraping_ai.extraction.wrappers.steps import Step, parse_step
from scraping_ai.extraction.wrappers.vote import Learned

MAX_RULES = 50  # of one field
MAX_STEPS = 80  # of one path
MAX_TEXT = 2_000  # characters
MAX_INDEX = 10_000
MAX_TEXTS = 20  # labels or units of one field

_OF_FIELD = frozenset(("letters", "labels", "units", "alone", "crossed", "rules"))
_OF_RULE = frozenset(("take", "after", "before", "each", "split", "weight"))
_OF_LOCATOR = (
    ("label", "offset", "way"),
    ("heading", "element", "index"),
    ("element", "below", "index"),
    ("path", "child_of", "index"),
)

_TAKE = re.compile(r"all|text|text:-?\d{1,4}|up:\d{1,2}|@[A-Za-z_:][\w:.-]{0,100}")


class WrapperError(ValueError):
    """A wrapper or examples that can't be used. One line: where, what is wrong, what to write instead."""


def to_json(learned: Learned) -> dict[str, Any]:
    written: dict[str, Any] = {} if learned.letters is None else {"letters": learned.letters}
    lists = {name: list(texts) for name, texts in (("labels", learned.labels), ("units", learned.units)) if texts}
    marks = {name: True for name, marked in (("alone", learned.alone), ("crossed", learned.crossed)) if marked}
    return written | lists | marks | {"rules": [_rule(rule) for rule in learned.rules]}


def _rule(rule: Rule) -> dict[str, Any]:
    """Only what differs from a rule's defaults is written."""
    written = _locator(rule.locator)
    optional = {
        "take": rule.take.removeprefix("all"),
        "after": rule.part.after,
        "before": rule.part.before,
        "each": str(rule.each),
        "split": rule.split,
    }
    return written | {name: text for name, text in optional.items() if text} | {"weight": rule.weight}


def _locator(locator: Named | Down | Near | Under) -> dict[str, Any]:
    if isinstance(locator, Near):
        return {"label": locator.label, "offset": locator.offset} | ({"way": locator.way} if locator.way else {})
    if isinstance(locator, Under):
        return {"heading": locator.heading, "element": str(locator.step)} | _index(locator.index)
    if isinstance(locator, Named):
        below = {"below": str(locator.below)} if locator.below else {}
        return {"element": str(locator.step)} | below | _index(locator.index)
    top = {"child_of": str(locator.top)} if locator.top else {}
    return top | {"path": [str(step) for step in locator.path]} | _index(locator.index)


def _index(index: int) -> dict[str, int]:
    return {"index": index} if index else {}


def in_lines(written: Mapping[str, Any]) -> str:
    """The JSON of a whole wrapper, a rule a line."""
    head = [f"{_dumped(name)}: {_dumped(written[name])}," for name in ("version", "schema")]
    fields = [f"  {_dumped(path)}: {_field_in_lines(entry)}" for path, entry in written["fields"].items()]
    return "\n ".join(["{", *head, '"fields": {']) + "\n" + ",\n".join(fields) + "\n }\n}\n"


def _field_in_lines(entry: Mapping[str, Any]) -> str:
    head = [f"{_dumped(name)}: {_dumped(value)}, " for name, value in entry.items() if name != "rules"]
    rules = ",\n".join(f"   {_dumped(rule)}" for rule in entry["rules"])
    return "{" + "".join(head) + f'"rules": [\n{rules}\n  ]' + "}"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def from_json(written: Any, where: str) -> Learned:
    """Rules of a field. Raises WrapperError."""
    entry = _mapping(written, where, _OF_FIELD)
    rules = entry.get("rules")
    if not isinstance(rules, list) or len(rules) > MAX_RULES:
        raise WrapperError(f'{where}: "rules" must be a list of at most {MAX_RULES}')
    letters = entry.get("letters")
    if not isinstance(letters, (bool, NoneType)):
        raise WrapperError(f'{where}: "letters" must be true or false')
    alone, crossed = (_mark(entry, name, where) for name in ("alone", "crossed"))
    read = tuple(_read(rule, f"{where}, rule {number}") for number, rule in enumerate(rules, 1))
    return Learned(read, letters, _texts(entry, "labels", where), _texts(entry, "units", where), alone, crossed)


def _mark(entry: Mapping[str, Any], name: str, where: str) -> bool:
    value = entry.get(name, False)
    if not isinstance(value, bool):
        raise WrapperError(f'{where}: "{name}" must be true or false')
    return value


def _texts(entry: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    texts = entry.get(name, [])
    if not isinstance(texts, list) or len(texts) > MAX_TEXTS or not all(isinstance(text, str) for text in texts):
        raise WrapperError(f'{where}: "{name}" must be a list of at most {MAX_TEXTS} texts')
    return tuple(text[:MAX_TEXT] for text in texts)


def _read(written: Any, where: str) -> Rule:
    entry = _mapping(written, where, _OF_RULE | _of_locator(written))
    take, each = _text(entry, "take", where, "all"), _text(entry, "each", where)
    is_form = take.startswith("like:") and 5 < len(take) <= MAX_FORM + 5
    if not is_form and not _TAKE.fullmatch(take):
        raise WrapperError(f'{where}: "take" is {take[:40]!r}; write all, text, text:0, up:1, like:0-0 or @href')
    weight = entry.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight <= 1_000:
        raise WrapperError(f'{where}: "weight" must be a number from 0 to 1000')
    part = Part(_text(entry, "after", where, most=MAX_LITERAL), _text(entry, "before", where, most=MAX_LITERAL))
    read_each: Step | str = each if each in ("", "text") else _step(each, where)
    split = _text(entry, "split", where, most=MAX_LITERAL)
    return Rule(_read_locator(entry, where), take, part, read_each, split, float(weight))


def _read_locator(entry: Mapping[str, Any], where: str) -> Named | Down | Near | Under:
    if "label" in entry:
        return Near(_text(entry, "label", where), _number(entry, "offset", where, 1), _text(entry, "way", where))
    index = _number(entry, "index", where)
    if "element" in entry:
        step = _step(_text(entry, "element", where), where)
        if "heading" in entry:
            return Under(_text(entry, "heading", where), step, index)
        return Named(step, _step_at(entry, "below", where), index)
    path = entry.get("path")
    if not isinstance(path, list) or not 1 <= len(path) <= MAX_STEPS or not all(isinstance(s, str) for s in path):
        raise WrapperError(f'{where}: needs a "label", an "element" or a "path" of 1 to {MAX_STEPS} steps')
    return Down(tuple(_step(step, where) for step in path), _step_at(entry, "child_of", where), index)


def _step_at(entry: Mapping[str, Any], name: str, where: str) -> Step | None:
    return _step(_text(entry, name, where), where) if name in entry else None


def _of_locator(written: Any) -> frozenset[str]:
    """The names that a rule may have, by what it goes by."""
    found = (names for names in _OF_LOCATOR if isinstance(written, Mapping) and names[0] in written)
    return frozenset(next(found, ()))


def _mapping(value: Any, where: str, names: Iterable[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise WrapperError(f"{where}: not an object")
    refuse_unknown(value, where, names)
    return value


def refuse_unknown(entry: Mapping[str, Any], where: str, names: Iterable[str]) -> None:
    """Raise WrapperError for a name that is none of `names`."""
    known = sorted(names)
    if (unknown := next((name for name in entry if name not in known), None)) is not None:
        raise WrapperError(f"{where}: unknown {str(unknown)[:40]!r}; there may be {', '.join(known)}")


def _text(entry: Mapping[str, Any], name: str, where: str, default: str = "", most: int = MAX_TEXT) -> str:
    value = entry.get(name, default)
    if not isinstance(value, str) or len(value) > most:
        raise WrapperError(f'{where}: "{name}" must be a text of at most {most} characters')
    return value


def _number(entry: Mapping[str, Any], name: str, where: str, default: int = 0) -> int:
    value = entry.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_INDEX:
        raise WrapperError(f'{where}: "{name}" must be a whole number of at most {MAX_INDEX}')
    return value


def _step(text: str, where: str) -> Step:
    try:
        return parse_step(text)
    except ValueError as error:
        raise WrapperError(f"{where}: {error}") from None
