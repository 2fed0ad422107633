from __future__ import annotations

import re
from pathlib import Path

import pytest

from scraping_ai.options import OptionError, parse_options

URL = "http://a.example/"
BASE = {"url": URL, "fields": "title"}


def test_the_shorthand_and_a_url_are_enough() -> None:
    options = parse_options(BASE)
    assert options.urls == (URL,)
    assert [field.name for field in options.schema.fields] == ["title"]
    assert not options.follow
    assert options.max_pages is None


def test_several_urls_stand_apart_by_white_space() -> None:
    assert len(parse_options({**BASE, "url": f"{URL} {URL}b\n{URL}c"}).urls) == 3


def test_follow_brings_a_scope() -> None:
    options = parse_options({**BASE, "follow": "yes", "max_depth": "2", "include": "/one\n/two", "max_pages": "5"})
    assert options.follow
    assert options.max_pages == 5
    assert options.scope.refusal(URL + "one", 1) is None
    assert options.scope.refusal(URL + "two", 2) is None
    assert options.scope.refusal(URL + "c", 1) == "not included"


def test_schedulers_own_arguments_are_passed_over() -> None:
    assert parse_options({**BASE, "_job": "1", "_version": "r1"}).urls == (URL,)


@pytest.mark.parametrize(
    ("args", "line"),
    [
        ({"url": URL}, "say what to extract"),
        ({**BASE, "schema": "{}"}, "fields and schema both say what to extract"),
        ({"fields": "title"}, "nothing to extract from"),
        ({**BASE, "fields": "price:nummer"}, "fields: "),
        ({"url": URL, "schema": "{"}, "schema: "),
        ({**BASE, "query": "x"}, "query: not available yet"),
        ({**BASE, "budget": "1"}, "budget: not available yet"),
        ({**BASE, "feilds": "x"}, "feilds: no such option; did you mean fields"),
        ({**BASE, "qqqqqqq": "x"}, "no such option; there are url"),
        ({**BASE, "max_pages": "0"}, "max_pages: '0'; write a whole number of at least 1"),
        ({**BASE, "max_pages": "many"}, "max_pages: "),
        ({**BASE, "follow": "perhaps"}, "follow: 'perhaps'; write true or false"),
        ({**BASE, "include": "x"}, "include: says which links to follow, so add follow"),
        ({**BASE, "follow": "1", "include": "("}, "include: pattern"),
        ({**BASE, "llm": "x"}, "llm: 'x' is no model"),
        ({**BASE, "url": "ftp://a.example/"}, "only http:// and https://"),
        ({**BASE, "url": "http:///x"}, "without a host"),
        ({**BASE, "url": "http://a..b/"}, "no host can have that name"),
        ({**BASE, "url": "http://ann:secret@a.example/x"}, "a name or password in the address of http://a.example/x"),
        ({**BASE, "url": "http://a.example:99999/"}, "not a valid URL"),
    ],
)
def test_bad_options_get_one_line(args: dict[str, str], line: str) -> None:
    with pytest.raises(OptionError, match=re.escape(line)) as caught:
        parse_options(args)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["schema", "pages", "examples", "url"])
def test_files_are_for_the_command_line_only(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"properties": {"title": {"type": "string"}}}')
    if name == "examples":
        file.write_text('{"url": "http://a.example/", "values": {"title": "A"}}')
    others = {"schema": {"url": URL}, "pages": {"fields": "title"}, "examples": BASE, "url": {"fields": "title"}}
    given = others[name] | {name: str(file)}
    parse_options(given, files=True)
    for value in (str(file), file.as_uri()):
        with pytest.raises(OptionError, match=r"command line|write the JSON Schema itself"):
            parse_options({**given, name: value})


def test_targets_that_are_neither_url_nor_file(tmp_path: Path) -> None:
    for target, line in [
        ("a.example/x", "did you mean https://a.example/x"),
        ("127.0.0.1:8765/part1.html", "did you mean http://127.0.0.1:8765/part1.html?"),
        ("localhost/part1.html", "did you mean http://localhost/part1.html?"),
        ("shop.example:443/part1.html", "did you mean https://shop.example:443/part1.html?"),
        ("pages/part1.html", "or an HTML file's path"),
        (str(tmp_path), "a folder"),
        ("nothing here", "neither a URL nor a file"),
        ("page.html", "'page.html': neither a URL nor a file; write https://"),
        ("", "an empty target"),
        ("\0", "neither a URL nor a file"),
        ("x" * 5_000, "neither a URL nor a file"),
    ]:
        with pytest.raises(OptionError, match=line) as caught:
            parse_options({"fields": "title"}, targets=[target], files=True)
        assert len(str(caught.value)) < 300


def test_the_address_of_a_file_is_read_as_one(tmp_path: Path) -> None:
    file = tmp_path / "ä b%20#.html"
    file.write_text("<h1>A</h1>")
    for target in (str(file), file.as_uri(), file.as_uri().replace("file://", "FILE://localhost")):
        assert parse_options({"fields": "title"}, targets=[target], files=True).files == (file,)


def test_the_shell_sees_its_own_spelling() -> None:
    with pytest.raises(OptionError) as caught:
        parse_options({**BASE, "max_pages": "x"})
    assert caught.value.for_shell().startswith("--max-pages: ")
