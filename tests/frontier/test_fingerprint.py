"""Which spellings of an address are one."""

from __future__ import annotations

import pytest

from scraping_ai.frontier.fingerprint import Fingerprinter


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Shop.Example:80/a/../b?z=1&a=2#top", "http://shop.example/b?a=2&z=1"),
        ("https://shop.example:443/%7euser/./x/..", "https://shop.example/~user/"),
        ("http://shop.example", "http://shop.example/"),
        ("http://shop.example:8080/a", "http://shop.example:8080/a"),
        ("http://shop.example/a%2fb", "http://shop.example/a%2Fb"),
        ("http://shop.example/?utm_source=a&b=2&UTM_medium=c&gclid=3", "http://shop.example/?b=2"),
        ("http://shop.example/?sid=3", "http://shop.example/"),
        ("http://shop.example/#!/cart", "http://shop.example/#!/cart"),
        ("http://bücher.example/ä?ö=ü", "http://xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC"),
        ("http://[::1]/a", "http://[::1]/a"),
        ("http://[oops/", "http://[oops/"),
    ],
)
def test_canonical_form(url: str, canonical: str) -> None:
    assert Fingerprinter(["sid"]).canonical(url) == canonical


def test_the_canonical_form_is_its_own() -> None:
    of = Fingerprinter().canonical
    for url in (
        "http://a.example:80/x",
        "http://a.example/?b=%20&a=+",
        "https://a.example/..;/",
        "http://a.example/a//b",
    ):
        assert of(of(url)) == of(url)


def test_method_and_body_make_others() -> None:
    number = Fingerprinter().of_request
    url = "http://shop.example/search"
    assert number(url) == number(url + "#top") != number(url, "POST") != number(url, "POST", b"q=1")
    assert -(2**63) <= number(url) < 2**63
