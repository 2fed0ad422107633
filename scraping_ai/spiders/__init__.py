"""Spiders: they turn responses into `Page` items and decide what is fetched next."""
