"""RobotsMiddleware in real crawls (processes of their own) of real servers on loopback."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler
from servers.site import Resource, Site

from scraping_ai.middlewares.robots import RobotsMiddleware, RobotsTxtError, origin_of, product_token

ROOT = Path(__file__).parents[2]
NOTHING = "User-agent: *\nDisallow: /\n"
DISALLOWED = ["RobotsTxtError", "robots.txt disallows"]


@dataclass
class Crawl:
    outcomes: dict[str, list[Any]]
    stats: dict[str, Any]
    log: str


def crawl(*urls: str, **job: Any) -> Crawl:
    program = Path(__file__).with_name("robots_crawl.py")
    done = subprocess.run(
        [sys.executable, program, json.dumps({"urls": urls, **job})],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return Crawl(**json.loads(done.stdout), log=done.stderr)


def unreadable(why: str) -> list[str]:
    return ["RobotsTxtError", f"robots.txt could not be read: {why}"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class TestFirstRequests:
    PAGES = tuple(f"/{number}" for number in range(16))

    def site(self) -> Site:
        return Site({"/robots.txt": Resource(NOTHING, delay=0.3), **dict.fromkeys(self.PAGES, "page")})

    def test_sixteen_at_once_wait_for_one_robots_txt(self) -> None:
        with self.site() as site:
            done = crawl(*map(site.url, self.PAGES))
        assert site.paths == ["/robots.txt"]
        assert done.outcomes == {site.url(path): [DISALLOWED] for path in self.PAGES}
        assert done.stats["robotstxt/forbidden"] == 16
        assert done.stats["robotstxt/request_count"] == 1

    def test_scrapys_own_lets_them_through(self) -> None:
        """The reason why there is one of ours; once this fails, look whether it is still needed."""
        with self.site() as site:
            crawl(*map(site.url, self.PAGES), theirs=True)
        assert len(site.paths) > 1

    def test_allowed_pages_come_after_it(self) -> None:
        with self.site() as site:
            site.pages["/robots.txt"] = Resource("User-agent: *\nDisallow: /1\n", delay=0.5)
            done = crawl(*map(site.url, self.PAGES))
        assert site.paths[0] == "/robots.txt"
        assert site.hits[1].time >= site.hits[0].time + 0.5
        allowed = {path for path in self.PAGES if not path.startswith("/1")}
        assert sorted(site.paths[1:]) == sorted(allowed)
        assert {url for url, outcome in done.outcomes.items() if outcome == [200]} == {site.url(p) for p in allowed}

    def test_one_that_is_cancelled_leaves_the_others_waiting(self) -> None:
        with Site({"/robots.txt": Resource("", delay=0.6), "/a": "a", "/b": "b"}) as site:
            done = crawl(cancel=[site.url("/a"), site.url("/b")])
        assert done.outcomes["cancelled"] == [True, 200]
        assert site.paths == ["/robots.txt", "/b"]

    def test_each_origin_has_its_own(self) -> None:
        with Site({"/robots.txt": NOTHING, "/": "1"}) as one, Site({"/": "2"}, host="127.0.0.2") as two:
            done = crawl(one.url(), two.url())
        assert done.outcomes == {one.url(): [DISALLOWED], two.url(): [200]}
        assert (one.paths, two.paths) == (["/robots.txt"], ["/robots.txt", "/"])


class TestStatus:
    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            (Resource("", 401), 200),
            (Resource("", 403), 200),
            (Resource(NOTHING, 404), 200),
            (Resource("", 204), 200),
            (Resource("", 301, {"Location": "ftp://127.0.0.1/robots.txt"}), 200),
            (Resource("", 301), 200),
            (Resource("", 429), unreadable("429")),
            (Resource("", 500), unreadable("500")),
            (Resource("User-agent: *\nAllow: /\n", 503), unreadable("503")),
            (Resource("", 999), unreadable("999")),
            (Resource("x", headers={"Content-Length": "5", "Connection": "close"}), unreadable("answer cut off")),
        ],
    )
    def test_decides_without_rules(self, answer: Resource, outcome: Any) -> None:
        with Site({"/robots.txt": answer, "/": "page"}) as site:
            done = crawl(site.url(), site.url("/other"), settings={"DOWNLOAD_TIMEOUT": 3})
        assert done.outcomes[site.url()] == [outcome]
        assert site.paths.count("/robots.txt") == 1
        if outcome != 200:
            assert site.paths == ["/robots.txt"]
            assert done.stats["robotstxt/unreadable"] == 2
            assert "Traceback" not in done.log

    def test_a_single_failure_is_asked_again_at_once(self) -> None:
        answers = iter([Resource("", 503), Resource("")])
        with Site({"/robots.txt": lambda _: next(answers), "/": "page"}) as site:
            done = crawl(site.url(), settings={"RETRY_TIMES": 2})
        assert done.outcomes == {site.url(): [200]}

    def test_a_failure_is_kept_for_a_bounded_time(self) -> None:
        answers = iter([Resource("", 503), Resource("")])
        pages = {f"/{number}": "page" for number in range(6)}
        with Site({"/robots.txt": lambda _: next(answers), **pages}) as site:
            done = crawl(*map(site.url, pages), pause=0.2, settings={"ROBOTSTXT_ERROR_TTL": 0.5})
        first, second = (hit.time for hit in site.hits if hit.path == "/robots.txt")
        assert second - first >= 0.5
        assert done.outcomes[site.url("/0")] == done.outcomes[site.url("/1")] == [unreadable("503")]
        assert done.outcomes[site.url("/5")] == [200]

    def test_a_verdict_is_asked_again_once_it_expires(self) -> None:
        with Site({"/robots.txt": "", "/0": "page", "/1": "page"}) as site:
            crawl(site.url("/0"), site.url("/1"), pause=0.5, settings={"ROBOTSTXT_CACHE_TTL": 0.1})
        assert site.paths == ["/robots.txt", "/0", "/robots.txt", "/1"]


class TestUnreachable:
    def test_a_refused_connection_is_the_pages_own_error(self) -> None:
        url = f"http://127.0.0.1:{free_port()}/"
        done = crawl(url)
        assert done.outcomes[url][0][0] == "DownloadConnectionRefusedError"

    def test_an_unknown_host_is_the_pages_own_error(self) -> None:
        done = crawl("http://no-such-host.invalid/")
        assert done.outcomes["http://no-such-host.invalid/"][0][0] == "CannotResolveHostError"

    def test_no_answer_in_time_disallows(self) -> None:
        with Site({"/robots.txt": Resource("", delay=30), "/": "page"}) as site:
            done = crawl(site.url(), settings={"DOWNLOAD_TIMEOUT": 0.5})
        assert done.outcomes == {site.url(): [unreadable("no answer in time")]}
        assert site.paths == ["/robots.txt"]

    def test_the_spider_closes_while_it_hangs(self) -> None:
        with Site({"/robots.txt": Resource("", delay=60), "/": "page"}) as site:
            started = time.monotonic()
            done = crawl(site.url(), settings={"CLOSESPIDER_TIMEOUT": 0.5, "DOWNLOAD_TIMEOUT": 2})
            took = time.monotonic() - started
        assert done.stats["finish_reason"] == "closespider_timeout"
        assert done.outcomes == {site.url(): [unreadable("no answer in time")]}
        assert took < 30
        assert "Traceback" not in done.log
        assert site.paths == ["/robots.txt"]


class TestRedirects:
    def chain(self, hops: int) -> dict[str, Any]:
        pages = {f"/r{n}": Resource("", 302, {"Location": f"/r{n + 1}"}) for n in range(1, hops)}
        return {"/robots.txt": Resource("", 301, {"Location": "/r1"}), **pages, f"/r{hops}": NOTHING, "/": "page"}

    @pytest.mark.parametrize(("hops", "outcome"), [(1, DISALLOWED), (5, DISALLOWED), (6, 200)])
    def test_five_are_followed(self, hops: int, outcome: Any) -> None:
        with Site(self.chain(hops)) as site:
            done = crawl(site.url())
        assert done.outcomes == {site.url(): [outcome]}

    def test_rules_from_another_host_hold_for_the_first(self) -> None:
        with Site({"/rules": NOTHING, "/": "page"}, host="127.0.0.2") as other:
            moved = Resource("", 301, {"Location": other.url("/rules")})
            with Site({"/robots.txt": moved, "/": "page"}) as site:
                done = crawl(site.url(), other.url())
        assert done.outcomes == {site.url(): [DISALLOWED], other.url(): [200]}

    def test_a_target_that_is_down_disallows(self) -> None:
        moved = Resource("", 302, {"Location": f"http://127.0.0.1:{free_port()}/"})
        with Site({"/robots.txt": moved, "/": "page"}) as site:
            done = crawl(site.url())
        assert done.outcomes == {site.url(): [unreadable("connection refused")]}

    def test_a_page_that_moves_is_checked_again_where_it_moved_to(self) -> None:
        other = Site({"/robots.txt": NOTHING, "/": "page"}, host="127.0.0.2")
        with other, Site({"/": Resource("", 302, {"Location": other.url()})}) as site:
            done = crawl(site.url())
        assert done.outcomes == {site.url(): [DISALLOWED]}
        assert other.paths == ["/robots.txt"]


class TestRules:
    @pytest.mark.parametrize(
        ("robots", "allowed", "disallowed"),
        [
            ("User-agent: *\nDisallow: /a\nAllow: /a/b\n", ["/", "/a/b"], ["/a", "/a/c"]),
            ("User-agent: *\nDisallow: /*.pdf$\nDisallow: /q?*s=\n", ["/x.pdf.html"], ["/x.pdf", "/q?a=1&s=2"]),
            ("User-agent: ScrapingAI\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", ["/b"], ["/a"]),
            ("User-agent: other\nDisallow: /\n", ["/"], []),
            ("\ufeffuser-AGENT : *\r\ndisallow:/a # why\r\n", ["/b"], ["/a"]),
            ("\0\xff\0User-agent: x\0\nUser-agent: *\nDisallow: /a\n\0", ["/b"], ["/a"]),
            ("<!doctype html><title>Not found</title><p>Disallow: /", ["/"], []),
            (b"\xff\xfe\x00\x81" * 1000, ["/"], []),
        ],
    )
    def test_they_are_read_as_the_rfc_says(
        self, robots: str | bytes, allowed: list[str], disallowed: list[str]
    ) -> None:
        with Site({"/robots.txt": robots}) as site:
            done = crawl(*map(site.url, allowed + disallowed))
        assert [done.outcomes[site.url(path)] for path in allowed] == [[404]] * len(allowed)
        assert [done.outcomes[site.url(path)] for path in disallowed] == [[DISALLOWED]] * len(disallowed)

    def test_of_two_megabytes_the_first_500_kb_count(self) -> None:
        head = b"User-agent: *\nDisallow: /early\n"
        filler = b"# nothing to see here\n" * (2_000_000 // 22)
        with Site({"/robots.txt": head + filler + b"Disallow: /late\n"}) as site:
            done = crawl(site.url("/early"), site.url("/late"))
        assert done.outcomes == {site.url("/early"): [DISALLOWED], site.url("/late"): [404]}

    def test_more_rules_than_can_be_held_disallow(self) -> None:
        agents = "".join(f"User-agent: bot{n}\n" for n in range(5_000))
        rules = "".join(f"Disallow: /{n}\n" for n in range(5_000))
        with Site({"/robots.txt": agents + rules, "/": "page"}) as site:
            done = crawl(site.url())
        assert done.outcomes == {site.url(): [unreadable("too many rules")]}

    def test_the_setting_names_another_agent(self) -> None:
        with Site({"/robots.txt": "User-agent: Other\nDisallow: /a\n"}) as site:
            done = crawl(site.url("/a"), settings={"ROBOTSTXT_USER_AGENT": "Other"})
        assert done.outcomes == {site.url("/a"): [DISALLOWED]}


def test_off_unless_asked_for() -> None:
    with pytest.raises(NotConfigured):
        RobotsMiddleware.from_crawler(get_crawler(settings_dict={"ROBOTSTXT_OBEY": False}))


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://Example.com:80/a?b", "http://example.com"),
        ("https://user:secret@example.com/", "https://example.com"),
        ("https://example.com:80/", "https://example.com:80"),
        ("http://[::1]:8000/", "http://[::1]:8000"),
    ],
)
def test_origin(url: str, origin: str) -> None:
    assert origin_of(Request(url)) == origin


def test_an_address_without_a_host_is_refused() -> None:
    with pytest.raises(RobotsTxtError, match="not a valid address"):
        origin_of(Request("http:///a"))


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("ScrapingAI/1.0 (+https://example.com/googlebot)", "ScrapingAI"),
        ("Mozilla/5.0 (compatible; Foobot/2.1; +https://example.com)", "Foobot"),
        ("Mozilla/5.0 (X11; Linux x86_64)", "Mozilla"),
        ("", "*"),
        ("()", "*"),
    ],
)
def test_product_token(header: str, token: str) -> None:
    assert product_token(header) == token
