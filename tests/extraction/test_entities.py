"""XHTML with HTML's named entities."""

from __future__ import annotations

from scraping_ai.extraction import Extractor


def test_texts_that_lost_characters_in_xml_answer_nothing() -> None:
    head = '<title>Ann&rsquo;s</title><meta name="description" content="a caf&eacute; &amp; more"/>'
    body = "<h1>Ann&rsquo;s cup</h1><p><b>Glaze:</b> blue &amp; &#8217;white&#8217;</p>"
    page = (
        f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>{head}</head><body>{body}</body></html>'
    )
    result = Extractor("title, description, glaze").extract(page)
    assert result.records == [{"title": None, "description": None, "glaze": None}]
    clear = Extractor("title, description").extract(page.replace("&rsquo;", "\u2019").replace("&eacute;", "é"))
    assert clear.records == [{"title": "Ann\u2019s cup", "description": "a café & more"}]
