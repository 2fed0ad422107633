from __future__ import annotations

from dataclasses import replace

import pytest
from extraction.trees import leaf

from scraping_ai.extraction import Document, check
from scraping_ai.extraction.evidence import at_pointer
from scraping_ai.items import Evidence

HTML = '<p>only $20.50 today</p><script type="application/ld+json">{"a/b": [{"~": 20.5}, "x"]}</script>'
PRICE = leaf("price", "number")
SEEN = Evidence("heuristic", "/html/body/p", "$20.50", 0.9)
IN_JSON = Evidence("structured", "/html/body/script/text()", "20.5", 0.9, pointer="/a~1b/0/~0")


@pytest.fixture
def document() -> Document:
    return Document(HTML)


@pytest.mark.parametrize("evidence", [SEEN, IN_JSON])
def test_a_value_that_stands_there_is_proved(document: Document, evidence: Evidence) -> None:
    assert check(document, PRICE, 20.5, evidence)


@pytest.mark.parametrize(
    ("value", "evidence"),
    [
        (21, SEEN),
        ("20.50", SEEN),
        (None, SEEN),
        (20.5, replace(SEEN, text="$20.51")),
        (20.5, replace(SEEN, text="")),
        (20.5, replace(SEEN, xpath="/html/body/p[2]")),
        (20.5, replace(SEEN, xpath="/html[")),
        (20.5, replace(SEEN, xpath="1 + 1")),
        (20.5, replace(SEEN, pointer="/a")),
        (20.5, replace(IN_JSON, pointer="/a~1b/7")),
        (20.5, replace(IN_JSON, pointer="/a~1b/x")),
        (20.5, replace(IN_JSON, pointer="/a~1b/1/deeper")),
        (20.5, replace(IN_JSON, pointer="/missing")),
    ],
)
def test_anything_else_is_not(document: Document, value: object, evidence: Evidence) -> None:
    assert not check(document, PRICE, value, evidence)


def test_pointers_follow_rfc_6901() -> None:
    data = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8}
    assert at_pointer(data, "") == data
    assert [at_pointer(data, p) for p in ("/foo/0", "/", "/a~1b", "/m~0n")] == ["bar", 0, 1, 8]
    with pytest.raises(LookupError):
        at_pointer(data, "/foo/2")
