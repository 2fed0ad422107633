"""What proves who we are stays with the origin it was meant for: redirects take it nowhere else."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from servers.crawls import crawl
from servers.site import Resource, Site

from scraping_ai import settings

BASIC = "Basic " + base64.b64encode(b"me:secret").decode()
SECRETS = ("authorization", "cookie", "proxy-authorization")


class Visitor(Spider):
    """One of a user's own, which asks for one page with what it is given."""

    name = "visitor"
    url: str
    asked: dict[str, Any]

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self.url, **self.asked)

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        yield {"url": response.url}


def visit(folder: Path, url: str, cookies: bool = False, **asked: Any) -> None:
    crawl(
        Visitor,
        folder,
        {"url": url, "asked": asked},
        DOWNLOADER_MIDDLEWARES=settings.DOWNLOADER_MIDDLEWARES_BASE,
        DOWNLOAD_HANDLERS=settings.DOWNLOAD_HANDLERS,
        FETCH_HANDLERS=settings.FETCH_HANDLERS,
        COOKIES_ENABLED=cookies,
        DOWNLOAD_DELAY=0,
    )


def secrets(site: Site, path: str = "/") -> dict[str, str]:
    hit = next(hit for hit in site.hits if hit.path == path)
    return {name: hit.headers[name] for name in SECRETS if name in hit.headers}


ASKED = {
    "authorization": {"headers": {"Authorization": BASIC}},
    "cookie": {"headers": {"Cookie": "session=1"}},
    "login for the middleware": {"meta": {"http_user": "me", "http_pass": "secret"}},
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("leads", ["location", "page"])
@pytest.mark.parametrize("host", ["127.0.0.2", "127.0.0.1"], ids=["other host", "other port"])
def test_credentials_go_to_no_other_origin(tmp_path: Path, asked: dict[str, Any], leads: str, host: str) -> None:
    with Site({"/": "there"}, host=host) as other, Site({"/near": "here"}) as site:
        for path, target in (("/away", other.url()), ("/by", "/near")):
            refresh = f'<meta http-equiv="refresh" content="0; url={target}">'
            moved = Resource("", 302, {"Location": target})
            site.pages[path] = (
                moved if leads == "location" else Resource(refresh, headers={"Content-Type": "text/html"})
            )
            visit(tmp_path / path[1:], site.url(path), **asked)
        assert secrets(site, "/away") == secrets(site, "/near") != {}
        assert secrets(other) == {}


def test_cookies_of_a_site_go_to_no_other_host(tmp_path: Path) -> None:
    with Site({"/": "there"}, host="127.0.0.2") as other:
        pages = {"/": Resource("", 302, {"Location": "/next", "Set-Cookie": "session=1"})}
        with Site({**pages, "/next": Resource("", 302, {"Location": other.url()})}) as site:
            visit(tmp_path, site.url(), cookies=True)
        assert secrets(site, "/next") == {"cookie": "session=1"}
        assert secrets(other) == {}


def test_a_proxys_password_is_told_to_the_proxy_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`no_proxy` has the second host asked directly."""
    with Site({"/": "there"}, host="127.0.0.2") as other:
        away = Resource("", 302, {"Location": other.url()})
        with Site({"http://shop.example/": away, other.url(): "by proxy"}) as proxy:
            monkeypatch.setenv("http_proxy", proxy.url().replace("://", "://me:secret@"))
            monkeypatch.setenv("no_proxy", "127.0.0.2")
            visit(tmp_path / "a", "http://shop.example/", meta={})
            visit(tmp_path / "b", other.url())
        assert secrets(proxy, "http://shop.example/") == {"proxy-authorization": BASIC}
        assert all("proxy-authorization" not in hit.headers for hit in other.hits)
