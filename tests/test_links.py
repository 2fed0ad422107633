from __future__ import annotations

from parsel import Selector

from scraping_ai.frontier.links import MAX_LINKS, links


def of(html: str, url: str = "http://a.example/dir/page") -> list[str]:
    return links(Selector(text=html).root, url)


def test_links_are_absolute_and_stand_once() -> None:
    html = '<a href=x>1</a><a href=" /y#part ">2</a><a href=x#other>3</a><area href="//b.example/">'
    assert of(html) == ["http://a.example/dir/x", "http://a.example/y", "http://b.example/"]


def test_base_counts() -> None:
    assert of('<base href="/other/"><a href=x>') == ["http://a.example/other/x"]


def test_what_is_no_link_is_left_out() -> None:
    assert of('<a href="mailto:a@b.example"><a href="javascript:void(0)"><a href="http://[x"><a>') == []


def test_a_page_of_links_is_bounded() -> None:
    assert len(of("".join(f"<a href={n}>" for n in range(MAX_LINKS + 10)))) == MAX_LINKS
