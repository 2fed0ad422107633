"""Records from pages, each value with evidence. A library of its own: works on bytes, knows nothing of crawling."""

from __future__ import annotations

from scraping_ai.extraction.document import Document
from scraping_ai.extraction.evidence import check
from scraping_ai.extraction.extractor import Extractor
from scraping_ai.extraction.grounding import ground
from scraping_ai.extraction.normalise import normalise
from scraping_ai.extraction.result import Result

__all__ = ["Document", "Extractor", "Result", "check", "ground", "normalise"]
