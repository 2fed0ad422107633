"""What ordinary spiders put into requests comes back from the frontier, and what strangers put there does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy.http import FormRequest, JsonRequest, Response
from scrapy.spiders import CrawlSpider
from servers.crawls import crawl
from servers.site import Resource, Site

from scraping_ai.frontier.requests import NotJson, NotRequest, from_json, to_json


class Named(CrawlSpider):
    name = "named"

    def found(self, response: Response) -> None: ...

    def failed(self, failure: Any) -> None: ...

    def __hidden(self, response: Response) -> None: ...

    def hidden(self) -> Any:
        return self.__hidden


SPIDER = Named()
URL = "http://a.example/"

REQUESTS = {
    "plain": scrapy.Request(URL),
    "callbacks": scrapy.Request(URL, SPIDER.found, errback=SPIDER.failed, cb_kwargs={"n": [1, {"é": None}]}),
    "private": scrapy.Request(URL, SPIDER.hidden()),
    "rule": scrapy.Request(URL, SPIDER._callback, errback=SPIDER._errback, meta={"rule": 0, "link_text": "x"}),
    "post": scrapy.Request(URL, method="POST", body=b"\x00\xff", headers={"X": ["a", "b"]}, encoding="latin-1"),
    "cookies": scrapy.Request(URL, cookies=[{"name": "a", "value": "b", "domain": "a.example"}]),
    "flags": scrapy.Request(URL, flags=["x"], dont_filter=True, priority=-3, meta={"depth": 2}),
    "form": FormRequest(URL, formdata={"a": "1"}),
    "json": JsonRequest(URL, data={"a": [1]}),
}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_request_comes_back_as_it_was(request_: scrapy.Request) -> None:
    again = from_json(to_json(request_, SPIDER), request_.url, request_.priority, SPIDER)
    for part in (
        "url",
        "method",
        "headers",
        "body",
        "cookies",
        "meta",
        "cb_kwargs",
        "encoding",
        "dont_filter",
        "flags",
    ):
        assert getattr(again, part) == getattr(request_, part), part
    assert (again.callback, again.errback, again.priority) == (request_.callback, request_.errback, request_.priority)


def test_a_plain_request_takes_no_room() -> None:
    assert to_json(scrapy.Request(URL), SPIDER) is None


@pytest.mark.parametrize(
    "given",
    [
        {"callback": lambda response: None},
        {"callback": Named().found},
        {"callback": SPIDER.start},
        {"meta": {"o": object()}},
        {"meta": {1: "a number as a name"}},
        {"meta": {"n": float("nan")}},
        {"cb_kwargs": {"text": "\ud800"}},
        {"meta": {"long": "x" * 1_000_001}},
    ],
)
def test_what_json_cannot_hold_is_told(given: dict[str, Any]) -> None:
    with pytest.raises(NotJson):
        to_json(scrapy.Request(URL, **given), SPIDER)


def test_a_circle_is_told() -> None:
    circle: dict[str, Any] = {}
    circle["itself"] = circle
    with pytest.raises(NotJson):
        to_json(scrapy.Request(URL, meta=circle), SPIDER)


@pytest.mark.parametrize(
    "said",
    [
        "[]",
        "{",
        "7",
        '{"cls": "os.system"}',
        '{"callback": "__init__"}',
        '{"callback": "from_crawler"}',
        '{"callback": "crawler"}',
        '{"callback": "name"}',
        '{"callback": ["found"]}',
        '{"body": "not base64!"}',
        '{"headers": [["a"]]}',
        '{"headers": [["a", "\\u20ac"]]}',
        '{"meta": 7}',
        "[" * 100_000,
    ],
)
def test_forged_requests_are_refused(said: str) -> None:
    with pytest.raises(NotRequest):
        from_json(said, URL, 0, SPIDER)


def test_a_spider_can_say_which_meta_it_believes() -> None:
    class Wary(Named):
        queued_meta = frozenset({"named"})

    said = '{"meta": {"named": true, "dont_obey_robotstxt": true}, "retry_times": 2}'
    assert from_json(said, URL, 0, Wary(), tries=1).meta == {"named": True, "retry_times": 2}


@pytest.mark.parametrize("url", ["", "no address", "http://[", 7])
def test_forged_addresses_are_refused(url: Any) -> None:
    with pytest.raises(NotRequest):
        from_json('{"dont_filter": true}', url, 0, SPIDER)
    with pytest.raises(NotRequest):
        from_json(None, url, 0, SPIDER)


class Shop(scrapy.Spider):
    """Logs in, searches, and takes what it finds, with what each step needs to know."""

    name = "shop"
    base: str

    async def start(self) -> Any:
        yield FormRequest(
            self.base + "/login", formdata={"name": "me"}, callback=self.logged_in, cookies={"lang": "de"}
        )

    def logged_in(self, response: Response) -> Any:
        data = {"query": "ü"}
        yield JsonRequest(
            response.urljoin("/search"), data=data, callback=self.found, cb_kwargs={"query": "ü"}, meta={"seen": [1]}
        )
        for n in range(3):
            yield scrapy.Request(response.urljoin(f"/{n}"), self.page, priority=n, headers={"X-Number": str(n)})

    def found(self, response: Response, query: str) -> Any:
        yield {"found": response.text, "query": query, "seen": response.meta["seen"]}
        yield scrapy.Request(response.urljoin("/nowhere"), errback=self.failed, cb_kwargs={"query": query})

    def page(self, response: Response) -> Any:
        yield {"url": response.url}

    def failed(self, failure: Any) -> Any:
        yield {"failed": failure.value.response.status, "query": failure.request.cb_kwargs["query"]}


def test_an_ordinary_spider_works_with_scheduler_alone_set(tmp_path: Path) -> None:
    pages: dict[str, Any] = {
        "/login": Resource("hello", headers={"Set-Cookie": "session=7; Path=/"}),
        "/search": lambda hit: json.loads(hit.body)["query"] + hit.headers["cookie"],
        **{f"/{n}": str(n) for n in range(3)},
    }
    with Site(pages) as site:
        crawled = crawl(Shop, tmp_path, {"base": site.url("")}, CONCURRENT_REQUESTS=1)
        others = [item for item in crawled.items if "url" not in item]
        assert others == [
            {"found": "ülang=de; session=7", "query": "ü", "seen": [1]},
            {"failed": 404, "query": "ü"},
        ]
        assert site.hits[0].body == b"name=me"
        numbered = [hit for hit in site.hits if "x-number" in hit.headers]
        assert [hit.headers["x-number"] for hit in numbered] == ["2", "1", "0"]
        assert (crawled.counts.stored, crawled.counts.pending) == (6, 0)
