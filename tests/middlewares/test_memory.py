"""What hosts needed decides by which rung their pages are tried first; the costs are counted, not timed."""

from __future__ import annotations

import random

import pytest

from scraping_ai.middlewares.classify import Kind
from scraping_ai.middlewares.memory import MOST, PROBE, Memory, shape_of

RUNGS = ("http", "browser")
COST = {"http": 1.0, "browser": 5.0}
HOUR = 3600.0


class Crawl:
    """Pages fetched as the memory says; `needs` of a page: ok by HTTP, js, or hard (HTTP is turned away)."""

    def __init__(self, half_life: float = 24 * HOUR) -> None:
        self.now = 0.0
        self.memory = Memory(half_life, lambda: self.now)
        self.cost = self.oracle = 0.0
        self.tried: list[str] = []  # rungs of the last page

    def page(self, needs: str, url: str = "/p/1", browser: Kind = Kind.OK) -> None:
        http = {"ok": Kind.OK, "js": Kind.JS_SHELL, "hard": Kind.BLOCKED}[needs]
        self.oracle += COST["http" if needs == "ok" else "browser"]
        rung, probe = self.memory.first("a", url, RUNGS)
        self.tried = [rung]
        self.cost += COST[rung]
        if rung == "http":
            self.memory.note("a", url, "http", http, probe=probe)
            if http == Kind.OK or not self.memory.is_worth("a", url, "browser"):
                return
            self.tried.append("browser")
            self.cost += COST["browser"]
            self.memory.note("a", url, "browser", browser)
        else:
            self.memory.note_raw("a", url, "http", http if needs != "hard" else Kind.OK)
            self.memory.note("a", url, "browser", browser)


def test_the_second_page_of_a_site_of_scripts_goes_straight_to_the_browser() -> None:
    crawl = Crawl()
    crawl.page("js", "/")
    assert crawl.tried == ["http", "browser"]
    for url in ("/", "/p/1", "/about"):
        crawl.page("js", url)
        assert crawl.tried == ["browser"]


def test_shapes_of_a_host_differ() -> None:
    crawl = Crawl()
    for _ in range(5):
        crawl.page("ok", "/news/today")
    crawl.page("js", "/p/red-shoe-1")
    crawl.page("js", "/p/blue-shoe-2")
    crawl.page("js", "/p/shoe-3")
    assert crawl.tried == ["browser"]
    crawl.page("ok", "/news/today")
    assert crawl.tried == ["http"]


def test_a_site_that_serves_html_again_is_known_by_what_its_browser_pages_show() -> None:
    crawl = Crawl()
    for _ in range(50):
        crawl.page("js")
    tried = []
    for _ in range(10):
        crawl.page("ok")
        tried.append(crawl.tried)
    assert tried[-1] == ["http"]
    assert tried.index(["http"]) <= MOST / 2


@pytest.mark.parametrize("seed", range(5))
def test_a_mixed_site_costs_little_more_than_knowing_it_would(seed: int) -> None:
    crawl, dice = Crawl(), random.Random(seed)
    for _ in range(1_000):
        crawl.page("js" if dice.random() < 0.2 else "ok")
    assert crawl.cost <= 1.3 * crawl.oracle


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 0.9, 1.0])
def test_no_share_of_scripts_costs_much(share: float) -> None:
    crawl, dice = Crawl(), random.Random(1)
    for _ in range(1_000):
        crawl.page("js" if dice.random() < share else "ok", f"/p/{dice.random()}")
    assert crawl.cost <= 1.3 * crawl.oracle


def test_a_host_that_turns_http_away_is_probed_now_and_then() -> None:
    crawl = Crawl()
    tried = []
    for _ in range(10 * PROBE):
        crawl.page("hard")
        tried.append(crawl.tried[0])
    assert 5 <= tried.count("http") <= 12
    assert crawl.cost <= 1.1 * crawl.oracle
    for _ in range(3 * PROBE):
        crawl.page("ok")
    assert crawl.tried == ["http"]


def test_a_browser_that_is_turned_away_too_is_not_started_for_each_page() -> None:
    crawl = Crawl()
    started = 0
    for _ in range(10 * PROBE):
        crawl.page("hard", browser=Kind.BLOCKED)
        started += "browser" in crawl.tried
    assert 5 <= started <= 15


def test_what_was_learned_fades() -> None:
    crawl = Crawl(half_life=HOUR)
    for _ in range(5):
        crawl.page("js")
    crawl.now += HOUR
    crawl.page("js")
    assert crawl.tried == ["browser"]
    crawl.now += 10 * HOUR
    crawl.page("js")
    assert crawl.tried == ["http", "browser"]


def test_hosts_without_a_failure_cost_one_number() -> None:
    memory = Memory(HOUR)
    for n in range(20_000):
        memory.note(f"host{n}", "/", "http", Kind.OK)
    assert not memory.hosts
    assert len(memory._well) == 10_000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a/p/red-shoe-7", "http://a/p/blue-hat-12"),
        ("http://a/p/7?id=3&x=1", "http://a/p/9?x=2&id=4"),
        ("http://a/2026/12/some-news.html", "http://a/2025/1/other-news.html"),
        ("http://a/t/" + "x" * 40, "http://a/t/" + "y" * 30),
    ],
)
def test_addresses_of_one_template_have_one_shape(one: str, other: str) -> None:
    assert shape_of(one) == shape_of(other)


def test_shapes_are_bounded() -> None:
    assert shape_of("http://a/p/1") != shape_of("http://a/q/1")
    assert shape_of("http://[") == ""
    assert len(shape_of("http://a/" + "b/" * 10_000)) <= 100
    memory = Memory(HOUR)
    for n in range(2_000):
        memory.note("a", f"http://a/{chr(97 + n % 26)}{'b' * (n % 20)}/{'c' * (n // 400 % 20)}", "http", Kind.JS_SHELL)
    assert len(memory.hosts["a"].counts) <= 602
