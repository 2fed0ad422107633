"""The `examples` option: pages whose values are known teach how the others of their site are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from servers.shell import extract
from servers.site import Site

from scraping_ai.examples import MAX_LESSONS, ExampleError, Lessons, read_examples
from scraping_ai.schema import parse_fields

FIELDS = "glaze, kiln_date"
SCHEMA = parse_fields(FIELDS)


def pot(glaze: str, fired: str) -> str:
    """A page that no general method reads: nothing names the fields."""
    return f"<html><body><div id=pot><p class=g>{glaze}</p><p>Fired on {fired} by hand</p></div></body></html>"


POTS = {
    f"/{n}": pot(*values) for n, values in enumerate([("celadon", "Monday"), ("tenmoku", "Friday"), ("ash", "Sunday")])
}
FIRST = {"glaze": "celadon", "kiln_date": "Monday"}


def lines(folder: Path, name: str, *entries: Any) -> str:
    path = folder / name
    path.write_text("".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in entries))
    return str(path)


def test_an_example_teaches_a_live_site_and_is_fetched_once(tmp_path: Path) -> None:
    with Site(POTS) as site:
        examples = lines(tmp_path, "examples.jsonl", {"url": site.url("/0"), "values": FIRST})
        run = extract(*map(site.url, POTS), "--fields", FIELDS, "--evidence", "--examples", examples)
        paths = [hit.path for hit in site.hits]
    found = {record["_url"][-2:]: (record["glaze"], record["kiln_date"]) for record in run.records}
    assert found == {"/0": ("celadon", "Monday"), "/1": ("tenmoku", "Friday"), "/2": ("ash", "Sunday")}
    assert {e["method"] for record in run.records for e in record["_evidence"].values()} == {"wrapper"}
    assert sorted(path for path in paths if path in POTS) == sorted(POTS)


def test_the_page_of_an_example_need_not_be_a_target(tmp_path: Path) -> None:
    with Site(POTS) as site:
        examples = lines(tmp_path, "examples.jsonl", {"url": site.url("/0"), "values": FIRST})
        run = extract(site.url("/1"), "--fields", FIELDS, "--examples", examples)
    assert [(record["glaze"], record["_url"][-2:]) for record in run.records] == [("tenmoku", "/1")]


def test_an_example_that_cannot_be_had_is_told_and_the_job_goes_on(tmp_path: Path) -> None:
    with Site({"/1": POTS["/1"]}) as site:
        examples = lines(tmp_path, "examples.jsonl", {"url": site.url("/gone"), "values": FIRST})
        run = extract(site.url("/1"), "--fields", FIELDS, "--examples", examples)
    assert len(run.records) == 1
    assert "examples: " in run.err
    assert "/gone" in run.err
    assert "Traceback" not in run.err


def test_examples_of_no_page_of_the_job_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "0.html").write_text(POTS["/0"])
    pages = lines(tmp_path, "pages.jsonl", {"id": "p0", "url": "http://pots.invalid/0", "path": "0.html"})
    for target, example in [
        (["--pages", pages], {"url": "p0", "values": FIRST}),
        (["--pages", pages], {"url": "http://other.invalid/0", "values": FIRST}),
        (["http://127.0.0.1:1/"], {"url": "http://other.invalid/0", "values": FIRST}),
        (["http://127.0.0.1:1/"], {"id": "p0", "values": FIRST}),
    ]:
        run = extract(*target, "--fields", FIELDS, "--examples", lines(tmp_path, "examples.jsonl", example))
        assert run.status == 2
        assert run.err.startswith("scrapy extract: --examples: none is of a page of this job, the first of ")
        assert len(run.err.splitlines()) == 1


def test_saved_pages_are_taught_by_url_or_id_without_network(tmp_path: Path) -> None:
    entries = []
    for path, html in POTS.items():
        (tmp_path / f"{path[1:]}.html").write_text(html)
        entries.append({"id": path, "url": f"http://pots.invalid{path}", "path": f"{path[1:]}.html"})
    pages = lines(tmp_path, "pages.jsonl", *entries)
    examples = lines(
        tmp_path,
        "examples.jsonl",
        {"id": "/0", "values": FIRST},
        {"url": "http://pots.invalid/1", "values": {"glaze": "tenmoku", "kiln_date": "no such day"}},
        {"url": "http://pots.invalid/unsaved", "values": FIRST},
    )
    run = extract("--pages", pages, "--fields", FIELDS, "--examples", examples)
    found = {record["_id"]: (record["glaze"], record["kiln_date"]) for record in run.records}
    assert found == {"/0": ("celadon", "Monday"), "/1": ("tenmoku", "Friday"), "/2": ("ash", "Sunday")}
    assert "the value of kiln_date stands nowhere on http://pots.invalid/1" in run.err
    assert "no page http://pots.invalid/unsaved among the saved ones" in run.err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "0 examples; write 1 to 1,000 lines like"),
        ("{", "line 1: not JSON at column 2 (Expecting property name enclosed in double quotes); write"),
        (json.dumps({"url": "https://a.example/", "values": FIRST})[:-2] + ",}}", "line 1: not JSON at column "),
        ("[]", 'line 1: no "values"; write'),
        ('{"url": "http://a.example/", "values": []}', 'line 1: no "values"; write'),
        ('{"values": {}}', 'line 1: needs the page\'s "url"'),
        (
            '\n{"url": "http://a.example/", "values": {"glase": 1}}',
            "line 2: no field 'glase' in the schema; it has glaze",
        ),
    ],
)
def test_files_that_cannot_be_used_get_one_line(tmp_path: Path, text: str, line: str) -> None:
    file = tmp_path / "examples.jsonl"
    file.write_text(text)
    with pytest.raises(ExampleError) as caught:
        read_examples(file, SCHEMA)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
    run = extract("http://127.0.0.1:1/", "--fields", FIELDS, "--examples", str(file))
    assert run.status == 2
    assert run.err.startswith("scrapy extract: --examples: ")
    assert len(run.err.splitlines()) == 1


def test_no_more_pages_of_a_site_are_kept_than_are_needed() -> None:
    lessons = Lessons()
    for number in range(2 * MAX_LESSONS):
        lessons.add(b"x", f"http://www.a.example/{number}", {})
    assert len(lessons.of("http://a.example/")) == MAX_LESSONS
    assert lessons.of("http://b.example/") == []
