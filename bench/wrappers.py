"""How right wrappers are that were learned from one, three and five pages of a site.

    python bench/wrappers.py [DATA SCORER] [--json]

DATA, or its folder sites-dev, holds a folder a site: schema.json, pages.jsonl (lines `{"id", "url", "path"}`) and
truth.jsonl (lines `{"id", "values": {field: [accepted values]}}`). The first pages of each are learned from, the rest
extracted. SCORER is called as `SCORER DATA --pred FILE --skip-first K --json` and prints `{"micro": {"p", "r", "f1"}}`.
Without arguments EVAL_DATA and EVAL_SCORER name both.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lib.sets import NEEDS, arguments, read_jsonl, read_page

from scraping_ai.extraction import wrappers
from scraping_ai.schema import parse_schema

TARGETS = {1: 0.94, 3: 0.97, 5: 0.98}  # micro F1 by the number of examples


def taught(values: dict[str, Any], fields: list[str]) -> dict[str, Any]:
    """The values of an example: the first accepted one; null where the page has none; nothing where nobody knows."""
    known = {name: values.get(name, []) for name in fields}
    return {name: accepted[0] if accepted else None for name, accepted in known.items() if accepted is not None}


def extracted(folder: Path, examples: int) -> Iterator[dict[str, Any]]:
    """The records of a site's pages behind the first `examples`, by a wrapper learned from those."""
    schema = parse_schema((folder / "schema.json").read_text("utf-8"))
    truth = {entry["id"]: entry["values"] for entry in read_jsonl(folder / "truth.jsonl")}
    pages = read_jsonl(folder / "pages.jsonl")
    fields = [field.name for field in schema.fields]
    wrapper = wrappers.learn(
        schema,
        [(read_page(folder / p["path"]), p["url"], taught(truth.get(p["id"], {}), fields)) for p in pages[:examples]],
    )
    wrapper = wrappers.from_dict(json.loads(json.dumps(wrapper.to_dict())))
    for page in pages[examples:]:
        result = wrapper.apply(read_page(folder / page["path"]), page["url"])
        yield {"_id": page["id"], **(result.records or [{}])[0]}


def score(scorer: Path, data: Path, records: list[dict[str, Any]], examples: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "records.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        command = [sys.executable, str(scorer), str(data), "--pred", str(file), "--skip-first", str(examples), "--json"]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    micro: dict[str, float] = found["micro"]
    return micro


def main() -> int:
    args = arguments(__doc__ or "").parse_args()
    if args.data is None or args.scorer is None:
        print(NEEDS, file=sys.stderr)
        return 0
    data = args.data / "sites-dev" if (args.data / "sites-dev").is_dir() else args.data
    bars = []
    folders = sorted(path.parent for path in data.glob("*/schema.json"))
    for examples, target in TARGETS.items():
        started = time.monotonic()
        records = [record for folder in folders for record in extracted(folder, examples)]
        seconds = time.monotonic() - started
        micro = score(args.scorer, data, records, examples)
        name, f1 = f"wrappers from {examples} example{'s' * (examples > 1)} a site, micro F1", round(micro["f1"], 3)
        bars.append({"name": name, "value": f1, "unit": "", "target": target, "ok": micro["f1"] >= target})
        if not args.json:
            print(
                f"{examples} a site  {len(records):>4} records  P {micro['p']:.3f}  R {micro['r']:.3f}  F1 {f1:.3f}"
                f"  (target {target})  {seconds:.1f} s"
            )
    if args.json:
        print(json.dumps({"bars": bars}))
    return 0 if all(bar["ok"] for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
