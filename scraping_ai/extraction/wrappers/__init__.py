"""Wrappers: extraction rules for one page template, learned from pages whose values are known."""

from __future__ import annotations

from scraping_ai.extraction.wrappers.wrapper import Example, Wrapper, from_dict, learn
from scraping_ai.extraction.wrappers.written import WrapperError

__all__ = ["Example", "Wrapper", "WrapperError", "from_dict", "learn"]
