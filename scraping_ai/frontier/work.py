"""What came of a leased page, and so how its lease ends."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from scraping_ai.frontier.protocol import Ending, Kind, Lease, Link
from scraping_ai.frontier.reasons import failure_reason, status_reason


@dataclass(slots=True)
class Work:
    """What is known of a leased page under way."""

    lease: Lease
    request: Request  # the one that is under way now: a redirect's is another
    began: float = field(default_factory=time.monotonic)
    gate: str | None = None  # that the request under way passes, until it has its answer
    next: Request | None = None  # what it goes on as
    result: Response | Failure | None = None  # what the downloader gave
    failure: Failure | None = None  # of a callback
    broken: str | None = None  # of a pipeline; or the page took too long
    retry: str | None = None  # JSON of the request that a middleware wants instead
    claiming: bool = False  # callbacks wait for word of where it redirected to
    links: list[Link] = field(default_factory=list)
    had: bool = False  # it redirected to a page that the task has from elsewhere
    kept: bool = False  # something came of it that counts, whatever its status
    yielded: bool = False  # callbacks made an item of it
    reason: str | None = None  # why nothing that counts came of it, said by who knows
    page: str | None = None
    records: Sequence[str] = ()


class Endings:
    """Decides how leases end. FRONTIER_MAX_ATTEMPTS, FRONTIER_RETRY_BASE, FRONTIER_RETRY_MAX, RETRY_HTTP_CODES."""

    def __init__(self, settings: BaseSettings) -> None:
        self.most = settings.getint("FRONTIER_MAX_ATTEMPTS", 3)
        self.base = settings.getfloat("FRONTIER_RETRY_BASE", 1.0)
        self.longest = settings.getfloat("FRONTIER_RETRY_MAX", 300.0)
        self.retryable = frozenset(int(code) for code in settings.getlist("RETRY_HTTP_CODES"))

    def of(self, work: Work) -> Ending:
        """The ending of a page that the engine is done with."""
        ending = self._of_result(work)
        ending.status = status_of(work.result)
        ending.page, ending.records = work.page, work.records
        ending.links = () if ending.kind == Kind.RETRY else work.links  # a retry finds them again
        return ending

    def _of_result(self, work: Work) -> Ending:
        lease, result = work.lease, work.result
        if work.retry is not None:
            return Ending(lease, Kind.RETRY, "asked for again", after=self.wait(lease.tries), request=work.retry)
        if work.broken is not None:
            if lease.tries + 1 < self.most:
                return Ending(lease, Kind.RETRY, work.broken, after=self.wait(lease.tries))
            return Ending(lease, Kind.DEAD, work.broken)
        if work.failure is not None:
            return self._of_failure(lease, work.failure, "callback failed: ")
        if result is None:
            return Ending(lease, Kind.SKIPPED, work.reason or "dropped")
        if isinstance(result, Failure):
            return self._of_failure(lease, result, said=work.reason)
        return self._of_response(work, result)

    def _of_failure(self, lease: Lease, failure: Failure, what: str = "", said: str | None = None) -> Ending:
        """An IgnoreRequest is a decision, all others are faults; `said`: the spider's own words for it."""
        if isinstance(failure.value, IgnoreRequest):
            return Ending(lease, Kind.SKIPPED, said or failure_reason(failure.value))
        return Ending(lease, Kind.DEAD, said or what + failure_reason(failure.value))

    def _of_response(self, work: Work, response: Response) -> Ending:
        if work.kept or (work.reason is None and (work.yielded or response.status < 400)):
            return Ending(work.lease, Kind.STORED)
        kind = Kind.DEAD if response.status in self.retryable else Kind.SKIPPED
        return Ending(work.lease, kind, work.reason or status_reason(response.status))

    def wait(self, tries: int) -> float:
        """Seconds until the next attempt: exponential with full jitter (Brooker, AWS Architecture Blog, 2015)."""
        return random.uniform(0, min(self.base * 2.0 ** min(tries, 30), self.longest))  # noqa: S311


def status_of(result: Response | Failure | None) -> int | None:
    """The HTTP status of what came of a page, also of one that became an error on the way to callbacks."""
    response = result if isinstance(result, Response) else getattr(getattr(result, "value", None), "response", None)
    return response.status if isinstance(response, Response) else None
