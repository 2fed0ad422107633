"""The links of a page, as one batch of addresses."""

from __future__ import annotations

import re
from typing import Any, cast
from urllib.parse import urljoin

from lxml.etree import XPath

MAX_LINKS = 20_000  # a page; more is a trap or a sitemap

PLAIN_PATH = re.compile(r"/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*/?)*\Z")  # most links; joining takes long

HREFS = XPath("//a/@href | //area/@href", smart_strings=False)  # none that holds on to its page
BASE = XPath("string(//base/@href)")


def links(root: Any, url: str) -> list[str]:
    """Absolute addresses of the page's links in page order, each spelling once, fragments gone.

    `root` is the page's lxml tree, `url` its address.
    """
    base = joined(url, cast(str, BASE(root))) or url
    origin = "/".join(base.split("/", 3)[:3])
    hrefs = dict.fromkeys(cast(list[str], HREFS(root))[:MAX_LINKS])
    found = [origin + href if PLAIN_PATH.match(href) else joined(base, href) for href in hrefs]
    return list(dict.fromkeys([link for link in found if link.startswith(("http://", "https://"))]))


def joined(base: str, href: str) -> str:
    """The absolute form of a reference, "" for one that is broken."""
    try:
        return urljoin(base, href.strip()).partition("#")[0]
    except ValueError:
        return ""
