"""Why a page could not be had, in words for the user."""

from __future__ import annotations

from http import HTTPStatus

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)

KNOWN: tuple[tuple[type[BaseException], str], ...] = (
    (CannotResolveHostError, "host not found"),
    (DownloadConnectionRefusedError, "connection refused"),
    (DownloadTimeoutError, "no answer in time"),
    (DownloadCancelledError, "body too large"),
    (ResponseDataLossError, "answer cut off"),
    (UnsupportedURLSchemeError, "not an http or https address"),
    (UnicodeError, "not a valid host name"),
)


def failure_reason(error: BaseException) -> str:
    """One line for a request that got no response."""
    if isinstance(error, DownloadConnectionRefusedError) and "certificate" in str(error).lower():
        return f"its certificate can't be trusted: {first_line(error)}"  # the aiohttp handler has no error for it
    for kind, words in KNOWN:
        if isinstance(error, kind):
            return words
    if "DOWNLOAD_MAXSIZE" in str(error):
        return "body too large"  # once unpacked
    if isinstance(error, IgnoreRequest):
        return first_line(error) or "refused"
    if isinstance(error, DownloadFailedError):
        return f"download failed: {first_line(error)}".rstrip(": ")
    return f"{type(error).__name__}: {first_line(error)}".rstrip(": ")


def status_reason(status: int) -> str | None:
    """One line for a response that is not the page asked for; None for one that is."""
    if 200 <= status < 300:
        return None
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[0][:200]
