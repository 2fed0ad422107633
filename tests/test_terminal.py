"""What a person sees: the command under a pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

from servers.site import Site


def on_a_terminal(*args: str, cwd: Path) -> tuple[str, int]:
    """What `scrapy extract` writes to a terminal of 120 columns, and its exit status."""
    main, side = pty.openpty()
    environ = {**os.environ, "COLUMNS": "120", "TERM": "xterm", "OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    command = [sys.executable, "-m", "scrapy", "extract", *args, "-s", "DOWNLOAD_DELAY=0"]
    with subprocess.Popen(command, stdin=side, stdout=side, stderr=side, cwd=cwd, env=environ) as process:
        os.close(side)
        seen, end = b"", time.monotonic() + 60
        while time.monotonic() < end and select.select([main], [], [], 60)[0]:
            try:
                part = os.read(main, 65_536)
            except OSError:  # Linux's way to say that the other end is closed
                break
            seen += part
        os.close(main)
        return seen.decode(), process.wait(timeout=60)


def test_progress_table_and_summary(tmp_path: Path) -> None:
    pages = {f"/{n}": f"<title>Cup {n}</title><h1>Cup {n}</h1>" for n in range(25)}
    with Site({"/": "".join(f'<a href="{path}">x</a>' for path in pages), **pages}) as site:
        text, status = on_a_terminal(site.url("/"), "--fields", "title", "--follow", "-O", "out.csv", cwd=tmp_path)
    assert "title" in text
    assert "Cup 3" in text
    assert "http://127.0.0.1:" in text
    assert "more" in text
    assert "26 pages, " in text
    assert " ..." in text
    assert '{"title"' not in text
    assert (tmp_path / "out.csv").exists()
    assert status == 0


def test_evidence_is_shown_beside_the_table(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<title>Cup [bold]</title><h1>Cup [bold]</h1>")
    text, _ = on_a_terminal("page.html", "--fields", "title", "--evidence", cwd=tmp_path)
    assert "/html/" in text
    assert "heuristic" in text
    assert "Cup [bold]" in text


def test_records_of_many_fields_are_listed(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<title>Cup</title><h1>Cup</h1>")
    fields = ", ".join(f"measure_{n}?" for n in range(12))
    text, _ = on_a_terminal("page.html", "--fields", f"title, {fields}", cwd=tmp_path)
    assert "measure_11" in text


def test_reasons_are_shown_as_they_come(tmp_path: Path) -> None:
    text, status = on_a_terminal("http://127.0.0.1:1/", "--fields", "title", cwd=tmp_path)
    assert "connection refused" in text
    assert "Traceback" not in text
    assert status == 1
