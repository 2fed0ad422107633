"""What a method proposes for a field; only proved candidates become values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scraping_ai.extraction.document import Anchor, Document
from scraping_ai.extraction.evidence import check
from scraping_ai.extraction.normalise import normalise
from scraping_ai.items import Evidence
from scraping_ai.schema import FieldSchema


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that may answer a field, where it stands, and how sure the method is (0 to 1)."""

    text: str
    anchor: Anchor
    confidence: float
    method: str = "structured"


def prove(document: Document, field: FieldSchema, candidate: Candidate) -> tuple[Any, Evidence] | None:
    """The candidate's value and its evidence, None when it does not fit the field or cannot be proved."""
    value = normalise(field, candidate.text, url=document.base_url, language=document.language)
    if value is None:
        return None
    xpath = document.xpath_of(candidate.anchor)
    if xpath is None:
        return None
    evidence = Evidence(candidate.method, xpath, candidate.text, candidate.confidence, candidate.anchor.pointer)
    return (value, evidence) if check(document, field, value, evidence) else None
