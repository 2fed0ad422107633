"""The project as others install it: its wheel, and its command in any folder and beside other Scrapy projects."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
SCRAPY = [sys.executable, "-m", "scrapy"]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY")}
    return subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def other_project(tmp_path: Path) -> Path:
    """Another Scrapy project, with a spider and a robots.txt policy of its own."""
    made = run([*SCRAPY, "startproject", "other"], tmp_path)
    assert made.returncode == 0, made.stderr
    folder = tmp_path / "other"
    (folder / "other/spiders/its_own.py").write_text(
        "import scrapy\n\n\nclass ItsOwn(scrapy.Spider):\n    name = 'its_own'\n", "utf-8"
    )
    return folder


@pytest.mark.slow
def test_the_wheel_holds_code_and_data(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "setup.py", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "scraping_ai", tmp_path / "scraping_ai", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "scrapyd").mkdir()
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", "dist", "."]
    built = run(build, tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = (tmp_path / "dist").glob("scraping_ai-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    files = [path for path in (tmp_path / "scraping_ai").rglob("*") if path.is_file()]
    sources = {path.relative_to(tmp_path).as_posix() for path in files}
    assert {"scraping_ai/py.typed", "scraping_ai/demo/shop.json"} <= sources <= names
    assert {name.partition("/")[0] for name in names if "dist-info" not in name} == {"scraping_ai"}


def test_the_command_works_from_an_empty_folder(tmp_path: Path) -> None:
    shown = run([*SCRAPY, "extract", "--help"], tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "--fields" in shown.stdout
    (tmp_path / "page.html").write_text("<title>Brown Betty</title><h1>Brown Betty</h1><p>Price: €29.90</p>", "utf-8")
    extracted = run([*SCRAPY, "extract", "page.html", "--fields", "title"], tmp_path)
    assert (extracted.returncode, "Brown Betty" in extracted.stdout) == (0, True), extracted.stderr


def test_the_command_leaves_another_project_as_it_is(other_project: Path) -> None:
    assert run([*SCRAPY, "list"], other_project).stdout.split() == ["its_own"]
    for name, value in (("BOT_NAME", "other"), ("SPIDER_MODULES", "['other.spiders']"), ("CONCURRENT_ITEMS", "100")):
        assert run([*SCRAPY, "settings", "--get", name], other_project).stdout.strip() == value
    (other_project / "page.html").write_text("<h1>Brown Betty</h1>", "utf-8")
    # The other project's settings would end this run.
    settings = other_project / "other/settings.py"
    settings.write_text(settings.read_text("utf-8") + "\nITEM_PIPELINES = {'other.pipelines.Missing': 1}\n", "utf-8")
    extracted = run([*SCRAPY, "extract", "page.html", "--fields", "title"], other_project)
    assert (extracted.returncode, "Brown Betty" in extracted.stdout) == (0, True), extracted.stderr


def test_every_dependency_is_pinned() -> None:
    """requirements.txt covers what pyproject.toml names, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    pinned = {canonical(line.partition("==")[0]) for line in lines if "==" in line}
    assert {canonical(name) for name in asked} - pinned <= {"scraping-ai"}


def canonical(requirement: str) -> str:
    """The name of a requirement, as PEP 503 normalises it."""
    return canonicalize_name(Requirement(requirement).name)
