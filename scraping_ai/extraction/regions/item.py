"""One item of a listing: what its elements offer for a field. Nothing outside the item counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, takewhile

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import concept_of, fold, label_key
from scraping_ai.extraction.concepts import keys_of as labels_of
from scraping_ai.extraction.document import Anchor, attribute_of, string_value
from scraping_ai.extraction.heuristic import author, contacts, counts, dates
from scraping_ai.extraction.heuristic.availability import Stock
from scraping_ai.extraction.heuristic.labels import Labels
from scraping_ai.extraction.heuristic.price import Prices
from scraping_ai.extraction.heuristic.scope import Scope
from scraping_ai.extraction.heuristic.view import Part, hints
from scraping_ai.extraction.normalise import kind_of
from scraping_ai.extraction.regions import amounts, icons, links, ratings, tables, titles
from scraping_ai.extraction.regions.marks import JOB_TITLES, ROLES, Marks, keys_of
from scraping_ai.schema import FieldSchema

MAX_NODES = 3_000  # of one item
SURE = 0.7  # confidence of a title that no label need confirm
MAX_CLASS = 100  # characters
MAX_NAMING = 20  # elements in what says who wrote
_NAMES = frozenset(("fn", "p-name", "name"))
MAX_PROSE = 20_000  # characters
_SAYING = ("content", "aria-label", "title", "alt", "value")  # attributes that speak for an element without text


class Item:
    """A run of sibling elements and all below them: `start` to `stop` of the page's visible elements.

    `cells` are the cells of a table's row by the label key of their column; `holes` are what in it belongs to other
    items: the replies to a comment.
    """

    def __init__(
        self,
        marks: Marks,
        start: int,
        stop: int,
        cells: dict[str, etree._Element] | None = None,
        holes: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.marks, self.start, self.stop, self.cells, self.holes = marks, start, stop, cells or {}, holes
        page = marks.view
        self.root = page.nodes[start]
        self.common: frozenset[str] = frozenset()  # texts that most items of the region have: labels, not titles
        self.view = Part(page, self._own(page.nodes) if holes else page.nodes[start : min(stop, start + MAX_NODES)])

    def _own(self, nodes: list[etree._Element]) -> list[etree._Element]:
        """The elements outside the holes, those around them left out too, but for the item's root."""
        edges = [self.start, *(edge for hole in self.holes for edge in hole), self.stop]
        around: set[etree._Element] = set()
        for first, _ in self.holes:
            around.update(takewhile(lambda above: above is not self.root, nodes[first].iterancestors()))
        spans = (nodes[a : min(b, self.start + MAX_NODES)] for a, b in zip(edges[::2], edges[1::2], strict=True))
        return [node for span in spans for node in span if node not in around]

    @cached_property
    def hrefs(self) -> list[tuple[str, etree._Element]]:
        """Links to other pages, in page order."""
        return links.hrefs(self.view)

    @cached_property
    def texts(self) -> list[str]:
        """The texts of elements that hold text themselves."""
        return [self.view.text(node) for node in self.view.nodes if node.text and not node.text.isspace()]

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Tags with their first class: what the item is made of."""
        return frozenset(f"{n.tag}.{(n.get('class') or '')[:MAX_CLASS].partition(' ')[0]}" for n in self.view.nodes)

    @cached_property
    def title(self) -> list[Candidate]:
        return titles.candidates(self)

    def candidates(self, field: FieldSchema) -> Iterator[Candidate]:
        """What the item offers for a scalar field, roughly best first."""
        concept, kind = concept_of(field), kind_of(field)
        name = concept.name if concept else ""
        if field.name in self.marks.jobs:
            yield from self._job(field)
            return
        yield from self._cell(field, 0.85)
        if name == "title":
            yield from self.title
            if not self.title or self.title[0].confidence < SURE:
                yield from self.labels.candidates(field)
        elif name == "image":
            yield from links.images(self.view)
        elif kind == "url" or field.type == "url":
            yield from links.urls(self, field)
            if name != "url":
                yield from self.labels.candidates(field)
        else:
            yield from self._of_kind(field, name, kind)

    def values(self, field: FieldSchema) -> Iterator[Candidate]:
        """What the item offers for a list of scalars: every element that is named so and holds no other such."""
        named_so = [a.node for a in self.marked(*keys_of(field)) if a.attribute is None]
        around = {above for node in named_so for above in node.iterancestors()}
        lowest = [node for node in named_so if node not in around]
        if len(lowest) == 1:
            lowest = [n for n in self.view.nodes if n.getparent() is lowest[0] and self.view.text(n)] or lowest
        for node in lowest:
            if text := self.view.text(node):
                yield Candidate(text, Anchor(node), 0.7, "heuristic")

    def marked(self, *keys: str) -> list[Anchor]:
        """What is called so in class or data attributes."""
        found = self.marks.within(list(keys), self.start, self.stop)
        return [a for a in found if a.node is not self.root and a.node in self.view.order] if self.holes else found

    def _job(self, field: FieldSchema) -> Iterator[Candidate]:
        """What a person is: what stands below that name, or is called so, or a role."""
        yield from self._cell(replace(field, name=fold(field.name), description=""), 0.85, exact=True)
        person = self.title[0].text if self.title else ""
        for anchor in self.marked(*JOB_TITLES):
            text = self.view.text(anchor.node) if anchor.attribute is None else ""
            if text and text != person:
                yield Candidate(text, anchor, 0.75, "heuristic")
        for word in ROLES:
            yield from self.candidates(replace(field, name=word, description=""))

    def _of_kind(self, field: FieldSchema, name: str, kind: str) -> Iterator[Candidate]:
        found = (c for c in self._heuristic(field, name) if c.anchor.node in self.view.order)
        if kind in ("price", "currency"):
            yield from (c for c in found if name == "list_price" or amounts.is_whole(c.anchor.node, c.text))
            yield from self._named(field, 0.4)
            return
        named = self._named(field, 0.75)
        if name in ("email", "phone"):
            yield from (address for c in named for address in contacts.read(name, c))
        else:
            yield from named
        yield from found
        if kind == "date" or field.type in ("date", "datetime"):
            yield from self._times(skip=int(name == "end_date"))
        elif name == "description":
            yield from self._paragraphs()

    def _heuristic(self, field: FieldSchema, name: str) -> Iterator[Candidate]:
        """As for a page, of the item alone."""
        if name == "price":
            yield from self._prices.candidates()
        elif name == "list_price":
            yield from self._prices.old()
        elif name == "currency":
            yield from self._prices.currencies()
        elif name in ("publish_date", "modified_date"):
            yield from dates.candidates(self.view, modified=name == "modified_date")
        elif name == "author":
            yield from author.candidates(self.view)
        elif name == "availability":
            yield from Stock(Scope(self.view, own=True)).found
        elif name in ("rating", "review_count", "rating_count"):
            yield from ratings.candidates(self.view, count=name != "rating")
            yield from self.labels.candidates(field)
        elif name != "description":
            yield from self.labels.candidates(field)
        if field.type in ("integer", "number") and kind_of(field) in ("text", "count"):
            yield from counts.within(self.view, labels_of(field))
        yield from icons.candidates(self.view, name)
        if name in ("email", "phone"):
            yield from contacts.shown(self.view, name)
        elif name == "address":
            yield from (Candidate(self.view.text(n), Anchor(n), 0.7, "heuristic") for n in self._of_tag("address"))

    @cached_property
    def _prices(self) -> Prices:
        return Prices(Scope(self.view, own=True))

    @cached_property
    def labels(self) -> Labels:
        """The item's own pairs."""
        return Labels(self.view)

    def _cell(self, field: FieldSchema, confidence: float, exact: bool = False) -> Iterator[Candidate]:
        keys = [label_key(field.name)] if exact else labels_of(field)
        for cell in tables.matching(self.cells, keys):
            link = next((a for a in cell.iter("a") if a.get("href")), None)
            if (kind_of(field) == "url" or field.type == "url") and link is not None:
                yield Candidate(link.get("href") or "", Anchor(link, "href"), confidence, "heuristic")
            elif text := self.view.text(cell):
                yield Candidate(text, Anchor(cell), confidence, "heuristic")

    def _named(self, field: FieldSchema, confidence: float) -> Iterator[Candidate]:
        """Elements whose class says the field's name, the smallest first."""
        anchors = sorted(
            self.marked(*keys_of(field)), key=lambda a: (a.attribute is not None, self.view.length(a.node))
        )
        is_prose = (concept := concept_of(field)) is not None and concept.name in ("description", "body")
        read = self._prose if is_prose else self.view.text
        for anchor in [*(a for a in anchors if read(a.node)), *anchors][:6]:
            if anchor.attribute is not None:
                text = attribute_of(anchor.node, anchor.attribute).strip()
                if kind_of(field) != "price" and not is_prose:  # as often in cents; a key of the page's program
                    yield Candidate(text, anchor, confidence - 0.1, "heuristic")
            elif text := read(anchor.node):
                if (name := _name_in(anchor.node) if kind_of(field) == "names" else None) is not None:
                    yield Candidate(self.view.text(name), Anchor(name), confidence, "heuristic")
                elif kind_of(field) != "price" or amounts.is_whole(anchor.node):
                    yield Candidate(text, anchor, confidence, "heuristic")
            else:
                said = ((a, (anchor.node.get(a) or "").strip()) for a in _SAYING)
                yield from (Candidate(t, Anchor(anchor.node, a), confidence, "heuristic") for a, t in said if t)

    def _prose(self, node: etree._Element) -> str:
        """Text of any length up to a bound, such as a post's; "" where a program stands in it."""
        if not 0 < self.view.length(node) <= MAX_PROSE or next(node.iter("script", "style"), None) is not None:
            return ""
        return string_value(node).strip()

    def _of_tag(self, tag: str) -> list[etree._Element]:
        return [node for node in self.view.nodes if node.tag == tag and self.view.text(node)]

    def _times(self, skip: int) -> Iterator[Candidate]:
        times = self._of_tag("time")
        for node in times[skip:]:
            if stamp := (node.get("datetime") or "").strip():
                yield Candidate(stamp, Anchor(node, "datetime"), 0.7, "heuristic")
            yield Candidate(self.view.text(node), Anchor(node), 0.65, "heuristic")
        if not skip:
            short = (n for n in self.view.nodes if 6 <= self.view.length(n) <= 60 and self.view.text(n))
            dated = (n for n in short if any(c.isdigit() for c in self.view.text(n)))
            yield from (Candidate(self.view.text(n), Anchor(n), 0.5, "heuristic") for n in islice(dated, 8))

    def _paragraphs(self) -> Iterator[Candidate]:
        title = self.title[0].text if self.title else ""
        for least, tags in ((40, ("p", "dd")), (60, ("div", "span", "td", "li"))):
            for node in self.view.nodes:
                own = node.tag in ("p", "dd") or (node.text and not node.text.isspace())
                text = self.view.text(node) if node.tag in tags and own else ""
                if len(text) >= least and text != title:
                    yield Candidate(text, Anchor(node), 0.6, "heuristic")
                    return


def _name_in(node: etree._Element) -> etree._Element | None:
    """The name alone in what says who wrote: hCard's `fn`, microformats2's `p-name`, `itemprop=name`."""
    below = islice(node.iterdescendants("a", "b", "cite", "span", "strong"), MAX_NAMING)
    return next((n for n in below if not _NAMES.isdisjoint(hints(n).split()) and (n.text or "").strip()), None)
