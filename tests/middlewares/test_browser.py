"""The browser rung with a real Chromium: pages as their scripts make them, bounds, and what is refused."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import gzip
import json
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError, DownloadTimeoutError
from scrapy.http import HtmlResponse
from servers.browser import Rig, browsers, needs_browser, processes
from servers.site import Hit, Resource, Site

from scraping_ai.extraction import Extractor
from scraping_ai.middlewares.guard.guard import GuardError
from scraping_ai.schema import read_schema

pytestmark = [needs_browser, pytest.mark.slow, pytest.mark.xdist_group("browser")]

WORDS = "The kettle holds a litre and a half and boils in four minutes."
PRODUCT = {"name": "Kettle K2 </script><b>", "price": "39.90", "currency": "EUR", "sku": "K2-15"}
SHOP = """<!doctype html><title>Kettle K2</title><div id=root></div><img src=/photo.png>
<link rel=stylesheet href=/style.css><script src=/app.js></script><script src="/ga.js"></script>"""
APP = f"""fetch('/api/product').then(r => r.json()).then(d => {{
  root.innerHTML = '<h1></h1><p>{WORDS}</p>'; root.firstChild.textContent = d.name }})"""


def js(script: str, text: str = WORDS) -> str:
    return f"<!doctype html><title>t</title><p id=p>{text}</p><script>{script}</script>"


def looped(hit: Hit) -> Resource:
    if "seen=1" in hit.headers.get("cookie", ""):
        return Resource(js(""))
    return Resource("<script>document.cookie = 'seen=1'; location.reload()</script>", 403)


LIST = """<!doctype html><ul id=l></ul><button id=b onclick="more()">Load more</button><script>
let n = 0; function more() { for (let i = 0; i < 5; i++) l.insertAdjacentHTML("beforeend",
  `<li>item ${n++} of a list</li>`) }
more()</script>"""
ENDLESS = """<!doctype html><div id=l style="min-height: 3000px"></div><script>
let n = 0; function more() { for (let i = 0; i < 5; i++) l.insertAdjacentHTML("beforeend",
  `<p style="height: 600px">item ${n++} of a list</p>`) }
more(); addEventListener("scroll", more)</script>"""
PAGES = {
    "/": Resource(SHOP, headers={"Cache-Control": "no-store", "X-Shop": "1", "Set-Cookie": "one=1"}),
    "/app.js": APP,
    "/style.css": "p { color: red }",
    "/api/product": Resource(json.dumps(PRODUCT), headers={"Content-Type": "application/json"}),
    "/moved": Resource("", 301, {"Location": "/there?a=b", "Set-Cookie": "moved=1"}),
    "/there": js(""),
    "/assign": js("location.href = '/there'"),
    "/refresh": '<meta http-equiv="refresh" content="0; url=/there"><p>moved',
    "/post": js("const f = document.createElement('form'); f.method = 'post'; f.action = '/there';"
                "document.body.append(f); f.submit()"),
    "/reload": looped,
    "/reload-always": js("location.reload()"),
    "/packed": Resource(gzip.compress(f"<p>{WORDS}".encode()), headers={"Content-Encoding": "gzip"}),
    "/bomb": Resource(gzip.compress(b"<p>" + b"0" * 3_000_000), headers={"Content-Encoding": "gzip"}),
    "/grows": js("for (let i = 0; i < 3; i++) p.append('0'.repeat(1e6))"),
    "/paper.pdf": Resource(b"%PDF-1.4 paper", headers={"Content-Type": "application/pdf"}),
    "/attached": Resource("<p>a", headers={"Content-Disposition": "attachment; filename=a.html"}),
    "/nothing": Resource("", 204),
    "/gone": Resource(f"<h1>Not here</h1><p>{WORDS}", 404),
    "/loop": "<p>a</p><script>for (;;);</script>",
    "/late": js("setTimeout(() => { p.textContent = 'now it is there: ' + document.title + ', the text' }, 1500)", ""),
    "/busy": js("setInterval(() => fetch('/hang'), 100)"),
    "/hang": Resource("", delay=20),
    "/asks": js("alert('a'); confirm('b'); p.textContent += prompt('c'); window.onbeforeunload = () => 'no';"
                "p.textContent += ' ' + (window.open('/there') === null);"
                "navigator.geolocation.getCurrentPosition(() => 0, e => p.textContent += ' ' + e.code)"),
    "/worker": js("navigator.serviceWorker.register('/sw.js')"),
    "/sw.js": "",
    "/local": js("location.href = 'file:///etc/passwd'; location.href = 'chrome://version'; location.href = 'data:,x'"),
    "/list": LIST,
    "/endless": ENDLESS,
    "/agent": js("p.textContent = navigator.userAgent + ' of the browser that we are'"),
    "/jsons": js("for (let i = 0; i < 40; i++) fetch('/j?' + i);"),
    "/j": Resource(json.dumps(["x" * 1000]), headers={"Content-Type": "application/json"}),
    "/big-json": js("fetch('/big').then(r => r.text())"),
    "/big": Resource(json.dumps(["x" * 3_000_000]), headers={"Content-Type": "application/json"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site(PAGES, host="127.0.0.2") as site:
        yield site


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    with Rig(USER_AGENT="Ours/1.0 (test)") as rig:
        yield rig
    assert processes() == []


def test_a_page_is_what_its_scripts_make_of_it(site: Site, rig: Rig) -> None:
    response = rig.get(site.url())
    assert isinstance(response, HtmlResponse)
    assert (response.status, response.headers["X-Shop"], response.headers["Set-Cookie"]) == (200, b"1", b"one=1")
    assert response.css("h1::text").get() == PRODUCT["name"]
    assert response.meta["raw_body"] == SHOP.encode()
    assert response.meta["download_latency"] > 0
    asked = [hit for hit in site.hits if hit.path in ("/", "/app.js", "/api/product")]
    assert {hit.headers["user-agent"] for hit in asked} == {"Ours/1.0 (test)"}
    assert "/photo.png" not in site.paths
    assert "/favicon.ico" not in site.paths
    assert "/style.css" in site.paths


def test_json_that_scripts_fetch_is_part_of_the_page(site: Site, rig: Rig) -> None:
    response = rig.get(site.url())
    (captured,) = response.meta["captured"]
    assert (captured["url"], json.loads(captured["body"])) == (site.url("/api/product"), PRODUCT)
    (script,) = response.css("script[data-captured-from]")
    assert json.loads(script.css("::text").get()) == PRODUCT
    found = Extractor(read_schema("sku, price:number")).extract(response.body, response.url)
    assert found.records == [{"sku": "K2-15", "price": 39.9}]


def test_captured_json_is_bounded(site: Site, rig: Rig) -> None:
    assert len(rig.get(site.url("/jsons")).meta["captured"]) == 20
    assert "captured" not in rig.get(site.url("/big-json")).meta


@pytest.mark.parametrize(("path", "status"), [("/moved", 301), ("/assign", 302), ("/refresh", 302)])
def test_where_a_page_leads_is_handed_back(site: Site, rig: Rig, path: str, status: int) -> None:
    before = len(site.hits)
    response = rig.get(site.url(path))
    assert response.status == status
    assert response.headers["Location"].decode().startswith(site.url("/there"))
    assert site.paths[before:] == [path]
    assert response.headers.getlist("Set-Cookie") == ([b"moved=1"] if status == 301 else [])
    assert "raw_body" not in response.meta


def test_a_form_that_sends_itself_is_not_sent(site: Site, rig: Rig) -> None:
    assert WORDS in rig.get(site.url("/post")).text
    assert not [hit for hit in site.hits if hit.method == "POST"]


def test_a_page_may_load_itself_anew_but_not_for_ever(site: Site, rig: Rig) -> None:
    response = rig.get(site.url("/reload"))
    assert (response.status, WORDS in response.text) == (200, True)
    rig.get(site.url("/reload-always"))
    assert site.paths.count("/reload-always") == 3


def test_a_page_may_load_itself_anew_while_it_is_read(site: Site, rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as it may at all, each time right before it is asked for something."""
    from playwright.async_api import CDPSession, Error

    send, reloads = CDPSession.send, [1, 2]

    async def unlucky(self: CDPSession, method: str, params: Any = None) -> Any:
        if method == "Runtime.evaluate" and reloads:
            reloads.pop()
            await send(self, method, {"expression": "location.reload()"})
            with contextlib.suppress(Error):
                while await send(self, method, {**params, "expression": "1"}):  # until its world is gone
                    await asyncio.sleep(0.01)
        return await send(self, method, params)

    monkeypatch.setattr(CDPSession, "send", unlucky)
    response = rig.get(site.url("/there"))
    assert (response.status, WORDS in response.text, reloads) == (200, True, [])


def test_what_is_no_html_comes_as_over_http(site: Site, rig: Rig) -> None:
    assert rig.get(site.url("/paper.pdf")).body == b"%PDF-1.4 paper"
    assert rig.get(site.url("/nothing")).status == 204
    gone = rig.get(site.url("/gone"))
    assert (gone.status, gone.css("h1::text").get()) == (404, "Not here")


def test_a_document_is_unpacked_once(site: Site, rig: Rig) -> None:
    response = rig.get(site.url("/packed"))
    assert WORDS in response.text
    assert response.meta["raw_body"].startswith(b"<p>")
    assert b"Content-Encoding" not in response.headers


@pytest.mark.parametrize("path", ["/bomb", "/grows"])
def test_documents_and_pages_are_bounded(site: Site, rig: Rig, path: str) -> None:
    with pytest.raises(DownloadCancelledError, match="larger than"):
        rig.get(site.url(path))


def test_content_is_waited_for(site: Site, rig: Rig) -> None:
    assert "now it is there" in rig.get(site.url("/late")).text
    assert WORDS in rig.get(site.url("/busy")).text


def test_a_page_that_hangs_is_given_up(site: Site, rig: Rig) -> None:
    with pytest.raises(DownloadTimeoutError):
        rig.get(site.url("/loop"), meta={"download_timeout": 2.0})
    assert rig.get(site.url("/gone")).status == 404


def test_a_page_can_be_given_up_by_who_asks(site: Site, rig: Rig) -> None:
    async def cancelled() -> None:
        task = asyncio.ensure_future(rig.fetch(site.url("/late")))
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    rig.runner.run(cancelled())
    browser = rig.handler.pool._current
    assert [context.pages for context in browser._browser.contexts if context.pages] == []


def test_nothing_is_asked_or_opened(site: Site, rig: Rig) -> None:
    before = len(site.hits)
    text = rig.get(site.url("/asks")).css("p::text").get() or ""
    assert text.removeprefix(WORDS).split() == ["null", "true", "1"]
    assert WORDS in rig.get(site.url("/worker")).text
    assert WORDS in rig.get(site.url("/local")).text
    assert not {"/sw.js", "/there"} & set(site.paths[before:])


def test_private_addresses_are_refused(rig: Rig) -> None:
    with pytest.raises(GuardError, match="not a public address"):
        rig.get("http://10.0.0.1/")


def test_a_host_that_refuses_is_a_failed_download(rig: Rig) -> None:
    with Site({}, host="127.0.0.3") as site:
        url = site.url()
    with contextlib.suppress(DownloadFailedError):
        assert rig.get(url).status == 502


def test_cookies_are_the_crawls_own(site: Site, rig: Rig) -> None:
    rig.get(site.url("/reload"))
    rig.get(site.url("/there"), headers={"Cookie": "mine=1; other=2"})
    assert site.hits[-1].headers["cookie"] == "mine=1; other=2"
    rig.get(site.url("/there"))
    assert "cookie" not in site.hits[-1].headers


def test_a_crashed_browser_is_started_anew_and_its_pages_tried_once_more(site: Site, rig: Rig) -> None:
    async def crashed() -> list[object]:
        fetches = [asyncio.ensure_future(rig.fetch(site.url("/late"))) for _ in range(3)]
        before = site.paths.count("/late")
        while site.paths.count("/late") < before + 3:
            await asyncio.sleep(0.02)
        os.kill(rig.handler.pool._current._pid, signal.SIGKILL)
        return await asyncio.gather(*fetches)

    starts = rig.handler.pool.starts
    responses = rig.runner.run(crashed())
    assert all("now it is there" in response.text for response in responses)  # type: ignore[attr-defined]
    assert rig.handler.pool.starts == starts + 1


def test_a_driver_that_ends_is_noticed(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    with Rig() as rig:
        rig.get(site.url("/gone"))
        os.kill(rig.handler.pool._current._driver, signal.SIGKILL)
        assert rig.get(site.url("/gone")).status == 404
    gc.collect()  # what asyncio has to say of errors that nobody looked at
    assert "Traceback" not in caplog.text
    assert "never retrieved" not in caplog.text


def test_lists_are_unfolded(site: Site) -> None:
    before = browsers()
    with Rig(BROWSER_SCROLLS=3, BROWSER_CONTEXTS=2, BROWSER_CONTEXT_PAGES=1) as rig:
        assert len(rig.get(site.url("/list")).css("li")) == 20
        assert len(rig.get(site.url("/endless")).css("p")) > 15
        assert rig.handler.pool._current._free == []  # each context had its one page
    assert browsers() == before
