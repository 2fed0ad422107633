"""Codes of a product: SKU, manufacturer's part number, GTIN; beside their label, in markup's hints, in the address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from importlib.resources import files

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold, named
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic import page_id
from scraping_ai.extraction.heuristic.labels import Labels
from scraping_ai.extraction.heuristic.scope import Scope
from scraping_ai.extraction.normalise.codes import gtin
from scraping_ai.schema import FieldSchema

MAX_CODE = 40  # characters
MAX_WORDS = 3
MAX_LINE = 90  # characters of a label and its code
_HINTS = {
    "sku": re.compile(
        r"(?:^|[\s_-])(?:sku|product-?(?:code|number|ref(?:erence)?)|item-?(?:number|no|code)|article-?(?:number|no)|"
        r"artikel-?(?:nr|nummer)|prd-?sku|productsku|product-?sku|style-?(?:number|code))(?:$|[\s_-])"
    ),
    "mpn": re.compile(
        r"(?:^|[\s_-])(?:mpn|part-?number|model-?(?:number|no)|manufacturer-?(?:sku|code|number))(?:$|[\s_-])"
    ),
    "gtin": re.compile(r"(?:^|[\s_-])(?:gtin\d*|ean\d*|upc|isbn\d*|barcode)(?:$|[\s_-])"),
}
_ATTRIBUTES = {  # and names of inputs
    "sku": (
        *("data-sku", "data-product-sku", "data-product_sku", "data-productsku", "data-item-number"),
        *("sku", "product_sku", "productSku"),
    ),
    "mpn": ("data-mpn", "data-product-mpn", "mpn"),
    "gtin": ("data-ean", "data-gtin", "data-upc", "data-product-ean", "data-isbn", "ean", "gtin", "upc"),
}
_FILE = files("scraping_ai.extraction.heuristic").joinpath("code_words.json")
_LABELS: dict[str, list[str]] = json.loads(_FILE.read_text("utf-8"))
_LINES = (  # "EAN-Nummer4006381333931", "Item # 418295"; "SKU AB-123"
    re.compile(r"(?P<label>[^\d:：#№\n]{2,40}?)[\s:：#№.()\[\]-]{0,40}+(?P<code>\d[^\s()\[\]]*+)\s*+\)?\Z"),
    re.compile(
        r"(?P<label>[^\d:：#№\n]{2,40}?)[\s:：#№.()\[\]]{1,40}+(?P<code>(?!n[or]?\.)[^\W\d_][^\s:：#№()\[\]]*+)\s*+\)?\Z"
    ),
)
_CODE = re.compile(r"[^\W_][\w./+\-]{1,39}\Z")
_LINE_END = re.compile(r"[\n\t|]| {2,}")
_AROUND = " ,;:#()[]<>〈〉《》【】「」"
_NOT_CODE = re.compile(r"[€$£¥]|\d\s?(?:cm|mm|kg|ml|gb|%|x\s?\d)\b|\d{1,2}[./]\d{1,2}[./]\d{2,4}", re.I)


class Codes:
    """The codes of one page's product; what the kinds have in common is read once."""

    def __init__(self, scope: Scope, labels: Labels) -> None:
        self.scope, self.labels = scope, labels

    def candidates(self, field: FieldSchema, name: str) -> Iterator[Candidate]:
        """Codes of one kind ("sku", "mpn", "gtin"), those beside a label first."""
        shown = [
            *_shaped(self.labels.candidates(field), name),
            *_shaped(self._vaguely_labelled(name), name),
            *_shaped(self._lines(name), name),
            *_shaped(self._hinted(name), name),
            *_shaped(self._attributes(name), name),
        ]
        yield from (c for c in shown if not self.scope.is_of_others(c.anchor.node))
        found = self.scope.scripted.get(name, [])
        yield from _shaped(found[:1] if len({c.text for c in found}) == 1 else [], name)
        if name == "sku" and not shown:
            yield from page_id.candidates(self.scope.view.document)

    def _vaguely_labelled(self, name: str) -> Iterator[Candidate]:
        """Beside labels that say it only on a product's page, such as "Model"."""
        for label in _LABELS[name]:
            yield from (Candidate(text, anchor, 0.7, "heuristic") for text, anchor in self.labels.beside(label))

    @cached_property
    def _label_lines(self) -> list[tuple[str, Candidate]]:
        """ "Item #418295", "Artikel 545642356": the kinds and codes of lines with no colon between label and code."""
        return [
            (name, Candidate(code, Anchor(node), 0.72, "heuristic"))
            for node, text in self.scope.numbered
            if 4 < len(text) <= MAX_LINE and text[-1].isalnum() and not text.isalpha()
            for name, code in _labelled(text)
        ]

    def _lines(self, name: str) -> Iterator[Candidate]:
        yield from (c for kind, c in self._label_lines if kind == name and not self.scope.is_in_card(c.anchor.node))

    @cached_property
    def _hinted_nodes(self) -> list[etree._Element]:
        view, scope = self.scope.view, self.scope
        hinted = (node for node, text in scope.numbered if len(text) <= MAX_LINE and _speaks_of_code(view.hints(node)))
        return [node for node in hinted if not scope.is_aside(node) and not scope.is_in_card(node)]

    def _hinted(self, name: str) -> Iterator[Candidate]:
        for node in self._hinted_nodes:
            if _HINTS[name].search(self.scope.view.hints(node)):
                text = self.scope.view.text(node)
                text = next((match["code"] for line in _LINES[::-1] if (match := line.match(text))), text)
                if _CODE.match(text):
                    yield Candidate(text, Anchor(node), 0.7, "heuristic")

    def _attributes(self, name: str) -> Iterator[Candidate]:
        """Hidden inputs and data attributes whose name says it, when the page has one value of them."""
        found: dict[str, Candidate] = {}
        for key in _ATTRIBUTES[name]:
            for node, attribute, text in self.scope.attributes.get(key, ()):
                if _CODE.match(text) and not self.scope.is_in_card(node):
                    found.setdefault(text, Candidate(text, Anchor(node, attribute), 0.65, "heuristic"))
        if len(found) == 1:
            yield from found.values()


def _shaped(found: Iterable[Candidate], name: str) -> Iterator[Candidate]:
    for candidate in found:
        text = code(candidate.text, name)
        if text is not None:
            yield Candidate(text, candidate.anchor, candidate.confidence, "heuristic")


def code(text: str, name: str) -> str | None:
    """The code at the start of a text, verbatim; None when no code stands there."""
    text = _LINE_END.split(text.strip(), maxsplit=1)[0].strip(_AROUND)
    if name == "gtin":
        return next((word for word in text.split(" ") if gtin(word)), None) or (text if gtin(text) else None)
    if not 2 <= len(text) <= MAX_CODE or len(text.split()) > MAX_WORDS or not any(c.isdigit() for c in text):
        return None
    return None if _NOT_CODE.search(text) else text


@lru_cache(maxsize=8192)
def _labelled(line: str) -> tuple[tuple[str, str], ...]:
    """The codes at the end of a line, each with a kind that the label before it stands for."""
    matches = filter(None, (pattern.match(line) for pattern in _LINES))
    return tuple((name, match["code"]) for match in matches for name in _kinds(match["label"]))


def _kinds(label: str) -> list[str]:
    """The kinds of code that a label may stand for."""
    concept, folded = named(label), fold(label)
    return [name for name in _LABELS if (concept is not None and concept.name == name) or folded in _LABELS[name]]


@lru_cache(maxsize=8192)
def _speaks_of_code(hints: str) -> bool:
    return bool(hints) and any(pattern.search(hints) for pattern in _HINTS.values())
