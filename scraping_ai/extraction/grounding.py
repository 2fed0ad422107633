"""A model's answers join a result: code finds where each stands in the page, or drops it."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

from scraping_ai.extraction import paths
from scraping_ai.extraction.absent import missing
from scraping_ai.extraction.bodies import Unreadable
from scraping_ai.extraction.candidate import prove
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.extractor import MAX_ITEMS, MAX_RECORDS
from scraping_ai.extraction.matching import key
from scraping_ai.extraction.normalise import kind_of, normalise
from scraping_ai.extraction.result import Result
from scraping_ai.extraction.search import Finder
from scraping_ai.schema import FieldSchema

MAX_NUMBER = 10**30  # what is larger is no answer, and Python refuses to write the largest of them


def ground(result: Result, answers: Any, html: bytes | str, method: str = "llm") -> Result:
    """A new result with the answers that the page proves, for fields that have no value yet.

    `answers` are plain JSON values in the user's schema: a dict, or for a root array a list of dicts. What is of
    another type is ignored; what stands nowhere in the page is dropped and counted in `ungrounded`.
    """
    grounded = replace(result, records=deepcopy(result.records), evidence=dict(result.evidence), missing=[])
    try:
        document = Document(html, result.url, result.content_type)
    except Unreadable:
        return result
    grounder = _Grounder(grounded, Finder(document, method), document)
    item = paths.item_of(result.schema)
    if item is None:
        grounded.records = grounded.records or [paths.empty(result.schema)]
        grounder.join_object(result.schema, answers, grounded.records[0], "")
    elif isinstance(answers, list):
        grounder.join_records(item, [a for a in answers if isinstance(a, dict)][:MAX_RECORDS])
    grounded.missing = missing(grounded)
    return grounded


class _Grounder:
    def __init__(self, result: Result, finder: Finder, document: Document) -> None:
        self.result, self.finder, self.document = result, finder, document

    def join_records(self, item: FieldSchema, answers: list[dict[str, Any]]) -> None:
        """Records of a page without any are the answers; those of others take the answer that agrees with them."""
        records = self.result.records
        if not records:
            for answer in answers:
                record, path = paths.empty(item), f"[{len(records)}]"
                self.join_object(item, answer, record, path)
                if any(value is not None for value in record.values()):
                    records.append(record)
            return
        for index, record in enumerate(records):
            best = max(answers, key=lambda answer: _agreement(record, answer), default=None)
            if best is not None and _agreement(record, best) > 0:
                self.join_object(item, best, record, f"[{index}]")

    def join_object(self, schema: FieldSchema, answer: Any, record: dict[str, Any], path: str) -> None:
        if not isinstance(answer, dict):
            return
        for field in schema.fields:
            found = self._join(field, answer.get(field.name), record.get(field.name), paths.join(path, field.name))
            record[field.name] = found

    def _join(self, field: FieldSchema, answer: Any, value: Any, path: str) -> Any:
        """The value of a field after the answer: never another one than a value that was there."""
        if field.type == "object":
            record = value if isinstance(value, dict) else paths.empty(field)
            self.join_object(field, answer, record, path)
            return record if any(v is not None for v in record.values()) else None
        if value is not None or answer is None:
            return value
        item = paths.item_of(field)
        if item is None:
            return self._scalar(field, answer, path)
        found: list[Any] = []
        for one in answer[:MAX_ITEMS] if isinstance(answer, list) else ():
            if (proved := self._join(item, one, None, f"{path}[{len(found)}]")) is not None:
                found.append(proved)
        return found or None

    def _scalar(self, field: FieldSchema, answer: Any, path: str) -> Any:
        if not _fits(field, answer):
            return None
        wanted = _wanted(field, answer, self.document)
        for candidate in self.finder.candidates(field, answer if wanted is None else wanted):
            proved = prove(self.document, field, candidate)
            if proved is not None and _same(field, proved[0], wanted):
                self.result.evidence[path] = proved[1]
                return proved[0]
        self.result.ungrounded += 1
        return None


def _fits(field: FieldSchema, answer: Any) -> bool:
    if field.type == "boolean":
        return isinstance(answer, bool)
    if field.type in ("number", "integer"):
        return isinstance(answer, (int, float)) and not isinstance(answer, bool) and abs(answer) < MAX_NUMBER
    return isinstance(answer, str) and bool(answer.strip())


def _wanted(field: FieldSchema, answer: Any, document: Document) -> Any:
    """The answer as the page's own text would be normalised."""
    if not isinstance(answer, str):
        return answer
    return normalise(field, answer, url=document.base_url, language=document.language)


def _same(field: FieldSchema, value: Any, wanted: Any) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        if kind_of(field) == "date" or field.type in ("date", "datetime"):
            return value[:10] == wanted[:10]
        return value == wanted if field.type == "url" else key(value) == key(wanted)
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    return bool(value == wanted)


def _agreement(record: dict[str, Any], answer: dict[str, Any]) -> int:
    """In how many fields a record and an answer say the same."""
    pairs = [(value, answer.get(name)) for name, value in record.items() if value is not None]
    return sum(key(str(a)) == key(str(b)) for a, b in pairs if isinstance(b, (str, int, float)))
