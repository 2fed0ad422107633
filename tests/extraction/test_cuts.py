"""Proof needs whole words and numbers, a yes that nothing denies, and for a model what a reader is told."""

from __future__ import annotations

from typing import Any

import pytest
from extraction.trees import leaf

from scraping_ai.extraction import Extractor, check, ground
from scraping_ai.extraction.document import Document
from scraping_ai.items import Evidence


@pytest.mark.parametrize(
    ("name", "kind", "body", "text", "value", "holds"),
    [
        ("price", "number", "Costs $150.00", "50", 50, False),
        ("price", "number", "Costs $150.00", "15", 15, False),
        ("price", "number", "Costs $150.00", "$150.00", 150, True),
        ("weight", "number", "Costs 5kg", "5", 5, True),
        ("code", "string", "12AB", "12", "12", False),
        ("in_stock", "boolean", "unavailable", "available", True, False),
        ("name", "string", "Anna Leeward", "Lee", "Lee", False),
        ("name", "string", "Anna<b>Lee</b>", "Lee", "Lee", True),
        ("name", "string", "東京タワー", "東京", "東京", True),
        ("day", "date", "2026-03-041", "2026-03-04", "2026-03-04", False),
        ("waterproof", "boolean", "Not waterproof", "waterproof", True, False),
        ("waterproof", "boolean", "Rugged, waterproof", "waterproof", True, True),
        ("name", "string", "a<!-- SKU 999 -->", "SKU 999", "SKU 999", False),
    ],
)
def test_whole_tokens(name: str, kind: str, body: str, text: str, value: Any, holds: bool) -> None:
    document = Document(f"<html lang=en><p>{body}</p>", "https://x.example/")
    assert check(document, leaf(name, kind), value, Evidence("llm", "//p", text, 0.9)) is holds


@pytest.mark.parametrize(
    ("answer", "holds"), [("attr 88", False), ("form 66", False), ("hidden", False), ("A hat", True)]
)
def test_a_model_is_proved_by_what_a_reader_is_told(answer: str, holds: bool) -> None:
    html = "<html lang=en><h1>Vase</h1><p data-x='attr 88'>x</p><input type=hidden value='form 66'><img alt='A hat'>"
    result = ground(
        Extractor("note", methods=("structured",)).extract(html, "https://x.example/"), {"note": answer}, html
    )
    assert result.records == [{"note": answer if holds else None}]
