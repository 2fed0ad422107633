"""Appending to a file once, whatever moment the process was killed at."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from typing import IO, Any

import pytest

from scraping_ai.storage.appends import Append
from scraping_ai.storage.jobs import Job


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    job = Job(tmp_path / "job.sqlite", "job")
    with closing(job.connect()) as db:
        db.execute("INSERT INTO task (name) VALUES ('extract')")
    return job


def ended(job: Job, *urls: str) -> None:
    """Pages of the job that have ended."""
    with closing(job.connect()) as db:
        for url in urls:
            values = (1, url, "stored", 0, 0.0, f'{{"url": "{url}"}}')
            db.execute("INSERT INTO page (task, url, outcome, depth, ended, body) VALUES (?, ?, ?, ?, ?, ?)", values)


def append(job: Job, target: Path) -> None:
    """What a run does with an output at its end."""
    output = Append(job, target)
    after = output.pages
    file = output.open()
    if not file.continues:
        file.write(b"url\n")
    for _, page in job.pages(after):
        file.write(page.url.encode() + b"\n")
    output.store(file)


def half(new: IO[bytes], old: IO[bytes], *_: Any) -> None:
    old.write(new.read(5))
    old.flush()
    raise Killed


def nothing(*_: Any) -> None:
    raise Killed


@pytest.mark.parametrize("former", ["", "url\nx\n"])
@pytest.mark.parametrize("moment", ["before", "half", "after"])
def test_an_append_that_was_killed_is_carried_to_its_end_once(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, former: str
) -> None:
    target = tmp_path / "out.csv"
    if former:
        target.write_text(former)
    ended(job, "a", "b")
    if moment == "after":
        monkeypatch.setattr(Append, "_note_end", nothing)
    else:
        monkeypatch.setattr(shutil, "copyfileobj", nothing if moment == "before" else half)
    with pytest.raises(Killed):
        append(job, target)
    monkeypatch.undo()
    ended(job, "c")
    append(job, target)
    append(job, target)
    assert target.read_text() == (former or "url\n") + "a\nb\nc\n"
    assert sorted(path.name for path in tmp_path.iterdir() if "append" in path.name) == []


def test_rows_of_others_that_came_meanwhile_stay_whole(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out.csv"
    target.write_text("url\n")
    ended(job, "a", "b")
    monkeypatch.setattr(shutil, "copyfileobj", nothing)
    with pytest.raises(Killed):
        append(job, target)
    monkeypatch.undo()
    with target.open("a") as file:
        file.write("of another job\n")
    append(job, target)
    assert target.read_text() == "url\nof another job\na\nb\n"


def test_an_output_that_was_removed_is_written_anew(job: Job, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    ended(job, "a")
    append(job, target)
    target.unlink()
    append(job, target)
    assert target.read_text() == "url\na\n"
