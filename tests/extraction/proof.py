"""Evidence checked by code that shares nothing with the extractor but decoding: parsel, json and string search."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from parsel import Selector

from scraping_ai.extraction import Result
from scraping_ai.extraction.bodies import Unreadable, decode


def scalars(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a record that is not null, with its path."""
    if isinstance(value, dict):
        for name, below in value.items():
            yield from scalars(below, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from scalars(below, f"{path}[{index}]")
    elif value is not None:
        yield path, value


def unproved(result: Result, html: bytes | str) -> list[str]:
    """What is wrong with the evidence of a result: nothing, or a line for each value."""
    try:
        text = html if isinstance(html, str) else decode(html, result.content_type)
    except Unreadable:
        text = ""
    selector = Selector(text=text)
    whole: Any = result.records if result.schema.type == "array" else next(iter(result.records), {})
    paths = dict(scalars(whole))
    wrong = [f"{path}: {value!r} without evidence" for path, value in paths.items() if path not in result.evidence]
    wrong += [f"{path}: evidence without value" for path in result.evidence if path not in paths]
    for path, evidence in result.evidence.items():
        found = selector.xpath(evidence.xpath)
        if len(found) != 1:
            wrong.append(f"{path}: {evidence.xpath} names {len(found)} nodes")
            continue
        standing = found[0].root if isinstance(found[0].root, str) else found[0].xpath("string()").get()
        if evidence.pointer is not None:
            value = json.loads(standing)
            for token in evidence.pointer.split("/")[1:]:
                value = (
                    value[int(token)] if isinstance(value, list) else value[token.replace("~1", "/").replace("~0", "~")]
                )
            standing = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if evidence.text not in standing:
            wrong.append(f"{path}: {evidence.text!r} does not stand in {standing[:80]!r}")
    return wrong
