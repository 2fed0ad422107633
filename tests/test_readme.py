"""What the README shows is what a reader gets."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from servers.shell import extract
from servers.site import Site

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


def test_the_crawl_finds_products_behind_an_index(tmp_path: Path) -> None:
    (line,) = re.findall(r"^scrapy extract (https://example.com/ --follow .*)$", README, re.M)
    shelf = '<a href="/cup">Cup</a> <a href="/cart">Cart</a>'
    cup = "<h1>Cup</h1><p>\u20ac12.00</p><p>SKU: C-1</p><button>Add to basket</button>"
    with Site({"/": '<h1>Shop</h1><a href="/shelf/1">1</a>', "/shelf/1": shelf, "/cup": cup}) as site:
        run = extract(*shlex.split(line.replace("https://example.com/", site.url("/"))), cwd=tmp_path)
    assert "/cart" not in site.paths
    assert (tmp_path / "products.csv").read_text().splitlines()[1].startswith("Cup,12,C-1,")
    assert "links not followed: 1 excluded" in run.err
    assert "2 too few of the fields" in run.err


def test_a_crawl_says_which_links_its_rules_left_out_and_which_pages_gave_nothing(tmp_path: Path) -> None:
    pages = {f"/shelf/{n}": "<h1>Shelf</h1>" for n in range(4)}
    links = "".join(f'<a href="{path}">x</a>' for path in pages)
    with Site({"/": links, **pages}) as site:
        args = (site.url("/"), "--follow", "--fields", "title, price:number")
        rules = extract(*args, "--include", "/product/", cwd=tmp_path)
        all_of_it = extract(*args, cwd=tmp_path)
    assert "links not followed: 4 not included\ninclude holds for every link" in rules.err
    assert f"too few of the fields: {site.url('/')}\n" in rules.err
    assert " and 2 more\n" in all_of_it.err
    assert "not followed" not in all_of_it.err
