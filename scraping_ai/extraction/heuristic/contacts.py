"""Addresses of links: what a page calls "Write us" is a mailto link, and "Homepage" leads to one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from urllib.parse import unquote

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import MAX_NAME, concept_of, label_key, named
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.normalise import kind_of
from scraping_ai.schema import FieldSchema

MAX_LINKS = 5  # of one value
MAX_SHOWN = 80  # characters of a text that shows a number or address
MIN_DIGITS = 7  # of a telephone number
LINKED, WRITTEN = 0.7, 0.55  # confidence
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_PHONE = re.compile(r"\+?\d[\d\s().-]{3,30}\d")
_WHOLE_PHONE = re.compile(r"(?P<word>[^\d+(:：]{0,20}?)[\s.]{0,3}(?P<number>[+(]?\d[\d\s()./–-]{4,30}\d)\Z")
_ADDRESS = re.compile(r"\s*(?:https?://|/|www\.)\S+\s*\Z", re.I)
_SCHEMES = {"email": "mailto:", "phone": "tel:"}
_NO_PAGE = re.compile(r"\s*(?:#|javascript:|mailto:|tel:|data:|\Z)", re.I)


def wanted(field: FieldSchema) -> str:
    """Which kind of link a field is answered by: "email", "phone", "url", or "" for none."""
    concept = concept_of(field)
    if concept is not None and concept.name in _SCHEMES:
        return concept.name
    return "url" if field.type == "url" or kind_of(field) == "url" else ""


def read(kind: str, candidate: Candidate) -> Iterator[Candidate]:
    """What a labelled value says as an address: its link's, or the one that is written out."""
    if kind != "url" and (match := (_EMAIL if kind == "email" else _PHONE).search(candidate.text[:500])):
        yield replace(candidate, text=match[0]) if kind == "email" else candidate
        return
    for link in islice(_links(candidate), MAX_LINKS):
        href = (link.get("href") or "").strip()
        if address := href if kind == "url" else _address(kind, href):
            yield replace(candidate, text=address, anchor=Anchor(link, "href"))
            return
    if kind == "url" and _ADDRESS.match(candidate.text):
        yield candidate


def called(view: View, keys: list[str], confidence: float) -> Iterator[Candidate]:
    """Links to pages whose text is the field's name."""
    for node in view.nodes:
        href = (node.get("href") or "").strip() if node.tag == "a" else ""
        is_named = href and not _NO_PAGE.match(href) and label_key(view.text(node)[:MAX_NAME]) in keys
        if is_named and next(node.iterancestors("nav", "footer"), None) is None:
            yield Candidate(href, Anchor(node, "href"), confidence, "heuristic")
            return


def shown(view: View, kind: str) -> Iterator[Candidate]:
    """E-mail addresses or telephone numbers (`kind`) that need no label: of links, then of texts that are no more."""
    for node in view.nodes:
        if node.tag == "a" and (node.get("href") or "").lower().startswith(_SCHEMES[kind]):
            yield from _linked(view, node, kind)
    pattern = _EMAIL if kind == "email" else _WHOLE_PHONE
    for node in view.nodes:
        text = view.text(node) if 0 < view.length(node) <= MAX_SHOWN and _holds_text(node) else ""
        match = pattern.search(text) if kind == "email" or text else None
        if match and (kind == "email" or _is_phone(match)):
            yield Candidate(match["number"] if kind == "phone" else match[0], Anchor(node), WRITTEN, "heuristic")


def _holds_text(node: etree._Element) -> bool:
    return any(text and not text.isspace() for text in (node.text, *(child.tail for child in node)))


def _linked(view: View, link: etree._Element, kind: str) -> Iterator[Candidate]:
    """What a mailto or tel link shows, else what it leads to: many show a picture."""
    found = list(read(kind, Candidate(view.text(link), Anchor(link), LINKED, "heuristic")))
    yield from found
    if not found and (address := _address(kind, (link.get("href") or "").strip())):
        yield Candidate(address, Anchor(link, "href"), LINKED, "heuristic")


def _is_phone(match: re.Match[str]) -> bool:
    """Whether a number is one by the word before it, or by how it starts."""
    concept, digits = named(match["word"].strip()), sum(map(str.isdigit, match["number"]))
    called = concept is not None and concept.name == "phone"
    return called or (not match["word"].strip() and digits >= MIN_DIGITS and match["number"][0] in "+(0")


def _links(candidate: Candidate) -> Iterator[etree._Element]:
    """The links in a value: in an element that holds the label too, those whose text is part of the value."""
    node = candidate.anchor.node
    for link in [*node.iterancestors("a"), *islice(node.iter("a"), MAX_LINKS)]:
        text = string_value(link).strip()
        if link.get("href") and text and (text in candidate.text or candidate.text in text):
            yield link


def _address(kind: str, href: str) -> str:
    """The address in a mailto or tel link as it stands there, "" where there is none or it is written in escapes."""
    scheme = _SCHEMES[kind]
    if not href.lower().startswith(scheme):
        return ""
    address = href[len(scheme) :].split("?")[0].strip()
    pattern = _EMAIL if kind == "email" else _PHONE
    return address if address == unquote(address) and pattern.fullmatch(address) else ""
