"""What extraction's worker processes run. Nothing here imports Scrapy: a worker has to start in a moment."""

from __future__ import annotations

import logging
import signal
from collections.abc import Sequence
from typing import Any, NamedTuple

from scraping_ai.extraction import Document, Extractor, Result, ground
from scraping_ai.extraction.bodies import Unreadable
from scraping_ai.extraction.wrappers import Example, Wrapper, learn
from scraping_ai.llm import PrunedPage
from scraping_ai.schema import FieldSchema

Extracted = tuple[Result, PrunedPage | None]


class Asked(NamedTuple):
    """A page, and what is wanted of it."""

    body: bytes
    url: str
    content_type: str | None
    wrapper: Wrapper | None = None  # what the site's examples taught
    schema: FieldSchema | None = None  # None: the one that all pages have
    for_model: bool = True  # a model may be shown it


MAX_LINES = 100  # a call
MAX_LINE = 1_000  # characters


class Line(NamedTuple):
    """A line for the log of the process that called; of those with the same `once`, not empty, one is enough."""

    level: int
    text: str
    once: str


class Lines(logging.Handler):
    """Keeps what is logged, for a process has no part in another's log."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.kept: list[Line] = []

    def emit(self, record: logging.LogRecord) -> None:
        if len(self.kept) < MAX_LINES:
            text = " ".join(record.getMessage()[:MAX_LINE].split())
            self.kept.append(Line(record.levelno, text, getattr(record, "once", "")))


class Work:
    """All that can be done with a page's bytes, in this process or another.

    With `max_chars`, a page that lacks values comes with its text for a model, of at most so many characters.
    """

    def __init__(self, extractor: Extractor, max_chars: int | None = None) -> None:
        self.extractor, self.max_chars = extractor, max_chars

    def extract(self, page: Asked) -> Extracted:
        """The page's result, and what a model is to be shown where values are missing; the page is parsed once."""
        extractor = self.extractor.asking(page.schema or self.extractor.schema, page.wrapper)
        try:
            document = Document(page.body, page.url, page.content_type)
        except Unreadable as error:
            return Result(extractor.schema, page.url, page.content_type, reason=str(error)), None
        result = extractor.extract(document)
        if self.max_chars is None or not page.for_model or not result.missing:
            return result, None
        return result, PrunedPage.of(document.selector, page.url, extractor.schema, limit=self.max_chars)

    def extract_all(self, pages: Sequence[Asked]) -> list[Extracted]:
        """As `extract`, of several pages."""
        return [self.extract(page) for page in pages]

    def learn(self, examples: Sequence[Example]) -> Wrapper:
        """A wrapper for the site of some examples. Raises WrapperError."""
        return learn(self.extractor.schema, examples)

    def ground(self, result: Result, answers: Any, body: bytes) -> Result:
        """The result with a model's answers, those that the page proves."""
        return ground(result, answers, body)


_work: Work
_alarm: float
_lines: Lines


def start(work: Work, alarm: float, memory: int) -> None:
    """Make a fresh process a worker.

    `alarm` seconds after a call began the kernel ends the process, whatever becomes of the one that started it.
    `memory` is the address space that it may take in bytes, 0: any.
    """
    global _work, _alarm, _lines
    _work, _alarm, _lines = work, alarm, Lines()
    logging.getLogger().addHandler(_lines)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if memory:
        limit_memory(memory)


def limit_memory(size: int) -> None:
    """Bound the address space of this process in bytes, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


def call(name: str, *args: Any) -> tuple[Any, list[Line]]:
    """Call a method of the worker's `Work`: what it gives, and what it logged."""
    _lines.kept = []
    if not hasattr(signal, "setitimer"):
        return getattr(_work, name)(*args), _lines.kept
    signal.setitimer(signal.ITIMER_REAL, _alarm)
    try:
        return getattr(_work, name)(*args), _lines.kept
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
