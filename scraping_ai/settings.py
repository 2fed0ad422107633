"""Every setting of the project, its default and its reason.

Scrapy reads this module as any project's settings: `-s NAME=VALUE` and a spider's `custom_settings` win over it. Each
setting can also come from the environment as `SCRAPING_AI_NAME` (numbers, true/false, JSON for lists and dicts);
`OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OPENAI_MODEL` and `REDIS_URL`, which other programs share, are read under their
own names too.
What is not named here keeps Scrapy's default. Components stand in the settings that end in _BASE, as Scrapy's own do:
what a dict without that ending says (`-s EXTENSIONS='{…}'`, a spider's, the environment's) joins them; None takes out.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

from scrapy.settings import default_settings

from scraping_ai import __version__
from scraping_ai.environment import override

BOT_NAME = "scraping_ai"
SPIDER_MODULES = ["scraping_ai.spiders"]
NEWSPIDER_MODULE = "scraping_ai.spiders"

# ---- who we are, and how gently we ask

# Honest, and never a browser's. Add a contact address of your own, as robots.txt readers expect one.
USER_AGENT = f"ScrapingAI/{__version__} (self-hosted scraper)"
ROBOTSTXT_OBEY = True
# Seconds a robots.txt verdict is kept: a day is RFC 9309's limit; a failed fetch is asked again much sooner.
ROBOTSTXT_CACHE_TTL = 86_400.0
ROBOTSTXT_ERROR_TTL = 300.0
ROBOTSTXT_CACHE_SIZE = 1_000  # origins whose verdict is kept
# Four requests a second and host at most, all crawls of the process together (docs/frontier.md, "Politeness").
DOWNLOAD_DELAY = 0.25
CONCURRENT_REQUESTS_PER_DOMAIN = 4
GATE_BY = "host"  # "site": all hosts of a registered domain are one
DOWNLOADER = "scraping_ai.middlewares.downloader.GatedDownloader"  # Scrapy's own delays know one process only
# Slower where a site answers slowly or with errors: about TARGET_CONCURRENCY requests are under way.
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.25
AUTOTHROTTLE_TARGET_CONCURRENCY = 4.0
AUTOTHROTTLE_MAX_DELAY = 60.0
# Seconds that robots.txt can make us wait between two requests: Heritrix's bound. More is told in the log.
ROBOTSTXT_MAX_CRAWL_DELAY = 300.0
RETRY_AFTER_MAX = 3600.0  # seconds that a 429 or 503 can close a host; more would be a crawl that stands still
GATE_PATIENCE = 60.0  # seconds: a request to a host that is closed for longer is given back, not held
RETRY_TIMES = 2
# The page's own reason is reported once, in one line; Scrapy's would come on top of it.
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"

# ---- bounds on what a page may cost

DOWNLOAD_MAXSIZE = 20 * 1024 * 1024  # bytes, after decompression too; Scrapy's 1 GiB fills a small machine
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_TIMEOUT = 30.0  # seconds; Scrapy's 180 keeps a slot busy for a dead site
DNS_TIMEOUT = 15.0
REDIRECT_MAX_TIMES = 10
METAREFRESH_MAXDELAY = 5  # seconds: longer ones are pages that reload themselves, not redirects

# ---- unsafe defaults of Scrapy, closed

DOWNLOAD_VERIFY_CERTIFICATES = True
TELNETCONSOLE_ENABLED = False
# Names, addresses and networks that are not public and may be reached all the same, each with or without :PORT. The
# TARGETs of a command line count as allowed (docs/fetching.md, "The guard").
ALLOWED_PRIVATE_HOSTS: list[str] = []
REFUSED_PORTS: list[int] = []  # beside those that browsers refuse: mail, SSH and the like
REMOTE_CONTROL_ENABLED = False  # runs code that is sent to it over HTTP
# file: would let a crawled page name files of this machine; nothing here needs the others.
DOWNLOAD_HANDLERS_BASE: dict[str, Any] = {
    "file": None,
    "data": None,
    "ftp": None,
    "s3": None,
}
DOWNLOAD_HANDLERS: dict[str, Any] = dict.fromkeys(
    ("http", "https"), "scraping_ai.middlewares.ladder.LadderDownloadHandler"
)
DOWNLOAD_HANDLERS_BASE |= DOWNLOAD_HANDLERS  # they stay where others join

# ---- the fetch ladder (docs/fetching.md): how a page is had, the cheapest way first

# The rungs that may be climbed; those that cannot be had (no browser installed, no API named) are passed over.
FETCH_RUNGS = ["http", "browser", "api"]
FETCH_RUNGS_BY_HOST: dict[str, list[str]] = {}  # {"shop.example": ["browser"]}: fixed or capped for a host
# What a host needed is remembered, so that its next pages begin there; seconds after which a page counts half.
FETCH_MEMORY_HALF_LIFE = 21_600.0
FETCH_HANDLERS = {
    "http": "scraping_ai.middlewares.handlers.HttpDownloadHandler",
    "browser": "scraping_ai.middlewares.browser.BrowserDownloadHandler",
    "api": "scraping_ai.middlewares.fetch_api.FetchApiHandler",
}
# Any HTTP API that fetches pages; `{url}` and `{key}` are filled in, a key that has no place is sent as a bearer token.
FETCH_API_URL = ""  # empty: there is no such rung
FETCH_API_KEY = ""
FETCH_API_METHOD = ""  # empty: POST where there is a body, else GET
FETCH_API_BODY = ""  # JSON: {"url": "{url}", "render": true}
FETCH_API_CONTENT = ""  # where the page stands in the JSON that comes back: /data/html; empty: it is what comes back

# The browser of that rung (docs/fetching.md, "The browser").
BROWSER_CONTEXTS = 4  # pages at once
BROWSER_CONTEXT_PAGES = 50  # then a context is thrown away, with what it holds
BROWSER_MEMORY = 1_536 * 2**20  # bytes of all its processes: above, it is started anew; 0: no limit
# Kinds of requests that are not made: Chromium's, `frame` (of another host) and `tracker` (hosts that count visitors).
BROWSER_ABORT = ["image", "font", "media", "frame", "tracker"]
BROWSER_BUDGET = 10.0  # seconds that a page's content is waited for at most; most is there in less than one
BROWSER_WAIT_FOR = ""  # a CSS selector: what is waited for
BROWSER_SCROLLS = 0  # times that a page is scrolled down, or its "load more" pressed
BROWSER_CAPTURED = 20  # JSON answers to a page's scripts that are kept
BROWSER_CAPTURED_BYTES = 2 * 2**20  # of one page together
PLAYWRIGHT_LAUNCH_OPTIONS: dict[str, Any] = {}  # {"executable_path": "/usr/bin/chromium"}: Playwright's, and over ours

# ---- speed

CONCURRENT_REQUESTS = 32
CONCURRENT_ITEMS = 2  # Scrapy starts this many tasks for every response; a page yields one item
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 100_000_000  # bytes; at Scrapy's 5 MB a crawl stalls at a few large pages
LOG_FORMATTER = "scraping_ai.logs.LogFormatter"  # makes no lines that nobody reads
GC_THRESHOLDS = [5_000, 10, 10]  # Python's collector looks less often; [] leaves it as it is
WARN_ON_GENERATOR_RETURN_VALUE = False  # reads the source of callbacks to warn their authors
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
ASYNCIO_EVENT_LOOP = "uvloop.Loop" if importlib.util.find_spec("uvloop") else None

# ---- the frontier (docs/frontier.md): what is fetched next, kept in the job's file

SCHEDULER = "scraping_ai.frontier.scheduler.FrontierScheduler"
# Pages between their lease and their end: enough to keep the network and the extraction busy, and no more, since a
# killed process has to fetch them again.
FRONTIER_AT_ONCE = 64
FRONTIER_LEASE = 60.0  # seconds; workers renew theirs
FRONTIER_PAGE_DEADLINE = 600.0  # seconds after a page was begun: then it is given up, and tried again
FRONTIER_MAX_ATTEMPTS = 3  # losses of workers, failures of pipelines or missed deadlines, that make a dead letter
FRONTIER_RETRY_BASE = 1.0  # seconds that a first retry waits at most, doubled each time, up to
FRONTIER_RETRY_MAX = 300.0
FRONTIER_GRACE = 8.0  # seconds that a crawl which is told to end waits for its pages: less than supervisors' ten
FRONTIER_TRACKING_PARAMETERS: list[str] = []  # of addresses: dropped beside the known ones
MAX_HOST_PAGES = 0  # pages of one host that a job may store; 0: as many as `max_pages` lets it
# Where jobs with a name are kept, each in a folder of its own.
JOBS_DIR = str(Path(os.environ.get("SCRAPING_AI_HOME") or "~/.local/share/scraping-ai").expanduser() / "jobs")

# ---- a fleet's frontier (docs/frontier.md)

FRONTIER_URL = ""  # redis://…; empty: REDIS_URL, and without that a file
REDIS_URL = ""
FRONTIER_KEY = "frontier:%(task)s"  # what keys begin with there
GATE_KEY = "gates"  # likewise of the hosts' gates, which all crawls share

# ---- the stages of a page

# A page that failed is an outcome to count and report, not an exception: the spider sees every status.
HTTPERROR_ALLOW_ALL = True
DOWNLOADER_MIDDLEWARES_BASE: dict[str, int | None] = {
    **default_settings.DOWNLOADER_MIDDLEWARES_BASE,
    "scraping_ai.middlewares.tasks.TasksMiddleware": 70,
    "scraping_ai.middlewares.here.HereMiddleware": 80,
    "scraping_ai.middlewares.scope.ScopeMiddleware": 90,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,  # lets concurrent first requests through
    "scraping_ai.middlewares.robots.RobotsMiddleware": 100,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,  # quicker, and never to a login:
    "scraping_ai.middlewares.redirects.QuickMetaRefreshMiddleware": 580,
    "scraping_ai.middlewares.escalation.Escalation": 560,  # redirects are followed, and nothing is retried yet
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,  # never to a login:
    "scraping_ai.middlewares.redirects.PlainRedirectMiddleware": 600,
    "scrapy.downloadermiddlewares.stats.DownloaderStats": None,  # the same, quicker:
    "scraping_ai.middlewares.counts.Counts": 850,
    "scraping_ai.middlewares.encoding.EncodingMiddleware": 585,  # unpacked, and before anything reads its text
}
ITEM_PIPELINES_BASE: dict[str, int] = {
    "scraping_ai.pipelines.extract.ExtractPipeline": 300,
    "scraping_ai.pipelines.validate.ValidatePipeline": 400,
}
EXTENSIONS_BASE: dict[str, int | None] = {
    **default_settings.EXTENSIONS_BASE,
    "scrapy.extensions.spiderstate.SpiderState": None,  # a pickle beside the job's file
    "scrapy.extensions.throttle.AutoThrottle": None,  # the gates do it, for all workers
    "scrapy.extensions.feedexport.FeedExporter": None,  # loses what was not flushed
    "scraping_ai.storage.feeds.JobFeeds": 0,
    "scraping_ai.extensions.keep.Keep": 400,
    "scraping_ai.extensions.summary.Summary": 500,
    "scraping_ai.extensions.collector.Collector": 900,
}
# Share of the required fields that a followed page must hold to count as a record (more than this); pages that the
# user named always give one.
RECORD_MIN_FILL = 0.5

# ---- extraction (docs/extraction.md)

# In worker processes, so that a hostile page costs one page and never the job. 0: in the crawler's own process.
EXTRACT_PROCESSES = min(os.cpu_count() or 1, 8)
EXTRACT_TIMEOUT = 10.0  # seconds a page; a large one takes a tenth of a second
EXTRACT_MEMORY = 2 * 2**30  # bytes of address space a worker; 0: no limit
EXTRACT_METHODS = ["structured", "heuristic"]  # ["structured"] reads markup alone, for crawls of millions
# Dotted paths of sites' own parsers (docs/parsers.md); those that installed packages offer are found without.
PARSERS: list[str] = []

# ---- records out

FEED_EXPORT_ENCODING = "utf-8"
FEED_EXPORTERS_BASE: dict[str, str | None] = {
    **default_settings.FEED_EXPORTERS_BASE,
    "jsonl": "scraping_ai.storage.exports.JsonLinesExporter",
    "jl": "scraping_ai.storage.exports.JsonLinesExporter",
    "jsonlines": "scraping_ai.storage.exports.JsonLinesExporter",
    "json": "scraping_ai.storage.exports.JsonExporter",
    "csv": "scraping_ai.storage.exports.CsvExporter",
    "xml": "scraping_ai.storage.exports.XmlExporter",
    "marshal": None,
    "pickle": None,  # reading one back runs whatever it holds
}

FEED_STORAGES_BASE = {
    **default_settings.FEED_STORAGES_BASE,
    "": "scraping_ai.storage.feeds.JobFileStorage",
    "file": "scraping_ai.storage.feeds.JobFileStorage",
    "ftp": "scraping_ai.storage.uploads.FtpStorage",
    "ftps": "scraping_ai.storage.uploads.FtpStorage",
    "s3": "scraping_ai.storage.uploads.S3Storage",
    "gs": "scraping_ai.storage.uploads.GcsStorage",
}

# ---- the model (docs/llm.md)

OPENAI_API_KEY = ""
OPENAI_BASE_URL = ""  # any compatible server; empty: OpenAI's own
OPENAI_MODEL = ""  # used when a key is set and no --llm is given; empty: the library's default
LLM_TIMEOUT = 60.0  # seconds a call
LLM_MAX_RETRIES = 2
LLM_CONCURRENCY = 4  # calls at once
LLM_MAX_CHARS = 24_000  # of page text in a call

# ---- logging

LOG_LEVEL = "INFO"
LOG_SHORT_NAMES = False
STATS_DUMP = False  # the summary says it in a few lines; -s STATS_DUMP=true for all counters

override(globals(), os.environ)
