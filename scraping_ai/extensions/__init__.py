"""Scrapy extensions: what runs beside the pages."""
