"""The fleet's frontier: one Redis (or Valkey) that all workers share."""

from scraping_ai.frontier.redis.backend import RedisFrontier

__all__ = ["RedisFrontier"]
