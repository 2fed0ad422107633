"""What docs/wrappers.md shows is what a reader gets."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from servers.shell import extract

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "wrappers.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.S | re.M)
    return [text for name, text in found if name == language]


def test_the_python_example_prints_what_it_says() -> None:
    (code,) = blocks("python")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout in blocks("")


def test_the_command_reads_the_examples(tmp_path: Path) -> None:
    (code,), (examples,) = blocks("python"), blocks("json")
    command = next(block for block in blocks("") if block.startswith("scrapy extract --pages"))
    scope: dict[str, str] = {}
    exec(code[code.index("TEMPLATE") : code.index("schema =")], scope)
    lines = []
    for number, name in enumerate(("first", "second", "third"), 1):
        (tmp_path / f"{name}.html").write_text(scope[name])
        lines.append(json.dumps({"url": f"https://pots.example/{number}", "path": f"{name}.html"}))
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    (tmp_path / "examples.jsonl").write_text(examples)
    fields = command[command.index('"') + 1 : command.rindex('"')]
    args = ["--pages", "pages.jsonl", "--examples", "examples.jsonl", "--fields", fields, "-O", "pots.jsonl"]
    run = extract(*args, cwd=tmp_path)
    assert run.err.count("WARNING") == 0
    records = [json.loads(line) for line in (tmp_path / "pots.jsonl").read_text().splitlines()]
    found = {
        record["_url"][-1]: (record["glaze"], record["potter"], record["height_cm"], record["marks"])
        for record in records
    }
    assert found == {
        "1": ("celadon", "Ann Lee", 12, ["AL", "3"]),
        "2": ("tenmoku", "Bo Kim", 31.5, None),
        "3": ("ash", "Cy Orr", 8, ["CO"]),
    }
