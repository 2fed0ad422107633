"""When a page is there, and its text: asked in a world of our own, where the page's scripts have changed nothing."""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Any, NamedTuple

from playwright.async_api import Error
from scrapy.exceptions import DownloadCancelledError, DownloadFailedError

from scraping_ai.middlewares.browser.scripts import CLICK_MORE, LOOK, MARKUP
from scraping_ai.middlewares.browser.tab import RELOADS, Tab

BEAT = 0.05  # seconds between two looks
QUIET = 0.3  # seconds without a change: of the network and of the text
STILL = 1.5  # seconds without a change of the text while the network goes on
LITTLE = 40  # characters: a page with less has most likely not begun to show what it has
BODY_END = re.compile(r"</body\s*>", re.I)


class Look(NamedTuple):
    """A page at a moment."""

    is_ready: bool
    characters: int
    elements: int
    found: bool  # what the user waits for


class Content:
    """Waits and asks; the time it takes is bounded by BROWSER_BUDGET, save where the page does not answer at all."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.options = tab, tab.options
        self._world: int | None = None

    async def evaluate(self, expression: str) -> Any:
        """Raises playwright's Error."""
        send = self.tab.session.send
        for left in range(RELOADS + 1, -1, -1):
            if self._world is None:
                made = await send("Page.createIsolatedWorld", {"frameId": self.tab.frame, "worldName": "reader"})
                self._world = made["executionContextId"]
            try:
                what = {"expression": expression, "contextId": self._world, "returnByValue": True}
                told = await send("Runtime.evaluate", what)
                break
            except Error:  # the document was loaded anew
                self._world = None
                if not left:
                    raise
        if "exceptionDetails" in told:
            raise DownloadFailedError("the page cannot be read")
        return told["result"].get("value")

    async def look(self) -> Look:
        return Look(*await self.evaluate(LOOK.format(selector=_quoted(self.options.wait_for))))

    async def settled(self, until: float) -> None:
        """Return when nothing changes any more, or at the time `until`."""
        before, since = None, time.monotonic()
        wanted = bool(self.options.wait_for)
        has_scripts = self.tab.first is not None and b"<script" in self.tab.first.body.lower()
        began = since
        while (now := time.monotonic()) < until and not self.tab.moved.done():
            seen = await self.look()
            now = time.monotonic()
            if seen != before:
                before, since = seen, now
            elif seen.is_ready and not (wanted and not seen.found):
                still = now - since
                is_quiet = self.tab.traffic.is_quiet and now - self.tab.traffic.changed >= QUIET
                is_bare = has_scripts and seen.characters < LITTLE and now - began < (until - began) / 2
                if (wanted or not is_bare) and ((still >= QUIET and is_quiet) or still >= STILL):
                    return
            await asyncio.sleep(BEAT)

    async def unfold(self, until: float) -> None:
        """Scroll down and press "load more", BROWSER_SCROLLS times at most, as long as that brings more."""
        self.tab.is_touched = True
        for _ in range(self.options.scrolls):
            before = await self.look()
            pressed = await self.evaluate(CLICK_MORE)
            await self._grown(before, min(until, time.monotonic() + STILL))
            await self.settled(until)
            after = await self.look()
            if time.monotonic() >= until or (after.elements <= before.elements and not pressed):
                return
            if after == before:
                return

    async def _grown(self, before: Look, until: float) -> None:
        while time.monotonic() < until and (await self.look()).elements <= before.elements:
            await asyncio.sleep(BEAT)

    async def markup(self) -> str:
        """The page as it is now, and the JSON that its scripts fetched at its end, as scripts of that kind.

        Raises DownloadCancelledError for more than DOWNLOAD_MAXSIZE.
        """
        text = await self.evaluate(MARKUP.format(limit=self.options.max_size))
        if text is None:
            raise DownloadCancelledError(f"{self.tab.url} is larger than {self.options.max_size} bytes")
        return with_captured(str(text), self.tab.traffic.captured)


def with_captured(markup: str, captured: list[dict[str, str]]) -> str:
    """Evidence can so point into the stored page, as it does into other state that a page carries."""
    if not captured:
        return markup
    scripts = "".join(
        f'<script type="application/json" data-captured-from="{_attribute(one["url"])}">'
        f"{one['body'].replace('<', chr(92) + 'u003c')}</script>"
        for one in captured
    )
    ends = list(BODY_END.finditer(markup, max(0, len(markup) - 1_000)))
    place = ends[-1].start() if ends else len(markup)
    return markup[:place] + scripts + markup[place:]


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def _quoted(text: str) -> str:
    """A text as a literal of JavaScript."""
    return json.dumps(text)
