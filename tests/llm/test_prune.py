import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector

from scraping_ai.llm import PrunedPage, page_text
from scraping_ai.schema import parse_fields


def text(html, *, limit=24_000, links=False):
    return page_text(Selector(text=html), limit=limit, links=links)


def test_what_is_kept_and_in_which_order():
    html = """
    <html><head><title> A  lamp
      | Shop</title><meta name="description" content="The best lamp"><meta property="og:price:amount" content="5.00">
    <meta name="viewport" content="width=1"><style>p {color: red}</style></head>
    <body><nav><a href="/">Home</a></nav><div role="navigation">Menu</div>
    <h1>A lamp</h1><p>It <b>shi</b>nes.<br>Bright.</p><script>var a = "no"</script><noscript>no</noscript>
    <!-- no -->end<footer>Imprint</footer></body></html>"""
    assert text(html).splitlines() == [
        "Title: A lamp | Shop",
        "description: The best lamp",
        "og:price:amount: 5.00",
        "# A lamp",
        "It shines.",
        "Bright.",
        "end",
    ]


def test_labels_and_values_stay_together():
    html = """
    <table><tr><th>SKU</th><td><span>A-1</span></td></tr><tr><td><div>Weight:</div></td><td><p>2 kg</p></td></tr>
    <tr><th>Size</th><th>Price</th><th>Stock</th></tr><tr><td>S</td><td>5</td><td></td></tr><tr><td>alone</td></tr></table>
    <dl><dt>Brand</dt> <dd>Acme</dd><dd>Co</dd><dt>Colour</dt><dd>red</dd></dl>"""
    assert text(html).splitlines() == [
        "SKU: A-1",
        "Weight: 2 kg",
        "Size | Price | Stock",
        "S | 5 |",
        "alone",
        "Brand: Acme",
        "Co",
        "Colour: red",
    ]


def test_a_table_that_lays_out_the_page_is_no_label_and_value():
    inner = "<table><tr><td>SKU</td><td>1</td></tr></table>"
    html = f"<table><tr><td><p>Side</p></td><td><h1>Lamp</h1>{inner}</td></tr></table>"
    assert text(html).splitlines() == ["Side", "# Lamp", "SKU: 1"]


def test_old_prices_controls_and_pictures():
    html = (
        '<p><del>9 €</del><span>5 €</span></p><a>One</a><a>Two</a><img alt="A lamp"><select><option>S<option>M</select>'
    )
    assert text(html).splitlines() == ["~~9 €~~5 €", "One Two A lamp S M"]


def test_links_only_where_a_url_is_asked_for():
    html = '<p><a href="/p/1">Lamp</a><img src="/1.jpg"><a href="#top">Up</a><img src="data:image/gif;base64,AA"></p>'
    root = Selector(text=html)
    assert PrunedPage.of(root, "u", parse_fields("title"), limit=1000).text == "Lamp Up"
    assert PrunedPage.of(root, "u", parse_fields("image:url[]"), limit=1000).text == "Lamp </p/1> </1.jpg> Up"


def json_ld(*things):
    scripts = (t if isinstance(t, str) else json.dumps(t) for t in things)
    return text("".join(f'<script type="application/ld+json">{s}</script>' for s in scripts)).splitlines()


def test_structured_data_is_kept_compact():
    graph = {
        "@context": "https://schema.org",
        "@graph": [
            {"@type": "WebSite", "name": "Shop"},
            {"@type": "Product", "name": "Lamp ", "sku": "", "offers": [{"price": 5, "x": None}], "images": ["i"] * 99},
        ],
    }
    images = ",".join(['"i"'] * 50)
    product = f'"@type":"Product","name":"Lamp","offers":[{{"price":5}}],"images":[{images}]'
    assert json_ld(graph) == ["{" + product + "}"]


def test_broken_structured_data_is_kept_as_it_stands():
    assert json_ld('{"@type": "Product", "name": "Lamp",}') == ['{"@type": "Product", "name": "Lamp",}']


@pytest.mark.parametrize(
    "value", ["[" * 100_000, "null", "7", "[[1]]", '{"@graph": 1}', '{"@type": {}}', '{"a":' * 500 + "1" + "}" * 500]
)
def test_hostile_structured_data(value):
    assert len("\n".join(json_ld(value))) <= 12_000


def test_a_long_page_gives_its_heading_first_and_loses_its_end():
    html = "<p>before</p>" * 50 + "<h1>Lamp</h1>" + "<p>after it</p>" * 500
    found = text(html, limit=100)
    assert found.startswith("# Lamp\nafter it\n")
    assert found.endswith("after it")
    assert len(found) <= 100


@pytest.mark.parametrize("limit", [0, 1, 50, 500])
def test_the_limit_holds(limit):
    html = f"<title>{'t' * 999}</title><meta name=description content='{'d' * 999}'><p>{'w ' * 9999}"
    assert len(text(html, limit=limit)) <= limit


def test_large_and_deep_pages():
    assert text("<div>" * 1_000 + "x") == "x"
    assert len(text("<div>" * 50_000 + "x", limit=100)) <= 100
    assert len(text("<table><tr><td>a<td>b" * 3000)) <= 24_000
    assert len(text("<table><tr>" + "<td>a" * 100_000)) <= 24_000
    assert len(text("<dl>" + "<dd>a" * 100_000)) <= 24_000


@pytest.mark.parametrize("html", ["", " ", "<!-- x -->", "text", "<html></html>", "<script>"])
def test_pages_with_next_to_nothing(html):
    assert text(html) in ("", "text")


def test_a_selector_that_is_no_page():
    assert page_text(Selector(text='{"a": 1}', type="json"), limit=100) == ""


TAGS = st.sampled_from(
    [
        "p",
        "div",
        "td",
        "tr",
        "th",
        "table",
        "dl",
        "dt",
        "dd",
        "h1",
        "nav",
        "script",
        "br",
        "img",
        "del",
        "ul",
        "li",
        "a",
    ]
)
FRAGMENT = st.one_of(
    TAGS.map(lambda tag: f"<{tag}>"),
    TAGS.map(lambda tag: f"</{tag}>"),
    st.sampled_from(["<!--c-->", "&amp;", "<", " word "]),
    st.text(max_size=5),
)


@given(st.lists(FRAGMENT, max_size=60).map("".join))
def test_any_page_is_read_within_the_limit_and_left_as_it_was(html):
    root = Selector(text=html).root
    before = etree.tostring(root)
    assert len(page_text(root, limit=60)) <= 60
    assert etree.tostring(root) == before
