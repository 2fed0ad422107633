"""Scraping AI: records from web sites, with evidence for every value."""

__version__ = "0.1.0"
