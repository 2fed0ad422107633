from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extraction.proof import unproved
from lxml import etree
from parsel import Selector

from scraping_ai.extraction import Extractor
from scraping_ai.extraction.bodies import MAX_BYTES, Unreadable
from scraping_ai.extraction.document import Anchor, Document

WORD = "価格は税込です"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        pytest.param(f"<h1>{WORD}</h1>".encode("utf-16"), None, id="byte order mark"),
        pytest.param(f"\ufeff<h1>{WORD}</h1>".encode(), "text/html; charset=iso-8859-1", id="mark beats header"),
        pytest.param(f"<h1>{WORD}</h1>".encode("euc_jp"), "text/html; charset=EUC-JP", id="header"),
        pytest.param(f"<meta charset=Shift_JIS><h1>{WORD}</h1>".encode("shift_jis"), None, id="meta"),
        pytest.param(f"<h1>{WORD}</h1>".encode(), None, id="nothing declared, UTF-8"),
        pytest.param(f"<h1>{WORD}</h1>".encode("euc_jp"), None, id="nothing declared, EUC-JP"),
        pytest.param(f"<h1>{WORD}</h1>".encode("shift_jis"), None, id="nothing declared, Shift_JIS"),
    ],
)
def test_encodings_are_decided_as_browsers_do(body: bytes, content_type: str | None) -> None:
    assert Document(body, content_type=content_type).root.findtext(".//h1") == WORD


def test_a_header_that_lies_is_obeyed_as_browsers_do() -> None:
    body = f"<meta charset=shift_jis><h1>{WORD}</h1>".encode("shift_jis")
    assert "\ufffd" in (Document(body, content_type="text/html; charset=utf-8").root.findtext(".//h1") or "")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty body"),
        (" \n\x00\x00 ", "empty body"),
        (b"\xef\xbb\xbf", "empty body"),
        (b"%PDF-1.7\n%\xe2\xe3", "not HTML: PDF"),
        (b"\n%PDF-1.7", "not HTML: PDF"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not HTML: image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "not HTML: image"),
        (b"PK\x03\x04abc", "not HTML: zip archive"),
        (bytes(range(20)) * 50, "not HTML: binary data"),
        (b'{"price": 1}', "not HTML: JSON"),
        ("[" * 200_000 + "]" * 200_000, "not HTML: JSON"),
        (b"<?xml version='1.0'?><rss><channel/></rss>", "not HTML: XML"),
        (b"a" * (MAX_BYTES + 1), "body larger than 20 MB"),
    ],
)
def test_bodies_that_are_no_pages_say_why(body: bytes | str, reason: str) -> None:
    with pytest.raises(Unreadable, match=f"^{reason}$"):
        Document(body)


@pytest.mark.parametrize(
    "html",
    [
        "\x00<\x00h1>a\x00b</h1>",
        "<h1>\ud800lone surrogate</h1>",
        "<div>" * 200_000 + "deep",
        "plain words, no tag",
        "<!-- only a comment -->",
        "<?php echo 1 ?>",
        "<!doctype html>",
        "<html><frameset></frameset></html>",
    ],
)
def test_odd_pages_are_pages(html: str) -> None:
    assert Document(html).root.tag == "html"


ODD = """<html xml:lang="en"><body><o:p class="a">one</o:p><o:p>two</o:p><a.b>three</a.b><p>four</p><!-- c -->
<p>five<b>!</b></p>
<svg xlink:href="six"></svg><i @click="seven" data-x.y="eight">nine</i><table><tr><td>ten</table></body></html>"""


@pytest.mark.parametrize(
    "html",
    [ODD, '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>a</p><p>b</p></body></html>'],
)
def test_every_xpath_leads_back_to_its_node(html: str) -> None:
    document = Document(html)
    outside = Selector(text=html)
    for node in document.root.iter(etree.Element):
        (found,) = outside.xpath(document.xpath_of(Anchor(node)) or "")
        assert found.xpath("string()").get() == document.string_at(Anchor(node))
        for name, value in node.attrib.items():
            if ":" not in str(name) or document.is_xml is False:
                assert outside.xpath(document.xpath_of(Anchor(node, str(name))) or "").getall() == [value]


def test_a_node_too_deep_for_xpath_has_none() -> None:
    document = Document("<div>" * 1000 + "<p>deep")
    assert document.xpath_of(Anchor(next(document.root.iter("p")))) is None


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('<html lang="de-AT">', "de-at"),
        ('<html><meta property="og:locale" content="pt_BR">', "pt-br"),
        ("<html><body>" + "ひらがな" * 20, "ja"),
        ("<html><body>English?", None),
    ],
)
def test_language(head: str, expected: str | None) -> None:
    assert Document(head).language == expected


def test_links_are_relative_to_the_base_element() -> None:
    assert Document('<base href="/shop/">', "https://a.example/x/y").base_url == "https://a.example/shop/"


def test_hidden_elements_are_not_visible() -> None:
    html = (
        "<p>a<p hidden>b<p style='color:red; display : none'>c<script>d</script>"
        "<noscript><p>e</p></noscript><template><p>f</template>"
    )
    assert [(n.text or "").strip() for n in Document(html).visible if n.tag == "p"] == ["a"]


@pytest.mark.parametrize("charset", ["base64", "idna", "rot13", "undefined", "punycode", "unicode_escape", "hex"])
def test_codecs_that_are_no_encodings_are_not_believed(charset: str) -> None:
    body = f'<meta charset="{charset}"><p>Grüße</p>'.encode()
    assert "Grüße" in Document(body).text
    assert "Grüße" in Document("<p>Grüße</p>".encode(), content_type=f"text/html; charset={charset}").text


def test_xml_with_surrogates_is_refused() -> None:
    with pytest.raises(Unreadable, match="broken characters"):
        Document('<?xml version="1.0"?><html><body><p title="&#xD800;">a</p></body></html>')


@pytest.mark.parametrize("name", ["part2.html", "saved pages/part2.html.gz", "https://shop.example/part2"])
def test_the_name_of_a_page_is_not_the_page(name: str) -> None:
    result = Extractor("title").extract(name)
    assert result.records == []
    assert result.reason in (
        "this is a path, not HTML: read the file first",
        "this is an address, not HTML: fetch it first",
    )


@pytest.mark.parametrize("page", [Path("page.html"), None, 12, ["<h1>Cup</h1>"]])
def test_what_is_no_page_at_all_is_a_clear_type_error(page: Any) -> None:
    with pytest.raises(TypeError, match=r"^html is a \w+; give the page itself, such as path.read_bytes\(\)$"):
        Extractor("title").extract(page)


def test_evidence_in_a_body_of_several_documents_names_one_place() -> None:
    page = "<html><body><h1>Cup</h1><p>Price: $5.00</p></body></html>"
    result = Extractor("title, price:number").extract(page * 3)
    assert result.records == [{"title": "Cup", "price": 5}]
    assert unproved(result, page * 3) == []


@pytest.mark.parametrize("main", ["main", "article", "section", "header", "custom-card"])
def test_a_page_without_body_tags_is_seen(main: str) -> None:
    html = f"<!doctype html><meta charset=utf-8><title>Lamp</title><{main}><h1>Lamp</h1><p>Price: $3</p></{main}>"
    result = Extractor("title, price:number").extract(html, "https://shop.example/")
    assert result.records == [{"title": "Lamp", "price": 3}]
