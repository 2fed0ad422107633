from __future__ import annotations

import pytest

from scraping_ai.extraction.structured.repair import loads


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": 1,}', {"a": 1}),
        ('[{"a": "x, }"},]', [{"a": "x, }"}]),
        ('<!-- {"a": 1} -->', {"a": 1}),
        ('//<![CDATA[\n{"a": 1}\n//]]>', {"a": 1}),
        ('/*<![CDATA[*/ {"a": 1} /*]]>*/', {"a": 1}),
        ('{"a": "line\nbreak"}', {"a": "line\nbreak"}),
        ('{"a": 1} // price', {"a": 1}),
        ('{/* c */ "a": "http://x/*y*/"}', {"a": "http://x/*y*/"}),
        ('{"a": 1};', {"a": 1}),
        ("{&quot;a&quot;: 1}", {"a": 1}),
        (r'{"a": "it\'s"}', {"a": "it's"}),
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": 1}}', {"a": 1}),
    ],
)
def test_what_search_engines_still_read(text: str, data: object) -> None:
    assert loads(text) == (data, False)


def test_strict_json_is_told_apart() -> None:
    assert loads('{"a": [1, null]}') == ({"a": [1, None]}, True)


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "{", "[" * 100_000, '{"a":' * 100_000, '"' + '\\"' * 300_000, "/*" * 300_000, "[1" + "," * 300_000],
)
def test_what_is_beyond_repair_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not JSON|nested too deep"):
        loads(text)
