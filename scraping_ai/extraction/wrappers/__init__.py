"""Wrappers: extraction rules for one page template, learned from pages whose values are known."""

from __future__ import annotations

from scraping_ai.extraction.wrappers.teach import Example, learn
from scraping_ai.extraction.wrappers.wrapper import Wrapper, from_dict
from scraping_ai.extraction.wrappers.written import WrapperError

__all__ = ["Example", "Wrapper", "WrapperError", "from_dict", "learn"]
