"""A parser whose answer never stands in the page. In a module of its own, since workers import it."""

from __future__ import annotations

from scraping_ai.extraction import Document
from scraping_ai.extraction.parsers import Answer, answer
from scraping_ai.schema import FieldSchema


class Straying:
    hosts = ("shop.example",)

    def parse(self, document: Document, schema: FieldSchema) -> list[Answer]:
        return [answer("price", document.selector.css("p")[0], text="$1.00")]
