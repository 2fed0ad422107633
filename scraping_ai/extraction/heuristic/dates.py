"""Dates that a page shows: `<time>`, short texts near the heading or where class or id speaks of dates, its own URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import named
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic.teasers import is_in_teaser
from scraping_ai.extraction.heuristic.view import View, nearest
from scraping_ai.extraction.heuristic.words import OCCASION, PUBLISHED, UPDATED
from scraping_ai.extraction.normalise.dates import iso_date
from scraping_ai.extraction.structured import doubts
from scraping_ai.extraction.structured.entity import Entity

_HINT = re.compile(r"date|publish|posted|time|byline|author|meta\b|datum|fecha|entry-info|post-info")
_MODIFIED = re.compile(r"modif|updat|edited|revis")
_PUBLISHED = re.compile(r"publi[sc]|posted|created|\bdt-published")
_DATE_LIKE = re.compile(r"(?<!\d)(?:1[89]|2[01])\d\d(?!\d)|令和|平成|２０\d\d")
_ELSEWHERE = re.compile(
    r"related|similar|recommend|sidebar|comment|footer|popular|copyright|latest|event|testimonial|review(?!ed)"
)
_ATTRIBUTE = re.compile(r"(?:data-)?(?:publi\w*|created|post(?:ed)?)[-_]?(?:date|at|time|on)?\Z|data-date(?:time)?\Z")
_IN_URL = re.compile(r"/((?:19|20)\d\d[/-](?:0?[1-9]|1[0-2])[/-](?:0?[1-9]|[12]\d|3[01]))(?=[/_.-]|\Z)")
_LABEL = re.compile(
    rf"(?:\A|[\s|•·,;/])(?:(?P<published>{'|'.join(map(re.escape, PUBLISHED))})|"
    rf"(?P<updated>{'|'.join(map(re.escape, UPDATED))}))(?![a-z])",
    re.I,
)
_OCCASION = re.compile(rf"(?:{'|'.join(map(re.escape, OCCASION))})\s*(?:[:：]|\Z)", re.I)
_LABELS = ("th", "td", "dt", "b", "strong", "label", "span", "p", "li", "div")
_OF_OCCASION = re.compile(r"\bdt-?(?:start|end)\b|\b(?:start|end)-?(?:date|time)\b")
_SENTENCE = re.compile(r"[^\W\d_]\S*\s.*[.!?。]\Z", re.S)
_SINCE = re.compile(
    r"\b(?:since|joined|registered|born|expires|mitglied|seit|dabei|geboren|membre|inscrit|depuis|n[ée]e? le|miembro|"
    r"desde|registrado|membro|iscritto|iscrizione|dal|lid|sinds|od|członek|dołączył\w*|регистрация|с нами с|"
    r"родил\w+)\b|登録日|生年月日|入会",
    re.I,
)
_DAY_AND_YEAR = re.compile(r"\d\D+\d")
_PARTS = re.compile(r"\s+[·•|]\s+")  # of a line: "By Ann Lee · 12 Oct 2023 · 4 min"
_GAP = re.compile(r"\s*\n\s*|\s{3,}")
_NAMED = re.compile(r"([^\W\d][^:：\d]{1,30}?)\s?[:：]\s")
_DATES = ("publish_date", "modified_date")
_ROWS = ("tr", "tbody", "table", "dl")  # their cells are read alone
_SITE_HEADER = re.compile(r"(?:^|[\s_-])(?:site-?header|masthead|top-?bar|header-?top)(?:$|[\s_-])")
_DATELINE = re.compile(
    r"\s*[A-Z][^\n:;!?]{1,60}?[,\s-]\s?(?P<date>[A-Z][a-z]{2,8}\.?\s\d{1,2},?\s\d{4}|\d{1,2}\s[A-Z][a-z]{2,8},?\s\d{4})"
    r"\s*(?:\([^()]{2,40}\)|/[^/\n]{2,30}/)?\s*[-–—]"
)
STATED = 0.88  # confidence of OpenGraph's day when it is the earlier one
MAX_DATELINE = 200  # characters
MAX_LABEL = 20  # characters
MAX_WORDS = 4  # of a date that ends in a full stop: "5 May 2027."
MAX_ABOVE = 10  # elements around a date that may be the site's header
MAX_DATE = 80  # characters
BLOCK, MAX_BLOCK, MAX_LABELS = 3, 1_000, 40  # levels, characters and parts of what says more of an event
BEFORE, AFTER = 20, 60  # elements around the heading
OWN, LINE = 30, 40  # characters of a text that is little else than a date, before and after the heading


@dataclass(frozen=True, slots=True)
class _Found:
    score: float
    text: str
    anchor: Anchor


def candidates(view: View, head: Entity | None = None, modified: bool = False) -> Iterator[Candidate]:
    """Publication dates (`modified`: dates of the last change), the likeliest first."""
    start = view.order.get(view.heading, 0) if view.heading is not None else 0
    found = [f for index, node in enumerate(view.nodes) for f in _of_node(view, node, index - start, modified)]
    best = sorted((f for f in found if f.score >= 0), key=lambda f: -f.score)[:6]
    shown = [Candidate(f.text, f.anchor, _confidence(f.score), "heuristic") for f in best]
    if not modified and shown and head is not None:
        yield from _stated(head, shown[0], view.document.language)
    yield from shown
    if not modified:
        yield from _of_attributes(view)
    if not modified and head is not None:
        yield from _of_url(head)


def _confidence(score: float) -> float:
    return 0.86 if score >= 3 else 0.7 if score >= 1 else 0.5


def _stated(head: Entity, shown: Candidate, language: str | None) -> Iterator[Candidate]:
    """The day that OpenGraph states, where it is before the one that the page shows: that is an update's."""
    for leaf in head.leaves("article:published_time")[:1]:
        days = [iso_date(text, language, with_time=False) for text in (leaf.text, shown.text)]
        if days[0] and days[1] and days[0] < days[1] and doubts.confidence("publish_date", leaf.text, STATED):
            yield Candidate(leaf.text, leaf.anchor, STATED)


def _of_node(view: View, node: etree._Element, distance: int, modified: bool) -> Iterator[_Found]:
    if node.tag == "p" and not modified and distance >= 0:
        yield from _dateline(node)
    if view.hinted(_OF_OCCASION, nearest(node, 1)):
        return
    stamp = (node.get("datetime") or "").strip() if node.tag == "time" else ""
    if stamp and not _is_in_site_header(view, node):
        meant = _meant_around(view, node, modified)
        yield _Found(_score(view, node, distance, modified, meant) + 1, stamp, Anchor(node, "datetime"))
    text = view.text(node) if view.length(node) <= 5 * MAX_DATE and node.tag not in ("html", "body") else ""
    if not text or not _DATE_LIKE.search(text) or not 0 < len(text := _dated(text)) <= MAX_DATE:
        return
    room = MAX_DATE if _LABEL.search(text) else LINE if distance >= 0 else OWN
    near = -BEFORE <= distance <= AFTER and len(text) <= room
    if near or node.tag == "time" or view.hinted(_HINT, [node]):
        part, meant = _labelled(text, modified)
        if meant is None and (
            _is_said_of_more(text) or _is_of_another(view, node, text) or _is_in_site_header(view, node)
        ):
            return
        meant = _meant_around(view, node, modified) if meant is None else meant
        yield _Found(_score(view, node, distance, modified, meant), part, Anchor(node))


def _meant_around(view: View, node: etree._Element, modified: bool) -> bool | None:
    """What the label means that stands with an element's date, and no other, in what is around it; None without any."""
    texts = (view.text(holder) for holder in islice(node.iterancestors(), 2))
    alone = (text for text in texts if 0 < len(text) <= MAX_DATE and len(_DATE_LIKE.findall(text)) <= 1)
    return next((meant for text in alone if (meant := _labelled(text, modified)[1]) is not None), None)


def _is_said_of_more(text: str) -> bool:
    """Whether a date stands in a sentence ("The fair is on 5 May 2027.") or starts something else ("since")."""
    in_sentence = len(text.split()) > MAX_WORDS and _SENTENCE.match(text) is not None
    return in_sentence or _SINCE.search(text) is not None


def _is_in_site_header(view: View, node: etree._Element) -> bool:
    """Whether a date stands in the site's own header, where it is today's."""
    holders = [node, *islice(node.iterancestors(), MAX_ABOVE)]
    heads = [a for a in holders if a.tag == "header" or view.hinted(_SITE_HEADER, [a])]
    if not heads or any(a.tag in ("article", "main") for a in holders):
        return False
    return view.heading is not None and heads[0] not in view.heading.iterancestors()


def _is_of_another(view: View, node: etree._Element, text: str) -> bool:
    """Whether a date stands beside a label that names something else ("Born"), or with one in a row of a table."""
    if node.tag in _ROWS and next(node.iter("th", "dt"), None) is not None:
        return True
    label = _label_of(view, node, text)
    concept = named(label) if label else None
    if not label or _LABEL.search(label):
        return False
    return concept is None or concept.name not in _DATES or is_of_occasion(view, node)


def is_of_occasion(view: View, node: etree._Element) -> bool:
    """Whether a date without a label of its own, or with "Date", stands in one block with an event's place or doors."""
    label = _label_of(view, node, view.text(node))
    if label and _LABEL.search(label):
        return False
    blocks = [a for a in islice(node.iterancestors(), BLOCK) if 0 < view.length(a) <= MAX_BLOCK]
    parts = (part for block in blocks[-1:] for part in islice(block.iter(*_LABELS), MAX_LABELS))
    return any(_OCCASION.match(view.text(part)) for part in parts)


def _label_of(view: View, node: etree._Element, text: str) -> str:
    """What names a date: the head of its table's cell or definition, a word for a date in the element before it or in
    its first part, what stands before a colon in its own text; "" for nothing.
    """
    for holder in nearest(node, 2):
        before = holder.getprevious() if holder.tag in ("td", "dd") else None
        if before is not None and before.tag in ("th", "dt"):
            return view.text(before).rstrip(":： ")
    for part in (node.getprevious(), next(iter(node), None)):
        said = view.text(part).rstrip(":： ") if part is not None and view.length(part) <= MAX_DATE else ""
        if said and (concept := named(said)) is not None and concept.kind == "date":
            return said
    match = _NAMED.match(text)
    return match[1] if match is not None else ""


def _dateline(node: etree._Element) -> Iterator[_Found]:
    """The date that a report opens with: "SPRINGFIELD, April 7, 2026 (NEWSWIRE) --"."""
    match = _DATELINE.match(string_value(node)[:MAX_DATELINE])
    if match is not None:
        yield _Found(1.5, match["date"], Anchor(node))


def _dated(text: str) -> str:
    """The line of a text that holds its date, the whole text when its date is spread over several; "" for two dates."""
    lines = [line for line in _GAP.split(text) if _DATE_LIKE.search(line)]
    if len(lines) != 1:
        return text if not lines else ""
    line = lines[0]
    if len(_DATE_LIKE.findall(line)) > 1 and not _LABEL.search(line):
        return ""
    parts = [part for part in _PARTS.split(line) if _DATE_LIKE.search(part)] if len(line) > LINE else []
    line = parts[0] if len(parts) == 1 else line
    start, end = text.find(line), text.find(line) + len(line)
    label = _GAP.split(text[:start].rstrip())[-1]
    if len(label) <= MAX_LABEL and _LABEL.match(label):
        return text[text.rfind(label, 0, start) : end]
    return line if _DAY_AND_YEAR.search(line) else text


def _labelled(text: str, modified: bool) -> tuple[str, bool | None]:
    """The part of a text after the label that is asked for ("Published", "Updated"), and whether there is such a label;
    None without any.
    """
    labels = list(_LABEL.finditer(text))
    if not labels:
        return text, None
    ends = [*(label.start() for label in labels[1:]), len(text)]
    for label, end in zip(labels, ends, strict=True):
        part = text[label.end() : end].strip()
        if (label.lastgroup == "updated") == modified and (_DATE_LIKE.search(part) or len(labels) == 1):
            return part, True
    before = text[: labels[0].start()].strip()
    return (before, None) if _DATE_LIKE.search(before) else (text, False)


def _score(view: View, node: etree._Element, distance: int, modified: bool, meant: bool | None = None) -> float:
    around = [node, *(a for a in islice(node.iterancestors(), 10) if a.tag not in ("body", "html"))]
    apart = [a for a in around if a not in view.around_heading]
    if meant is None:
        meant = (view.hinted(_MODIFIED, around[:2]) and not view.hinted(_PUBLISHED, around[:1])) == modified
    score = 2.0 * (node.tag == "time") + 1.0 * any(a.tag in ("article", "main") for a in around)
    score += 1.0 * view.hinted(_PUBLISHED, around[:2]) + 0.5 * (-BEFORE <= distance <= AFTER)
    score -= 5.0 * (not meant) + 5.0 * (view.hinted(_ELSEWHERE, apart) or is_in_teaser(view, node))
    score += 0.1 * (distance >= 0)
    return score - 2.0 * any(a.tag in ("footer", "aside", "nav") for a in around)


def _of_attributes(view: View) -> Iterator[Candidate]:
    """Dates that scripts were to show: `<x-date publishdate="2025-12-19T11:15:56Z">`."""
    stamped = (
        (node, name)
        for node in view.nodes
        for name, value in node.items()
        if 8 <= len(value) <= MAX_DATE and _ATTRIBUTE.match(str(name)) and _DATE_LIKE.search(str(value))
    )
    for node, name in islice(stamped, 3):
        yield Candidate(node.get(name) or "", Anchor(node, str(name)), 0.5, "heuristic")


def _of_url(head: Entity) -> Iterator[Candidate]:
    """The day in the page's own address: `/2020/03/23/`."""
    for name in ("link:canonical", "og:url"):
        for leaf in head.leaves(name)[:1]:
            if match := _IN_URL.search(leaf.text):
                yield Candidate(match[1], leaf.anchor, 0.5, "heuristic")
