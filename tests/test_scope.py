from __future__ import annotations

import pytest

from scraping_ai.frontier.scope import (
    MAX_URL_LENGTH,
    PatternError,
    Scope,
    compile_pattern,
    fingerprint,
    host_of,
    matches,
)

SHOP = Scope(hosts=frozenset({"shop.example"}))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://shop.example/", None),
        ("https://www.shop.example/a?b=1", None),
        ("http://other.example/", "other host"),
        ("http://shop.example.evil.example/", "other host"),
        ("http://shop.example@evil.example/", "a password in the address"),
        ("http://user:secret@shop.example/", "a password in the address"),
        ("http://@shop.example/", "a password in the address"),
        ("http://shop.example/@ann", None),
        ("http://shop.example?by=ann@b.example", None),
        ("http://shop.example:8080/", "other host"),
        ("ftp://shop.example/", "not http"),
        ("javascript:alert(1)", "not http"),
        ("http://shop.example/a.PDF?x", "a file, not a page"),
        ("http://shop.example/v1.0/page", None),
        ("http://shop.example/" + "a" * MAX_URL_LENGTH, "address too long"),
        ("http://[::1/", "other host"),
    ],
)
def test_refusal(url: str, reason: str | None) -> None:
    assert SHOP.refusal(url, 1) == reason


def test_depth_include_and_exclude() -> None:
    scope = Scope(SHOP.hosts, (compile_pattern("/product/"),), (compile_pattern("reviews$"),), max_depth=2)
    assert scope.refusal("http://shop.example/product/1", 2) is None
    assert scope.refusal("http://shop.example/product/1", 3) == "too deep"
    assert scope.refusal("http://shop.example/about", 1) == "not included"
    assert scope.refusal("http://shop.example/product/1/reviews", 1) == "excluded"


def test_a_redirected_target_adds_its_host() -> None:
    assert SHOP.with_host("https://shop.example.org/").refusal("https://shop.example.org/a", 1) is None


def test_patterns_are_regular_expressions_or_globs() -> None:
    assert matches([compile_pattern(r"/p/\d+$")], "http://a.example/p/12")
    assert matches([compile_pattern("*/p/*")], "http://a.example/p/12")
    with pytest.raises(PatternError, match=r"'\(': .*write a regular expression"):
        compile_pattern("(")


def test_a_pattern_that_never_ends_is_cut_off() -> None:
    assert not matches([compile_pattern("(a|a|aa)+$")], "http://a.example/" + "a" * 2_000 + "!")


def test_one_page_has_one_fingerprint() -> None:
    assert fingerprint("http://A.example/x?b=2&a=1#top") == fingerprint("http://a.example/x?a=1&b=2")


def test_host_of_broken_addresses() -> None:
    assert host_of("http://[bad") == ""


def test_a_pattern_that_would_eat_the_memory_is_refused() -> None:
    with pytest.raises(PatternError, match="repeats too often"):
        compile_pattern("((((a{100}){100}){100}){100})")
    assert matches([compile_pattern(r"/\d{4}/\d{2}/")], "http://a.example/2026/11/x")
