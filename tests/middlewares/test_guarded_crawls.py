"""The guard over HTTP: whatever a crawl asks for passes it, and it connects to what was checked."""

from __future__ import annotations

import ipaddress
import json
from pathlib import Path

import aiohttp
import pytest
from servers.shell import FAST, Run, extract, scrapy
from servers.site import Resource, Site
from yarl import URL

from scraping_ai.middlewares.guard import guard as guards
from scraping_ai.middlewares.guard.addresses import Address
from scraping_ai.middlewares.guard.connector import GuardedConnector
from scraping_ai.middlewares.guard.guard import Guard, GuardError

PAGE = "<h1>A page</h1>"
REMOTE = ("-a", "_job=17", "-a", "fields=title")  # as scrapyd starts it


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def crawl_as_remote(url: str, *args: str, **env: str) -> Run:
    return scrapy("crawl", "extract", *REMOTE, "-a", f"url={url}", *FAST, *args, cwd=Path(__file__).parents[2], env=env)


def test_a_target_may_be_private_but_not_what_it_redirects_to() -> None:
    with Site({"/": PAGE}, host="127.0.0.3") as inner, Site({"/": PAGE}, host="127.0.0.2") as site:
        places = (inner.url(), f"http://localhost:{inner.port}/", f"http://[::ffff:127.0.0.3]:{inner.port}/")
        site.pages |= {f"/{n}": Resource("", 302, {"Location": place}) for n, place in enumerate(places)}
        run = extract(*map(site.url, ("/", "/0", "/1", "/2")), "--fields", "title")
        assert sorted(str(record["title"]) for record in run.records) == ["A page", "None", "None", "None"]
        assert run.err.count("/: not a public ") == 3
        assert inner.hits == []


def test_robots_txt_leads_to_no_private_host() -> None:
    with Site({"/robots.txt": "User-agent: *\nDisallow: /"}, host="127.0.0.3") as inner:
        robots = Resource("", 302, {"Location": inner.url("/robots.txt")})
        with Site({"/": PAGE, "/robots.txt": robots}) as site:
            run = extract(site.url(), "--fields", "title")
        assert "robots.txt could not be read: not a public address: 127.0.0.3" in run.err
        assert inner.hits == []


def test_hosts_of_remote_callers_must_be_public() -> None:
    with Site({"/": PAGE}) as site:
        run = crawl_as_remote(f"{site.url()} http://localhost:{site.port}/ http://2130706433:{site.port}/")
        assert run.err.count("/: not a public ") == 3
        assert site.hits == []
        run = crawl_as_remote(site.url(), "-s", f"ALLOWED_PRIVATE_HOSTS=127.0.0.1:{site.port}")
        assert site.paths == ["/robots.txt", "/"], run.err


def test_the_reason_is_the_pages_own() -> None:
    run = crawl_as_remote("http://10.0.0.1/")
    assert "not a public address: 10.0.0.1" in run.err
    assert "robots.txt" not in run.err
    assert "10.0.0.1 is not asked: not a public address: 10.0.0.1 (ALLOWED_PRIVATE_HOSTS" in run.err


def test_settings_that_allow_nothing_are_told_in_one_line() -> None:
    run = extract("http://127.0.0.1:9/", "--fields", "title", "-s", "ALLOWED_PRIVATE_HOSTS=10.0.0.0/99")
    assert run.status == 2
    assert "ALLOWED_PRIVATE_HOSTS='10.0.0.0/99': write a name, an address or a network" in run.err
    assert "Traceback" not in run.err


SPIDER = """
import scrapy

class Own(scrapy.Spider):
    name = "own"
    start_urls = {start_urls}

    def parse(self, response):
        yield {{"url": response.url}}
"""


def test_addresses_in_a_spiders_class_count_as_named(tmp_path: Path) -> None:
    with Site({"/": PAGE}) as site:
        for start_urls, given in (([site.url()], []), ([], ["-a", f"start_urls={site.url()}"])):
            (tmp_path / "own.py").write_text(SPIDER.format(start_urls=start_urls))
            env = {"SCRAPY_SETTINGS_MODULE": "scraping_ai.settings", "PYTHONPATH": str(Path(__file__).parents[2])}
            scrapy("runspider", "own.py", *given, *FAST, cwd=tmp_path, env=env)
            assert len(site.hits) == 2  # robots.txt and the page, by the first alone


@pytest.mark.anyio
async def test_the_address_that_was_checked_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = ["127.0.0.2", "127.0.0.1"]

    async def rebinding(name: str) -> list[Address]:
        return [ipaddress.ip_address(answers.pop(0))]

    monkeypatch.setattr(guards, "KEPT_FOR", 0.0)
    with Site({"/": "public"}, host="127.0.0.2") as public, Site({"/": "secret"}, port=public.port) as inner:
        connector = GuardedConnector(Guard(["127.0.0.2"], resolve=rebinding), force_close=True)
        async with aiohttp.ClientSession(connector=connector) as session:
            url = f"http://shop.example:{public.port}/"
            async with session.get(url) as response:
                assert await response.text() == "public"
            with pytest.raises(GuardError, match=r"not a public address: 127\.0\.0\.1 \(shop\.example\)"):
                await session.get(url)
        assert inner.hits == []
    assert answers == []


@pytest.mark.anyio
async def test_behind_a_proxy_names_are_checked_and_the_proxy_itself_unless_it_is_ours() -> None:
    with Site({"http://shop.example/": "by proxy"}) as proxy:
        guard = Guard()
        async with aiohttp.ClientSession(connector=GuardedConnector(guard)) as session:
            with pytest.raises(GuardError, match=r"not a public address: 127\.0\.0\.1"):  # as a queue might name one
                await session.get("http://shop.example/", proxy=proxy.url())
            guard.trust_proxy(proxy.url())
            async with session.get("http://shop.example/", proxy=proxy.url()) as response:
                assert await response.text() == "by proxy"
            for host in ("10.0.0.1", "2130706433", "localhost", "metadata.google.internal", "redis", "[::1]"):
                for scheme in ("http", "https"):
                    with pytest.raises(GuardError):
                        await session.get(URL(f"{scheme}://{host}/", encoded=True), proxy=proxy.url())
        assert len(proxy.hits) == 1


def test_a_proxy_of_the_environment_may_be_on_this_machine() -> None:
    with Site({"http://shop.example/": PAGE}) as proxy:
        run = extract("http://shop.example/", "--fields", "title", env={"http_proxy": proxy.url()})
        assert json.loads(run.out)["title"] == "A page"
