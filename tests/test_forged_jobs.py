"""Jobs' files that somebody edited, or that are from anybody: bounded, told in a line, never a traceback."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from scrapy.cmdline import execute
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import Settings
from servers.shell import extract, scrapy
from servers.site import Resource, Site

from scraping_ai.commands.shell import own_settings
from scraping_ai.frontier.sqlite.opening import SCHEMA
from scraping_ai.options import OptionError, parse_options
from scraping_ai.spiders.extract import ExtractSpider

PAGES = 24
FIELDS = "title, price:number, tags[]"
# Each stands in every column; SQL, as not every one is a value of Python's.
HOSTILE = (
    *("x'ff00'", "''", "'text'", "'[]'", "'{}'", "CAST(x'ff41' AS TEXT)", "-1", "9223372036854775807"),
    *("-9223372036854775808", "9e999", "-0.5", "NULL", "printf('%0100000d', 0)", "'http://[::1'", "'saved://lines/a'"),
)
BODIES = (
    *('{"url": []}', '{"url": "http://a.example/", "id": {}}', '{"url": "http://a.example/", "more": 1}', "null"),
    *('{"values": {"title": NaN}}', '{"values": {"price": 1e999}}', '{"values": []}', '{"values": {"title": ["x"]}}'),
    *('{"values": {}, "evidence": []}', '{"values": {}, "evidence": {"title": {"method": 1}}}', "[" * 100_000),
    *('{"values": {"title": ' + "[" * 90 + "]" * 90 + "}}", '{"values": {"price": ' + "9" * 5_000 + "}}"),
    *('{"values": {}, "evidence": {"title": {"method": "a", "xpath": "b", "text": "c", "confidence": []}}}',),
    *('{"meta": {"depth": "x"}}', '{"callback": "close"}', '{"headers": 1}', '{"method": {}}'),
)
TABLES = ("task", "seen", "host", "lane", "entry", "page", "record", "note", "export", "reason", "counter", "forgotten")
COMMANDS = (["stats"], ["peek"], ["peek", "--state", "delayed"], ["dead"], ["replay", "--all"], ["purge", "--all"])


def product(name: str, price: int, links: str = "") -> str:
    data = {"@context": "https://schema.org", "@type": "Product", "name": name, "offers": {"price": price}}
    return f'<script type="application/ld+json">{json.dumps(data)}</script><h1>{name}</h1>{links}'


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    links = "".join(f'<a href="/p/{n}">{n}</a>' for n in range(PAGES))
    pages = {f"/p/{n}": Resource(product(f"N{n}", n), status=200 if n % 4 else 503) for n in range(PAGES)}
    with Site({"/": product("Start", 0, links), **pages}) as site:
        yield site


@pytest.fixture(scope="module")
def unfinished(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job that has entries in every state, pages and records."""
    folder = tmp_path_factory.mktemp("job")
    done = extract(*command(site), "-o", "out.jsonl", cwd=folder)
    assert len((folder / "out.jsonl").read_text().splitlines()) > PAGES // 2, done
    with closing(sqlite3.connect(folder / "job.sqlite", isolation_level=None)) as db:
        db.execute("DELETE FROM note WHERE name = 'done'")
        (lane,) = db.execute("SELECT id FROM lane").fetchone()
        url = site.url("/new/")
        for state in (0, 1, 2, 4):
            due = 1.0 if state in (1, 2) else None
            rows = [(lane, state, 0, 1, f"{url}{state}/{n}", due) for n in range(8)]
            db.executemany("INSERT INTO entry (lane, state, rank, depth, url, due) VALUES (?, ?, ?, ?, ?, ?)", rows)
        n = len(rows)
        counts = f"queued = queued + {2 * n}, leased = leased + {n}"
        db.execute(f"UPDATE lane SET {counts}, delayed = delayed + {n}")
        db.execute(f"UPDATE task SET {counts}, delayed = delayed + {n}, added = added + {4 * n}")
        db.execute(f"UPDATE host SET {counts}")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return folder / "job.sqlite"


def command(site: Site) -> list[str]:
    settings = ("-s", "EXTRACT_PROCESSES=0", "-s", "RETRY_TIMES=1", "-s", "FRONTIER_RETRY_BASE=0.01")
    return [site.url("/"), "--fields", FIELDS, "--follow", "--evidence", "--job", "job.sqlite", *settings]


def columns(table: str) -> list[str]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        return [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]


def forged(job: Path, folder: Path, table: str, column: str) -> Iterator[Path]:
    """Copies of a job's file with hostile values in a column: in as many rows as there are, each another."""
    values = [*HOSTILE, *(repr(body) for body in BODIES if column in ("body", "request", "value"))]
    while values:
        (folder / str(len(values))).mkdir()
        copy = Path(shutil.copy(job, folder / str(len(values)) / "job.sqlite"))
        with closing(sqlite3.connect(copy, isolation_level=None)) as db:
            keys = [name for _, name, *_, pk in db.execute(f"PRAGMA table_info({table})") if pk]
            rows = db.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall()
            if len(rows) < 3:
                values = values[::3]  # of one row there can be one value a file
            where = " AND ".join(f"{name} IS ?" for name in keys)
            for row in rows[-len(values) :] or [()]:
                value = values.pop()
                with suppress(sqlite3.Error):  # what the file itself does not take: a null, or text as its key
                    if row:
                        db.execute(f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE {where}", row)
        yield copy


def changed(job: Path, folder: Path, *statements: str) -> Path:
    copy = Path(shutil.copy(job, folder / "job.sqlite"))
    with closing(sqlite3.connect(copy, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)
    return copy


def test_what_no_job_wrote_is_given_up_and_told(site: Site, unfinished: Path, tmp_path: Path) -> None:
    page = "(SELECT min(page) FROM record)"
    copy = changed(
        *(unfinished, tmp_path),
        "UPDATE entry SET url = x'ff00' WHERE state = 0 AND url LIKE '%/0/1'",
        "UPDATE entry SET losses = 'many' WHERE state = 2 AND url LIKE '%/2/1'",
        "UPDATE entry SET due = 9e99 WHERE state = 1",
        "UPDATE task SET queued = 1000, dead = 'x'",
        f"UPDATE record SET body = 'nope' WHERE page = {page}",
        "UPDATE page SET body = '{}' WHERE id = (SELECT max(page) FROM record)",
    )
    run = extract(*command(site), "-O", "out.jsonl", cwd=tmp_path)
    assert "Traceback" not in run.err
    assert run.status == 0
    assert "job.sqlite holds what no crawl can have written: " in run.err
    assert run.err.count("job.sqlite: 2 pages or records are none that a job wrote, and are passed over") == 1
    (stats,) = scrapy("frontier", "stats", str(copy), "--json").records
    assert stats["pending"] == 0
    assert stats["added"] == stats["stored"] + stats["skipped"] + stats["dead"]
    assert stats["reasons"]["not an entry"] == 10  # eight of them delayed for ever
    dead = scrapy("frontier", "dead", str(copy), "--reason", "not an entry", "--json").records
    assert len(dead) == 10
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == PAGES - PAGES // 4 + 1 - 2


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON page BEGIN DELETE FROM record; END",
        "ALTER TABLE entry DROP COLUMN request",
        "DROP INDEX entry_due",
        "DROP TABLE note",
    ],
)
def test_a_file_of_another_form_is_refused_in_one_line(
    statement: str, site: Site, unfinished: Path, tmp_path: Path
) -> None:
    copy = changed(unfinished, tmp_path, statement)
    for run in (extract(*command(site), cwd=tmp_path), scrapy("frontier", "stats", str(copy))):
        assert run.status in (1, 2)
        assert run.err.count("\n") == 1
        assert "is no job file: it " in run.err


def resumed(site: Site, job: Path) -> None:
    """Start the job again, in this process: it ends by itself."""
    settings = own_settings("extract")
    settings.setdict(
        {
            "TWISTED_REACTOR_ENABLED": False,
            "LOG_ENABLED": False,
            "EXTRACT_PROCESSES": 0,
            "RETRY_TIMES": 1,
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": False,
            "FRONTIER_RETRY_BASE": 0.01,
            "FEEDS": {
                str(job.with_name("out.jsonl")): {"format": "jsonl"},
                str(job.with_name("all.csv")): {"format": "csv"},
            },
        }
    )
    args = {"url": site.url("/"), "fields": FIELDS, "follow": "true", "evidence": "true", "job": str(job)}

    async def run() -> None:
        runner = AsyncCrawlerRunner(settings)
        with suppress(OptionError):  # one line
            await asyncio.wait_for(runner.crawl(ExtractSpider, options=parse_options(args, files=True)), 30)

    asyncio.run(run())


def operated(job: Path, args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for more in ([], ["--json"]) if args[0] != "replay" else ([],):
        with pytest.raises(SystemExit) as caught:
            execute(["scrapy", "frontier", *args[:1], str(job), *args[1:], *more], Settings())
        assert caught.value.code in (None, 0, 1, 2)
        out, err = capsys.readouterr()
        assert err.count("\n") <= 1
        assert "Traceback" not in out + err
        if more:
            [json.loads(line) for line in out.splitlines()]


CASES = [(table, column) for table in TABLES for column in columns(table)]


@pytest.mark.parametrize(("table", "column"), CASES, ids=[f"{table}.{column}" for table, column in CASES])
def test_a_forged_column_costs_its_rows_alone(
    table: str,
    column: str,
    site: Site,
    unfinished: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    for copy in forged(unfinished, tmp_path, table, column):
        for args in COMMANDS:
            operated(copy, args, capsys)
        caplog.clear()
        resumed(site, copy)
        errors = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
        errors = [error for error in errors if not error.startswith("Unclosed client session")]  # this process's own
        assert len(errors) <= 1, errors
        assert not any(record.exc_info for record in caplog.records), caplog.text
        assert "Traceback" not in caplog.text
        operated(copy, ["stats"], capsys)
        for line in (
            copy.with_name("out.jsonl").read_text().splitlines() if copy.with_name("out.jsonl").exists() else ()
        ):
            json.loads(line, parse_constant=pytest.fail)
