"""The embedded frontier: a job is one SQLite file."""

from scraping_ai.frontier.sqlite.backend import SqliteFrontier
from scraping_ai.frontier.sqlite.opening import Access

__all__ = ["Access", "SqliteFrontier"]
