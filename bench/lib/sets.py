"""Where a bench finds its annotated pages: arguments or environment."""

from __future__ import annotations

import argparse
import gzip
import json
import os
from pathlib import Path
from typing import Any


def arguments(about: str) -> argparse.ArgumentParser:
    """A parser of `[DATA] [SCORER] [--json]`; what is not given comes from EVAL_DATA and EVAL_SCORER, else is None."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, meant in (("data", "folder of the sets"), ("scorer", "the scoring program")):
        given = os.environ.get(f"EVAL_{name.upper()}")
        parser.add_argument(name, type=Path, nargs="?", default=Path(given) if given else None, help=meant)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


NEEDS = (
    "needs annotated pages: name their folder and a scorer as arguments, or in EVAL_DATA and EVAL_SCORER; passed over"
)


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def read_page(path: Path) -> bytes:
    """An HTML file's bytes, gzipped or not."""
    raw = path.read_bytes()
    return gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


def bar(name: str, value: float, target: float | None = None, unit: str = "", *, most: bool = False) -> dict[str, Any]:
    """One figure as `--json` prints it; `most`: the target is a limit."""
    missed = target is not None and (value > target if most else value < target)
    return {"name": name, "value": value, "unit": unit, "target": target, "ok": not missed}
