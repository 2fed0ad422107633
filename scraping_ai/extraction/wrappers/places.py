"""Where an example's value stands in its page, as places that rules can be made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import Any

from lxml import etree

from scraping_ai.extraction.matching import key, locate
from scraping_ai.extraction.normalise import normalise
from scraping_ai.extraction.wrappers.amounts import amount, cuts, digits_of, is_numeric, numbers_in
from scraping_ai.extraction.wrappers.crossed import uncrossed
from scraping_ai.extraction.wrappers.index import MAX_PARTIAL, MAX_SHORT, Index, index_of, mixed, squeeze
from scraping_ai.extraction.wrappers.layout import Layout
from scraping_ai.extraction.wrappers.parts import WHOLE, Part, parts
from scraping_ai.extraction.wrappers.rules import Down, Named, Near, Rule, Under
from scraping_ai.extraction.wrappers.steps import Step
from scraping_ai.schema import FieldSchema

MAX_PLACES = 24  # of one value in one page
MAX_PARTS = 4  # of one place


@dataclass(frozen=True, slots=True)
class Place:
    """A text that gives the value: an element's, its `nth` own text's, or an attribute's."""

    node: etree._Element
    take: str
    part: Part
    chunk: int | None  # the chunk it is or begins with, None for attributes
    each: Step | str = ""  # see Rule
    split: str = ""

    @property
    def is_list(self) -> bool:
        return bool(self.each or self.split)

    def rule(self, locator: Named | Down | Near | Under, take: str = "") -> Rule:
        return Rule(locator, take or self.take, self.part, self.each, self.split)


class Wanted:
    """The value of one field in one example."""

    def __init__(self, field: FieldSchema, value: Any, layout: Layout) -> None:
        self.field, self.layout = field, layout
        document = layout.document
        read = normalise(field, str(value), url=document.base_url, language=document.language)
        self.value = value if isinstance(value, (bool, int, float)) or read is None else read
        self.loose = False
        self._reads: dict[str, bool] = {}

    def reads(self, text: str) -> bool:
        """Whether a text stands for the value."""
        if text not in self._reads:
            self._reads[text] = self._same(text)
        return self._reads[text]

    def _same(self, text: str) -> bool:
        document = self.layout.document
        if is_numeric(self.field):
            found = amount(self.field, text, document)
            return found is not None and found.leads and same(found.value, self.value)
        value = normalise(self.field, text, url=document.base_url, language=document.language)
        return value is not None and same(value, self.value, self.loose)

    def holds(self, text: str) -> bool:
        """Whether a text, or a part of it, stands for the value."""
        return self.reads(text) or (
            is_numeric(self.field) and self.value in numbers_in(self.field, text, self.layout.document)
        )

    def texts(self) -> list[str]:
        """The value as text."""
        return [str(self.value)]

    def right(self, rule: Rule) -> bool | None:
        """Whether a rule finds the value in this example, None when it finds nothing."""
        spot = rule.find(self.layout)
        if spot is None or self.reads(spot.text) or not is_numeric(self.field):
            return self.reads(spot.text) if spot else None
        shown = uncrossed(self.layout, spot)
        return shown is not None and self.reads(shown.text)

    @cached_property
    def places(self) -> list[Place]:
        """Where it stands, as a whole text first; when nowhere, where it does but for punctuation.

        What is told of other things counts only where the page says it nowhere else.
        """
        found = self._found()
        if not found and isinstance(self.value, str):
            self.loose = True
            self._reads.clear()
            found = self._found()
        return [place for place in found if not self.layout.is_of_others(place.node)] or found

    def _found(self) -> list[Place]:
        partial = self._partial() if isinstance(self.value, str) or is_numeric(self.field) else ()
        return [*islice(chain(self._elements(), self._attributes(), partial), MAX_PLACES)]

    @property
    def index(self) -> Index:
        return index_of(self.layout)

    def _elements(self) -> Iterator[Place]:
        layout, chunks = self.layout, self.index.chunks
        for index in sorted({index for text in self._alike for index in chunks.get(text, ())}):
            chunk = layout.chunks[index]
            if self._may_read(chunk.text):
                alone = len(layout.own[chunk.holder]) == 1 and layout.span(chunk.holder) == (index, index + 1)
                yield Place(chunk.holder, "all" if alone else f"text:{chunk.nth}", WHOLE, index)
            else:
                yield from self._mixed(index)
        for node in layout.document.root.iter("title"):
            if self._may_read(layout.text(node)):
                yield Place(node, "all", WHOLE, None)

    @property
    def _alike(self) -> list[str]:
        return self.index.reading(self.field, self.value)

    def _mixed(self, index: int) -> Iterator[Place]:
        """Elements that begin with a chunk and read as the value only with what follows it."""
        for node in mixed(self.layout, index):
            if any(self._may_read(chunk.text) for chunk in self.layout.chunks[slice(*self.layout.span(node))]):
                return
            if self._may_read(self.layout.text(node)):
                yield Place(node, "all", WHOLE, index)
                return

    def _may_read(self, text: str) -> bool:
        """As `reads`, for texts that are worth the time."""
        if isinstance(self.value, str) and not self.field.enum:
            short = len(text) <= 4 * len(self.value) + 60
        else:
            short = len(text) <= MAX_SHORT
        return bool(text) and short and self.reads(text)

    def _attributes(self) -> Iterator[Place]:
        order = self.layout.order
        found = [at for text in self._alike if self._may_read(text) for at in self.index.attributes.get(text, ())]
        for node, name in sorted(found, key=lambda at: order[at[0]]):
            yield Place(node, f"@{name}", WHOLE, None)

    def _partial(self) -> Iterator[Place]:
        """Texts that hold the value and more."""
        wanted = key(str(self.value))
        if not is_numeric(self.field) and (len(wanted) < 2 or self.loose):
            return
        if is_numeric(self.field):
            holding = self.index.numbers.get(digits_of(str(self.value)), [])
        else:
            holding = [index for index, text in enumerate(self.index.keys) if wanted in text]
        for index in holding:
            chunk = self.layout.chunks[index]
            if not self._is_whole(chunk.text):
                for part in self._cuts(chunk.text):
                    yield Place(chunk.holder, f"text:{chunk.nth}", part, index)
        for node, name, text in self._head_texts():
            for part in self._cuts(text):
                yield Place(node, name, part, None)

    def _is_whole(self, text: str) -> bool:
        """Whether a text as a whole is a place already, or can't hold the value and more."""
        if is_numeric(self.field):
            return not any(c.isdecimal() for c in text) or self._may_read(text)
        return len(text) <= len(key(str(self.value))) or self.reads(text)

    def _cuts(self, text: str) -> list[Part]:
        if is_numeric(self.field):
            return [*cuts(self.field, text, self.value, self.layout.document)]
        return _cuts(text, key(str(self.value)))

    def _head_texts(self) -> Iterator[tuple[etree._Element, str, str]]:
        for node in self.layout.document.root.iter("title"):
            yield node, "all", self.layout.text(node)
        for node in self.layout.document.metas:
            if 0 < len(text := (node.get("content") or "").strip()) <= MAX_PARTIAL:
                yield node, "@content", text


def _cuts(text: str, wanted: str) -> list[Part]:
    if wanted not in key(text):
        return []
    return [
        part for a, b in locate(text, wanted)[:2] for part, _ in zip(parts(text, a, b), range(MAX_PARTS), strict=False)
    ]


def same(found: Any, wanted: Any, loose: bool = False) -> bool:
    """Whether two values of one field say the same; `loose`: letters and digits alone count."""
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    if isinstance(found, str) and isinstance(wanted, str):
        return squeeze(found) == squeeze(wanted) if loose else key(found) == key(wanted)
    return bool(found == wanted)
