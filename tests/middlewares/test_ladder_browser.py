"""The ladder with a real browser: HTTP first, then straight to the browser, and down again when a site serves HTML."""

from __future__ import annotations

from itertools import count

import pytest
from servers.browser import needs_browser
from servers.shell import FAST, scrapy
from servers.site import Hit, Site

pytestmark = [needs_browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]

SHOWN = "<h1>Kettle</h1><p class=price>Price: $19.90</p><p>In stock.</p>"
SHELL = f"""<!doctype html><title>Kettle</title><noscript>You need to enable JavaScript to run this app.</noscript>
<div id=root></div><script>setTimeout(() => {{ root.innerHTML = "{SHOWN}" }}, 50)</script>"""
HTML = f"<!doctype html><title>Kettle</title><div id=root>{SHOWN}</div>"


def test_the_ladder_is_climbed_once_a_host_and_come_down_again() -> None:
    served = count()

    def page(hit: Hit) -> str:
        return SHELL if next(served) < 4 else HTML  # /0 twice, /1 and /2 need their scripts

    pages = {f"/{n}": page for n in range(8)}
    with Site(pages) as site:
        wanted = ("--fields", "title, price:number", "-s", "CONCURRENT_REQUESTS=1", "-s", "FRONTIER_AT_ONCE=1")
        run = scrapy("extract", *FAST, *map(site.url, pages), *wanted, timeout=120)
        asked = ["browser" if "sec-fetch-mode" in hit.headers else "http" for hit in site.hits if hit.path in pages]
    records = sorted(run.records, key=lambda record: record["_url"])
    assert records == [{"title": "Kettle", "price": 19.9, "_url": site.url(path)} for path in pages]
    assert asked[:4] == ["http", "browser", "browser", "browser"]
    assert asked[-1] == "http"
    assert "pages by rung: browser " in run.err
