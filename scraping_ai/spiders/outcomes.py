"""How a page was had, from what the downloader noted on its way."""

from __future__ import annotations

from typing import Any

from scrapy import Request
from scrapy.http import Response

from scraping_ai.frontier.reasons import status_reason
from scraping_ai.items import Outcome

MAX_REASON = 200  # characters
# Classes of which nothing is extracted: what came is not the page.
NOT_THE_PAGE = frozenset(("blocked", "captcha", "rate_limited", "login_wall", "soft_404"))


def outcome_of(response: Response) -> Outcome | None:
    """None for an answer that was sent for by nobody, or that nobody classified."""
    meta = response.meta
    verdict = meta.get("verdict")
    if verdict is None or "download_latency" not in meta:
        return None
    return Outcome(kind=verdict[0], reason=verdict[1][:MAX_REASON], size=len(response.body), **_way(meta))


def failed_outcome(request: Request, reason: str) -> Outcome:
    """Of a request that got no answer."""
    return Outcome(kind="error", reason=reason[:MAX_REASON], **_way(request.meta))


def response_reason(status: int, outcome: Outcome | None) -> str | None:
    """As `status_reason`, also where the status tells less than what came."""
    if outcome is None or outcome.kind not in NOT_THE_PAGE or outcome.reason.startswith("HTTP "):
        return status_reason(status)
    return outcome.words


def _way(meta: dict[str, Any]) -> dict[str, Any]:
    tried, retried = meta.get("rungs"), meta.get("retry_times")
    return {
        "rung": str(meta.get("rung", "http")),
        "seconds": round(float(meta.get("download_latency") or 0.0), 3),
        "tier": str(meta.get("proxy_tier") or ""),
        "attempts": 1 + (len(tried) if isinstance(tried, list) else 0) + (retried if isinstance(retried, int) else 0),
    }
