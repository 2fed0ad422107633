"""What Scrapy 2.19 does not say in public about its engine: all of its internals that the frontier touches.

No signal tells of every ending, of what a request goes on as, or of which page a request was found on. Four methods of
the engine and its parts do, for all endings alike: they are wrapped here, and nowhere else.
"""

from __future__ import annotations

from asyncio import FIRST_COMPLETED, Future, Task, create_task, get_running_loop, wait
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import aiter_errback, deferred_from_coro, iter_errback
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

Result = Response | Failure


class Watcher(Protocol):
    """Who is told."""

    def going_on(self, request: Request, other: Request) -> AbstractContextManager[None]:
        """Entered while a request is scheduled that middlewares made of another: a redirect, a retry."""
        ...

    def arrived(self, request: Request, result: Result) -> Future[Any] | None:
        """What came of a request. Callbacks wait for the future returned, and do not see it when that says False."""
        ...

    def yielding(self, result: Result) -> AbstractContextManager[None]:
        """Entered while a request that callbacks made of a result is scheduled."""
        ...

    def yielded_item(self, result: Result) -> None: ...

    def ended(self, request: Request) -> None:
        """All is over with a request: its items have left the pipelines."""
        ...

    def closing(self) -> None:
        """Nothing is started any more; what is under way is waited for."""
        ...


class Engine:
    """The engine of a crawler whose spider is being opened, watched from then on."""

    def __init__(self, crawler: Crawler, watcher: Watcher) -> None:
        self._engine: Any = crawler.engine
        self._slot: Any = self._engine._slot
        self._watcher = watcher
        self._given_up: set[Request] = set()
        self._watch_results()
        self._watch_output()
        self._watch_endings()

    def wake(self) -> None:
        """Have it ask for requests, and whether it is done: by itself it does so every five seconds."""
        if self._slot.closing is None:
            self._slot.nextcall.schedule()

    @property
    def is_at_rest(self) -> bool:
        """Whether no request is under way."""
        return not self._slot.inprogress

    def close_spider(self, reason: str) -> None:
        """Have the spider closed, whatever is pending."""
        deferred_from_coro(self._engine.close_spider_async(reason=reason))

    def give_up(self, requests: Sequence[Request]) -> None:
        """Wait no longer for requests, so that a spider that is being closed closes."""
        self._given_up.update(requests)
        for request in requests:
            if request in self._slot.inprogress:
                self._slot.remove_request(request)

    def _watch_results(self) -> None:
        handle, watcher = self._engine._handle_downloader_output, self._watcher

        def handled(result: Result | Request, request: Request) -> Deferred[None]:
            if request in self._given_up:
                return deferred_from_coro(_nothing())
            if isinstance(result, Request):
                with watcher.going_on(request, result):
                    return handle(result, request)  # type: ignore[no-any-return]
            waiting = watcher.arrived(request, result)
            if waiting is None:
                return handle(result, request)  # type: ignore[no-any-return]
            return deferred_from_coro(after(waiting, result, request))

        async def after(waiting: Future[Any], result: Result, request: Request) -> None:
            if await waiting is not False and request not in self._given_up:
                await handle(result, request).asFuture(get_running_loop())

        self._engine._handle_downloader_output = handled

    def _watch_output(self) -> None:
        scraper, watcher = self._engine.scraper, self._watcher
        process = scraper._process_spidermw_output_async

        async def processed(output: Any, result: Result) -> None:
            if isinstance(output, Request):
                with watcher.yielding(result):
                    await process(output, result)  # schedules it, without a pause
            elif output is not None:
                watcher.yielded_item(result)
                await process(output, result)

        async def handled(output: Any, request: Request, result: Result) -> None:
            catch = aiter_errback if isinstance(output, AsyncIterator) else iter_errback
            outputs = catch(output, scraper.handle_spider_error, request, result)
            await _each(as_async_generator(outputs), lambda one: processed(one, result), scraper.concurrent_items)

        scraper.handle_spider_output_async = handled

    def _watch_endings(self) -> None:
        slot, remove, close, watcher = self._slot, self._engine._remove_request, self._slot.close, self._watcher

        def removed(result: Any, request: Request) -> None:
            watcher.ended(request)
            if request in slot.inprogress:  # a callback that downloads its own request again takes it out before
                remove(result, request)

        async def closed() -> None:
            watcher.closing()
            await close()

        self._engine._remove_request, slot.close = removed, closed


async def _nothing() -> None:
    pass


async def _each(outputs: AsyncIterator[Any], process: Callable[[Any], Coroutine[Any, Any, None]], at_once: int) -> None:
    """Process what a callback yields, at most so many items at once.

    Scrapy starts a queue and CONCURRENT_ITEMS + 1 tasks for every page; the only item of a page needs none.
    """
    only: Any = None
    tasks: set[Task[None]] = set()
    async for output in outputs:
        if output is None or isinstance(output, Request):
            await process(output)
        elif only is None and not tasks:
            only = output
        else:
            started = (only, output) if only is not None else (output,)
            only = None
            tasks |= {create_task(process(one)) for one in started}
            while len(tasks) >= at_once:
                _, tasks = await wait(tasks, return_when=FIRST_COMPLETED)
    if only is not None:
        await process(only)
    if tasks:
        await wait(tasks)


def is_closing(crawler: Crawler) -> bool:
    """Whether the spider is being closed: nothing is started any more."""
    slot = getattr(crawler.engine, "_slot", None)
    return slot is not None and slot.closing is not None


def let_go(result: Result) -> None:
    """Part a response from its parsed page: each holds the other, and only the garbage collector would free them."""
    if getattr(result, "_cached_selector", None) is not None:
        result._cached_selector = None  # type: ignore[union-attr]
