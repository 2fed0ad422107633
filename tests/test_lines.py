"""Lines of any length, numbered."""

from __future__ import annotations

from io import BytesIO

import pytest

from scraping_ai import lines


@pytest.mark.parametrize("length", [9, 10, 11, 19, 20, 21, 22, 35])
def test_a_long_line_counts_once(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 10)
    long = b"x" * length + b"\n"
    found = list(lines.numbered(BytesIO(b"a\n" + long + b" \r\n" + long + b"b")))
    assert found == [(1, b"a\n"), (2, long if length < 10 else None), (4, long if length < 10 else None), (5, b"b")]
