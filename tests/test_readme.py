"""What the README shows is what a reader gets."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from servers.shell import extract

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def test_the_python_example_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    code += "\nprint(result.records[0], sorted(result.evidence), result.missing)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""
    expected = {"title": "Brown Betty Teapot", "price": 29.9, "volume": "1.1 litres"}
    assert done.stdout == f"{expected} ['price', 'title', 'volume'] []\n"
    assert str(expected) in README


def test_the_first_command_gives_what_is_printed() -> None:
    run = extract(
        "examples/teapot.html", "--fields", "title, price:number, in_stock:boolean, volume", "--evidence", cwd=ROOT
    )
    (record,) = run.records
    assert [record[name] for name in ("title", "price", "in_stock", "volume")] == [
        "Brown Betty Teapot",
        29.9,
        True,
        "1.1 litres",
    ]
    for path, found in record["_evidence"].items():
        assert f"│ {path} " in README
        assert found["xpath"] in README
        assert found["text"] in README


def test_every_linked_document_exists() -> None:
    for link in re.findall(r"\]\(((?!https?:)[^)#]+)", README):
        assert (ROOT / link).exists(), link
