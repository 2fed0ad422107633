"""The browser rung of the fetch ladder: pages that their scripts make (docs/fetching.md, "The browser").

On Playwright directly, not on scrapy-playwright: its handler follows redirects unseen by Scrapy's middlewares, reads
bodies without a limit, and leaves pages open where a time-out or a crash ends them (its issues 137, 167, 171, 217).
"""

from scraping_ai.middlewares.browser.handler import BrowserDownloadHandler

__all__ = ["BrowserDownloadHandler"]
