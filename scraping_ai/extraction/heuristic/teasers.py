"""What a page shows of other pages: teasers, each below a heading that leads to what it is of."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree

from scraping_ai.extraction.heuristic.view import View

LEVELS = 8  # around an element
MAX_BELOW = 12  # elements of a heading in which its link stands
REACH = 40  # elements of a teaser among which its heading stands
_TEASERS = ("article", "li")
_HEADINGS = frozenset(("h2", "h3", "h4", "h5", "h6"))
# Addresses of people: what a forum's posters are called may be a heading too.
PROFILE = re.compile(
    r"/(?:authors?|autor(?:en|es)?|auteurs?|by|writers?|contributors?|columnists?|staff|redaktion|team|people|profiles?|"
    r"users?|u|members?|user-\w+)/[^/?#]|[?&;](?:author|u|uid|mode=viewprofile|action=profile)[=;&]"
)


def is_in_teaser(view: View, node: etree._Element) -> bool:
    """Whether an element stands in a teaser rather than in what the page's heading is over."""
    if view.heading is None:
        return False
    for holder in islice(node.iterancestors(), LEVELS):
        if holder in view.around_heading:
            return False
        if holder.tag in _TEASERS:
            return any(n.tag in _HEADINGS and is_linked(n) for n in islice(holder.iter(etree.Element), REACH))
    return False


def is_linked(heading: etree._Element) -> bool:
    """Whether a heading leads to a page of its own; a forum's posts link to themselves, and to their posters."""
    around = [*islice(heading.iter(), MAX_BELOW), *islice(heading.iterancestors(), 1)]
    links = (href for a in around if a.tag == "a" and (href := a.get("href")))
    return any("#" not in href and not PROFILE.search(href) for href in links)
