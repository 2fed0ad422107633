"""Requests go by the rung that they name; a fetch API is a server that is given an address and gives back its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import scrapy
from scrapy.http import Response
from scrapy.utils.test import get_crawler
from servers.crawls import Crawled, crawl
from servers.site import Hit, Resource, Site

from scraping_ai.middlewares.ladder import Ladder

LADDER = "scraping_ai.middlewares.ladder.LadderDownloadHandler"
HANDLERS = {
    "http": "scraping_ai.middlewares.handlers.HttpDownloadHandler",
    "api": "scraping_ai.middlewares.fetch_api.FetchApiHandler",
    "browser": "no.such.module.Browser",
}
SETTINGS: dict[str, Any] = {
    "DOWNLOAD_HANDLERS": {"http": LADDER, "https": LADDER},
    "FETCH_HANDLERS": HANDLERS,
    "RETRY_TIMES": 0,
    "DOWNLOAD_DELAY": 0,
}
PAGE = "<h1>Kettle</h1>"


class ByRung(scrapy.Spider):
    name = "by-rung"
    url: str
    rung: str

    async def start(self) -> Any:
        yield scrapy.Request(self.url, meta={"rung": self.rung}, errback=self.failed)

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        yield {"url": response.url, "body": response.text, "status": response.status}  # type: ignore[attr-defined]

    def failed(self, failure: Any) -> Iterator[dict[str, Any]]:
        yield {"error": f"{type(failure.value).__name__}: {failure.value}"}


def fetched(path: Path, url: str, rung: str = "api", **settings: Any) -> Crawled:
    return crawl(ByRung, path, {"url": url, "rung": rung}, **SETTINGS | settings)


def test_plain_http_is_the_rung_of_a_request_that_names_none(tmp_path: Path) -> None:
    with Site({"/": PAGE}) as site:
        (item,) = fetched(tmp_path, site.url(), "http").items
    assert item["body"] == PAGE


@pytest.mark.parametrize("content", ["/data/0/html", "data.0.html"])
def test_an_api_is_posted_the_address_and_gives_the_page(tmp_path: Path, content: str) -> None:
    def api(hit: Hit) -> str:
        asked = json.loads(hit.body)
        assert (asked["render"], asked["nested"]) == (True, ["by key s3cret"])
        return json.dumps({"data": [{"html": f"<h1>Töpfe of {asked['url']}</h1>"}]})

    body = json.dumps({"url": "{url}", "render": True, "nested": ["by key {key}"]})
    with Site({"/fetch": api}) as site:
        page = 'http://shop.invalid/a?b="{key}"'
        given = {"FETCH_API_URL": site.url("/fetch"), "FETCH_API_KEY": "s3cret", "FETCH_API_BODY": body}
        (item,) = fetched(tmp_path, page, FETCH_API_CONTENT=content, **given).items
        (hit,) = site.hits
    assert item["url"].startswith("http://shop.invalid/a?b=")
    assert item["body"] == f"<h1>Töpfe of {item['url']}</h1>"
    assert "s3cret" not in item["body"]
    assert "authorization" not in hit.headers


def test_an_api_may_be_a_plain_address(tmp_path: Path) -> None:
    with Site({"/": PAGE}) as site:
        url = site.url("/?u={url}&premium=1")
        (item,) = fetched(tmp_path, "http://shop.invalid/a?b=1&c=2", FETCH_API_URL=url, FETCH_API_KEY="k1").items
        (hit,) = site.hits
    asked = parse_qs(urlsplit(hit.path).query)
    assert asked == {"u": ["http://shop.invalid/a?b=1&c=2"], "premium": ["1"]}
    assert hit.headers["authorization"] == "Bearer k1"
    assert (item["body"], item["url"]) == (PAGE, "http://shop.invalid/a?b=1&c=2")


def test_an_api_on_this_machine_is_asked_for_no_private_page(tmp_path: Path) -> None:
    with Site({"/": PAGE}) as site:
        for n, page in enumerate(("http://10.0.0.1/", "http://localhost/", "http://shop.invalid/")):
            given = {"FETCH_API_URL": site.url("/?u={url}"), "ALLOWED_PRIVATE_HOSTS": []}
            (item,) = fetched(tmp_path / str(n), page, **given).items
            assert (item.get("body") == PAGE) == (n == 2), item
        assert len(site.hits) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Resource("no", 401), "the fetch API answers HTTP 401 Unauthorized"),
        (Resource("<html>"), "the fetch API's answer has no text at html"),
        (Resource('{"html": 7}'), "the fetch API's answer has no text at html"),
        (None, "the fetch API cannot be had"),
    ],
)
def test_an_api_that_fails_is_an_error_and_no_page(
    tmp_path: Path, answer: Resource | None, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Site({} if answer is None else {"/": answer}) as site:
        url = site.url("/?key={key}") if answer else "http://127.0.0.1:9/?key={key}"
        given = {"FETCH_API_URL": url, "FETCH_API_KEY": "s3cret", "FETCH_API_CONTENT": "html"}
        (item,) = fetched(tmp_path, "http://shop.invalid/", **given).items
    assert item["error"].startswith("DownloadFailedError: " + said)
    assert "s3cret" not in item["error"] + caplog.text


@pytest.mark.parametrize("rung", ["browser", "helicopter", ""])
def test_a_rung_that_cannot_be_had_is_a_reason(tmp_path: Path, rung: str) -> None:
    with Site({"/": PAGE}) as site:
        (item,) = fetched(tmp_path, site.url(), rung).items
        assert site.hits == []
    assert item["error"].startswith("RungMissing: ")


@pytest.mark.parametrize("given", [["helicopter"], [], ["http", "x"]])
def test_rungs_that_are_none_are_refused(given: list[str]) -> None:
    with pytest.raises(ValueError, match="FETCH_RUNGS_BY_HOST: shop"):
        Ladder(get_crawler(settings_dict={"FETCH_RUNGS_BY_HOST": {"shop.example": given}}))


def test_a_host_has_the_rungs_that_it_was_given() -> None:
    special = {"shop.example": ["api", "http"], "127.0.0.1:81": ["browser"], "www.old.example": ["browser"]}
    ladder = Ladder(get_crawler(settings_dict={"FETCH_RUNGS": ["browser", "http"], "FETCH_RUNGS_BY_HOST": special}))
    assert ladder.rungs("https://www.shop.example/a") == ("http", "api")
    assert ladder.rungs("https://shop.example:8443/a") == ("http", "api")
    assert ladder.rungs("http://old.example/") == ("browser",)
    assert ladder.rungs("http://127.0.0.1:81/") == ("browser",)
    assert ladder.rungs("http://127.0.0.1/") == ("http", "browser")
