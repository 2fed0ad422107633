"""The embedded frontier: a job is one SQLite file."""

from scraping_ai.frontier.sqlite.backend import SqliteFrontier
from scraping_ai.frontier.sqlite.opening import Access, connect
from scraping_ai.frontier.sqlite.owner import Owner

__all__ = ["Access", "Owner", "SqliteFrontier", "connect"]
