"""Downloader middlewares: what stands between a request and the network, one concern a module."""
