"""The embedded frontier: a job is one SQLite file."""

from scraping_ai.frontier.sqlite.backend import SqliteFrontier

__all__ = ["SqliteFrontier"]
