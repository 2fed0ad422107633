"""Words that a `<br>` or a block parts stay apart, and are proved."""

from __future__ import annotations

import pytest
from extraction.proof import unproved
from extraction.trees import leaf, record

from scraping_ai.extraction import Extractor, wrappers
from scraping_ai.schema import FieldSchema

URL = "https://l.example/1"


@pytest.mark.parametrize(
    ("field", "body", "expected"),
    [
        (leaf("address"), "<dl><dt>Address<dd>1 Mill Lane<br>Leeds<br>LS1 1AA</dl>", "1 Mill Lane Leeds LS1 1AA"),
        (leaf("address"), "<dl><dt>Address<dd><div>1 Mill Lane</div><div>Leeds</div></dl>", "1 Mill Lane Leeds"),
        (leaf("address"), "<dl><dt>Address<dd>1 Mill Lane, <br>Leeds</dl>", "1 Mill Lane, Leeds"),
        (leaf("finish"), "<dl><dt>Finish<dd>Sil<b>ver</b><br/>matt</dl>", "Silver matt"),
    ],
)
def test_breaks(field: FieldSchema, body: str, expected: str) -> None:
    html = f"<html lang=en><title>Ann Lee</title><h1>Ann Lee</h1>{body}"
    result = Extractor(record(field)).extract(html, URL)
    assert result.records == [{field.name: expected}]
    assert unproved(result, html) == []


def test_a_title_on_two_lines() -> None:
    html = "<title>Red lamp for desks</title><h1>Red lamp<br>for desks</h1>"
    assert Extractor("title").extract(html, URL).records == [{"title": "Red lamp for desks"}]


def test_wrappers_learn_and_read_them() -> None:
    def page(street: str) -> str:
        return f"<h1>Hall</h1><p>x</p><div class=where>{street}<br>Leeds</div>"

    wrapper = wrappers.learn("address", [(page("1 Mill Lane"), URL, {"address": "1 Mill Lane Leeds"})])
    assert wrapper.apply(page("2 High Street"), URL).records == [{"address": "2 High Street Leeds"}]


def test_lines_break_where_the_page_breaks_them() -> None:
    steps = [f"Step {n} takes some time and says with many words what is to be done now." for n in (1, 2, 3)]
    html = f"<title>Pie</title><h1>Pie</h1><h2>Instructions</h2><div>{'<br>'.join(steps)}</div><h2>Notes</h2>"
    result = Extractor("title, instructions").extract(html, URL)
    assert result.records[0]["instructions"] == "\n".join(steps)
    assert unproved(result, html) == []
