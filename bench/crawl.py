"""How many pages a second of processor time a crawl has, beside Scrapy, scrapy-redis and crawlee on the same site.

    python bench/crawl.py [--pages N] [--rounds N] [--side NAME]... [--json]

The site: 5,000 pages of 16 KB with 22 links each, from memory, served by a process of its own. Every side parses every
page, reads two fields of it and offers all its links; our sides have the settings that users get, but for the pause
between two requests of a host. The last two read three typed fields and store them: `scrapy extract --follow`, which
finds them by itself and stores them with evidence, and a Scrapy spider with selectors written for this very site.

Each side runs alone, in a process of its own. Figures are of its processor time, that of its extraction's workers
included, less what the same side takes for a site of a few pages: its start. Sides take turns, and the median of the
rounds counts: a machine that others use is slower at one minute than at the next.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from lib.sets import bar

LIB = Path(__file__).parent / "lib"
FEW = 25  # pages of the site that is crawled to know what a start takes
FIELDS = "title, price:number, sku"
# What is printed of each side, and the module that it needs.
SIDES = {
    "ours": ("ours, SQLite", "scraping_ai"),
    "ours_redis": ("ours, Redis", "redis"),
    "scrapy": ("Scrapy, in memory", "scrapy"),
    "scrapy_redis": ("scrapy-redis", "scrapy_redis"),
    "crawlee": ("crawlee ParselCrawler, in memory", "crawlee"),
    "extract": ("scrapy extract --follow, 3 fields, stored with evidence", "scraping_ai"),
    "scrapy_fields": ("Scrapy, 3 fields by hand-written selectors, stored", "scrapy"),
}
# How many times as fast as which other side one has to be.
TARGETS = (
    ("ours", "scrapy", 3.3),
    ("ours", "crawlee", 1.7),
    ("ours_redis", "scrapy", 3.0),
    ("ours_redis", "scrapy_redis", 3.7),
    ("ours_redis", "crawlee", 1.6),
    ("extract", "scrapy_fields", 1.2),
)
LINE = "{:<55} {rate:6.0f} pages/s of CPU, start {start:4.1f} s, {megabytes:4.0f} MB"
NEEDS_REDIS = ("ours_redis", "scrapy_redis")
FREE = ("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=false")


@contextmanager
def site(pages: int) -> Iterator[str]:
    """A site of so many pages: the address of its first."""
    server = [sys.executable, str(LIB / "site.py"), str(pages)]
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def command_of(side: str, url: str, folder: Path) -> list[str]:
    if side != "extract":
        return [sys.executable, str(LIB / "crawlers.py"), side, url, str(folder)]
    job = ["--job", str(folder / "job.sqlite"), "-O", str(folder / "out.jsonl")]
    return [sys.executable, "-m", "scrapy", "extract", url, "--follow", "--fields", FIELDS, *job, *FREE]


def crawled(side: str, pages: int) -> dict[str, Any]:
    """What the crawl of a site of so many pages took; raises RuntimeError when it did not have them all."""
    with site(pages) as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with redis_server(folder) if side in NEEDS_REDIS else nothing():
            meter = [sys.executable, str(LIB / "meter.py"), str(folder / "measured")]
            run = subprocess.run([*meter, *command_of(side, url, folder)], capture_output=True, text=True)
        had = records(folder / "out.jsonl") if side == "extract" else json.loads(run.stdout or "{}").get("pages", 0)
        if not pages <= had <= pages + 1:  # Scrapy has its first page twice
            raise RuntimeError(f"{side} had {had} of {pages} pages: {run.stderr[-2_000:]}")
        measured: dict[str, Any] = json.loads((folder / "measured").read_text())
        return measured


def records(file: Path) -> int:
    return len(file.read_text().splitlines()) if file.exists() else 0


@contextmanager
def nothing() -> Iterator[None]:
    yield


@contextmanager
def redis_server(folder: Path) -> Iterator[None]:
    """A Valkey of its own with its defaults; its address is left in the folder."""
    from lib.redis_frontier import server

    with server() as port:
        (folder / "redis").write_text(f"redis://127.0.0.1:{port}")
        yield


def figures(side: str, pages: int) -> dict[str, float]:
    start = crawled(side, FEW)
    whole = crawled(side, pages)
    cpu = whole["cpu"] - start["cpu"]
    return {"rate": (pages - FEW) / cpu, "start": start["cpu"], "megabytes": whole["megabytes"]}


def medians(of: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: median(one[name] for one in of) for name in of[0]}


def present(wanted: Sequence[str] | None) -> list[str]:
    """The sides that can be measured, among those wanted."""
    sides = [side for side in SIDES if not wanted or side in wanted]
    for name, module in (SIDES[side] for side in sides):
        if find_spec(module) is None:
            print(f"{name}: needs {module}, passed over (pip install 'scraping-ai[peers]')", file=sys.stderr)
    return [side for side in sides if find_spec(SIDES[side][1]) is not None]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=5_000, help="of the site")
    parser.add_argument("--rounds", type=int, default=3, help="in which all sides take turns")
    parser.add_argument("--side", action="append", choices=SIDES, help="only this one (may be repeated)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    rounds: dict[str, list[dict[str, float]]] = {side: [] for side in present(args.side)}
    for number in range(1, args.rounds + 1):
        for side, had in rounds.items():
            print(f"round {number} of {args.rounds}: {SIDES[side][0]}", file=sys.stderr)
            had.append(figures(side, args.pages))
    found = {side: medians(had) for side, had in rounds.items()}
    if not args.json:
        for side, figure in found.items():
            print(LINE.format(SIDES[side][0], **figure))
    bars = [bar(SIDES[side][0], round(rate["rate"], 1), unit="pages/s of CPU") for side, rate in found.items()]
    for side, peer, target in TARGETS:
        if side in found and peer in found:
            times = round(found[side]["rate"] / found[peer]["rate"], 2)
            bars.append(bar(f"{SIDES[side][0]} / {SIDES[peer][0]}", times, target, "times"))
    if args.json:
        print(json.dumps({"bars": bars}))
    else:
        for entry in bars[len(found) :]:
            print(f"{entry['name']}: {entry['value']} (at least {entry['target']}){'' if entry['ok'] else ' MISSED'}")
    return 0 if all(entry["ok"] for entry in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
