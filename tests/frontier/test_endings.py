"""How pages end, over real crawls of a real site with SCHEDULER alone set: each with its reason, and the sum right."""

from __future__ import annotations

import asyncio
import gc
import re
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
import scrapy
from scrapy import signals
from scrapy.exceptions import CloseSpider, DropItem, IgnoreRequest
from scrapy.http import Response
from servers.crawls import Crawled, crawl
from servers.site import Resource, Site

from scraping_ai.frontier.sqlite import SqliteFrontier


class Plain(scrapy.Spider):
    """Takes one page after another, an item each."""

    name = "plain"
    urls: list[str]

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield scrapy.Request(url)

    def parse(self, response: Response) -> Any:
        yield {"url": response.url}


@pytest.fixture
def site() -> Iterator[Site]:
    pages = {
        "/": "home",
        "/moved": Resource(status=302, headers={"Location": "/"}),
        "/moved-too": Resource(status=302, headers={"Location": "/"}),
        "/abroad": Resource(status=302, headers={"Location": "http://localhost:1/"}),
        "/loop": Resource(status=302, headers={"Location": "/loop?again"}),
        "/broken": Resource("sorry", 503),
        "/gone": Resource("gone", 410),
    }
    with Site(pages) as site:
        yield site


def outcome(crawled: Crawled, url: str) -> tuple[str, str | None, int | None]:
    assert crawled.counts.pending == 0
    return crawled.ending(url)


def run(spider: type[scrapy.Spider], job: Path, *urls: str, **settings: Any) -> Crawled:
    return crawl(spider, job, {"urls": list(urls)}, **settings)


def test_a_page_is_stored(site: Site, tmp_path: Path) -> None:
    crawled = run(Plain, tmp_path, site.url("/"), site.url("/#again"))
    assert outcome(crawled, site.url("/")) == ("stored", None, 200)
    assert (crawled.counts.added, crawled.counts.stored, len(crawled.items)) == (1, 1, 1)
    assert crawled.stats["finish_reason"] == "finished"


def test_a_redirect_ends_as_the_page_that_it_leads_to(site: Site, tmp_path: Path) -> None:
    crawled = run(Plain, tmp_path, site.url("/moved"))
    assert outcome(crawled, site.url("/moved")) == ("stored", None, 200)
    assert crawled.items == [{"url": site.url("/")}]


def test_a_redirect_to_a_page_already_had_is_skipped(site: Site, tmp_path: Path) -> None:
    run(Plain, tmp_path, site.url("/"))
    crawled = run(Plain, tmp_path, site.url("/"), site.url("/moved"), site.url("/moved-too"))
    for path in ("/moved", "/moved-too"):
        assert outcome(crawled, site.url(path)) == ("skipped", f"redirected to a known page: {site.url('/')}", None)


def test_a_redirect_to_another_site_is_skipped(site: Site, tmp_path: Path) -> None:
    class AtHome(Plain):
        allowed_domains = ("127.0.0.1",)

    crawled = run(AtHome, tmp_path, site.url("/abroad"))
    assert outcome(crawled, site.url("/abroad")) == ("skipped", "not followed: http://localhost:1/", None)


def test_endless_redirects_are_skipped(site: Site, tmp_path: Path) -> None:
    crawled = run(Plain, tmp_path, site.url("/loop"), REDIRECT_MAX_TIMES=3)
    assert outcome(crawled, site.url("/loop")) == ("skipped", "max redirections reached", None)


def test_a_retry_waits_in_the_frontier_and_succeeds(tmp_path: Path) -> None:
    answers = iter([Resource("no", 503), Resource("no", 503), Resource("yes")])
    with Site({"/": lambda hit: next(answers)}) as site:
        crawled = run(Plain, tmp_path, site.url("/"))
        assert outcome(crawled, site.url("/")) == ("stored", None, 200)
        assert len(site.hits) == 3


def test_a_page_that_always_fails_is_a_dead_letter(site: Site, tmp_path: Path) -> None:
    crawled = run(Plain, tmp_path, site.url("/broken"))
    assert outcome(crawled, site.url("/broken")) == ("dead", "HTTP 503 Service Unavailable", 503)
    assert len(site.hits) == 3


def test_a_retry_after_a_redirect_begins_at_its_start(tmp_path: Path) -> None:
    answers = iter([Resource("no", 503), Resource("yes")])
    pages = {"/": Resource(status=302, headers={"Location": "/there"}), "/there": lambda hit: next(answers)}
    with Site(pages) as site:
        crawled = run(Plain, tmp_path, site.url("/"))
        assert outcome(crawled, site.url("/")) == ("stored", None, 200)
        assert site.paths == ["/", "/there", "/", "/there"]


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/gone", 410)])
def test_a_page_that_is_not_there_is_skipped(site: Site, tmp_path: Path, path: str, status: int) -> None:
    kind, reason, seen = outcome(run(Plain, tmp_path, site.url(path)), site.url(path))
    assert (kind, seen) == ("skipped", status)
    assert reason is not None
    assert reason.startswith(f"HTTP {status}")


def test_an_error_page_that_a_callback_asked_for_is_stored(site: Site, tmp_path: Path) -> None:
    class Asking(Plain):
        handle_httpstatus_list = (404,)

    crawled = run(Asking, tmp_path, site.url("/nowhere"))
    assert outcome(crawled, site.url("/nowhere")) == ("stored", None, 404)


class Middleware:
    """Does what a page's query says at the hook that it says: `?request=ignore`."""

    def _do(self, hook: str, request: scrapy.Request) -> None:
        match request.url.partition("?")[2].partition("="):
            case (name, _, "ignore") if name == hook:
                raise IgnoreRequest("not today")
            case (name, _, "error") if name == hook:
                raise ValueError("a bug")

    def process_request(self, request: scrapy.Request) -> None:
        self._do("request", request)

    def process_response(self, request: scrapy.Request, response: Response) -> Response:
        self._do("response", request)
        return response

    def process_exception(self, request: scrapy.Request, exception: Exception) -> None:
        self._do("exception", request)


@pytest.mark.parametrize("errback", [None, "failed"])
@pytest.mark.parametrize("hook", ["request", "response", "exception"])
@pytest.mark.parametrize(
    ("what", "expected"), [("ignore", ("skipped", "not today", None)), ("error", ("dead", "ValueError: a bug", None))]
)
def test_what_a_downloader_middleware_refuses_or_breaks(
    site: Site, tmp_path: Path, hook: str, what: str, expected: Any, errback: str | None
) -> None:
    class Handled(Plain):
        async def start(self) -> AsyncIterator[Any]:
            for url in self.urls:
                yield scrapy.Request(url, errback=getattr(self, errback) if errback else None)

        def failed(self, failure: Any) -> None:
            self.crawler.stats.inc_value("errbacks")

    url = site.url(f"/?{hook}={what}") if hook != "exception" else f"http://127.0.0.1:{closed_port()}/?{hook}={what}"
    crawled = run(Handled, tmp_path, url, DOWNLOADER_MIDDLEWARES={Middleware: 600}, RETRY_ENABLED=False)
    assert outcome(crawled, url) == expected
    assert crawled.stats.get("errbacks", 0) == (1 if errback else 0)


def closed_port() -> int:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port: int = unused.getsockname()[1]
        return port


def test_a_refused_connection_is_tried_again_and_then_dead(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{closed_port()}/"
    kind, reason, status = outcome(run(Plain, tmp_path, url), url)
    assert (kind, reason, status) == ("dead", "connection refused", None)


def test_a_name_that_is_no_host_is_dead(tmp_path: Path) -> None:
    url = "http://nowhere.invalid/"
    kind, reason, _ = outcome(run(Plain, tmp_path, url, RETRY_ENABLED=False), url)
    assert (kind, reason) == ("dead", "host not found")


def test_broken_connections_are_told_in_short_words(site: Site, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=hang_up, args=(server,), daemon=True).start()
        lost = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert outcome(run(Plain, tmp_path, lost, RETRY_ENABLED=False), lost) == ("dead", "connection lost", None)
    plain = site.url("/").replace("http:", "https:")
    _, reason, _ = outcome(run(Plain, tmp_path, plain, RETRY_ENABLED=False), plain)
    assert re.fullmatch(r"no secure connection: [a-z ]+", reason or "")


def hang_up(server: socket.socket) -> None:
    """Read a request, and close its connection."""
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)


@pytest.mark.parametrize(
    "middleware",
    ["scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware", "scraping_ai.middlewares.robots.RobotsMiddleware"],
)
def test_what_robots_txt_refuses_is_skipped(tmp_path: Path, middleware: str) -> None:
    theirs = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
    with Site({"/robots.txt": "User-agent: *\nDisallow: /private", "/private": "secret"}) as site:
        given = {"ROBOTSTXT_OBEY": True, "DOWNLOADER_MIDDLEWARES": {theirs: None} | {middleware: 100}}
        crawled = run(Plain, tmp_path, site.url("/private"), **given)
        kind, reason, _ = outcome(crawled, site.url("/private"))
        assert (kind, site.paths) == ("skipped", ["/robots.txt"])
        assert reason is not None
        assert "robots.txt" in reason


class SpiderMiddleware:
    """Breaks on the way to callbacks, or on the way back."""

    def process_spider_input(self, response: Response) -> None:
        if "?input=ignore" in response.url:
            raise IgnoreRequest("not today")
        if "?input" in response.url:
            raise ValueError("a bug")

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for item in result:
            if "?output" in response.url:
                raise ValueError("a bug")
            yield item


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("input=ignore", ("skipped", "not today", 200)),
        ("input", ("dead", "callback failed: ValueError: a bug", 200)),
        ("output", ("dead", "callback failed: ValueError: a bug", 200)),
    ],
)
def test_what_a_spider_middleware_refuses_or_breaks(site: Site, tmp_path: Path, query: str, expected: Any) -> None:
    crawled = run(Plain, tmp_path, site.url(f"/?{query}"), SPIDER_MIDDLEWARES={SpiderMiddleware: 500})
    assert outcome(crawled, site.url(f"/?{query}")) == expected


def test_an_error_in_a_callback_is_dead_and_what_it_had_found_is_kept(site: Site, tmp_path: Path) -> None:
    class Broken(Plain):
        def parse(self, response: Response) -> Any:
            if "?" not in response.url:
                yield scrapy.Request(response.url + "?more")
                raise KeyError("title")
            yield {"url": response.url}

    crawled = run(Broken, tmp_path, site.url("/"))
    assert outcome(crawled, site.url("/")) == ("dead", "callback failed: KeyError: 'title'", 200)
    assert outcome(crawled, site.url("/?more")) == ("stored", None, 200)


def test_an_error_in_an_errback_is_dead(tmp_path: Path) -> None:
    class Broken(Plain):
        async def start(self) -> AsyncIterator[Any]:
            yield scrapy.Request(self.urls[0], errback=self.failed)

        async def failed(self, failure: Any) -> None:
            raise KeyError("title")

    url = f"http://127.0.0.1:{closed_port()}/"
    crawled = run(Broken, tmp_path, url, RETRY_ENABLED=False)
    assert outcome(crawled, url) == ("dead", "callback failed: KeyError: 'title'", None)


def test_a_callback_may_close_the_spider_and_the_rest_is_kept_for_the_next_start(site: Site, tmp_path: Path) -> None:
    class Enough(Plain):
        def parse(self, response: Response) -> Any:
            yield {"url": response.url}
            raise CloseSpider("enough")

    urls = [site.url(f"/?{n}") for n in range(9)]
    crawled = run(Enough, tmp_path, *urls, CONCURRENT_REQUESTS=1, FRONTIER_AT_ONCE=1)
    assert crawled.stats["finish_reason"] == "enough"
    assert 0 < crawled.counts.stored == len(crawled.items) < 9
    again = run(Plain, tmp_path, *urls)
    assert (again.counts.added, again.counts.stored, again.counts.pending) == (9, 9, 0)
    assert len(crawled.items) + len(again.items) == 9


class Pipeline:
    """Fails or drops what a page's query says."""

    failures = 0

    def process_item(self, item: Any) -> Any:
        if "?drop" in item["url"]:
            raise DropItem("not wanted")
        if "?fail" in item["url"]:
            raise OSError("disk full")
        if "?once" in item["url"] and not Pipeline.failures:
            Pipeline.failures += 1
            raise OSError("disk full")
        return item


def test_a_dropped_item_does_not_count_against_its_page(site: Site, tmp_path: Path) -> None:
    crawled = run(Plain, tmp_path, site.url("/?drop"), ITEM_PIPELINES={Pipeline: 1})
    assert outcome(crawled, site.url("/?drop")) == ("stored", None, 200)


def test_a_pipeline_that_fails_makes_its_page_a_retry_and_then_dead(site: Site, tmp_path: Path) -> None:
    crawled = run(Plain, tmp_path, site.url("/?fail"), ITEM_PIPELINES={Pipeline: 1})
    assert outcome(crawled, site.url("/?fail")) == ("dead", "pipeline failed: OSError: disk full", 200)
    assert len(site.hits) == 3
    Pipeline.failures = 0
    crawled = run(Plain, tmp_path, site.url("/?once"), ITEM_PIPELINES={Pipeline: 1})
    assert outcome(crawled, site.url("/?once")) == ("stored", None, 200)
    assert len(crawled.items) == 1


class Slow:
    """Takes its time, and notes how many items it has at once."""

    running = most = 0

    async def process_item(self, item: Any) -> Any:
        Slow.running += 1
        Slow.most = max(Slow.most, Slow.running)
        await asyncio.sleep(0.02)
        Slow.running -= 1
        return item


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(("items", "at_once"), [(0, 0), (1, 1), (2, 2), (9, 3)])
def test_items_of_a_page_are_processed_as_many_at_once_as_set(
    site: Site, tmp_path: Path, items: int, at_once: int, is_async: bool
) -> None:
    class Many(Plain):
        def parse(self, response: Response) -> Any:
            yield None
            yield from ({"n": n} for n in range(items))
            yield scrapy.Request(response.url + "?more", self.last)

        def last(self, response: Response) -> None:
            return None

    class ManyAsync(Many):
        async def parse(self, response: Response) -> Any:
            for one in super().parse(response):
                yield one

    Slow.most = 0
    kind = ManyAsync if is_async else Many
    crawled = run(kind, tmp_path, site.url("/"), ITEM_PIPELINES={Slow: 1}, CONCURRENT_ITEMS=3)
    assert [item["n"] for item in crawled.items] == list(range(items))
    assert (Slow.most, crawled.counts.stored) == (at_once, 2)


def test_meta_that_a_spider_copies_or_keeps_ends_no_other_page(site: Site, tmp_path: Path) -> None:
    class Copying(Plain):
        kept: Any = None

        def parse(self, response: Response) -> Any:
            if "?" not in response.url:
                self.kept = response.meta
                yield scrapy.Request(response.url + "?1", meta=response.meta)
                yield response.request.replace(url=response.url + "?2")
                yield response.request.replace(dont_filter=True, callback=self.again)
            elif response.url.endswith("?2"):
                yield scrapy.Request(response.url + "3", meta=self.kept)
            yield {"url": response.url}

        def again(self, response: Response) -> Any:
            yield {"again": response.url}

    crawled = run(Copying, tmp_path, site.url("/"))
    assert (crawled.counts.added, crawled.counts.stored, len(crawled.items)) == (5, 5, 5)


def test_a_callback_may_download_other_pages_and_its_own_again(site: Site, tmp_path: Path) -> None:
    class Downloading(Plain):
        async def parse(self, response: Response) -> Any:
            for request in (scrapy.Request(site.url("/moved")), scrapy.Request(site.url("/nowhere")), response.request):
                other = await self.crawler.engine.download_async(request)
                yield {"url": other.url, "status": other.status}
            yield scrapy.Request(response.url + "?more", self.last)

        async def last(self, response: Response) -> None:
            return None

    crawled = run(Downloading, tmp_path, site.url("/"))
    assert [item["status"] for item in crawled.items] == [200, 404, 200]
    assert (crawled.counts.added, crawled.counts.stored, crawled.counts.pending) == (2, 2, 0)


def test_an_errback_may_be_async_and_what_it_yields_is_taken(site: Site, tmp_path: Path) -> None:
    class Rescuing(Plain):
        async def start(self) -> AsyncIterator[Any]:
            yield scrapy.Request(self.urls[0], errback=self.rescue)

        async def rescue(self, failure: Any) -> AsyncIterator[Any]:
            yield {"url": "rescued"}
            yield scrapy.Request(site.url("/"))

    crawled = run(Rescuing, tmp_path, site.url("/nowhere"))
    assert outcome(crawled, site.url("/nowhere"))[:2] == ("stored", None)
    assert outcome(crawled, site.url("/")) == ("stored", None, 200)


def test_what_is_not_to_be_filtered_is_fetched_each_time(site: Site, tmp_path: Path) -> None:
    class Repeating(Plain):
        async def start(self) -> AsyncIterator[Any]:
            yield {"url": "an item of start"}
            for _ in range(2):
                yield scrapy.Request(self.urls[0], dont_filter=True)

        def parse(self, response: Response, times: int = 0) -> Any:
            if times < 2:
                yield scrapy.Request(response.url, dont_filter=True, cb_kwargs={"times": times + 1}, meta=response.meta)

    crawled = run(Repeating, tmp_path, site.url("/"))
    assert (crawled.counts.stored, len(site.hits)) == (6, 6)
    again = run(Repeating, tmp_path, site.url("/"))
    assert (again.counts.stored, len(site.hits)) == (6, 6)  # its seeds are no news


def test_a_request_that_json_cannot_hold_is_done_in_memory(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Lambda(Plain):
        async def start(self) -> AsyncIterator[Any]:
            yield scrapy.Request(self.urls[0], callback=lambda response: {"url": "by a lambda"})
            yield scrapy.Request(self.urls[1], meta={"lock": object()})

    crawled = run(Lambda, tmp_path, site.url("/"), site.url("/?else"))
    assert sorted(item["url"] for item in crawled.items) == sorted(["by a lambda", site.url("/?else")])
    assert crawled.counts.pending == 0
    assert crawled.stats["scheduler/unserializable"] == 2
    lines = [record.getMessage() for record in caplog.records if "kept in memory" in record.getMessage()]
    assert len(lines) == 2
    assert site.url("/?else") in lines[1]


@pytest.mark.parametrize("odd", [{"priority": 10**30}, {"meta": {"depth": 10**20}}, {"meta": {"depth": None}}])
def test_numbers_that_no_backend_holds_cost_no_other_page(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture, odd: dict[str, Any]
) -> None:
    class Odd(Plain):
        async def start(self) -> AsyncIterator[Any]:
            yield scrapy.Request(self.urls[0])
            yield scrapy.Request(self.urls[1], **odd)

    crawled = run(Odd, tmp_path, site.url("/"), site.url("/?else"))
    assert sorted(item["url"] for item in crawled.items) == [site.url("/"), site.url("/?else")]
    assert (crawled.counts.stored, crawled.counts.pending) == (1, 0)
    assert "no whole numbers of 32 bits" in caplog.text


def test_requests_in_memory_are_not_made_twice_and_not_all_of_them_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Circling(Plain):
        def parse(self, response: Response) -> Any:
            yield {"url": response.url}
            for path in response.css("a::attr(href)").getall():
                yield response.follow(path, lambda response: self.parse(response))

    pages = {f"/{n}": " ".join(f"<a href=/{m}>" for m in range(20)) for n in range(20)}
    with Site(pages) as site:
        crawled = run(Circling, tmp_path, site.url("/0"))
        assert len(crawled.items) == 20
        assert len(site.hits) == 20
    assert sum("kept in memory" in record.getMessage() for record in caplog.records) == 10


def test_a_frontier_that_fails_closes_the_spider_and_what_it_was_not_told_is_done_again(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(self: SqliteFrontier, leases: Any) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteFrontier, "begin", failing)
        crawled = run(Plain, tmp_path, site.url("/"), site.url("/moved"))
    assert crawled.stats["finish_reason"] == "frontier_failed"
    assert (crawled.items, crawled.counts.added, crawled.counts.pending) == ([], 2, 2)
    again = run(Plain, tmp_path, site.url("/"))
    assert (again.counts.added, again.counts.pending) == (2, 0)


def test_a_job_that_another_process_works_on_is_refused_in_one_line(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hold = (
        "import sys; from scraping_ai.frontier.sqlite.owner import Owner, Path\n"
        "owner = Owner(Path(sys.argv[1])); print(); input()"
    )
    file = tmp_path / "frontier.sqlite"
    with subprocess.Popen([sys.executable, "-c", hold, file], stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        crawled = run(Plain, tmp_path, site.url("/"))
        other.communicate("\n")
    assert crawled.stats["finish_reason"] == "frontier_failed"
    assert (crawled.counts.added, site.paths) == (0, [])
    gc.collect()  # connections that were not closed are told then
    errors = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert errors == [f"{file} is in use by another process"]


def test_a_job_of_another_spider_is_refused_while_it_is_unfinished(site: Site, tmp_path: Path) -> None:
    class Enough(Plain):
        name = "enough"

        def parse(self, response: Response) -> Any:
            raise CloseSpider("enough")

    urls = [site.url(f"/?{n}") for n in range(3)]
    assert run(Enough, tmp_path, *urls, CONCURRENT_REQUESTS=1, FRONTIER_AT_ONCE=1).counts.pending
    assert run(Plain, tmp_path, *urls).stats["finish_reason"] == "frontier_failed"
    assert len(site.hits) < 3


def test_a_crawl_that_is_told_to_end_while_it_starts_ends(tmp_path: Path) -> None:
    class Waiting(scrapy.Spider):
        name = "waiting"
        serves_all = True  # never done by itself

        @classmethod
        def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> Any:
            crawler.signals.connect(crawler.stop_async, signals.spider_opened)  # as on SIGTERM
            return super().from_crawler(crawler, *args, **kwargs)

        async def start(self) -> Any:
            for request in ():
                yield request

    assert crawl(Waiting, tmp_path).stats["finish_reason"] == "shutdown"
