"""`scrapy extract` as a process: what comes out, where, and with which exit status."""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from xml.etree import ElementTree

import pytest
from servers.shell import FAST, extract, scrapy
from servers.site import Hit, Resource, Site

from scraping_ai.commands.extract import Command

FIELDS = "title, price:number"


def product(name: str, price: str, more: str = "") -> str:
    data = {"@context": "https://schema.org", "@type": "Product", "name": name, "offers": {"price": price}}
    return (
        f'<html><head><title>{name}</title><script type="application/ld+json">{json.dumps(data)}</script></head>'
        f"<body><h1>{name}</h1>{more}</body></html>"
    )


SHOP = {
    "/": '<title>Shop</title><h1>Shop</h1><a href="/p/1">1</a> <a href="/p/2#x">2</a> <a href="/deep">d</a>'
    '<a href="/p/1?utm">again</a> <a href="http://127.0.0.9:1/">away</a> <a href="/manual.pdf">m</a>',
    "/p/1": product("Kettle", "19.90"),
    "/p/1?utm": product("Kettle", "19.90"),
    "/p/2": product("Teapot", "7.50", '<a href="/p/1">1</a>'),
    "/deep": '<a href="/p/3">3</a>',
    "/p/3": product("Cup", "2.00"),
}


def test_a_page_by_its_url_gives_a_json_line() -> None:
    with Site(SHOP) as site:
        run = extract(site.url("/p/1"), "--fields", FIELDS)
    assert run.records == [{"title": "Kettle", "price": 19.9, "_url": site.url("/p/1")}]
    assert run.status == 0
    assert "1 page, 1 record in" in run.err
    assert "filled: " in run.err


def test_the_summary_counts_the_parts_of_objects(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<title>Bolt</title><h1>Bolt</h1><p>Supplier since: 2009</p>")
    maker = {"type": "object", "properties": {"since": {"type": "integer"}, "phone": {"type": "string"}}}
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "supplier": maker}}
    run = scrapy("extract", "page.html", "--schema", json.dumps(schema), cwd=tmp_path)
    assert "filled: title 100%, supplier.since 100%, supplier.phone 0%" in run.err


def test_following_is_breadth_first_in_scope_and_without_doubles() -> None:
    with Site(SHOP) as site:
        run = extract(site.url("/"), "--fields", FIELDS, "--follow", "--exclude", "utm", "-s", "CONCURRENT_REQUESTS=1")
    assert sorted(record["title"] for record in run.records if record["price"]) == ["Cup", "Kettle", "Teapot"]
    assert site.paths == ["/robots.txt", "/", "/p/1", "/p/2", "/deep", "/p/3"]
    assert run.status == 0


@pytest.mark.parametrize(
    ("options", "paths"),
    [
        (["--max-depth", "1"], {"/", "/p/1", "/p/2", "/deep", "/p/1?utm"}),
        (["--max-pages", "2"], {"/", "/p/1"}),
        (["--include", "/p/\\d"], {"/", "/p/1", "/p/2", "/p/1?utm"}),
        (["--exclude", "deep", "--exclude", "utm"], {"/", "/p/1", "/p/2"}),
    ],
)
def test_scope(options: list[str], paths: set[str]) -> None:
    with Site(SHOP) as site:
        extract(site.url("/"), "--fields", FIELDS, "--follow", *options)
    assert set(site.paths) - {"/robots.txt"} == paths


def test_pages_that_fail_do_not_count_against_max_pages() -> None:
    links = "".join(f'<a href="/{name}">x</a>' for name in ("gone", "a", "b", "c"))
    pages = {"/": links, "/a": product("A", "1"), "/b": product("B", "2"), "/c": product("C", "3")}
    with Site(pages) as site:
        run = extract(site.url("/"), "--fields", FIELDS, "--follow", "--max-pages", "3")
    assert len([record for record in run.records if record["price"]]) == 2
    assert "/c" not in site.paths


def test_a_redirect_out_of_scope_is_not_fetched() -> None:
    with Site({"/secret": product("S", "1")}, host="127.0.0.2") as other:
        away = Resource(status=302, headers={"Location": other.url("/secret")})
        with Site({"/": '<a href="/out">o</a>', "/out": away}) as site:
            run = extract(site.url("/"), "--fields", FIELDS, "--follow")
    assert other.paths == []
    assert "redirects out of scope: other host" in run.err


def with_login(site: Site, path: str) -> str:
    return site.url(path).replace("://", "://user:secret@")


def test_passwords_in_addresses_are_neither_used_nor_kept(tmp_path: Path) -> None:
    """Wherever they come from: redirects of answers, of pages, of robots.txt, links, and those on a base."""
    pages: dict[str, Resource | str] = {"/p": product("P", "1")}
    with Site(pages, host="127.0.0.2") as site:
        login = with_login(site, "/p")
        pages = {
            "/moved": Resource(status=302, headers={"Location": login}),
            "/near": Resource(status=302, headers={"Location": login.removeprefix("http:")}),
            "/twice": Resource(status=302, headers={"Location": "/again"}),
            "/again": Resource(status=302, headers={"Location": login}),
            "/refresh": f'<meta http-equiv="refresh" content="0; url={login}"><h1>R</h1>',
            "/link": f'<h1>L</h1><a href="{login}">p</a>',
            "/base": f'<base href="{login}"><h1>B</h1><a href="x">x</a>',
            "/robots.txt": Resource(status=302, headers={"Location": with_login(site, "/robots.txt")}),
        }
        site.pages |= pages
        start = "".join(f'<a href="{path}">x</a>' for path in pages if path not in ("/again", "/robots.txt"))
        site.pages["/start"] = product("S", "2", start)
        job = ("--follow", "--fields", FIELDS, "--job", "job.sqlite", "-L", "DEBUG")
        run = extract(site.url("/start"), site.url("/moved"), site.url("/refresh"), *job, cwd=tmp_path)
        assert not any("authorization" in hit.headers for hit in site.hits)
        assert "/p" not in site.paths
        assert {"/start", *pages} - {"/robots.txt"} <= {*site.paths}
    assert "/moved: redirects to an address with a password" in run.err
    assert "4 redirects to an address with a password" in run.err
    assert "2 a password in the address" in run.err
    assert "secret" not in run.out + run.err
    assert b"secret" not in (tmp_path / "job.sqlite").read_bytes()


def test_saved_pages_and_examples_have_no_passwords_in_their_addresses(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(product("A", "1"))
    login = "http://user:secret@a.example/"
    pages = saved(tmp_path, {"url": login, "path": "a.html"}, {"url": "http://a.example/b", "path": "a.html"})
    run = extract("--pages", str(pages), "--fields", FIELDS)
    assert "line 1: a password in the address" in run.err
    assert [record["_url"] for record in run.records] == ["http://a.example/b"]
    (tmp_path / "taught.jsonl").write_text(json.dumps({"url": login, "values": {"title": "A"}}))
    taught = extract("--pages", str(pages), "--fields", FIELDS, "--examples", str(tmp_path / "taught.jsonl"))
    assert taught.status == 2
    assert "line 1: a password in the address" in taught.err
    assert "secret" not in run.out + run.err + taught.err


def test_a_target_may_redirect_and_its_new_host_is_followed() -> None:
    with Site({"/": '<a href="/p">p</a>', "/p": product("P", "1")}, host="127.0.0.2") as other:
        moved = Resource(status=301, headers={"Location": other.url("/")})
        with Site({"/": moved}) as site:
            run = extract(site.url("/"), "--fields", FIELDS, "--follow", "-s", "ALLOWED_PRIVATE_HOSTS=127.0.0.2")
    assert "P" in [record["title"] for record in run.records]


def test_two_addresses_that_redirect_to_one_page_give_it_once() -> None:
    moved = Resource(status=301, headers={"Location": "/p"})
    with Site({"/": '<a href="/a">a</a><a href="/b">b</a>', "/a": moved, "/b": moved, "/p": product("P", "1")}) as site:
        run = extract(site.url("/"), "--fields", FIELDS, "--follow")
    assert [record["title"] for record in run.records if record["price"]] == ["P"]


def test_robots_txt_is_obeyed() -> None:
    with Site({**SHOP, "/robots.txt": "User-agent: *\nDisallow: /p/"}) as site:
        run = extract(site.url("/p/1"), "--fields", FIELDS)
    assert site.paths == ["/robots.txt"]
    assert "robots.txt" in run.err
    assert run.status == 1


def test_files_in_every_format(tmp_path: Path) -> None:
    names = [f"out.{suffix}" for suffix in ("jsonl", "json", "csv", "xml")]
    with Site(SHOP) as site:
        outputs = [part for name in names for part in ("-O", name)]
        run = extract(site.url("/p/1"), "--fields", "title, price:number, tags[]?", *outputs, cwd=tmp_path)
        expected = {"title": "Kettle", "price": 19.9, "tags": None, "_url": site.url("/p/1")}
    assert run.out == ""
    assert json.loads((tmp_path / "out.jsonl").read_text()) == expected
    assert json.loads((tmp_path / "out.json").read_text()) == [expected]
    rows = list(csv.reader((tmp_path / "out.csv").open()))
    assert rows == [["title", "price", "tags", "_url", "_reason"], ["Kettle", "19.9", "", expected["_url"], ""]]
    item = ElementTree.parse(tmp_path / "out.xml").getroot()[0]
    assert [(node.tag, node.text or "") for node in item] == [
        ("title", "Kettle"),
        ("price", "19.9"),
        ("tags", ""),
        ("_url", expected["_url"]),
    ]


def test_appending_to_a_csv_repeats_no_header(tmp_path: Path) -> None:
    with Site(SHOP) as site:
        for path in ("/p/1", "/p/2"):
            extract(site.url(path), "--fields", FIELDS, "-o", "out.csv", cwd=tmp_path)
    assert [row[0] for row in csv.reader((tmp_path / "out.csv").open())] == ["title", "Kettle", "Teapot"]


def test_evidence_leads_to_the_value() -> None:
    from parsel import Selector

    with Site(SHOP) as site:
        (record,) = extract(site.url("/p/1"), "--fields", FIELDS, "--evidence").records
    for name in ("title", "price"):
        found = record["_evidence"][name]
        assert found["method"] in ("structured", "heuristic")
        stands = Selector(text=SHOP["/p/1"]).xpath(found["xpath"]).get() or ""
        assert found["text"] in stands


def test_a_json_schema_with_a_root_array_gives_many_records(tmp_path: Path) -> None:
    items = [{"@type": "Product", "name": f"N{n}", "offers": {"price": n}} for n in range(1, 4)]
    page = f'<script type="application/ld+json">{json.dumps(items)}</script>'
    properties = {"name": {"type": "string"}, "price": {"type": "number"}}
    schema = {"type": "array", "items": {"type": "object", "properties": properties}}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    (tmp_path / "page.html").write_text(page)
    run = extract("page.html", "--schema", "schema.json", cwd=tmp_path)
    assert [(record["name"], record["price"]) for record in run.records] == [("N1", 1), ("N2", 2), ("N3", 3)]
    assert "1 page, 3 records" in run.err


def saved(folder: Path, *lines: object) -> Path:
    path = folder / "pages.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return path


def test_saved_pages_need_no_network(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(product("A", "1"))
    (tmp_path / "b.html.gz").write_bytes(gzip.compress(product("B", "2").encode()))
    pages = saved(
        tmp_path,
        {"id": "one", "url": "http://nowhere.invalid/a", "path": "a.html"},
        {"id": 2, "url": "http://nowhere.invalid/b", "path": "b.html.gz"},
    )
    run = extract("--pages", str(pages), "--fields", FIELDS)
    found = {record["_id"]: (record["title"], record["_url"]) for record in run.records}
    assert found == {"one": ("A", "http://nowhere.invalid/a"), 2: ("B", "http://nowhere.invalid/b")}


def test_bad_lines_of_a_pages_file_lose_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(product("A", "1"))
    (tmp_path / "bad.html.gz").write_bytes(b"\x1f\x8bnot gzip")
    pages = saved(
        tmp_path,
        "{not json",
        "[]",
        {"url": "http://x.invalid/"},
        {"url": "http://x.invalid/1", "path": "missing.html"},
        {"url": "http://x.invalid/2", "path": "bad.html.gz"},
        {"url": "http://x.invalid/3", "path": "."},
        {"url": "http://x.invalid/4", "path": "\0"},
        {"url": "http://x.invalid/5", "path": "a.html", "more": "x" * 2_500_000},
        "",
        {"id": 1, "url": "http://x.invalid/6", "path": "a.html"},
        {"id": 1, "url": "http://x.invalid/7", "path": "cut.html.gz"},
        '{"id": 1e999, "url": "http://x.invalid/8", "path": "a.html"}',
    )
    (tmp_path / "cut.html.gz").write_bytes(gzip.compress(b"<h1>Cut</h1>" * 1_000)[:-9])
    run = extract("--pages", str(pages), "--fields", FIELDS)
    assert sorted((record["title"] for record in run.records), key=str) == ["A", *[None] * 5]
    reasons = [record.get("_reason", "") for record in run.records]
    for reason in ("file not found: line 4: ", "file can't be read: line 5: ", "file can't be read: line 11: "):
        assert any(found.startswith(reason) for found in reasons)
    said = ("line 1: not JSON", "line 2: not an object", 'line 3: no "path"', "line 8: more than 1,000,000 bytes")
    for line in (*said, 'line 11: the "id" of line 10 again', 'line 12: "id" is neither'):
        assert line in run.err
    assert "Traceback" not in run.err
    assert run.status == 0


def test_more_saved_pages_than_are_held_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(product("A", "1"))
    pages = saved(tmp_path, *({"url": f"http://x.invalid/{n}", "path": "a.html"} for n in range(100)))
    assert len(extract("--pages", str(pages), "--fields", FIELDS).records) == 100
    assert len(extract("--pages", str(pages), "--fields", FIELDS, "--max-pages", "7").records) == 7


BODIES = {
    "empty": b"",
    "nul": b"\0" * 100,
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
    "png": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_that_is_no_page_gives_an_empty_record_with_a_reason(kind: str) -> None:
    with Site({"/": Resource(BODIES[kind], headers={"Content-Type": "text/html"})}) as site:
        run = extract(site.url("/"), "--fields", FIELDS)
    (record,) = run.records
    assert record["title"] is None
    assert record["_reason"]
    assert record["_reason"] in run.err
    assert "Traceback" not in run.err
    assert run.status == 1


def test_large_and_wrongly_labelled_pages_are_read() -> None:
    long = product("Long", "5", "<p>" + "word " * 2_000_000)
    wrong = Resource(product("Käse", "5").encode("latin-1"), headers={"Content-Type": "text/html; charset=utf-8"})
    nul = product("N\0ul", "5")
    with Site({"/long": long, "/wrong": wrong, "/nul": nul}) as site:
        run = extract(site.url("/long"), site.url("/wrong"), site.url("/nul"), "--fields", FIELDS)
    assert [record["price"] for record in run.records] == [5, 5, 5]
    assert "Traceback" not in run.err


@pytest.mark.parametrize(("where", "charset"), [("header", "zlib"), ("header", "punycode"), ("meta", "undefined")])
def test_an_encoding_that_is_none_for_text_counts_as_not_declared(where: str, charset: str) -> None:
    header = f"text/html; charset={charset}" if where == "header" else "text/html"
    page = f'<meta charset="{charset}"><h1>Käse</h1><a href="/2">größer</a>'
    pages = {"/": Resource(page.encode(), headers={"Content-Type": header}), "/2": "<h1>Groß</h1>"}
    with Site(pages) as site:
        run = extract(site.url("/"), "--fields", "title", "--follow")
    assert {record["title"] for record in run.records} == {"Käse", "Groß"}


def test_a_page_past_the_limit_is_refused() -> None:
    with Site({"/": "x" * 3_000_000}) as site:
        run = extract(site.url("/"), "--fields", FIELDS, "-s", "DOWNLOAD_MAXSIZE=1000000")
    assert "body too large" in run.err
    assert "Traceback" not in run.err
    assert run.status == 1


def test_a_page_that_unpacks_past_the_limit_is_refused() -> None:
    packed = gzip.compress(b"<h1>Bomb</h1>" + b" " * 30_000_000)
    with Site({"/": Resource(packed, headers={"Content-Encoding": "gzip", "Content-Type": "text/html"})}) as site:
        run = extract(site.url("/"), "--fields", FIELDS)
    assert run.records[0]["_reason"] == "body too large"


def test_sites_that_cannot_be_had_are_told_in_one_line() -> None:
    with Site({}) as site:
        gone = site.url("/gone")
        run = extract(gone, "http://no-such-host.invalid/", "http://127.0.0.1:1/", "--fields", FIELDS)
    assert f"{gone}: HTTP 404 Not Found" in run.err
    assert "http://no-such-host.invalid/: host not found" in run.err
    assert "http://127.0.0.1:1/: connection refused" in run.err
    assert "Traceback" not in run.err
    assert [record["_reason"] for record in run.records if record["title"] is None] != []
    assert run.status == 1


def test_a_slow_site_is_given_up() -> None:
    with Site({"/": Resource("x", delay=10)}) as site:
        run = extract(site.url("/"), "--fields", FIELDS, "-s", "DOWNLOAD_TIMEOUT=1", "-s", "ROBOTSTXT_OBEY=false")
    assert f"{site.url('/')}: no answer in time" in run.err


@pytest.mark.parametrize(
    ("args", "line"),
    [
        ([], "nothing to extract from"),
        (["http://a.invalid/"], "say what to extract"),
        (["nothing.html", "--fields", "title"], "'nothing.html': neither a URL nor a file"),
        (["a.example/x", "--fields", "title"], "did you mean https://a.example/x?"),
        (["http://a.invalid/", "--fields", "price:nummer"], "--fields: "),
        (["http://a.invalid/", "--fields", "title", "--query", "x"], "--query: not available yet"),
        (["http://a.invalid/", "--fields", "title", "--top-k=3"], "--top-k: not available yet"),
        (["--url", "http://a.invalid/", "--fields", "title"], "--url: no option here; give the address alone"),
        (["http://a.invalid/", "--feilds", "title"], "--feilds: no such option; did you mean --fields?"),
        (["http://a.invalid/", "--fields", "title", "--max-pages", "-3"], "--max-pages: "),
        (["http://a.invalid/", "--fields", "title", "--max-pages"], "--max-pages: expected one argument"),
        (["http://a.invalid/", "--fields", "title", "-O", "out.parquet"], "end the file's name in .jsonl"),
        (
            ["http://a.invalid/", "--fields", "title", "-O", "/proc/nothing/out.csv"],
            "can't write /proc/nothing/out.csv",
        ),
        (["http://a.invalid/", "--schema", '{"$ref": "https://evil.invalid/s.json"}'], "--schema: "),
        (["http://a.invalid/", "--fields", "title", "--llm", "gemini/x"], "--llm: "),
        (["http://a.invalid/", "--fields", "title", "--llm", "openai/x"], "OPENAI_API_KEY"),
        (["http://a.invalid/", "--fields", "title", "-s", "X"], "-s"),
        (
            ["http://a.invalid/", "--fields", "title", "-s", "DOWNLOAD_DELAY=abc"],
            "DOWNLOAD_DELAY='abc': write a number",
        ),
        (["http://a.invalid/", "--fields", "title", "-s", "CONCURRENT_REQUESTS=-1"], "whole number of at least 1"),
        (["http://a.invalid/", "--fields", "title", "-s", "ITEM_PIPELINES=x"], "ITEM_PIPELINES='x': write a JSON obj"),
        (["http://a.invalid/", "--fields", "title", "-L", "NOPE"], "LOG_LEVEL='NOPE': write one of"),
    ],
)
def test_bad_usage_gets_one_line_and_status_2(args: list[str], line: str) -> None:
    run = scrapy("extract", *args)
    assert line in run.err
    assert len(run.err.strip().splitlines()) == 1
    assert run.status == 2
    assert run.out == ""


def test_help_teaches() -> None:
    run = scrapy("extract", "--help")
    for word in ("--fields", "price:number", "--follow", "Example", "-O"):
        assert word in run.out
    assert run.status == 0


@pytest.mark.parametrize("width", range(40, 140, 3))
def test_no_line_of_the_help_is_taken_for_a_title(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    parser = argparse.ArgumentParser()
    Command().add_options(parser)
    lines = parser.format_help().splitlines()
    titles = {lines[index - 1] for index, line in enumerate(lines) if line and not line.strip("=-")}
    assert titles == {"Usage", "Options", "Global Options", "Job"}


def crawl(*args: str) -> str:
    root = Path(__file__).parent.parent
    return scrapy("crawl", "extract", *args, *FAST, cwd=root).err


def test_scrapy_crawl_does_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with Site(SHOP) as site:
        crawl("-a", f"url={site.url('/')}", "-a", f"fields={FIELDS}", "-a", "follow=true", "-O", str(out))
    titles = [json.loads(line)["title"] for line in out.read_text().splitlines()]
    assert {"Kettle", "Teapot", "Cup"} <= set(titles)


def test_scrapy_crawl_reads_files_and_refuses_bad_arguments_with_one_line(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent
    run = scrapy("crawl", "extract", "-a", "url=http://a.invalid/", "-a", "fields=x:y", "-L", "WARNING", cwd=root)
    assert "fields: " in run.err
    assert len(run.err.strip().splitlines()) == 1
    assert run.status == 2
    (tmp_path / "s.json").write_text('{"properties": {"title": {"type": "string"}}}')
    (tmp_path / "a.html").write_text(product("A", "1"))
    out = tmp_path / "out.jsonl"
    crawl("-a", f"url={tmp_path / 'a.html'}", "-a", f"schema={tmp_path / 's.json'}", "-O", str(out))
    assert json.loads(out.read_text())["title"] == "A"


def test_item_scraped_fires_once_a_page(tmp_path: Path) -> None:
    err = ""
    with Site(SHOP) as site:
        err = crawl("-a", f"url={site.url('/')}", "-a", f"fields={FIELDS}", "-a", "follow=1", "-s", "STATS_DUMP=true")
    assert "'item_scraped_count': 6" in err


def test_concurrent_first_requests_wait_for_robots_txt() -> None:
    def slow(hit: Hit) -> Resource:
        return Resource("User-agent: *\nDisallow: /", delay=0.3)

    with Site({"/robots.txt": slow}) as site:
        extract(*(site.url(f"/{n}") for n in range(16)), "--fields", FIELDS, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16")
    assert site.paths == ["/robots.txt"]


def many_saved(folder: Path, number: int) -> Path:
    (folder / "a.html").write_text(product("A", "1"))
    return saved(folder, *({"url": f"http://x.invalid/{n}", "path": "a.html"} for n in range(number)))


def has_records(job: Path) -> bool:
    if not job.exists():
        return False
    with closing(sqlite3.connect(job)) as db, suppress(sqlite3.OperationalError):  # it is being made
        return bool(db.execute("SELECT count(*) FROM record").fetchone()[0])
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_over_saved_pages_and_keeps_its_records(tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "scrapy", "extract", "--pages", str(many_saved(tmp_path, 20_000))]
    command += ["--fields", FIELDS, "-O", "out.jsonl", "--job", "job.sqlite"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not has_records(tmp_path / "job.sqlite"):
            time.sleep(0.1)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert 0 < len(lines) < 20_000
    assert all(json.loads(line)["title"] == "A" for line in lines)
    assert "Traceback" not in err
    assert process.returncode == 128 + number


def test_an_interrupted_crawl_says_so_at_once_and_at_its_end() -> None:
    asked = threading.Event()

    def slow(hit: Hit) -> Resource:
        asked.set()
        return Resource("<h1>Slow</h1>", delay=3)

    with Site({"/": slow}) as site:
        command = [sys.executable, "-m", "scrapy", "extract", site.url("/"), site.url("/b"), "--fields", "title"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert asked.wait(30)
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
            assert process.stderr is not None
            assert "stopping after the pages being read; again to stop now" in process.stderr.readline()
            assert time.monotonic() - sent < 2
            _, err = process.communicate(timeout=60)
    assert ", stopped before the end" in err
    assert "Traceback" not in err


def test_a_second_signal_ends_a_crawl_at_once_with_one_line() -> None:
    asked = threading.Event()

    def endless(hit: Hit) -> Resource:
        asked.set()
        return Resource("<h1>Slow</h1>", delay=3)

    with Site({"/": endless}) as site:
        urls = [site.url(f"/?{n}") for n in range(40)]
        command = [sys.executable, "-m", "scrapy", "extract", *urls, "--fields", "title"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert asked.wait(30)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert "again to stop now" in process.stderr.readline()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
    (line,) = err.splitlines()
    assert "stopped; what was being read is lost" in line
    job = Path(line.partition("--job ")[2].removesuffix(" goes on"))
    assert job.is_file()
    rmtree(job.parent)
    assert process.returncode == 130


STANDSTILL = """
import sys, time
from scrapy import signals

class Extension:
    @classmethod
    def from_crawler(cls, crawler):
        crawler.signals.connect(cls.stand_still, signals.engine_started)
        return cls

    @staticmethod
    def stand_still():
        print("now", flush=True)
        time.sleep(600)
"""


def test_a_second_signal_ends_a_job_whose_event_loop_stands_still(tmp_path: Path) -> None:
    (tmp_path / "standstill.py").write_text(STANDSTILL)
    command = [sys.executable, "-m", "scrapy", "extract", "--pages", str(many_saved(tmp_path, 1)), "--fields", FIELDS]
    command += ["-s", 'EXTENSIONS={"standstill.Extension": 1}']
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            process.send_signal(signal.SIGINT)  # two that are not seen apart are one
            time.sleep(0.2)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.startswith("stopped; what was being read is lost, and files may not be written: the same command with ")
    assert err.count("\n") == 1


def test_a_signal_before_the_job_ends_the_command_with_one_line() -> None:
    code = (
        "import signal; from scraping_ai.commands import interrupts as i; signal.signal(signal.SIGINT, i.stop_at_once)"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; signal.raise_signal(signal.SIGINT)"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (130, "scrapy extract: stopped\n")


def test_a_run_over_saved_pages_ends_when_it_is_told_to(tmp_path: Path) -> None:
    run = extract("--pages", str(many_saved(tmp_path, 2_000)), "--fields", FIELDS, "-s", "CLOSESPIDER_ITEMCOUNT=50")
    assert 50 <= len(run.records) < 500


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "xml"])
def test_a_full_disk_ends_the_job_with_one_line(suffix: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Site(SHOP) as site:
        run = extract(site.url("/p/1"), "--fields", FIELDS, "-O", f"/dev/full:{suffix}")
    assert "No space left on device" in run.err
    assert "Traceback" not in run.err
    assert run.status == 1


def test_records_that_cannot_be_sent_away_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>A</h1>")
    extra = ["-O", "ftp://ann:secret@127.0.0.1:1/out.jsonl", "-s", f"FEED_TEMPDIR={tmp_path}"]
    run = extract("a.html", "--fields", "title", *extra, cwd=tmp_path)
    (kept,) = tmp_path.glob("records-*")
    assert json.loads(kept.read_text())["title"] == "A"
    assert f"Connection refused; they are kept in {kept}" in run.err
    assert "Traceback" not in run.err
    assert "secret" not in run.err
    assert run.status == 1


@pytest.mark.skipif(find_spec("boto3") is not None, reason="S3 can be written here")
def test_an_output_whose_library_is_missing_is_refused() -> None:
    run = scrapy("extract", "http://a.invalid/", "--fields", "title", "-O", "s3://bucket/out.jsonl")
    assert run.err == "scrapy extract: can't write s3:// outputs: pip install boto3, or name a local file\n"
    assert run.status == 2


@pytest.mark.parametrize("output", [[], ["-o", "-:csv"]])
def test_a_reader_that_has_enough_ends_the_job_quietly(tmp_path: Path, output: list[str]) -> None:
    command = [
        sys.executable,
        "-m",
        "scrapy",
        "extract",
        "--pages",
        str(many_saved(tmp_path, 3_000)),
        "--fields",
        FIELDS,
    ]
    with subprocess.Popen([*command, *output], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=60)
    assert "title" in first
    assert "Traceback" not in err
    assert "BrokenPipe" not in err


def test_json_among_the_links_is_no_page() -> None:
    json_page = Resource('{"a": 1}', headers={"Content-Type": "application/json"})
    with Site({"/": '<h1>A</h1><a href="/api">x</a>', "/api": json_page}) as site:
        run = extract(site.url("/"), "--fields", "title", "--follow")
    assert "Traceback" not in run.err
    assert [record["title"] for record in run.records] == ["A"]


def test_a_start_page_that_redirects_is_had_once() -> None:
    moved = Resource(status=301, headers={"Location": "/home"})
    with Site({"/": moved, "/home": '<h1>Home</h1><a href="/home">home</a>'}) as site:
        run = extract(site.url("/"), "--fields", "title", "--follow")
    assert len(run.records) == 1


def test_max_pages_is_reached_however_many_fail_first() -> None:
    links = "".join(f'<a href="/{n}">x</a>' for n in range(30))
    with Site({"/": f"<h1>Start</h1>{links}", **{f"/{n}": f"<h1>P{n}</h1>" for n in range(20, 30)}}) as site:
        run = extract(site.url("/"), "--fields", "title", "--follow", "--max-pages", "5")
    assert sorted(record["title"] for record in run.records) == ["P20", "P21", "P22", "P23", "Start"]


def test_what_a_page_says_cannot_command_a_terminal_or_spoil_a_file(tmp_path: Path) -> None:
    data = r'{"@type": "Product", "name": "Smile \ud83d", "sku": "1", "offers": {"price": "2"}}'
    (tmp_path / "a.html").write_text(f'<script type="application/ld+json">{data}</script>')
    run = extract("a.html", "--fields", "name, sku", cwd=tmp_path)
    assert run.records[0]["sku"] == "1"
    assert "Traceback" not in run.err


def test_a_job_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>A</h1>")
    run = extract("a.html", "--fields", "title", "-s", 'ITEM_PIPELINES={"no.such.Stage": 1}', cwd=tmp_path)
    assert "the job could not start: ModuleNotFoundError: No module named 'no'" in run.err
    assert "Traceback" not in run.err
    assert run.status == 1


def test_a_variable_that_does_not_fit_gets_one_line(tmp_path: Path) -> None:
    given = {"SCRAPING_AI_DOWNLOAD_DELAY": "abc"}
    run = scrapy("extract", "http://a.invalid/", "--fields", "title", cwd=tmp_path, env=given)
    assert run.err == "scrapy extract: SCRAPING_AI_DOWNLOAD_DELAY='abc': write a number\n"
    assert run.status == 2
