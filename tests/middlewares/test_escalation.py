"""Pages climb the ladder on evidence, once a rung at most, on the real scheduler: counts and identity stay right."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy.http import Response
from servers.crawls import Crawled, crawl, run
from servers.faults import BLOCKS, CAPTCHAS, ERRORS, FINE, GONE, LIMITS, LOGINS
from servers.rungs import HEADER, shell
from servers.site import Answer, Hit, Resource, Site

LADDER = "scraping_ai.middlewares.ladder.LadderDownloadHandler"
HTTP = "scraping_ai.middlewares.handlers.HttpDownloadHandler"
SETTINGS: dict[str, Any] = {
    "DOWNLOAD_HANDLERS": {"http": LADDER, "https": LADDER},
    "DOWNLOADER_MIDDLEWARES": {"scraping_ai.middlewares.escalation.Escalation": 560},
    "FETCH_RUNGS": ["http", "browser", "api"],
    "FETCH_HANDLERS": {"http": HTTP, "browser": "servers.rungs.Renderer"},
    "CONCURRENT_REQUESTS": 1,
    "FRONTIER_AT_ONCE": 2,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_TIMEOUT": 10,
    "HTTPERROR_ALLOW_ALL": True,
}
PAGE = "<h1>Kettle</h1><p>$20</p>"


class Shop(scrapy.Spider):
    """Takes pages, and what they link to."""

    name = "shop"
    urls: list[str]
    method = "GET"
    by_lambda = False
    follows = True

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            callback = (lambda response: self.parse(response)) if self.by_lambda else self.parse
            yield scrapy.Request(url, callback, self.method)

    def parse(self, response: Response) -> Iterator[Any]:
        kept = ("rung", "rungs", "verdict", "depth", "retry_times", "raw_body", "rung_filter")
        said = {name: response.meta[name] for name in kept if name in response.meta}
        yield {
            "url": response.url,
            "body": response.body.decode("utf-8", "replace"),
            "filter": not response.request.dont_filter,
        } | said  # type: ignore[union-attr]
        for link in response.css("a::attr(href)").getall() if self.follows else ():  # type: ignore[attr-defined]
            yield response.follow(link)


def shopped(job: Path, *urls: str, given: dict[str, Any] | None = None, **settings: Any) -> Crawled:
    crawled = crawl(Shop, job, {"urls": list(urls)} | (given or {}), **SETTINGS | settings)
    assert crawled.counts.pending == 0
    return crawled


def rungs(site: Site, path: str = "") -> list[str]:
    """By what the pages were asked for."""
    hits = [hit for hit in site.hits if hit.path.startswith(path or "/") and hit.path != "/robots.txt"]
    return ["browser" if HEADER in hit.headers else "http" for hit in hits]


def test_http_is_first_and_the_second_page_goes_straight_to_the_browser(tmp_path: Path) -> None:
    with Site({"/1": shell(PAGE), "/2": shell(PAGE), "/3": shell(PAGE)}) as site:
        crawled = shopped(tmp_path, *(site.url(f"/{n}") for n in (1, 2, 3)))
        assert [rungs(site, f"/{n}") for n in (1, 2, 3)] == [["http", "browser"], ["browser"], ["browser"]]
    assert [item["body"] for item in crawled.items] == [PAGE] * 3
    assert (crawled.counts.added, crawled.counts.stored) == (3, 3)
    assert crawled.stats["scraping_ai/climbed/http to browser"] == 1
    first = crawled.items[0]
    assert (first["rungs"], first["rung"], first["verdict"], first["filter"]) == (["http"], "browser", ["ok", ""], True)
    assert not {"raw_body", "retry_times", "rung_filter"} & first.keys()


def test_a_site_that_begins_to_serve_html_is_fetched_by_http_again(tmp_path: Path) -> None:
    served = iter(range(100))

    def page(hit: Hit) -> str:
        return shell(PAGE) if next(served) < 6 else PAGE

    with Site({"/p": page}) as site:
        shopped(tmp_path, *(site.url(f"/p?{n}") for n in range(20)))
        asked = rungs(site)
    assert asked[:6] == ["http", *["browser"] * 5]
    assert asked[-1] == "http"
    assert asked.index("http", 1) < 14


@pytest.mark.parametrize(
    "fault",
    [*LIMITS.values(), *LOGINS.values(), *GONE.values(), *ERRORS.values(), *FINE.values()],
)
def test_what_is_no_evidence_climbs_nowhere(tmp_path: Path, fault: Any) -> None:
    with Site({"/": fault.resource}) as site:
        crawled = shopped(tmp_path, site.url(), given={"follows": False}, RETRY_TIMES=0)
        assert rungs(site) == ["http"]
    assert [item["verdict"][0] for item in crawled.items] == [fault.kind]


@pytest.mark.parametrize("fault", [BLOCKS["cloudflare"], BLOCKS["own words"], CAPTCHAS["recaptcha"]])
def test_a_block_climbs_once_and_is_reported_at_the_end(tmp_path: Path, fault: Any) -> None:
    with Site({"/": fault.resource}) as site:
        crawled = shopped(tmp_path, site.url())
        assert rungs(site) == ["http", "browser"]
    (item,) = crawled.items
    assert item["verdict"][0] == fault.kind
    assert item["verdict"][1]
    assert item["rungs"] == ["http"]


def test_an_api_is_the_last_rung(tmp_path: Path) -> None:
    with Site({"/": BLOCKS["cloudflare"].resource}) as site, Site({"/": PAGE}, host="127.0.0.2") as api:
        handlers = SETTINGS["FETCH_HANDLERS"] | {"api": "scraping_ai.middlewares.fetch_api.FetchApiHandler"}
        crawled = shopped(tmp_path, site.url(), FETCH_API_URL=api.url("/?u={url}"), FETCH_HANDLERS=handlers)
        assert rungs(site) == ["http", "browser"]
        assert len(api.hits) == 1
    (item,) = crawled.items
    assert (item["body"], item["rung"], item["rungs"]) == (PAGE, "api", ["http", "browser"])
    assert (crawled.counts.added, crawled.counts.stored) == (1, 1)


def test_a_page_that_redirects_to_a_shell_is_had_once(tmp_path: Path) -> None:
    pages: dict[str, Answer | Callable[[Hit], Answer]] = {
        "/old": Resource(status=302, headers={"Location": "/new"}),
        "/new": shell(PAGE + '<a href="/old">old</a><a href="/new">new</a>'),
    }
    with Site(pages) as site:
        crawled = shopped(tmp_path, site.url("/old"))
        assert [hit.path for hit in site.hits] == ["/old", "/new", "/new"]
    assert [item["url"] for item in crawled.items] == [site.url("/new")]
    assert (crawled.counts.added, crawled.counts.stored) == (1, 1)


def test_links_found_on_a_climbed_page_are_one_deeper(tmp_path: Path) -> None:
    with Site({"/": shell('<a href="/a">a</a>'), "/a": shell('<a href="/b">b</a>'), "/b": PAGE}) as site:
        crawled = shopped(tmp_path, site.url())
    assert [item["depth"] for item in crawled.items] == [0, 1, 2]
    assert (crawled.counts.added, crawled.counts.stored) == (3, 3)


def test_a_climbed_page_that_is_tried_again_is_so_where_it_had_come_to(tmp_path: Path) -> None:
    failed: list[Hit] = []

    def page(hit: Hit) -> Answer:
        if HEADER in hit.headers and not failed:
            failed.append(hit)
            return Resource("sorry", 503)
        return shell(PAGE)

    with Site({"/": page}) as site:
        crawled = shopped(tmp_path, site.url())
        assert rungs(site) == ["http", "browser", "browser"]
    (item,) = crawled.items
    assert (item["body"], item["retry_times"], item["rungs"]) == (PAGE, 1, ["http"])
    assert crawled.counts.stored == 1


def test_requests_that_only_the_process_holds_climb_too(tmp_path: Path) -> None:
    with Site({"/": shell(PAGE)}) as site:
        crawled = shopped(tmp_path, site.url(), given={"by_lambda": True})
        assert rungs(site) == ["http", "browser"]
    assert [item["body"] for item in crawled.items] == [PAGE]


def test_it_works_with_scrapys_own_scheduler() -> None:
    with Site({"/1": shell(PAGE), "/2": shell(PAGE)}) as site:
        urls = {"urls": [site.url("/1"), site.url("/1"), site.url("/2")]}
        found: list[Any] = []

        class Own(Shop):
            def parse(self, response: Response) -> Iterator[Any]:
                found.append(response.text)  # type: ignore[attr-defined]
                yield {}

        asyncio.run(run(Own, urls, SETTINGS | {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}))
        assert rungs(site, "/1") == ["http", "browser"]
    assert found == [PAGE] * 2


def test_a_form_that_is_sent_is_not_sent_again(tmp_path: Path) -> None:
    with Site({"/": shell(PAGE)}) as site:
        crawled = shopped(tmp_path, site.url(), given={"method": "POST"})
        assert rungs(site) == ["http"]
    assert crawled.items[0]["verdict"][0] == "js_shell"


@pytest.mark.parametrize(("allowed", "asked"), [(["http"], ["http"]), (["browser"], ["browser"])])
@pytest.mark.parametrize("by_host", [True, False])
def test_rungs_can_be_fixed_and_capped(tmp_path: Path, allowed: list[str], asked: list[str], by_host: bool) -> None:
    setting: dict[str, Any] = {"FETCH_RUNGS_BY_HOST": {"127.0.0.1": allowed}} if by_host else {"FETCH_RUNGS": allowed}
    with Site({"/": shell(PAGE), "/robots.txt": shell("")}) as site:
        shopped(tmp_path, site.url(), **setting)
        assert rungs(site) == asked


def test_a_redirect_to_a_capped_host_is_fetched_as_that_one_may_be(tmp_path: Path) -> None:
    with Site({"/": PAGE}, host="127.0.0.2") as capped, Site({"/1": shell(PAGE)}) as site:
        site.pages["/2"] = Resource(status=302, headers={"Location": capped.url()})
        by_host = {"127.0.0.2": ["http"], "127.0.0.1": ["browser"]}
        shopped(tmp_path, site.url("/1"), site.url("/2"), FETCH_RUNGS_BY_HOST=by_host)
        assert rungs(site) == ["browser", "browser"]
        assert rungs(capped) == ["http"]


def test_robots_txt_is_no_page(tmp_path: Path) -> None:
    middlewares = SETTINGS["DOWNLOADER_MIDDLEWARES"] | {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "scraping_ai.middlewares.robots.RobotsMiddleware": 100,
    }
    with Site({"/robots.txt": shell("x"), "/": PAGE}) as site:
        shopped(tmp_path, site.url(), ROBOTSTXT_OBEY=True, DOWNLOADER_MIDDLEWARES=middlewares)
        assert [hit.path for hit in site.hits] == ["/robots.txt", "/"]


def test_without_a_browser_pages_stay_as_they_are_and_one_line_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    handlers = {"http": HTTP, "browser": "no.such.module.Browser"}
    with Site({"/1": shell(PAGE), "/2": shell(PAGE)}) as site, caplog.at_level(logging.WARNING):
        crawled = shopped(tmp_path, site.url("/1"), site.url("/2"), FETCH_HANDLERS=handlers)
        assert rungs(site) == ["http", "http"]
    assert [item["verdict"][0] for item in crawled.items] == ["js_shell"] * 2
    assert caplog.text.count("browser: No module named 'no'") == 1
    assert crawled.counts.stored == 2


def test_settings_that_name_no_rung_are_one_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SystemExit) as ended:
        shopped(tmp_path, "http://127.0.0.1:9/", FETCH_RUNGS=["helicopter"])
    assert ended.value.code == 2
    assert "FETCH_RUNGS: ['helicopter'] names no rungs" in caplog.text
