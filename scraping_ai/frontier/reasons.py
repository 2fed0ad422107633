"""Why a page could not be had, in words for people: those of the log, of records and of dead letters."""

from __future__ import annotations

import re
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


LOST = re.compile(
    r"connection (?:was lost|was closed|reset|to the other side was lost)|server disconnected", re.IGNORECASE
)
TLS = re.compile(r"\[SSL: (\w+)\]")
UNTRUSTED = re.compile(r"certificate verify failed: ([\w -]+)")
# What libraries put into their messages for programmers: objects, and Twisted's lists of failures.
FAILURE = re.compile(r"<twisted\.python\.failure\.Failure [\w.]+: ([^<>]*)>")
OBJECT = re.compile(r"\bssl:(?:default\b|<[^<>]*>)|<[^<>]* at 0x[^<>]*>|\[None\]")


def failure_reason(error: BaseException | None) -> str:
    """One line for a request that got no response, or for code that failed."""
    if isinstance(error, DownloadFailedError | DownloadConnectionRefusedError) and (
        words := connection_reason(str(error))
    ):
        return words
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


def connection_reason(said: str) -> str | None:
    """What is wrong with a connection, for what neither library has errors of its own; None for anything else."""
    if "certificate" in said.lower():
        why = UNTRUSTED.search(said)
        return "its certificate can't be trusted" + (f": {why[1].strip()}" if why is not None else "")
    if (found := TLS.search(said)) is not None:
        return f"no secure connection: {found[1].replace('_', ' ').lower()}"
    return "connection lost" if LOST.search(said) else None


def status_reason(status: int) -> str | None:
    """One line for a response that is not the page asked for; None for one that is."""
    if 200 <= status < 300:
        return None
    try:
        return f"HTTP {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"HTTP {status}"


def first_line(error: BaseException | None) -> str:
    line = (OBJECT.sub("", FAILURE.sub(r"\1", str(error))).strip().splitlines() or [""])[0]
    return " ".join(line.split())[:200]
