"""The card of a page's thing: the element that holds its lists, such as ingredients and steps in an article."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import fold, named
from scraping_ai.extraction.document import Anchor
from scraping_ai.extraction.heuristic.marks import Marks
from scraping_ai.extraction.heuristic.sections import Sections
from scraping_ai.extraction.heuristic.view import View

CONFIDENCE = 0.93  # above what head and headings agree on: they name the page, the card names the thing
MAX_TITLE = 150  # characters
CLIMB = 4  # elements around the lists that may still be the card
_HEADINGS = ("h1", "h2", "h3", "h4")


def find(sections: Sections, names: list[str]) -> etree._Element | None:
    """The lowest element around the likeliest part of each of several lists; None when fewer than two are there."""
    parts = [found[0] for name in names if (found := sections.of(name))]
    if len(parts) < 2:
        return None
    shared: list[etree._Element] = []
    for part in parts:
        around = [part.roots[0], *part.roots[0].iterancestors()]
        shared = [a for a in shared if a in set(around)] if shared else around
    return next(iter(shared), None)


def titles(view: View, marks: Marks, sections: Sections, names: list[str], card: etree._Element) -> Iterator[Candidate]:
    """The card's own name, when the page's heading stands outside: marked as one, else its first heading."""
    marked = set(marks.of("title"))
    for around in [card, *card.iterancestors()][:CLIMB]:
        inside = view.nodes[view.order[around] : view.end(around)]
        if around.tag in ("body", "main", "html") or view.heading in inside:
            return
        found = [n for n in inside if n in marked] or [n for n in inside if n.tag in _HEADINGS][:1]
        name = next((n for n in found if _names_it(view, n) and not sections.is_heading(n, names)), None)
        if name is not None:
            yield Candidate(view.text(name), Anchor(name), CONFIDENCE, "heuristic")
            return


def _names_it(view: View, node: etree._Element) -> bool:
    """Whether a text shares words with the page's title, and is no label."""
    text = view.text(node)
    if not 0 < len(text) <= MAX_TITLE or text[-1] in ":：" or named(text) is not None:
        return False
    heading = view.text(view.heading) if view.heading is not None else ""
    return not set(fold(text).split()).isdisjoint(fold(f"{view.document.title} {heading}").split())
