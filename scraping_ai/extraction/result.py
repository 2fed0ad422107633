"""What extraction gives back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from scraping_ai.items import Evidence, Record
from scraping_ai.schema import FieldSchema

_ITEM = re.compile(r"\[(\d+)\]\.?")


@dataclass(slots=True)
class Result:
    """The records of one page, each value with its evidence.

    `missing` lists the paths that nothing could prove, best first what is worth asking a model for. `reason` says why
    a page gave nothing. Paths start with the record's index (`[0].title`) when the schema's root is an array.
    """

    schema: FieldSchema
    url: str = ""
    content_type: str | None = None
    records: list[dict[str, Any]] = field(default_factory=list)
    evidence: dict[str, Evidence] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    reason: str | None = None
    ungrounded: int = 0  # values of a model that stand nowhere in the page

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
