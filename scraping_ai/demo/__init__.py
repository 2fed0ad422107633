"""A small sample shop, served on loopback: `python -m scraping_ai.demo`."""
