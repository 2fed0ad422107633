"""Answers are named by what they are: pages of each class, and ordinary ones that look like them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import Headers
from servers.faults import ALL, FINE, SCRIPT, TEXT, html
from servers.site import Resource

from scraping_ai.extraction.decoding import encoding_of
from scraping_ai.middlewares.classify import Kind, Verdict, classify


def verdict(resource: Resource) -> Verdict:
    body = resource.body.encode() if isinstance(resource.body, str) else resource.body
    headers: Mapping[str, str] = {"Content-Type": "text/html; charset=utf-8", **resource.headers}
    return classify(body, resource.status, Headers(headers), encoding_of(body, headers["Content-Type"]))


@pytest.mark.parametrize("name", ALL)
def test_pages_are_what_they_are(name: str) -> None:
    wanted, resource = ALL[name]
    found = verdict(resource)
    assert found.kind == wanted, found
    assert bool(found.reason) == (wanted != "ok")


@pytest.mark.parametrize("name", FINE)
def test_an_ordinary_page_stays_one_among_much_script(name: str) -> None:
    resource = FINE[name].resource
    if isinstance(resource.body, str) and "</body>" in resource.body and TEXT in resource.body:
        body = resource.body.replace("</body>", SCRIPT * 5 + "</body>")
        assert verdict(Resource(body, resource.status, resource.headers)).kind == Kind.OK


@pytest.mark.parametrize(
    ("named", "kind"),
    [
        ("404 ways to cook rice", Kind.OK),
        ("Page not found", Kind.SOFT_404),
        ("Not Found Records", Kind.OK),
        ("Error 404", Kind.SOFT_404),
        ("Sorry, that page can’t be found", Kind.SOFT_404),
        ("Login cookies, the recipe", Kind.OK),
        ("How we check security", Kind.OK),
        ("Security check for your home", Kind.OK),
        ("Captcha Solver - Extensions", Kind.OK),
        ("Rate limits of our API", Kind.OK),
        ("Rate limit exceeded", Kind.RATE_LIMITED),
        ("Security check", Kind.BLOCKED),
    ],
)
def test_titles_say_it_only_by_whole_phrases(named: str, kind: Kind) -> None:
    assert classify(html(f"<p>{TEXT}", named).encode(), headers={b"Content-Type": b"text/html"}).kind == kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (
            "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root><h1>Kettle</h1>$20</div>",
            "ok",
        ),
        (f'<div id="app"><p>Kettle, $20</p></div>{SCRIPT}', "ok"),
        (f'<div id="app"><p>Loading…</p></div>{SCRIPT}', "js_shell"),
        (f'<div id="app"></div>{SCRIPT}', "js_shell"),
        ("<h1>Access denied</h1>", "blocked"),
        ("", "empty"),
    ],
)
def test_of_a_rendered_page_its_scripts_tell_nothing(body: str, kind: str) -> None:
    assert classify(html(body).encode(), headers={b"Content-Type": b"text/html"}, rendered=True).kind == kind


@given(st.binary(max_size=2_000), st.integers(100, 599), st.sampled_from(["utf-8", "base64", "nonsense", "utf-16"]))
def test_whatever_comes_is_named(body: bytes, status: int, encoding: str) -> None:
    for kind in (b"text/html", b"", b"application/json"):
        assert classify(b"<" + body, status, {b"Content-Type": kind}, encoding).kind in Kind


@pytest.mark.parametrize(
    "piece",
    ["<script>", "</script><SCRIPT>", "<!--", "<noscript>a", "<p>a", ">", "<h1>", "<title>", "<a ", "<div id=app "],
)
def test_hostile_pages_are_read_in_one_pass(piece: str) -> None:
    """A quadratic reading of two megabytes would take minutes."""
    classify((piece * (2_000_000 // len(piece))).encode(), headers={b"Content-Type": b"text/html"})
