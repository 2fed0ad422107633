from __future__ import annotations

import pytest

from scraping_ai.frontier.fingerprint import Fingerprinter
from scraping_ai.frontier.scope import Scope

REPEATS, FAR = "repeats itself", "a far page of a calendar"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a/b/c", None),
        ("/a/a/page", None),
        ("/a/a/a/page", REPEATS),
        ("/shop/en/shop/en/shop/en/", REPEATS),
        ("/x/a/b/c/a/b/c/a/b/c", REPEATS),
        ("/2011/11/11/11/story", None),
        ("/" + "/".join(map(str, range(25))), "too many path segments"),
        ("/?a=1&a=1&a=1&a=1", REPEATS),
        ("/?" + "&".join(f"p{n}={n}" for n in range(40)), REPEATS),
        ("/?colour=red&size=1&size=2&sort=price", None),
        ("/2003/05/12/an-old-story", None),
        ("/2003/05/", None),
        ("/archive/2034/05", FAR),
        ("/2034/05/a-story", None),
        ("/calendar/2026/12", None),
        ("/calendar/2019/12/03", FAR),
        ("/events?month=2019-03", FAR),
        ("/events?month=03.2019", FAR),
        ("/events?date=2027-01-05", None),
        ("/events/?tribe-bar-date=2031-05-01", FAR),
        ("/book?year=2004", None),
        ("/p?updated=20190301", None),
    ],
)
def test_traps(path: str, reason: str | None) -> None:
    assert Scope(frozenset({"a.example"}), year=2026).refusal("http://a.example" + path, 1) == reason


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/p;jsessionid=0123ABCDEF?b=1",
        "http://a.example/p?PHPSESSID=0123456789abcdef&b=1",
        "http://a.example/p?b=1&sid=0123456789abcdef0123456789abcdef",
        "http://a.example/(S(lit3py55t21z5v55vlm25s55))/p?b=1",
    ],
)
def test_a_page_counts_once_under_all_session_ids(url: str) -> None:
    assert Fingerprinter().canonical(url) == "http://a.example/p?b=1"


def test_short_values_are_no_session_ids() -> None:
    assert Fingerprinter().canonical("http://a.example/modules.php?sid=4711") == (
        "http://a.example/modules.php?sid=4711"
    )
