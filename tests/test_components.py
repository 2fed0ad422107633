"""Components of one's own join the project's, wherever they are named: records are kept all the same."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from servers.shell import extract
from servers.site import Site

OWN = """
import json, sys

class Component:
    @classmethod
    def from_crawler(cls, crawler):
        print("own component", file=sys.stderr)
        return cls()

    def process_item(self, item):
        return item
"""
DICTS = ("EXTENSIONS", "ITEM_PIPELINES", "DOWNLOADER_MIDDLEWARES")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "own.py").write_text(OWN)
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}


def run(tmp_path: Path, env: Mapping[str, str], *args: str, is_used: bool = True) -> None:
    with Site({"/": "<h1>A page</h1>"}) as site:
        url = site.url("/")
        done = extract(url, "--fields", "title", "-O", "out.jsonl", *args, cwd=tmp_path, env=env)
        assert ("own component" in done.err) == is_used
        records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        assert (done.status, records) == (0, [{"title": "A page", "_url": url}])
        assert site.paths == ["/robots.txt", "/"]


@pytest.mark.parametrize("name", DICTS)
def test_on_the_command_line(tmp_path: Path, env: dict[str, str], name: str) -> None:
    run(tmp_path, env, "-s", f'{name}={{"own.Component": 543}}')


@pytest.mark.parametrize("name", DICTS)
def test_in_the_environment(tmp_path: Path, env: dict[str, str], name: str) -> None:
    run(tmp_path, env | {f"SCRAPING_AI_{name}": '{"own.Component": 543}'})


@pytest.mark.parametrize("name", ["FEED_STORAGES", "FEED_EXPORTERS", "DOWNLOAD_HANDLERS"])
def test_other_parts_by_name(tmp_path: Path, env: dict[str, str], name: str) -> None:
    run(tmp_path, env | {f"SCRAPING_AI_{name}": '{"own": "own.Component"}'}, is_used=False)
