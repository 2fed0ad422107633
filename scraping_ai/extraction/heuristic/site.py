"""The names that a site goes by on its pages, and titles without them."""

from __future__ import annotations

import re
from itertools import islice, pairwise
from urllib.parse import urlsplit

from lxml import etree

from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.document import absolute
from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.heuristic.words import HOME
from scraping_ai.extraction.structured.entity import Entity

_SEPARATOR = re.compile(r"\s+[|\-–—·•:»«/~]+\s+|\s*[｜|]\s*|\s+::\s+|(?<=\w)[-–—]\s+(?=[^-–—]{3,40}\Z)")
_FEED = re.compile(r"\s*[»|–—-]\s.*|\s+(?:rss|atom|feed)\b.*", re.I | re.S)
_FEED_TYPES = ("application/rss+xml", "application/atom+xml")
_META_NAMES = ("og:site_name", "application-name")
_DEEP = re.compile(r"/[\w~-](?!.*/\.)")  # never the first page's, as most links: resolving them takes long
REACH = 400  # elements among which a page's logo stands
MAX_NAME = 60  # characters
MAX_TITLE = 500


class Site:
    """What a page calls its site: in meta tags, feeds' titles, links to the first page, and the host."""

    def __init__(self, view: View, head: Entity) -> None:
        self.view = view
        self.hostname, self.path = _split(view.document.url)
        labels = self.hostname.replace("-", "").split(".")[:-1]
        self.host = max((label for label in labels if label != "www"), key=len, default="")
        names = [leaf.text for name in _META_NAMES for leaf in head.leaves(name)]
        self.names = {fold(name) for name in (*names, *self._of_feeds(), *self._of_logos())} - {""}
        headings = [view.text(n) for n in view.nodes if n.tag == "h1"]
        self.headings = {fold(text) for text in headings} - {""}
        title = view.document.title
        last = list(_SEPARATOR.finditer(title))[-1:]
        self.ending = fold(title[last[0].end() :]) if last else ""

    @property
    def is_home(self) -> bool:
        return self.path in ("", "/")

    def _of_feeds(self) -> list[str]:
        links = (n for n in self.view.document.root.iter("link") if n.get("type") in _FEED_TYPES)
        return [_FEED.sub("", (n.get("title") or "")[:MAX_TITLE]) for n in islice(links, 3)]

    def _of_logos(self) -> list[str]:
        """Texts of links to the first page near the top, and of the pictures in them."""
        texts: list[str] = []
        for node in self.view.nodes[:REACH]:
            if node.tag == "a" and self._leads_home(node):
                texts += [self.view.text(node), *(i.get("alt") or "" for i in node.iter("img"))]
        return [text for text in texts[:10] if len(text) <= MAX_NAME and fold(text) not in HOME]

    def _leads_home(self, link: etree._Element) -> bool:
        href = (link.get("href") or "").strip()
        if not href or href[0] in "#?" or len(href) > len(self.hostname) + 20 or _DEEP.match(href):
            return False
        host, path = _split(absolute(self.view.document.base_url, href) or "?")
        return path in ("", "/") and host.removeprefix("www.") == self.hostname.removeprefix("www.")

    def is_home_link(self, node: etree._Element) -> bool:
        """Whether an element's text is a link to the site's first page: a logo."""
        if self.is_home:
            return False
        links = [*islice(node.iter("a"), 3), *(a for a in islice(node.iterancestors(), 2) if a.tag == "a")]
        return any(self._leads_home(link) for link in links)

    def without(self, title: str) -> str:
        """`title` without its part that is the site's name, verbatim inside."""
        if len(title) > MAX_TITLE:
            return title
        cuts = list(_SEPARATOR.finditer(title))
        for cut in cuts:  # a heading that the title starts with is the title
            if fold(title[: cut.start()]) in self.headings and not self.is_name(title[: cut.start()]):
                return title[: cut.start()].strip()
        for cut, following in pairwise(cuts):  # "Title – Site – Slogan"
            if self.is_name(title[cut.end() : following.start()]):
                return title[: cut.start()].strip()
        if cuts and self._ends_in_name(title, cuts[-1]):
            return self.without(title[: cuts[-1].start()].strip())
        if cuts and self.is_name(title[: cuts[0].start()]):
            return title[cuts[0].end() :].strip()
        colon = max(title.rfind(":"), title.rfind("："))
        if colon > 0 and self.is_name(title[colon + 1 :]):
            return title[:colon].strip()
        return title.rstrip(" ¶#")

    def _ends_in_name(self, title: str, cut: re.Match[str]) -> bool:
        rest = title[cut.end() :]
        return self.is_name(rest) or (cut[0].strip() in ("|", "｜") and len(rest.split()) <= 4 and len(title) > 25)

    def is_name(self, text: str) -> bool:
        folded = fold(text)
        squeezed = folded.replace(" ", "")
        if folded in self.names:
            return True
        held = len(self.host) > 3 and self.host in squeezed and len(squeezed) <= len(self.host) + 15
        return held or (len(squeezed) > 3 and squeezed in self.host)

    def is_all_of(self, title: str) -> bool:
        """Whether a title is nothing but the site's name, which fits no page but the first."""
        folded = fold(title)
        return not self.is_home and (self.is_name(title) or (folded == self.ending and folded not in self.names))


def _split(url: str) -> tuple[str, str]:
    """Host and path of a URL; empty where it cannot be read."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", parts.path
    except ValueError:
        return "", ""
