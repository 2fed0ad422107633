"""Any bytes, any broken page: no exception, and no value without evidence that stands."""

from __future__ import annotations

import pytest
from extraction.proof import scalars, unproved
from extraction.trees import leaf, many, record
from hypothesis import given, settings
from hypothesis import strategies as st

from scraping_ai.extraction import Extractor, ground

SCHEMA = record(
    "title", "price:number", "currency", "author", "publish_date", "image:url",
    "mileage:integer", "in_stock:boolean", many(leaf(""), "ingredients"),
    record("name", name="brand"), many(record("price:number", "availability"), "offers"),
)  # fmt: skip
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Red Shoe | Shop</title><base href="/x/">
<meta property="og:title" content="Red Shoe"><meta property="og:image" content="i.png">
<script type="application/ld+json">{"@graph": [{"@type": "Product", "name": "Red Shoe",
"brand": {"@id": "#b"}, "offers": [{"price": "20.00",
"availability": "https://schema.org/InStock"}, {"price": 21.5}], "recipeIngredient": ["a", "b"]},
{"@id": "#b", "name": "Acme &amp; Co"}]}</script></head>
<body><div itemscope itemtype="http://schema.org/Product">
<h1 itemprop="name">Red Shoe</h1><span itemprop="price">20</span></div>
<p class="byline">By <a rel="author">Ann Lee</a> on <time datetime="2025-03-04">March 4, 2025</time></p>
<p class="price"><del>$30</del> $20.00</p><table><tr><th>Mileage<td>12,000 mi</table>
<button>Add to cart</button></body></html>"""
EXTRACTORS = [Extractor(SCHEMA), Extractor(many(SCHEMA))]
PIECES = [
    "<",
    ">",
    '"',
    "\\",
    "\x00",
    "{",
    "]",
    ",",
    "<!--",
    "</script>",
    "&#0;",
    "\ud800",
    "\u202e",
    "9" * 30,
    "円",
    "<div>" * 300,
    "\r\n",
    "%PDF",
    "itemscope ",
]


def mutated() -> st.SearchStrategy[str]:
    """The page with cuts, swaps and odd pieces put in anywhere."""
    edit = st.tuples(st.integers(0, len(PAGE)), st.integers(0, 60), st.sampled_from(PIECES))

    def apply(edits: list[tuple[int, int, str]]) -> str:
        page = PAGE
        for at, length, piece in edits:
            page = page[:at] + piece + page[at + length :]
        return page

    return st.lists(edit, max_size=6).map(apply)


@pytest.mark.parametrize("extractor", EXTRACTORS, ids=["object", "array"])
@settings(max_examples=150, deadline=None)
@given(
    html=st.one_of(
        mutated(),
        st.text(max_size=300),
        st.binary(max_size=300),
        mutated().map(lambda p: p.encode("utf-16", "replace")),
    )
)
def test_extract(extractor: Extractor, html: str | bytes) -> None:
    result = extractor.extract(html, "https://shop.example/p/1")
    assert result.records or result.reason or extractor.schema.type == "array"
    if (
        isinstance(html, bytes) or "\ud800" not in html
    ):  # parsel cannot read a lone surrogate, so nothing outside can check
        assert unproved(result, html) == []
    result.as_records()


ANSWER = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=20),
        st.sampled_from(["Red Shoe", "2025-03-04", "12,000"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from([f.name for f in SCHEMA.fields] + ["x"]), inner, max_size=6),
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("extractor", EXTRACTORS, ids=["object", "array"])
@settings(max_examples=100, deadline=None)
@given(answers=ANSWER)
def test_ground(extractor: Extractor, answers: object) -> None:
    page = PAGE.replace("application/ld+json", "text/x")
    first = extractor.extract(page, "https://shop.example/p/1")
    second = ground(first, answers, page)
    assert unproved(second, page) == []
    assert set(first.evidence) <= set(second.evidence)
    assert len(list(scalars(second.records))) == len(second.evidence)
