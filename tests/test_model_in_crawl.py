"""A model asked by a real run over HTTP: only for what is missing, and believed only where the page bears it out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from servers.llm import LLMServer, Status
from servers.shell import extract

PAGE = """<html><head><title>Teapot</title></head><body><h1>Teapot</h1>
<p>Thrown by hand in the workshop of Ann Lee, who has made pots since she was nine.</p></body></html>"""
FIELDS = "title, potter, kiln"


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "page.html").write_text(PAGE)
    return str(tmp_path / "page.html")


def test_missing_fields_are_asked_for_and_grounded(page: str) -> None:
    with LLMServer({"potter": "Ann Lee", "kiln": "Anagama No. 7"}) as server:
        env = {"OPENAI_BASE_URL": server.base_url}
        run = extract(page, "--fields", FIELDS, "--llm", "openai/test", "--evidence", env=env)
    (record,) = run.records
    assert (record["title"], record["potter"], record["kiln"]) == ("Teapot", "Ann Lee", None)
    assert record["_evidence"]["potter"]["method"] == "llm"
    assert record["_evidence"]["potter"]["text"] == "Ann Lee"
    (request,) = server.requests
    assert set(request.schema["properties"]) == {"potter", "kiln"}
    assert request.schema["additionalProperties"] is False
    assert "1 answers not found on the page and dropped" in run.err
    assert run.status == 0


def test_nothing_is_asked_when_nothing_is_missing_or_no_model_is_wanted(page: str) -> None:
    with LLMServer({"potter": "Ann Lee"}) as server:
        env = {"OPENAI_BASE_URL": server.base_url}
        extract(page, "--fields", "title", "--llm", "openai/test", env=env)
        extract(page, "--fields", FIELDS, "--llm", "none", env=env)
    assert server.requests == []


def test_the_environment_chooses_when_no_model_is_named(page: str) -> None:
    with LLMServer({"potter": "Ann Lee", "kiln": None}) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "OPENAI_MODEL": "local-1"}
        (record,) = extract(page, "--fields", FIELDS, env=env).records
    assert record["potter"] == "Ann Lee"
    assert server.requests[0].body["model"] == "local-1"


def test_a_model_that_fails_leaves_the_record_as_it_was(page: str) -> None:
    with LLMServer(Status(401)) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "sk-secret-key"}
        run = extract(page, "--fields", FIELDS, "--llm", "openai/test", env=env)
    assert run.records[0]["title"] == "Teapot"
    assert "wrong API key" in run.err
    assert "sk-secret-key" not in run.err
    assert "Traceback" not in run.err
    assert "1 call failed" in run.err


def test_lists_of_records_are_grounded_item_by_item(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        "<body><p>We fire the bowl Umi in spring, and the bowl Yama in autumn.</p></body>"
    )
    item = {"type": "object", "properties": {"bowl": {"type": "string"}, "season": {"type": "string"}}}
    schema = json.dumps({"type": "array", "items": item})
    answers = [
        {"bowl": "Umi", "season": "spring"},
        {"bowl": "Yama", "season": "winter"},
        {"bowl": "Kaze", "season": "x"},
    ]
    with LLMServer({"records": answers}) as server:
        env = {"OPENAI_BASE_URL": server.base_url}
        run = extract(str(tmp_path / "page.html"), "--schema", schema, "--llm", "openai/test", env=env)
    assert [(record["bowl"], record["season"]) for record in run.records] == [("Umi", "spring"), ("Yama", None)]
