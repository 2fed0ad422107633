"""The sample shop, served by its own process and crawled by the real command."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

DEMO = [sys.executable, "-m", "scraping_ai.demo"]
SHOP = files("scraping_ai.demo").joinpath("shop.json").read_text("utf-8")
PRODUCTS: list[dict[str, Any]] = json.loads(SHOP)["products"]
FIELDS = "title, price:number, currency, in_stock:boolean, sku"


@pytest.fixture
def shop() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    with subprocess.Popen([*DEMO, "--stop-after", "60"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as response:
        return response.read().decode()


def test_every_page_is_reached_from_the_home_page(shop: tuple[str, Any]) -> None:
    url, _ = shop
    seen: set[str] = set()
    waiting = ["/"]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += re.findall(r'href="(/[^"]*)"', get(url.rstrip("/") + path))
    products = {f"/{p['category']}/{p['slug']}" for p in PRODUCTS}
    assert len(products) == 24
    assert products | {"/about", "/contact", "/kettles/page/2"} <= seen
    assert "Disallow: /cart" in get(url + "robots.txt")


def test_unknown_pages_are_not_found(shop: tuple[str, Any]) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        get(shop[0] + "../etc/passwd")


def test_products_state_themselves_in_different_ways(shop: tuple[str, Any]) -> None:
    found = [get(f"{shop[0]}{p['category']}/{p['slug']}") for p in PRODUCTS]
    assert {p["markup"] for p in PRODUCTS} == {"json-ld", "microdata", "text"}
    assert sum("application/ld+json" in html for html in found) >= 6
    assert sum("itemprop" in html for html in found) >= 6
    assert any("<del>€24.00</del> <strong>€18.50</strong>" in html for html in found)
    assert any("2,750円(税込)" in html and "売り切れ" in html for html in found)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stops_at_a_signal(shop: tuple[str, subprocess.Popen[str]], number: signal.Signals) -> None:
    _, process = shop
    process.send_signal(number)
    assert process.wait(timeout=10) in (0, 130)


def test_stops_by_itself() -> None:
    run = subprocess.run([*DEMO, "--stop-after", "0.1"], capture_output=True, text=True, timeout=30, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\n", run.stdout)


def test_a_port_in_use_gives_one_line(shop: tuple[str, Any]) -> None:
    port = shop[0].rstrip("/").rpartition(":")[2]
    run = subprocess.run([*DEMO, "--port", port], capture_output=True, text=True, timeout=30, check=False)
    assert run.returncode == 2
    assert re.fullmatch(rf"can't listen on 127\.0\.0\.1:{port}: .*\n", run.stderr)


def test_serves_while_a_command_runs_and_returns_its_status() -> None:
    program = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).status); sys.exit(7)"
    command = [*DEMO, "--", sys.executable, "-c", program, "{url}about"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (run.returncode, run.stdout) == (7, "200\n")


@pytest.mark.slow
def test_the_demo_gives_a_record_for_each_product(tmp_path: Path) -> None:
    """What `make demo` runs."""
    scrapy = [sys.executable, "-m", "scrapy", "extract", "{url}", "--follow", "--fields", FIELDS]
    command = [*DEMO, "--", *scrapy, "-O", "demo.json", "-O", "demo.csv", "-s", "DOWNLOAD_DELAY=0"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    records = json.loads((tmp_path / "demo.json").read_text("utf-8"))
    by_sku = {record["sku"]: record for record in records}
    for product in PRODUCTS:
        record = by_sku.get(product["sku"], {})
        assert {name: record.get(name) for name in expected(product)} == expected(product)
    with (tmp_path / "demo.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["sku"] for row in rows} == {record["sku"] or "" for record in records}
    assert not any("/cart" in record["_url"] for record in records)


def expected(product: dict[str, Any]) -> dict[str, Any]:
    as_it_is = {name: product[name] for name in ("title", "currency", "in_stock", "sku")}
    return as_it_is | {"price": float(product["price"])}
