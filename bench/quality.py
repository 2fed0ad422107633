"""How right the records are: runs `scrapy extract --pages` on annotated pages and scores what comes out.

    python bench/quality.py [DATA SCORER] [--first N] [--set NAME]... [--json]

DATA holds a folder a set: schema.json, pages.jsonl (lines `{"id", "url", "path"}`) and truth.jsonl (lines
`{"id", "values": {field: [accepted values]}}`). SCORER is called as `SCORER SET --pred FILE --json` and prints
`{"micro": {"p", "r", "f1"}, "fields": {field: {"p", "r", "f1"}}}`. Without arguments EVAL_DATA and EVAL_SCORER name
both. Every value's evidence is checked by code of its own (lib/proof.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lib.proof import Checker
from lib.sets import NEEDS, arguments, bar, read_jsonl, read_page

# What must be reached without a model: (field or "micro", "p" or "f1") of each set.
TARGETS: dict[str, dict[tuple[str, str], float]] = {
    "products-dev": {("micro", "f1"): 0.90, ("micro", "p"): 0.92, ("price", "f1"): 0.94, ("availability", "f1"): 0.97},
    "products-dev-stripped": {("micro", "f1"): 0.75},
    "articles-dev": {("micro", "f1"): 0.80},
    "recipes-dev": {("micro", "f1"): 0.96},
    "recipes-dev-stripped": {("micro", "f1"): 0.60},
    "japanese-dev": {("micro", "f1"): 0.85},
}
MEASURES = {"p": "precision", "f1": "F1"}


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


def unproved(folder: Path, records: list[dict[str, Any]]) -> tuple[int, list[str]]:
    """How many values there are, and a line for each whose evidence does not prove it."""
    pages = {str(page["id"]): page for page in read_jsonl(folder / "pages.jsonl")}
    count, wrong = 0, []
    for record in records:
        page = pages[record["_id"]]
        checker = Checker(read_page(Path(page["path"])), page["url"])
        for path, value in values({k: v for k, v in record.items() if not k.startswith("_")}):
            count += 1
            if not checker.proves(evidence := record["_evidence"].get(path), value):
                wrong.append(f"{record['_id']} {path}: {value!r} from {evidence}")
    return count, wrong


def values(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """All values that are not null, with their paths."""
    if isinstance(value, dict):
        return [p for name, part in value.items() for p in values(part, f"{path}.{name}" if path else name)]
    if isinstance(value, list):
        return [p for index, part in enumerate(value) for p in values(part, f"{path}[{index}]")]
    return [] if value is None else [(path, value)]


def sold_out_called_in_stock(folder: Path, records: list[dict[str, Any]]) -> int | None:
    """How many pages; None for a set where nothing is sold out."""
    gold = {entry["id"]: entry["values"].get("availability") or [] for entry in read_jsonl(folder / "truth.jsonl")}
    if not any("OutOfStock" in accepted for accepted in gold.values()):
        return None
    return sum(r.get("availability") == "InStock" and "OutOfStock" in gold.get(r["_id"], ()) for r in records)


def measured(folder: Path, scorer: Path) -> tuple[list[dict[str, Any]], list[str], str]:
    """A set's bars, its values that lack proof, and a line that sums it up."""
    records, seconds = extract(folder)
    scored = score(scorer, folder)
    micro = scored["micro"]
    bars = []
    for (field, measure), target in TARGETS.get(folder.name, {("micro", "f1"): None}).items():
        found = (micro if field == "micro" else scored["fields"].get(field, {})).get(measure, 0.0)
        bars.append(bar(f"{folder.name}: {field} {MEASURES[measure]}", round(found, 3), target))
    if (wrong_stock := sold_out_called_in_stock(folder, records)) is not None:
        bars.append(bar(f"{folder.name}: sold out, called in stock", wrong_stock, 0, "pages", most=True))
    count, wrong = unproved(folder, records)
    bars.append(bar(f"{folder.name}: evidence", round(1 - len(wrong) / max(count, 1), 4), 1.0))
    figures = "  ".join(f"{name.upper()} {micro[name]:.3f}" for name in ("p", "r", "f1"))
    return bars, wrong, f"{folder.name:<24}{len(records):>5} records  {figures}  {count:>5} values  {seconds:5.1f} s"


def main() -> int:
    parser = arguments(__doc__ or "")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N pages of each set")
    parser.add_argument("--set", action="append", dest="sets", metavar="NAME", help=f"default: {', '.join(TARGETS)}")
    args = parser.parse_args()
    if args.data is None or args.scorer is None:
        print(NEEDS, file=sys.stderr)
        return 0
    bars: list[dict[str, Any]] = []
    for name in args.sets or TARGETS:
        with tempfile.TemporaryDirectory() as scratch:
            found, wrong, line = measured(cut(args.data / name, args.first, Path(scratch)), args.scorer)
        bars += found
        if not args.json:
            print(line, *(f"    no proof: {each[:300]}" for each in wrong[:10]), sep="\n")
    if args.json:
        print(json.dumps({"bars": bars}))
    else:
        print_bars(bars)
    return 0 if all(each["ok"] for each in bars) else 1


def print_bars(bars: list[dict[str, Any]]) -> None:
    print(f"\n{'':<52}{'value':>8}{'target':>8}")
    for each in bars:
        target = "" if each["target"] is None else each["target"]
        print(f"{each['name']:<52}{each['value']:>8}{target:>8}{'' if each['ok'] else '  missed'}")


if __name__ == "__main__":
    sys.exit(main())
