"""Work that misbehaves as the page's body says. In a module of its own, since workers import it."""

from __future__ import annotations

import os
import re
import signal
import time

from scraping_ai.pipelines.workers import Asked, Extracted, Work


class StuckWork(Work):
    """Extraction of pages that say how they are hostile; any other body is a page."""

    def extract(self, page: Asked) -> Extracted:
        if page.body == b"sleep":
            time.sleep(600)
        elif page.body == b"deaf":
            re.match(r"(a+)+b", "a" * 60)  # stays in C and heeds no signal that Python handles
        elif page.body == b"crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif page.body == b"hog":
            bytearray(8 * 2**30)
        elif page.body == b"exit":
            os._exit(3)
        return super().extract(page)
