"""Redirects as Scrapy follows them, those of answers and those that stand in pages, but none that would log in.

Scrapy 2.19 drops an Authorization header on the way to another origin, a Cookie header to another host, and leaves the
header for a proxy to its middleware for proxies. What it leaves is dropped here.
"""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import BaseRedirectMiddleware, MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from scraping_ai.frontier.scope import login_of

PORTS = {"http": 80, "https": 443}
HEAD = 4 * 4096  # bytes: Scrapy looks at 4,096 characters


class SafeRedirect(BaseRedirectMiddleware):
    """Refuses a redirect to an address with a name or password, before it stands in a log, a queue or a record.

    One that the redirected request has itself, as a spider's own code gave it, may stay. Headers and meta keys that
    prove who we are stay with the origin that they were meant for.
    """

    def _build_redirect_request(
        self, source_request: Request, response: Response, *, url: str, **kwargs: Any
    ) -> Request:
        redirected = super()._build_redirect_request(source_request, response, url=url, **kwargs)
        before, after = origin_of(source_request), origin_of(redirected)
        if before != after:
            redirected.headers.pop("Authorization", None)
            for key in ("http_user", "http_pass"):  # of which Scrapy's middleware makes the header anew
                redirected.meta.pop(key, None)
            if (*before, *after) != ("http", before[1], 80, "https", before[1], 443):
                redirected.headers.pop("Cookie", None)
        return redirected

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        if login_of(redirected.url) not in ("", login_of(request.url)):
            raise IgnoreRequest("redirects to an address with a password")
        return super()._redirect(redirected, request, reason)


def origin_of(request: Request) -> tuple[str, str | None, int | None]:
    """Scheme, host and port (RFC 6454)."""
    parts = urlparse_cached(request)
    try:
        return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return parts.scheme, parts.hostname, None


class PlainRedirectMiddleware(SafeRedirect, RedirectMiddleware):
    """Of answers with a Location."""


class QuickMetaRefreshMiddleware(SafeRedirect, MetaRefreshMiddleware):
    """Of pages with `<meta http-equiv="refresh">`: looks for the word among the bytes first, a tenth of the work."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        head = response.body[:HEAD]
        if b"refresh" not in head.lower() and b"\0" not in head[:4]:  # of UTF-16 and UTF-32
            return response
        return super().process_response(request, response)
