"""What Scrapy 2.19 does not say in public about its engine: all of its internals that the frontier touches.

No signal tells of every ending, of what a request goes on as, or of which page a request was found on. Four methods of
the engine and its parts do, for all endings alike: they are wrapped here, and nowhere else.
"""

from __future__ import annotations

from asyncio import FIRST_COMPLETED, Future, Task, create_task, current_task, get_running_loop, wait
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol, cast
from weakref import WeakSet

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import aiter_errback, deferred_from_coro, ensure_awaitable, iter_errback
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


@dataclass(slots=True)
class Scrape:
    """Callbacks and pipelines at work on what came of a request."""

    task: Task[Any]
    done: Deferred[None]  # the engine waits for it
    items: int = 0  # in pipelines
    given_up: bool = False


_SCRAPE: ContextVar[Scrape] = ContextVar("scrape")


class Engine:
    """The engine of a crawler whose spider is being opened, watched from then on."""

    def __init__(self, crawler: Crawler, watcher: Watcher) -> None:
        self._engine: Any = crawler.engine
        self._slot: Any = self._engine._slot
        self._watcher = watcher
        self._given_up: WeakSet[Request] = WeakSet()
        self._scrapes: dict[Request, Scrape] = {}
        self._watch_results()
        self._watch_scrapes()
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

    @property
    def under_way(self) -> list[Request]:
        """All requests, also those that are not the frontier's."""
        return [*self._slot.inprogress]

    def give_up(self, requests: Sequence[Request]) -> None:
        """Wait no longer for requests: callbacks at work on them are cancelled, and what comes of them is dropped."""
        self._given_up.update(requests)
        for request in requests:
            if (scrape := self._scrapes.get(request)) is not None:
                self._cancel(scrape)
            self._engine.downloader.active.discard(request)
            if request in self._slot.inprogress:
                self._slot.remove_request(request)

    def _cancel(self, scrape: Scrape) -> None:
        """Callbacks may refuse to be cancelled: neither they nor their items are waited for."""
        scrape.task.cancel()
        if not scrape.given_up:
            scrape.given_up = True
            self._engine.scraper.slot.itemproc_size -= scrape.items
        if not scrape.done.called:
            scrape.done.callback(None)

    def is_given_up(self, request: Request) -> bool:
        return request in self._given_up

    def is_at_work(self, request: Request) -> bool:
        """Whether callbacks or pipelines are, also on one that was given up."""
        return request in self._scrapes

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

    def _watch_scrapes(self) -> None:
        scraper = self._engine.scraper
        process = scraper._wait_for_processing

        async def processed(result: Result, request: Request, done: Deferred[None]) -> None:
            if request in self._given_up:
                done.callback(None)
                return
            said: Deferred[None] = Deferred()
            said.addBoth(lambda word: None if done.called else done.callback(word))
            scrape = self._scrapes[request] = Scrape(cast("Task[Any]", current_task()), done)
            _SCRAPE.set(scrape)  # for this task, and those that it starts
            try:
                await process(result, request, said)
            finally:
                if self._scrapes.get(request) is scrape:
                    del self._scrapes[request]

        scraper._wait_for_processing = processed

    def _watch_output(self) -> None:
        scraper, watcher = self._engine.scraper, self._watcher
        process = scraper._process_spidermw_output_async

        async def processed(output: Any, request: Request, result: Result) -> None:
            if output is None or request in self._given_up:
                return
            if isinstance(output, Request):
                with watcher.yielding(result):
                    await process(output, result)  # schedules it, without a pause
                return
            watcher.yielded_item(result)
            scrape = _SCRAPE.get()
            scrape.items += 1
            try:
                await process(output, result)
            finally:
                scrape.items -= 1
                if scrape.given_up:
                    scraper.slot.itemproc_size += 1  # it was taken out before

        async def handled(output: Any, request: Request, result: Result) -> None:
            catch = aiter_errback if isinstance(output, AsyncIterator) else iter_errback
            outputs, at_once = catch(output, scraper.handle_spider_error, request, result), scraper.concurrent_items
            await _each(as_async_generator(outputs), lambda one: processed(one, request, result), at_once)

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
    try:
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
    finally:
        for task in tasks:
            task.cancel()  # those that are done do not mind


def is_closing(crawler: Crawler) -> bool:
    """Whether the spider is being closed, or has closed: nothing is started any more."""
    engine: Any = crawler.engine
    return engine is not None and (engine._slot is None or engine._slot.closing is not None)


def have_failed(crawler: Crawler) -> None:
    """Have `scrapy crawl` and `runspider` exit with 1 when the spider, whose engine was made, has closed.

    They ask no close reason, but whether the crawler ever had a spider.
    """
    engine: Any = crawler.engine
    closed = engine._spider_closed_callback

    async def closed_failed(spider: Spider) -> None:
        crawler.spider = None
        if engine.start_time is None:  # one that is started tells them itself
            await engine.downloader.handlers._close()
        await ensure_awaitable(closed(spider))

    engine._spider_closed_callback = closed_failed


def let_go(result: Result) -> None:
    """Part a response from its parsed page: each holds the other, and only the garbage collector would free them."""
    if getattr(result, "_cached_selector", None) is not None:
        result._cached_selector = None  # type: ignore[union-attr]
