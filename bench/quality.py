"""How right the records are: runs `scrapy extract --pages` on annotated pages and scores what comes out.

    python bench/quality.py DATA SCORER [--first N] [--set NAME]... [--json]

DATA holds a folder a set: schema.json, pages.jsonl (lines `{"id", "url", "path"}`) and truth.jsonl. SCORER is a program
that is called as `SCORER SET --pred FILE --json` and prints `{"micro": {"p", "r", "f1"}, "fields": {...}}`. Evidence
is checked too, by code of this file alone: see `evidence_share`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from parsel import Selector
from w3lib.encoding import html_to_unicode

SETS = ("products-dev", "articles-dev", "recipes-dev", "japanese-dev")


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def cut(source: Path, first: int | None, folder: Path) -> Path:
    """A copy of a set with its first pages only, and absolute paths."""
    target = folder / source.name
    target.mkdir()
    for name in ("schema.json", "truth.jsonl"):
        (target / name).write_bytes((source / name).read_bytes())
    pages = [{**page, "path": str((source / page["path"]).resolve())} for page in read_jsonl(source / "pages.jsonl")]
    (target / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages[:first]))
    return target


def extract(folder: Path) -> tuple[list[dict[str, Any]], float]:
    """The records of a set by the command a user has, and its seconds."""
    out = folder / "records.jsonl"
    command = [sys.executable, "-m", "scrapy", "extract", "--pages", str(folder / "pages.jsonl")]
    command += ["--schema", str(folder / "schema.json"), "--evidence", "--llm", "none", "-O", str(out)]
    started = time.monotonic()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return read_jsonl(out), time.monotonic() - started


def score(scorer: Path, folder: Path) -> dict[str, Any]:
    command = [sys.executable, str(scorer), str(folder), "--pred", str(folder / "records.jsonl"), "--json"]
    result: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return result


def evidence_share(folder: Path, records: list[dict[str, Any]]) -> tuple[int, int]:
    """How many values have evidence that leads to its text, and how many values there are."""
    paths = {str(page["id"]): Path(page["path"]) for page in read_jsonl(folder / "pages.jsonl")}
    good = values = 0
    for record in records:
        raw = paths[record["_id"]].read_bytes()
        body = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        selector = Selector(text=html_to_unicode(None, body)[1])
        for path in value_paths({k: v for k, v in record.items() if not k.startswith("_")}):
            values += 1
            good += stands(selector, record["_evidence"].get(path))
    return good, values


def value_paths(value: Any, path: str = "") -> list[str]:
    """The paths of all values that are not null."""
    if isinstance(value, dict):
        return [p for name, part in value.items() for p in value_paths(part, f"{path}.{name}" if path else name)]
    if isinstance(value, list):
        return [p for index, part in enumerate(value) for p in value_paths(part, f"{path}[{index}]")]
    return [] if value is None else [path]


def stands(selector: Selector, found: dict[str, Any] | None) -> bool:
    """Whether the text of one evidence stands where it says."""
    nodes = selector.xpath(found["xpath"]) if found else []
    if not found or not nodes:
        return False
    text = nodes[0].xpath("string()").get() if hasattr(nodes[0].root, "tag") else nodes[0].get()
    if "pointer" in found:
        value = json.loads(text or "", strict=False)
        for token in found["pointer"].split("/")[1:]:
            key = token.replace("~1", "/").replace("~0", "~")
            value = value[int(key)] if isinstance(value, list) else value[key]
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return bool(found["text"]) and found["text"] in (text or "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of the sets")
    parser.add_argument("scorer", type=Path, help="the scoring program")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N pages of each set")
    parser.add_argument(
        "--set", action="append", dest="sets", metavar="NAME", help=f"a set (default: {', '.join(SETS)})"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    bars = []
    for name in args.sets or SETS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = cut(args.data / name, args.first, Path(scratch))
            records, seconds = extract(folder)
            micro = score(args.scorer, folder)["micro"]
            good, values = evidence_share(folder, records)
        bars.append(
            {"name": f"{name} micro F1", "value": round(micro["f1"], 3), "unit": "", "target": None, "ok": True}
        )
        bars.append(
            {"name": f"{name} evidence", "value": good / max(values, 1), "unit": "", "target": 1, "ok": good == values}
        )
        if not args.json:
            print(
                f"{name:<24}{len(records):>5} records  P {micro['p']:.3f}  R {micro['r']:.3f}  F1 {micro['f1']:.3f}"
                f"  evidence {good}/{values}  {seconds:.1f} s"
            )
    if args.json:
        print(json.dumps({"bars": bars}))
    return 0 if all(bar["ok"] for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
