"""Jobs that are kept: stopped at any moment, in any way, they go on where they were."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from servers.shell import FAST, Run, extract, scrapy
from servers.site import Hit, Resource, Site

from scraping_ai.frontier.sqlite import Owner
from scraping_ai.options import OptionError, parse_options

FIELDS = "title, price:number"
PAGES = 40
# So many kills of one page are no page's fault here; and worker processes take a while to start.
PATIENT = ("-s", "FRONTIER_MAX_ATTEMPTS=20", "-s", "EXTRACT_PROCESSES=0")


def product(name: str, price: int, links: str = "") -> str:
    data = {"@context": "https://schema.org", "@type": "Product", "name": name, "offers": {"price": price}}
    return f'<script type="application/ld+json">{json.dumps(data)}</script><h1>{name}</h1>{links}'


def shop(delay: float = 0.02) -> dict[str, Resource]:
    """Products, each with links to the next ones."""
    links = ["".join(f'<a href="/p/{k}">{k}</a>' for k in range(n, min(n + 5, PAGES))) for n in range(PAGES + 1)]
    pages = {f"/p/{n}": Resource(product(f"N{n}", n, links[n]), delay=delay) for n in range(PAGES)}
    return {"/": Resource(product("Start", 0, links[0])), **pages}


NAMES = {"Start": 1} | {f"N{n}": 1 for n in range(PAGES)}


def command(site: Site, *more: str) -> list[str]:
    return [site.url("/"), "--fields", FIELDS, "--follow", "--job", "job.sqlite", *PATIENT, *more]


@contextmanager
def started(folder: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    run = [sys.executable, "-m", "scrapy", "extract", *args, *FAST]
    with subprocess.Popen(run, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Until it holds, or the process has ended."""
    deadline = time.monotonic() + 60
    while not condition() and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def kill_at(folder: Path, site: Site, hits: int, *more: str, number: int = signal.SIGKILL) -> str:
    """Start the job, and end it once the site has been asked so many times: its standard error."""
    with started(folder, *command(site, *more)) as process:
        wait_for(lambda: len(site.paths) >= hits, process)
        process.send_signal(number)
        return process.communicate(timeout=60)[1]


def names(folder: Path, file: str) -> Counter[str]:
    return Counter(record["title"] for record in json.loads((folder / file).read_text()))


@pytest.mark.parametrize(("option", "file"), [("-O", "out.json"), ("-o", "out.csv")])
def test_a_job_that_is_killed_at_any_moment_goes_on_and_has_every_page_once(
    tmp_path: Path, option: str, file: str
) -> None:
    with Site(shop()) as site:
        for hits in (1, 12, 25):
            kill_at(tmp_path, site, len(site.paths) + hits, option, file)
        assert not (tmp_path / file).exists()
        run = extract(*command(site, option, file), cwd=tmp_path)
    assert run.status == 0
    assert "job.sqlite goes on with" in run.err
    assert f"{PAGES + 1} pages, {PAGES + 1} records in" in run.err
    if file == "out.json":
        assert names(tmp_path, file) == NAMES
    else:
        rows = [row[0] for row in csv.reader((tmp_path / file).open())]
        assert Counter(rows) == NAMES | {"title": 1}
        assert rows[0] == "title"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_job_that_is_stopped_says_how_to_go_on_and_fetches_no_page_twice(tmp_path: Path, number: int) -> None:
    with Site(shop(delay=0.1)) as site:
        err = kill_at(tmp_path, site, 10, "-O", "out.json", number=number)
        assert "stopped before the end: the same command goes on" in err
        had = names(tmp_path, "out.json")
        assert 0 < len(had) <= PAGES
        run = extract(*command(site, "-O", "out.json"), cwd=tmp_path)
        asked = Counter(site.paths) - Counter({"/robots.txt": 2})
    assert names(tmp_path, "out.json") == NAMES
    assert set(asked.values()) == {1}
    assert "Traceback" not in err + run.err


def test_a_job_that_is_done_writes_its_outputs_again_and_fetches_nothing(tmp_path: Path) -> None:
    with Site(shop(delay=0)) as site:
        first = extract(*command(site, "-o", "a.csv", "-o", "a.jsonl"), cwd=tmp_path)
        asked = len(site.paths)
        again = extract(*command(site, "-o", "a.csv", "-o", "b.jsonl"), cwd=tmp_path)
        printed = extract(*command(site), cwd=tmp_path)
        assert len(site.paths) == asked
    assert first.status == again.status == printed.status == 0
    assert "job.sqlite is done already" in again.err
    assert Counter(record["title"] for record in printed.records) == NAMES
    assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "b.jsonl").read_text() == printed.out
    assert len((tmp_path / "a.csv").read_text().splitlines()) == PAGES + 2


def test_links_not_followed_are_told_of_each_start(tmp_path: Path) -> None:
    answers = iter([Resource(status=503)])
    files = '<a href="/a.pdf">a</a><a href="/b.pdf">b</a>'

    def page(hit: Hit) -> Resource:
        return next(answers, Resource(product("P", 1, files)))

    with Site({"/": product("Start", 0, '<a href="/p">p</a><a href="/c.pdf">c</a>'), "/p": page}) as site:
        first = extract(*command(site), cwd=tmp_path)
        scrapy("frontier", "replay", "job.sqlite", "--all", cwd=tmp_path)
        again = extract(*command(site), cwd=tmp_path)
    assert "links not followed: 1 a file, not a page\n" in first.err
    assert "links not followed in this start: 2 a file, not a page\n" in again.err


def test_max_pages_holds_over_all_starts_together(tmp_path: Path) -> None:
    with Site(shop(delay=0.05)) as site:
        kill_at(tmp_path, site, 7, "--max-pages", "15")
        run = extract(*command(site, "--max-pages", "15", "-O", "out.json"), cwd=tmp_path)
    assert "15 pages, 15 records in" in run.err
    assert names(tmp_path, "out.json").total() == len(names(tmp_path, "out.json")) == 15


def test_pages_that_failed_are_fetched_again_when_they_are_replayed(tmp_path: Path) -> None:
    answers = iter([Resource(status=503)])

    def page(hit: Hit) -> Resource:
        return next(answers, Resource(product("P", 1)))

    with Site({"/": product("Start", 0, '<a href="/p">p</a>'), "/p": page}) as site:
        first = extract(*command(site, "-O", "out.json"), cwd=tmp_path)
        assert names(tmp_path, "out.json") == {"Start": 1}
        assert "1 HTTP 503 Service Unavailable" in first.err
        assert scrapy("frontier", "replay", "job.sqlite", "--all", cwd=tmp_path).status == 0
        again = extract(*command(site, "-O", "out.json"), cwd=tmp_path)
    assert names(tmp_path, "out.json") == {"Start": 1, "P": 1}
    assert "2 pages, 2 records in" in again.err
    assert "503" not in again.err


def test_pages_that_were_purged_are_skipped_everywhere(tmp_path: Path) -> None:
    """Named ones, of which an empty record is kept, and others."""
    with Site({"/": product("Start", 0), "/p": lambda hit: Resource(status=503)}) as site:
        run = ["--fields", FIELDS, "--job", "job.sqlite", "-O", "out.json", *PATIENT]
        extract(site.url("/"), site.url("/p"), *run, cwd=tmp_path)
        assert scrapy("frontier", "purge", "job.sqlite", "--all", cwd=tmp_path).status == 0
        again = extract(site.url("/"), site.url("/p"), *run, cwd=tmp_path)
        assert site.paths.count("/p") == 1
    (stats,) = scrapy("frontier", "stats", "job.sqlite", "--json", cwd=tmp_path).records
    assert (stats["stored"], stats["skipped"], stats["dead"], stats["reasons"]) == (1, 1, 0, {"purged": 1})
    assert "without a record: 1 purged" in again.err
    assert [row.get("_reason") for row in json.loads((tmp_path / "out.json").read_text())] == [None, "purged"]
    with closing(sqlite3.connect(tmp_path / "job.sqlite")) as db:
        assert dict(db.execute("SELECT outcome, count(*) FROM page GROUP BY outcome")) == {"stored": 1, "skipped": 1}


def test_a_replayed_page_is_tried_as_often_as_a_new_one(tmp_path: Path) -> None:
    with Site({"/": product("Start", 0, '<a href="/p">p</a>'), "/p": lambda hit: Resource(status=503)}) as site:
        for asked in (3, 6):
            settings = ("-s", "DOWNLOAD_DELAY=0", "-s", "FRONTIER_RETRY_BASE=0.01", "-s", "RETRY_TIMES=2")
            scrapy("extract", *command(site), *settings, cwd=tmp_path)
            assert site.paths.count("/p") == asked
            scrapy("frontier", "replay", "job.sqlite", "--all", cwd=tmp_path)


def test_dead_letters_are_told_in_the_words_of_the_log(tmp_path: Path) -> None:
    run = extract("http://127.0.0.1:1/", "--follow", "--fields", "title", "--job", "job.sqlite", cwd=tmp_path)
    (dead,) = scrapy("frontier", "dead", "job.sqlite", "--json", cwd=tmp_path).records
    assert "127.0.0.1:1/: connection refused" in run.err
    assert dead["reason"] == "connection refused"


@pytest.mark.parametrize("rule", ["include", "exclude"])
def test_a_job_goes_on_with_the_rules_that_it_was_begun_with(tmp_path: Path, rule: str) -> None:
    with Site(shop(delay=0)) as site:
        extract(*command(site, f"--{rule}", "/nothing/"), cwd=tmp_path)
        refused(extract(*command(site, f"--{rule}", "/other/"), cwd=tmp_path), f"was begun with other {rule}")


def refused(run: Run, line: str) -> None:
    assert run.err.count("\n") == 1
    assert line in run.err
    assert run.status == 2


def test_two_processes_never_work_on_one_job(tmp_path: Path) -> None:
    seen = threading.Event()

    def slow(hit: Hit) -> str:
        seen.wait(25)
        return product("P", 1)

    with Site({"/": slow}) as site, started(tmp_path, *command(site)) as process:
        wait_for(lambda: "/" in site.paths, process)
        second = extract(*command(site), cwd=tmp_path)
        seen.set()
        _, err = process.communicate(timeout=60)
    assert (second.status, second.err.count("\n")) == (1, 1)
    assert "--job: job.sqlite is in use by another process" in second.err
    assert "1 page, 1 record in" in err


def test_two_starts_at_one_moment_write_what_is_appended_once(tmp_path: Path) -> None:
    for n in range(PAGES):
        (tmp_path / f"{n}.html").write_text(product(f"N{n}", n))
    saved = [{"url": f"http://a.example/{n}", "path": f"{n}.html"} for n in range(PAGES)]
    (tmp_path / "saved.jsonl").write_text("".join(json.dumps(page) + "\n" for page in saved))
    run = ["--pages", "saved.jsonl", "--fields", FIELDS, "--job", "job.sqlite"]
    assert extract(*run, cwd=tmp_path).status == 0
    for name in ("a.jsonl", "b.jsonl"):
        with started(tmp_path, *run, "-o", name) as one, started(tmp_path, *run, "-o", name) as other:
            ends = {process.wait(60) for process in (one, other)}
        assert 0 in ends
        assert ends <= {0, 1}  # the second is refused, or comes later and finds all of it done
        assert len((tmp_path / name).read_text().splitlines()) == PAGES


def test_two_starts_of_an_unfinished_job_at_one_moment_are_one(tmp_path: Path) -> None:
    with Site(shop()) as site:
        kill_at(tmp_path, site, 10)
        run = command(site, "-o", "out.jsonl", "-o", "out.csv")
        with started(tmp_path, *run) as one, started(tmp_path, *run) as other:
            ends = {process.wait(60): process.stderr.read() for process in (one, other) if process.stderr}
        asked = Counter(path for path in site.paths if path != "/robots.txt")
    assert ends.keys() == {0, 1}
    assert ends[1] == "scrapy extract: --job: job.sqlite is in use by another process; name another\n"
    assert "goes on with" in ends[0]
    assert "Traceback" not in ends[0]
    titles = [json.loads(line)["title"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert Counter(titles) == NAMES
    assert len((tmp_path / "out.csv").read_text().splitlines()) == PAGES + 2
    assert max(asked.values()) <= 2  # what was under way at the kill


def test_a_job_for_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(product("A", 1))
    (tmp_path / "b.html").write_text(product("B", 2))
    kept = {"SCRAPING_AI_JOBS_DIR": str(tmp_path / "jobs")}

    def run(file: str, fields: str = "title") -> Run:
        return extract(file, "--fields", fields, "--job", "mine", cwd=tmp_path, env=kept)

    assert run("a.html").records[0]["title"] == "A"
    assert (tmp_path / "jobs" / "mine" / "frontier.sqlite").exists()
    refused(run("b.html"), "--job: mine was begun with other targets; give those, or name another job")
    refused(run("a.html", "price:number"), "--job: mine was begun with other fields")
    assert run("a.html").records[0]["title"] == "A"


@pytest.mark.parametrize("body", [b"no database at all", b"x"])
def test_a_file_that_is_no_job_is_refused_and_left_alone(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "a.html").write_text("<h1>A</h1>")
    (tmp_path / "job.sqlite").write_bytes(body)
    refused(extract("a.html", "--fields", "title", "--job", "job.sqlite", cwd=tmp_path), "job.sqlite is no job file")
    assert (tmp_path / "job.sqlite").read_bytes() == body


@pytest.mark.parametrize("job", ["../up", "a/b", "/tmp/x.sqlite", "x.sqlite", "", ".", "a b", "x" * 101])
def test_only_the_command_line_names_a_jobs_file(job: str) -> None:
    args = {"url": "http://a.invalid/", "fields": "title", "job": job}
    if not job:
        assert parse_options(args).job is None
        return
    with pytest.raises(OptionError, match=r"job: .*write a name of letters"):
        parse_options(args)


@pytest.mark.parametrize("name", ["t", "t" * 150])  # also where no socket can be made, as its name is too long
def test_a_job_without_a_name_leaves_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.html").write_text("<h1>A</h1>")
    with TemporaryDirectory(dir="/tmp") as short:
        folder = Path(short, name)
        folder.mkdir()
        run = extract(
            "a.html", "--fields", "title", "-s", "EXTRACT_PROCESSES=1", cwd=tmp_path, env={"TMPDIR": str(folder)}
        )
        assert (run.status, run.records[0]["title"], "Traceback" in run.err) == (0, "A", False)
        assert list(folder.iterdir()) == []


def test_what_killed_jobs_without_a_name_left_goes_after_a_day(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>A</h1>")
    with TemporaryDirectory(dir="/tmp") as short:
        folder, elsewhere = Path(short), tmp_path / "elsewhere"
        for path in (elsewhere, *(folder / f"scraping-ai-{name}" for name in ("old", "new", "used"))):
            path.mkdir()
            for file in (path / "frontier.sqlite", path / "frontier.lock", path):
                file.exists() or file.touch()
                if not path.name.endswith("new"):
                    os.utime(file, (0, 0))
        (folder / "scraping-ai-link").symlink_to(elsewhere)
        owner = Owner(folder / "scraping-ai-used" / "frontier.sqlite")
        run = extract("a.html", "--fields", "title", cwd=tmp_path, env={"TMPDIR": short})
        owner.release()
        assert run.status == 0
        assert {path.name for path in folder.iterdir()} == {f"scraping-ai-{name}" for name in ("new", "used", "link")}
        assert (elsewhere / "frontier.sqlite").exists()


def test_sites_without_an_end_end(tmp_path: Path) -> None:
    """A calendar that goes on for ever, paths that grow, and a session id that is another in every link."""
    made = iter(range(10_000))

    def month(hit: Hit) -> str:
        year, number = map(int, hit.path.removeprefix("/calendar/").split("/"))
        months = year * 12 + number - 1
        near = (f"/calendar/{m // 12}/{m % 12 + 1}" for m in (months - 1, months + 1))
        return "<h1>Month</h1>" + "".join(f'<a href="{path}">x</a>' for path in near)

    def session(hit: Hit) -> str:
        sid = f"{next(made):032x}"
        links = "".join(f'<a href="/shop?item={n}&amp;PHPSESSID={sid}">x</a>' for n in range(3))
        return f'{links}<a href="{hit.path.partition("?")[0]}/more/more/">x</a>'

    year = time.gmtime().tm_year
    start = f'<a href="/calendar/{year}/1">c</a><a href="/shop?PHPSESSID=1">s</a>'
    months = {f"/calendar/{y}/{m}": month for y in range(year - 9, year + 9) for m in range(1, 13)}
    with Site({"/": start, "/shop": session, **months}) as site:
        extract(*command(site), cwd=tmp_path)
    asked = Counter(path.partition("&PHPSESSID")[0] for path in site.paths)
    assert sum(path.startswith("/calendar/") for path in asked) == 36
    assert [asked[f"/shop?item={n}"] for n in range(3)] == [1, 1, 1]


SUM = "SELECT added, stored, skipped, dead, queued + delayed + leased FROM task"


def test_the_sum_holds_and_the_file_says_what_came_of_each_page(tmp_path: Path) -> None:
    pages = {**shop(delay=0), "/": product("Start", 0, '<a href="/gone">g</a><a href="/p/0">0</a>')}
    with Site(pages) as site:
        extract(*command(site, "--max-pages", "10"), cwd=tmp_path)
    with closing(sqlite3.connect(tmp_path / "job.sqlite")) as db:
        ((added, *ended, pending),) = db.execute(SUM)
        assert (added, pending) == (sum(ended), 0)
        assert ended[0] == 10
        outcomes = dict(db.execute("SELECT url, coalesce(reason, outcome) FROM page"))
    assert outcomes[site.url("/gone")] == "HTTP 404 Not Found"
    assert outcomes[site.url("/p/0")] == "stored"
