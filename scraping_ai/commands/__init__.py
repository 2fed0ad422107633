"""Scrapy commands, found through the entry-point group `scrapy.commands`."""
