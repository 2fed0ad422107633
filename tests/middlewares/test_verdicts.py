"""Bounds on what a robots.txt may cost, and the cache of what it says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.robotstxt import ProtegoRobotParser

from scraping_ai.middlewares.verdicts import (
    MAX_BYTES,
    MAX_CACHED_RULES,
    MAX_RULES,
    Verdict,
    VerdictCache,
    count_rules,
    parsed_part,
)

LINES = st.sampled_from(
    ["User-agent: a", "user agent b", "USERAGENT:c", "Allow: /x", "Disallow: /y$", "Sitemap: /s", "Crawl-delay: 1"]
) | st.text(max_size=20)


def test_lines_cut_in_two_are_left_out() -> None:
    body = b"Disallow: /private/\n" * (MAX_BYTES // 20 + 1)
    assert len(parsed_part(body)) <= MAX_BYTES
    assert parsed_part(body).endswith(b"/private/\n")
    assert parsed_part(body.replace(b"\n", b"\r")).endswith(b"/private/\r")
    assert parsed_part(b"x" * MAX_BYTES * 2) == b""
    assert parsed_part(b"Disallow: /") == b"Disallow: /"


def test_rules_count_once_for_each_agent_of_their_group() -> None:
    group = "User-agent: a\nUser-agent: b\nDisallow: /x\nAllow: /y\n"
    assert count_rules("Disallow: /\n") == 0
    assert count_rules(group * 10) == 10 * count_rules(group) <= 100


@pytest.mark.parametrize("between", ["", "Sitemap: /s\n", "Host: h\n", "no directive\n", "# Disallow: /\n"])
def test_what_a_parser_reads_as_one_group_counts_as_one(between: str) -> None:
    agents = "".join(f"User agent {number}\n{between}" for number in range(1_000))
    assert count_rules(agents + "Disallow: /x\n" * 1_000) > MAX_RULES


def test_the_largest_file_for_one_agent_is_within_bounds() -> None:
    assert count_rules("User-agent: *\n" + "Allow:/\n" * (MAX_BYTES // 8)) < MAX_RULES


@given(st.lists(LINES).map("\n".join), st.text(max_size=30))
def test_no_text_breaks_the_parser(text: str, path: str) -> None:
    body = parsed_part(text.encode("utf-8", "surrogatepass"))
    count_rules(text)
    assert ProtegoRobotParser(body, None).allowed(f"http://example.com/{path}", "a") in (True, False)


class TestCache:
    def test_verdicts_expire(self) -> None:
        cache = VerdictCache(10)
        cache.put("http://a", Verdict(), ttl=60)
        cache.put("http://b", Verdict(), ttl=0)
        assert cache.get("http://a") is not None
        assert cache.get("http://b") is None
        assert cache.get("http://c") is None

    def test_the_least_recently_used_go_first(self) -> None:
        cache = VerdictCache(2)
        cache.put("http://a", Verdict(), ttl=60)
        cache.put("http://b", Verdict(), ttl=60)
        cache.get("http://a")
        cache.put("http://c", Verdict(), ttl=60)
        assert [cache.get(f"http://{name}") is not None for name in "abc"] == [True, False, True]

    def test_rules_are_bounded_over_all_origins(self) -> None:
        cache = VerdictCache(100)
        for number in range(10):
            cache.put(f"http://{number}", Verdict(rules=MAX_RULES), ttl=60)
            cache.put(f"http://{number}", Verdict(rules=MAX_RULES), ttl=60)
        kept = [number for number in range(10) if cache.get(f"http://{number}") is not None]
        assert kept == list(range(10))[-(MAX_CACHED_RULES // MAX_RULES) :]
