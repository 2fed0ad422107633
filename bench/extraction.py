"""How fast extraction is: pages a second and core, and memory, beside extruct and trafilatura on the same pages.

    python bench/extraction.py [DATA] [--set NAME]... [--first N] [--json]

DATA (or the environment variable EVAL_DATA) holds a folder a set, with schema.json and pages.jsonl (lines
`{"id", "url", "path"}`, paths to HTML files, gzipped or not). Without one, pages are made up: a shop's and a paper's.
Every side runs in a process of its own, one after the other, after a few pages to warm up. Figures are of CPU time: the
median page, and the most memory that the process held.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lib.pages import SCHEMAS, pages_of
from lib.sets import bar, read_page

SETS = ("products-dev", "articles-dev")
WARM_UP = 3  # pages
# Pages a second that a side must reach on a set, and megabytes that it may hold.
TARGETS = {
    ("ours", "products-dev"): 25.0,
    ("ours", "articles-dev"): 60.0,
    ("ours, markup alone", "articles-dev"): 150.0,
}
MAX_MEGABYTES = 400.0

Page = tuple[str, bytes]
Side = Callable[[dict[str, Any]], Callable[[str, bytes], object]]


def ours(schema: dict[str, Any]) -> Callable[[str, bytes], object]:
    from scraping_ai.extraction import Extractor

    extractor = Extractor(schema)
    return lambda url, body: extractor.extract(body, url)


def ours_structured(schema: dict[str, Any]) -> Callable[[str, bytes], object]:
    from scraping_ai.extraction import Extractor

    extractor = Extractor(schema, methods=("structured",))
    return lambda url, body: extractor.extract(body, url)


def extruct_some(schema: dict[str, Any]) -> Callable[[str, bytes], object]:
    import extruct

    return lambda url, body: extruct.extract(
        body, base_url=url, syntaxes=["json-ld", "microdata", "opengraph"], errors="ignore"
    )


def extruct_all(schema: dict[str, Any]) -> Callable[[str, bytes], object]:
    import extruct

    return lambda url, body: extruct.extract(body, base_url=url, errors="ignore")


def trafilatura(schema: dict[str, Any]) -> Callable[[str, bytes], object]:
    from trafilatura import bare_extraction

    return lambda url, body: bare_extraction(body, url=url, with_metadata=True)


SIDES: dict[str, Side] = {
    "ours": ours,
    "ours, markup alone": ours_structured,
    "extruct json-ld, microdata, opengraph": extruct_some,
    "extruct, all syntaxes": extruct_all,
    "trafilatura": trafilatura,
}


@dataclass(frozen=True, slots=True)
class Figure:
    """What one side did with one set."""

    pages_per_second: float  # of CPU time, by the median page
    megabytes: float  # the most that the process held
    failed: int  # pages that raised


def measure(side: str, schema: dict[str, Any], pages: list[Page]) -> Figure:
    """In a fresh process: the pages one after the other."""
    extract = SIDES[side](schema)
    seconds, failed = [], 0
    for index, (url, body) in enumerate([*pages[:WARM_UP], *pages]):
        started = time.process_time()
        try:
            extract(url, body)
        except Exception:  # noqa: BLE001 - a peer's bug is a figure here
            failed += index >= WARM_UP
        if index >= WARM_UP:
            seconds.append(time.process_time() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return Figure(1 / statistics.median(seconds), peak / (2**20 if sys.platform == "darwin" else 2**10), failed)


def load(data: Path | None, name: str, first: int | None) -> tuple[dict[str, Any], list[Page]]:
    """A set's schema and pages, read from its folder or made up."""
    if data is None:
        return SCHEMAS[name], pages_of(name)[:first]
    folder = data / name
    lines = (folder / "pages.jsonl").read_text("utf-8").splitlines()[:first]
    entries = [json.loads(line) for line in lines]
    return json.loads((folder / "schema.json").read_text("utf-8")), [
        (e["url"], read_page(folder / e["path"])) for e in entries
    ]


def run(side: str, args: argparse.Namespace, name: str) -> Figure:
    """The figure of one side in a process of its own."""
    command = [sys.executable, __file__, "--side", side, "--set", name]
    command += [str(args.data)] if args.data else []
    command += ["--first", str(args.first)] if args.first else []
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return Figure(**json.loads(done.stdout.splitlines()[-1]))


def bars(side: str, name: str, figure: Figure) -> list[dict[str, Any]]:
    """The entries that `--json` prints for a figure; only our own have targets."""
    speed, peak = round(figure.pages_per_second, 1), round(figure.megabytes)
    limit = MAX_MEGABYTES if side.startswith("ours") else None
    return [
        bar(f"{name}: {side}", speed, TARGETS.get((side, name)), "pages/s"),
        bar(f"{name}: {side}, memory", peak, limit, "MB", most=True),
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given = os.environ.get("EVAL_DATA")
    parser.add_argument("data", type=Path, nargs="?", default=Path(given) if given else None, help="folder of the sets")
    parser.add_argument("--set", action="append", dest="sets", metavar="NAME", help=f"default: {', '.join(SETS)}")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N pages of each set")
    parser.add_argument("--side", choices=SIDES, help="measure this side alone, in this process")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


def main() -> int:
    args = arguments()
    if args.side:
        figure = measure(args.side, *load(args.data, (args.sets or SETS)[0], args.first))
        print(json.dumps({name: getattr(figure, name) for name in figure.__slots__}))
        return 0
    found: list[dict[str, Any]] = []
    for name in args.sets or SETS:
        if not args.json:
            print(f"{name + ('' if args.data else ' (made up)'):<44}{'pages/s':>9}{'target':>8}{'MB':>7}{'failed':>8}")
        for side in SIDES:
            figure = run(side, args, name)
            found += bars(side, name, figure)
            if not args.json:
                target = TARGETS.get((side, name), "")
                print(
                    f"  {side:<42}{figure.pages_per_second:>9.1f}{target:>8}{figure.megabytes:>7.0f}{figure.failed:>8}"
                )
    if args.json:
        print(json.dumps({"bars": found}))
    return 0 if all(one["ok"] for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
