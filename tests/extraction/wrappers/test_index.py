"""Learning reads a page once, however many fields look for their values in it."""

from __future__ import annotations

from typing import Any

import pytest

from scraping_ai.extraction import wrappers
from scraping_ai.extraction.wrappers import WrapperError, index

URL = "https://pots.example/1"
PAGE = "<html><body>" + "<div class=a><span>N</span><b>5</b></div>" * 300 + "</body></html>"


def test_texts_are_read_once_for_all_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    plain = index.normalise

    def counted(field: Any, text: str, **where: Any) -> Any:
        read.append(text)
        return plain(field, text, **where)

    monkeypatch.setattr(index, "normalise", counted)
    counts = []
    for size in (1, 40):
        names = [f"f{number}" for number in range(size)]
        wrapper = wrappers.learn(", ".join(names), [(PAGE, URL, dict.fromkeys(names, "5"))])
        assert len(wrapper.fields) == size
        counts.append(len(read))
        read.clear()
    assert counts[0] == counts[1] < 10


@pytest.mark.parametrize("bad", [None, 5, "text", [(PAGE, URL)], [None], [], [(PAGE, URL, None)]])
def test_what_are_no_examples_is_told_in_one_line(bad: Any) -> None:
    with pytest.raises(WrapperError) as error:
        wrappers.learn("a", bad)
    assert "\n" not in str(error.value)
