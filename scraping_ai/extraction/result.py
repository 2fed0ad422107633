"""What extraction gives back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from scraping_ai.extraction.matching import key
from scraping_ai.items import Evidence, Record
from scraping_ai.schema import FieldSchema

MAX_DISAGREEMENTS = 500  # fields of a page

_ITEM = re.compile(r"\[(\d+)\]\.?")

Proved = tuple[Any, Evidence]


@dataclass(slots=True)
class Result:
    """The records of one page, each value with its evidence.

    `missing` lists the paths that nothing could prove, best first what is worth asking a model for. `reason` says why
    a page gave nothing. `disagreements` holds by path what other methods proved instead, of those that were asked: the
    ladder stops at a sure answer unless `Extractor(compare=True)`. Paths start with the record's index (`[0].title`)
    when the schema's root is an array.
    """

    schema: FieldSchema
    url: str = ""
    content_type: str | None = None
    records: list[dict[str, Any]] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    reason: str | None = None
    ungrounded: int = 0  # values of a model that stand nowhere in the page
    disagreements: dict[str, list[Proved]] = field(default_factory=dict)

    def disagree(self, path: str, best: Proved, others: list[Proved]) -> None:
        """Keep those of `others` that another method than the best's proved, and that are another value."""
        found: dict[tuple[str, str], Proved] = {}
        for value, evidence in others:
            if evidence.method != best[1].method and not _same(value, best[0]):
                found.setdefault((evidence.method, str(value)), (value, evidence))
        if found and len(self.disagreements) < MAX_DISAGREEMENTS:
            self.disagreements[path] = list(found.values())

    def as_records(self) -> list[Record]:
        """A `Record` a record, with paths of its own: no `[i].` in front."""
        if self.schema.type != "array":
            return [Record(values, dict(self.evidence), list(self.missing)) for values in self.records]
        records = [Record(values) for values in self.records]
        for path, found in self.evidence.items():
            index, rest = _split(path)
            records[index].evidence[rest] = found
        for path in self.missing:
            index, rest = _split(path)
            if index < len(records):
                records[index].missing.append(rest)
        return records


def _split(path: str) -> tuple[int, str]:
    match = _ITEM.match(path)
    if match is None:
        raise ValueError(f"{path!r} does not start with a record's index")
    return int(match[1]), path[match.end() :]


def _same(value: Any, other: Any) -> bool:
    """Whether two values say the same, however each method found it written."""
    if isinstance(value, str) and isinstance(other, str):
        return key(value) == key(other)
    return type(value) is type(other) and bool(value == other)
