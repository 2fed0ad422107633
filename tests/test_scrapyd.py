"""Real scrapyd nodes on loopback: one started in the project, one that is empty and gets the project's egg."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("scrapyd")]

ROOT = Path(__file__).parent.parent
SECRET = "a-secret-of-the-node"
SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "price": {"type": "number"}, "sku": {"type": "string"}},
}
RECORD = {"title": "Oak Glaze Tumbler", "price": 14.0, "sku": "CP-3001"}


@dataclass(frozen=True)
class Node:
    """A running scrapyd and its working folder."""

    url: str
    folder: Path

    def call(self, name: str, **data: str) -> dict[str, Any]:
        body = urllib.parse.urlencode(data).encode() if name in ("schedule", "cancel") else None
        query = "" if body else "?" + urllib.parse.urlencode(data)
        with urllib.request.urlopen(f"{self.url}{name}.json{query}", data=body, timeout=60) as response:
            answer: dict[str, Any] = json.load(response)
        return answer

    def schedule(self, **arguments: str) -> str:
        answer = self.call("schedule", project="scraping_ai", spider="extract", **arguments)
        assert answer["status"] == "ok", answer
        return str(answer["jobid"])

    def finish(self, job: str) -> tuple[list[dict[str, Any]], str]:
        """Wait for a job; its records and its log."""
        deadline = time.monotonic() + 90
        while job not in [done["id"] for done in self.call("listjobs", project="scraping_ai")["finished"]]:
            assert time.monotonic() < deadline, f"job {job} did not end"
            time.sleep(0.2)
        items = self.folder / f".scrapyd/items/scraping_ai/extract/{job}.jl"
        log = self.folder / f".scrapyd/logs/scraping_ai/extract/{job}.log"
        lines = items.read_text("utf-8").splitlines() if items.exists() else []
        return [json.loads(line) for line in lines], log.read_text("utf-8")


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    command = [sys.executable, "-m", "scraping_ai.demo", "--stop-after", "300"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project, since nodes and scrapyd-deploy write where they run."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("scrapy.cfg", "pyproject.toml", "setup.py", "README.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "scraping_ai", folder / "scraping_ai", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def node(project: Path) -> Iterator[Node]:
    with scrapyd([str(Path(sys.executable).with_name("scrapyd"))], project) as running:
        yield running


@pytest.fixture(scope="module")
def empty_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node whose Python has scrapyd and the project's dependencies, but not the project."""
    folder = tmp_path_factory.mktemp("empty")
    python = python_without_project(folder / "venv")
    (folder / "scrapyd.conf").write_text((ROOT / "scrapyd/scrapyd.conf").read_text("utf-8"), "utf-8")
    with scrapyd([str(python), "-m", "scrapyd"], folder) as running:
        yield running


def python_without_project(venv: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True, timeout=60)
    python = venv / "bin/python"
    where = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(where, check=True, capture_output=True, text=True, timeout=60).stdout.strip())
    for name in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(name).iterdir():
            if not entry.name.startswith(("scraping_ai", "__editable__")) and not (site / entry.name).exists():
                (site / entry.name).symlink_to(entry)
    absent = [python, "-c", "import scrapy, importlib.util as u, sys; sys.exit(u.find_spec('scraping_ai') is not None)"]
    subprocess.run(absent, check=True, cwd=venv, env=environment(venv), timeout=60)
    return python


def environment(home: Path, **more: str) -> dict[str, str]:
    """This process's, less what would lead a node elsewhere."""
    led_by = ("SCRAPY", "SCRAPING_AI", "OPENAI", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(led_by)}
    here = {"HOME": str(home), "SCRAPYD_BIND_ADDRESS": "127.0.0.1", "SCRAPING_AI_ALLOWED_PRIVATE_HOSTS": "127.0.0.1"}
    return kept | here | more


@contextmanager
def scrapyd(command: list[str], folder: Path) -> Iterator[Node]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    log = folder / "node.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment(folder, SCRAPYD_HTTP_PORT=port), stdout=output, stderr=output
        )
    node = Node(f"http://127.0.0.1:{port}/", folder)
    try:
        wait_until_up(node, process, log)
        yield node
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_up(node: Node, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            node.call("daemonstatus")
        except urllib.error.URLError:
            assert process.poll() is None, log.read_text("utf-8")
            assert time.monotonic() < deadline, log.read_text("utf-8")
            time.sleep(0.1)
        else:
            return


def values(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if not name.startswith("_")}


def test_a_scheduled_job_gives_records(node: Node, shop: str) -> None:
    """A JSON Schema and the shorthand; a page, and a crawl of several."""
    one = node.schedule(url=f"{shop}cups/tumbler-oak", schema=json.dumps(SCHEMA))
    two = node.schedule(url=f"{shop}chaki", fields="title, price:number, sku", follow="true", include="/chaki/")
    records, log = node.finish(one)
    assert [values(record) for record in records] == [RECORD], log
    assert records[0]["_url"] == f"{shop}cups/tumbler-oak"
    records, log = node.finish(two)
    assert {record["sku"] for record in records} >= {f"JP-400{n}" for n in range(1, 6)}, log


def test_a_remote_caller_reads_no_file_of_the_node(node: Node, shop: str, tmp_path: Path) -> None:
    schema, pages = tmp_path / f"{SECRET}.json", tmp_path / "pages.jsonl"
    schema.write_text(json.dumps({"type": "object", "properties": {SECRET: {"type": "string"}}}), "utf-8")
    (tmp_path / "page.html").write_text(f"<h1>{SECRET}</h1>", "utf-8")
    pages.write_text(json.dumps({"url": shop, "path": "page.html"}) + "\n", "utf-8")
    page, fields = f"{shop}cups/camp-mug", "title"
    refused = [
        ("schema", {"url": page, "schema": "/etc/passwd"}),
        ("schema", {"url": page, "schema": str(schema)}),
        ("schema", {"url": page, "schema": str(schema), "_files": "true"}),
        ("files", {"url": page, "schema": str(schema), "files": "true"}),
        ("$ref", {"url": page, "schema": json.dumps({"$ref": schema.as_uri()})}),
        ("pages", {"pages": "/etc/passwd", "fields": fields}),
        ("pages", {"pages": str(pages), "fields": fields}),
        ("examples", {"url": page, "fields": fields, "examples": str(pages)}),
        ("file:///etc/passwd", {"url": "file:///etc/passwd", "fields": fields}),
        ("/etc/hostname", {"url": "/etc/hostname", "fields": fields}),
        ("http://", {"url": str(tmp_path / "page.html"), "fields": fields}),
    ]
    jobs = [(named, node.schedule(**arguments)) for named, arguments in refused]
    for named, job in jobs:
        records, log = node.finish(job)
        assert records == [], named
        complaints = [line for line in log.splitlines() if "ERROR" in line or "CRITICAL" in line]
        assert len(complaints) == 1, (named, log)
        assert named in complaints[0]
        assert "Traceback" not in log
        assert "root:" not in log
        assert f'"{SECRET}"' not in log


def test_a_bad_schema_ends_the_job_with_one_line(node: Node, shop: str) -> None:
    records, log = node.finish(node.schedule(url=shop, schema='{"type": "nonsense"}'))
    assert records == []
    assert len([line for line in log.splitlines() if "nonsense" in line and "ERROR" in line]) == 1, log
    assert "Traceback" not in log


def test_the_project_is_deployed_to_an_empty_node(empty_node: Node, project: Path, shop: str) -> None:
    assert empty_node.call("listprojects")["projects"] == []
    configuration = project / "scrapy.cfg"
    configuration.write_text(configuration.read_text("utf-8") + f"\n[deploy:empty]\nurl = {empty_node.url}\n", "utf-8")
    deploy = [Path(sys.executable).with_name("scrapyd-deploy"), "empty", "--project", "scraping_ai", "--version", "1"]
    run = subprocess.run(
        deploy, cwd=project, env=environment(project), capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert empty_node.call("listspiders", project="scraping_ai")["spiders"] == ["extract", "worker"]
    records, log = empty_node.finish(empty_node.schedule(url=f"{shop}cups/tumbler-oak", schema=json.dumps(SCHEMA)))
    assert [values(record) for record in records] == [RECORD], log
