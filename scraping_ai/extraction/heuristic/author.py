"""Who wrote a page: what markup says, weighed with bylines, links to profiles, names of posters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.document import Anchor, string_value
from scraping_ai.extraction.heuristic import names
from scraping_ai.extraction.heuristic.teasers import PROFILE, is_in_teaser, is_linked
from scraping_ai.extraction.heuristic.view import View

BEFORE, AFTER = 80, 200  # elements around the heading in which weak hints count
BORNE_OUT = 0.86  # confidence of markup that agrees with the page
CLOSE = 60  # elements after the heading in which a footer is the article's, not the page's
LEAST = 0.5  # confidence
MAX_BELOW = 60  # elements in one byline
MAX_HEADINGS = 100
MAX_LINKS = 12  # of one byline
MAX_PIECES = 12  # texts of one byline
TEASERS = 3  # names below linked headings that make a page a list
_NAME_HINT = re.compile(
    r"(?:^|[\s_-])(?:author|byline|writer|autor|auteur|contributor|reporter|creator)(?:s|[_-]+(?:name|link|title|names))?"
    r"(?:$|\s)|\bp-author\b|\bfn\b|author__?name|byline__?(?:name|author)",
)
_HINT = re.compile(r"author|byline|writer|autor|auteur|contributor|posted-?by|vcard")
_NOT_HINT = re.compile(
    r"bio\b|description|avatar|image|img|date|time|social|follow|comment|related|count|role|job|link-?list|more|title\b"
)
_USER_HINT = re.compile(r"user-?name|\buser\b|nickname|\bposter\b|handle|member|screen-?name|postprofile")
_OTHERS = re.compile(
    r"(?<!category-)(?<!tag-)(?:comment|review|testimonial|related|recommend|popular|latest|trending|reply|online|"
    r"carousel|slider|quote|menu)"
)
_VISITORS = re.compile(r"/(?:Review|Comment|Answer)\Z")
_ASIDE = re.compile(r"sidebar|(?<!elementor-)widget|footer")
_TRUSTED = re.compile(
    r"/(?:users?|u|members?|profiles?|user-\w+)/[^/?#]|[?&;](?:u|uid|mode=viewprofile|action=profile)[=;&]"
)


def candidates(view: View, markup: Iterable[Candidate] = (), head: Iterable[Candidate] = ()) -> Iterator[Candidate]:
    """Names, the likeliest first: of markup where it names a person, else of the visible page."""
    visible = _visible(view)
    named = [_weighed(c, visible) for c in (*islice(markup, 5), *islice(head, 5))]
    for candidate in sorted([*named, *visible], key=lambda c: -c.confidence):
        yield next((v for v in visible if _names_more(v, candidate)), candidate)


def _names_more(visible: Candidate, candidate: Candidate) -> bool:
    """Whether a byline names the author that markup does, and others."""
    more = len(names.parts(visible.text)) > len(names.parts(candidate.text))
    return more and fold(visible.text).startswith(fold(candidate.text))


def _weighed(candidate: Candidate, visible: list[Candidate]) -> Candidate:
    """Accounts, stand-ins and texts that read as no name are worth less than a name that the page shows; a text that
    starts with a name that the page shows is borne out.
    """
    text = candidate.text.strip()
    if text[:1] in "[{":
        return candidate
    if names.is_nobody(text):
        return replace(candidate, confidence=0.3)
    if names.is_handle(text) or ":" in text or not text[:1].isalnum():
        return replace(candidate, confidence=0.45)
    if any(fold(text).startswith(fold(v.text)) for v in visible):
        return replace(candidate, confidence=max(candidate.confidence, BORNE_OUT))
    return candidate


def _visible(view: View) -> list[Candidate]:
    """Names that the page shows, the likeliest first, at equal rates the one nearest to the heading."""
    start = view.order.get(view.heading, 0) if view.heading is not None else 0
    found: list[tuple[int, Candidate]] = []
    for index, node in enumerate(view.nodes):
        if not 0 < view.length(node) <= 5 * names.MAX_NAME:
            continue
        rate = _rate(view, node, -BEFORE <= index - start <= AFTER)
        rate -= _penalty(view, node, 0 <= index - start <= CLOSE) if rate else 0.0
        if rate >= LEAST and view.end(node) - index <= MAX_BELOW and (candidate := _candidate(view, node, rate)):
            found.append((index, candidate))
    teasers = _teasers(view, start, found)
    best = sorted((f for f in found if f[0] < teasers), key=lambda f: (-f[1].confidence, abs(f[0] - start)))
    return [candidate for _, candidate in best[:5]]


def _teasers(view: View, start: int, found: list[tuple[int, Candidate]]) -> int:
    """Where a page begins to list what others wrote: its first linked heading, when many names follow."""
    heads = islice((i for i, n in enumerate(view.nodes) if n.tag in ("h2", "h3", "h4") and i > start), MAX_HEADINGS)
    first = next((i for i in heads if is_linked(view.nodes[i])), len(view.nodes))
    return first if len({c.text for index, c in found if index > first}) >= TEASERS else len(view.nodes)


def _penalty(view: View, node: etree._Element, close: bool) -> float:
    """1 for names of others, such as commenters; less for those beside the article."""
    around = [a for a in islice(node.iterancestors(), 12) if a not in view.around_heading]
    if view.hinted(_OTHERS, [node, *around]) or any(a.tag in ("nav", "blockquote") for a in around):
        return 1.0
    if is_in_teaser(view, node) or any(_VISITORS.search(a.get("itemtype") or "") for a in around):
        return 1.0
    aside = 0.1 if close else 0.3
    return aside * (view.hinted(_ASIDE, around) or any(a.tag in ("aside", "footer") for a in around))


def _rate(view: View, node: etree._Element, near: bool) -> float:
    """How likely an element is, or holds, the author's name."""
    hints, language = view.hints(node), view.document.language
    strong, weak = _hinted(hints) if hints else (0.0, 0.0)
    if node.tag == "a" and "author" in (node.get("rel") or "").split():
        return 0.84
    if strong or not near:
        return strong
    if node.tag == "a" and PROFILE.search(node.get("href") or ""):
        return max(weak, 0.66)
    text = view.text(node) if not weak and node.tag not in ("h1", "li") else ""
    short = 0 < len(text) <= 2 * names.MAX_NAME
    says = short and (names.introduced(text + " ", language) or names.labelled(text, language))
    return 0.62 if says and node not in view.around_heading else weak


@lru_cache(maxsize=16384)
def _hinted(hints: str) -> tuple[float, float]:
    """What class and id alone say: anywhere on the page, and near its heading."""
    if not _NOT_HINT.search(hints):
        if _NAME_HINT.search(hints):
            return 0.8, 0.8
        if _HINT.search(hints):
            return 0.0, 0.7
    return 0.0, 0.6 if _USER_HINT.search(hints) else 0.0


def _candidate(view: View, node: etree._Element, rate: float) -> Candidate | None:
    """The name in an element, or the names of a list of links that it belongs to."""
    language, text = view.document.language, view.text(node)
    if names.is_introduction(text, language):
        return _following(view, node, rate)
    trusted = rate >= 0.8 or _USER_HINT.search(view.hints(node)) is not None
    if node.tag == "a":
        trusted = trusted or _TRUSTED.search(node.get("href") or "") is not None
        found = names.in_byline(text, language, trusted)
        return _listed(view, node, rate) or Candidate(found, Anchor(node), rate, "heuristic") if found else None
    links = [a for a in islice(node.iter("a"), MAX_LINKS) if names.in_byline(view.text(a), language, trusted)]
    if links:
        return _candidate(view, links[0], rate)
    run = _first_run(node, language)
    found = names.labelled(run, language) or names.in_byline(run, language, trusted) or names.handle_in(run, language)
    return Candidate(found, Anchor(node), rate, "heuristic") if found else None


def _following(view: View, label: etree._Element, rate: float) -> Candidate | None:
    """The name after "by" in an element of its own: the text that follows, or the next element."""
    language, parent, following = view.document.language, label.getparent(), label.getnext()
    if (tail := (label.tail or "").strip()) and parent is not None:
        found = names.in_byline(tail, language)
        return Candidate(found, Anchor(parent), rate, "heuristic") if found else None
    if following is None or _penalty(view, following, True) == 1:
        return None
    if not (found := names.in_byline(view.text(following), language, rate >= 0.7)):
        return None
    return Candidate(found, Anchor(following), rate, "heuristic")


def _first_run(node: etree._Element, language: str | None) -> str:
    """The text of an element up to where the texts of two elements run into each other: "Ann LeeFounder"."""
    run = ""
    for piece in islice(node.itertext(etree.Element), MAX_PIECES):
        text = str(piece)
        if run[-1:].isalnum() and (text[:1].isupper() or text[:1].isdigit()):
            if not names.is_introduction(run.strip(), language):
                break
            run = ""
        run += text
    return run.strip()


def _listed(view: View, link: etree._Element, rate: float) -> Candidate | None:
    """The names that a linked one stands among: "Ann Lee, Bob Day & Eve Fox", each a link."""
    language = view.document.language
    for holder in islice(link.iterancestors(), 3):
        if not 0 < view.length(holder) <= 2 * names.MAX_NAMES:
            return None
        alike = [
            a for a in islice(holder.iter("a"), MAX_LINKS) if all(a.get(k) == link.get(k) for k in ("class", "rel"))
        ]
        links = [text for a in alike if (text := names.in_byline(view.text(a), language, True))]
        if len(set(links)) > 1:
            whole = string_value(holder)
            start, end = whole.find(links[0]), whole.rfind(links[-1]) + len(links[-1])
            span = whole[start:end]
            found = names.in_byline(span, language, True)
            return Candidate(span, Anchor(holder), rate, "heuristic") if found == span else None
    return None
