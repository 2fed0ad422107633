"""The benches run without data, and their check of evidence tells right from wrong."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from servers.browser import needs_browser

BENCH = Path(__file__).parent.parent.parent / "bench"


def run(program: str, *args: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("EVAL_")}
    command = [sys.executable, str(BENCH / program), *args]
    return subprocess.run(command, capture_output=True, text=True, env=environ, timeout=120)


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCH / "lib" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize("program", ["quality.py", "wrappers.py"])
def test_a_bench_without_its_data_says_what_it_needs(program: str) -> None:
    done = run(program)
    assert (done.returncode, done.stdout) == (0, "")
    assert "EVAL_DATA" in done.stderr
    assert done.stderr.count("\n") == 1


def test_speed_is_measured_on_made_up_pages() -> None:
    pytest.importorskip("extruct")
    pytest.importorskip("trafilatura")
    done = run("extraction.py", "--first", "2", "--set", "articles-dev", "--json")
    bars = json.loads(done.stdout)["bars"]
    names = [bar["name"] for bar in bars if bar["unit"] == "pages/s"]
    assert names[:2] == ["articles-dev: ours", "articles-dev: ours, markup alone"]
    assert all(bar["value"] > 0 for bar in bars)


def test_the_frontier_is_measured() -> None:
    bars = json.loads(run("frontier.py", "--quick", "--json").stdout)["bars"]
    assert {bar["unit"] for bar in bars if bar["name"].startswith("Redis")} == {"URLs/s", "bytes"}
    assert all(bar["value"] > 0 for bar in bars)


@needs_browser
@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_a_browser_stays_as_it_is() -> None:
    done = run("browser_soak.py", "--pages", "48")
    assert done.stdout.count(" pages: ") == 8
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "flat - none left")


def test_crawls_are_measured_on_a_site_of_its_own() -> None:
    done = run("crawl.py", "--pages", "60", "--rounds", "1", "--side", "ours", "--side", "extract", "--json")
    bars = json.loads(done.stdout)["bars"]
    assert [bar["unit"] for bar in bars] == ["pages/s of CPU"] * 2
    assert all(isinstance(bar["value"], float) for bar in bars)  # of so few pages the start may cost more than they do


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.299,00 €", 1299.0),
        ("$1,299.50", 1299.5),
        ("4,7", 4.7),
        ("1 hr 30 min", 90),
        ("PT1H30M", 90),
        ("3. Mai 2024", "2024-05-03"),
        ("2024年5月3日", "2024-05-03"),
        ("2024-05-03T10:00:00Z", "2024-05-03T10:00:00+00:00"),
        ("/i/cup.jpg", "https://shop.example/i/cup.jpg"),
        ("€ 5", "EUR"),
        ("http://schema.org/OutOfStock", "OutOfStock"),
        ("In stock", "InStock"),
        ("  Blue&amp;white\n cup ", "Blue&white cup"),
        ('[{"name": "Ann Lee"}, {"name": "Bo Ek"}]', "Ann Lee, Bo Ek"),
        ("yes", True),
    ],
)
def test_a_text_reads_as_its_value(text: str, value: Any) -> None:
    assert module("proof").reads_as(text, value, "https://shop.example/p/1")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.299,00 €", 12.99),
        ("3. Mai 2024", "2024-05-04"),
        ("5 €", "USD"),
        ("Sold out", "InStock"),
        ("Blue cup", "Red cup"),
        ("/i/cup.jpg", "https://other.example/i/cup.jpg"),
        ("sold out", True),
    ],
)
def test_a_text_does_not_read_as_another_value(text: str, value: Any) -> None:
    assert not module("proof").reads_as(text, value, "https://shop.example/p/1")


def test_evidence_has_to_stand_where_it_says() -> None:
    checker = module("proof").Checker(b"<body><p>Cup</p><p>Pot</p></body>", "https://shop.example/")
    assert checker.proves({"xpath": "/html/body/p[1]", "text": "Cup"}, "Cup")
    assert not checker.proves({"xpath": "/html/body/p[2]", "text": "Cup"}, "Cup")
    assert not checker.proves({"xpath": "/html/body/p", "text": "Cup"}, "Cup")
    assert not checker.proves(None, "Cup")
