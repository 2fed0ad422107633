"""Redirects as Scrapy follows them, those of answers and those that stand in pages, but none that would log in."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import BaseRedirectMiddleware, MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from scraping_ai.frontier.scope import login_of

HEAD = 4 * 4096  # bytes: Scrapy looks at 4,096 characters


class NoLogin(BaseRedirectMiddleware):
    """Refuses a redirect to an address with a name or password, before it stands in a log, a queue or a record.

    One that the redirected request has itself, as a spider's own code gave it, may stay.
    """

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        if login_of(redirected.url) not in ("", login_of(request.url)):
            raise IgnoreRequest("redirects to an address with a password")
        return super()._redirect(redirected, request, reason)


class PlainRedirectMiddleware(NoLogin, RedirectMiddleware):
    """Of answers with a Location."""


class QuickMetaRefreshMiddleware(NoLogin, MetaRefreshMiddleware):
    """Of pages with `<meta http-equiv="refresh">`: looks for the word among the bytes first, a tenth of the work."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        head = response.body[:HEAD]
        if b"refresh" not in head.lower() and b"\0" not in head[:4]:  # of UTF-16 and UTF-32
            return response
        return super().process_response(request, response)
