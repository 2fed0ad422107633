"""What libraries say of a failure, in short words: messages as aiohttp and Twisted write them."""

from __future__ import annotations

import pytest
from scrapy.exceptions import DownloadConnectionRefusedError, DownloadFailedError

from scraping_ai.frontier.reasons import failure_reason

NO_HOST = "Cannot connect to host a.example:443 ssl:<ssl.SSLContext object at 0x7f00>"
UNTRUSTED = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: "


def failed(said: str) -> DownloadFailedError:
    """As Twisted tells it."""
    return DownloadFailedError(f"[<twisted.python.failure.Failure {said}>]")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            DownloadConnectionRefusedError(f"{NO_HOST} [E: (1, '{UNTRUSTED}self-signed certificate (_ssl.c:1006)')]"),
            "its certificate can't be trusted: self-signed certificate",
        ),
        (
            DownloadConnectionRefusedError(f"{NO_HOST} [E: (1, '{UNTRUSTED}Hostname mismatch, it is of b.')]"),
            "its certificate can't be trusted: Hostname mismatch",
        ),
        (
            DownloadConnectionRefusedError(f"{NO_HOST} [[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1)]"),
            "no secure connection: wrong version number",
        ),
        (DownloadConnectionRefusedError(f"{NO_HOST} [Connect call failed ('127.0.0.1', 1)]"), "connection refused"),
        (DownloadFailedError(f"{NO_HOST} [None]"), "download failed: Cannot connect to host a.example:443"),
        (failed("twisted.internet.error.ConnectionLost: Connection to the other side was lost."), "connection lost"),
        (failed("twisted.web.http.Odd: An odd answer."), "download failed: [An odd answer.]"),
        (failed("OpenSSL.SSL.Error: [('', 'certificate verify failed')]"), "its certificate can't be trusted"),
        (ValueError("1 < 2"), "ValueError: 1 < 2"),
        (KeyError(), "KeyError"),
    ],
)
def test_words(error: Exception, words: str) -> None:
    assert failure_reason(error) == words
