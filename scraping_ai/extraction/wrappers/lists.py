"""Where an example's list stands in its page: the element that holds the items, or the text they are split from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from lxml import etree

from scraping_ai.extraction.matching import key, locate
from scraping_ai.extraction.normalise import normalise
from scraping_ai.extraction.wrappers.index import index_of
from scraping_ai.extraction.wrappers.layout import Layout, ancestors
from scraping_ai.extraction.wrappers.parts import parts
from scraping_ai.extraction.wrappers.places import MAX_PLACES, Place, Wanted
from scraping_ai.extraction.wrappers.rules import Rule, Spot, items
from scraping_ai.extraction.wrappers.steps import Step, named
from scraping_ai.schema import FieldSchema

MAX_UP = 5  # ancestors of the first item that may hold the list
MAX_HELD = 400  # texts below an element that is read as a list
SEPARATORS = (
    ", ",
    ",",
    "; ",
    ";",
    " | ",
    "|",
    " / ",
    "/",
    " · ",
    "·",
    " • ",
    "•",
    " > ",
    " » ",
    "、",
    "，",
    "\n",
    " and ",
    " & ",
)


class WantedList:
    """The values of one list field in one example; `item` is the schema of one item."""

    def __init__(self, item: FieldSchema, values: Sequence[Any], layout: Layout) -> None:
        self.item, self.layout = item, layout
        self.values = [Wanted(item, value, layout) for value in values]

    def reads(self, found: list[Spot]) -> bool:
        """Whether texts stand for the values, in their order; an item that stands there twice counts once."""
        count = 0
        for text in distinct(self.item, (spot.text for spot in found), self.layout):
            if count == len(self.values) or not self.values[count].reads(text):
                return False
            count += 1
        return count == len(self.values)

    def texts(self) -> list[str]:
        return [str(wanted.value) for wanted in self.values]

    def right(self, rule: Rule) -> bool | None:
        """Whether a rule finds the list in this example, None when it finds nothing."""
        found = rule.find_all(self.layout)
        return self.reads(found) if found else None

    @cached_property
    def places(self) -> list[Place]:
        return [place for place, _ in zip([*self._held(), *self._split()], range(MAX_PLACES), strict=False)]

    def _held(self) -> Iterator[Place]:
        seen: set[tuple[etree._Element, str]] = set()
        for first in self.values[0].places:
            if first.chunk is None or first.take.startswith("@"):
                continue
            steps: list[Step | str] = [*named(first.node)[:2], Step(str(first.node.tag)), "text"]
            for above in [first.node, *ancestors(first.node)[:MAX_UP]]:
                start, end = self.layout.span(above)
                if end - start > MAX_HELD:
                    break
                for each in steps:
                    if (above, str(each)) not in seen and self.reads(items(self.layout, above, each)):
                        yield Place(above, "all", first.part, start, each)
                    seen.add((above, str(each)))

    def _split(self) -> Iterator[Place]:
        first, last = (key(str(w.value)) for w in (self.values[0], self.values[-1]))
        for index, folded in enumerate(index_of(self.layout).keys if first else ()):
            if first in folded and last in folded:
                yield from self._cut(index, self.layout.chunks[index].text, first, last)

    def _cut(self, index: int, text: str, first: str, last: str) -> Iterator[Place]:
        starts, ends = locate(text, first)[:1], locate(text, last)[-1:]
        if not starts or not ends or starts[0][0] >= ends[0][1]:
            return
        start, end = starts[0][0], ends[0][1]
        chunk = self.layout.chunks[index]
        for split in SEPARATORS if len(self.values) > 1 else SEPARATORS[:1]:
            texts = [t.strip() for t in text[start:end].split(split)]
            if len(texts) == len(self.values) and all(w.reads(t) for w, t in zip(self.values, texts, strict=True)):
                for part, _ in zip(parts(text, start, end), range(4), strict=False):
                    yield Place(chunk.holder, f"text:{chunk.nth}", part, index, split=split)
                return


def is_divisible(text: str) -> bool:
    """Whether a text may be several items."""
    return any(separator in text for separator in SEPARATORS)


def distinct(item: FieldSchema, texts: Iterable[str], layout: Layout) -> Iterator[str]:
    """Texts that give a value, each value once."""
    document = layout.document
    seen: set[Any] = set()
    for text in texts:
        value = normalise(item, text, url=document.base_url, language=document.language)
        if value is not None and value not in seen:
            seen.add(value)
            yield text
