"""Job files that are none, that others hold, that cannot grow, and whose writer was killed."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import pytest
from servers.frontiers import check_sum, eventually, filled, links

from scraping_ai.frontier.outlook import Pace
from scraping_ai.frontier.protocol import Ending, FrontierAway, FrontierError, Kind, Limits, Link
from scraping_ai.frontier.session import Session
from scraping_ai.frontier.sqlite import Access, SqliteFrontier, connect

pytestmark = pytest.mark.anyio

NOBODY = 65534


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def opened(path: Path, access: Access = Access.CREATE, busy: float = 0.05) -> AsyncIterator[SqliteFrontier]:
    frontier = SqliteFrontier(path, access=access, busy=busy)
    try:
        await frontier.open()
        yield frontier
    finally:
        await frontier.close()


async def refusal(path: Path, access: Access = Access.CREATE) -> str:
    with pytest.raises(FrontierError) as caught:
        async with opened(path, access):
            pass
    assert "\n" not in str(caught.value)
    return str(caught.value)


async def made(path: Path, n: int = 3) -> Path:
    async with opened(path) as frontier:
        await filled(frontier, *links(n))
    return path


@contextmanager
def changed(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as db, db:
        yield db


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that others may enter."""
    folder = Path(tempfile.mkdtemp(prefix="frontier-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Without the rights of root, who may write everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def text(path: Path) -> None:
    path.write_text("title,price\n" * 500)


def short_text(path: Path) -> None:
    path.write_text("x")


def noise(path: Path) -> None:
    path.write_bytes(os.urandom(20_000))


def another(path: Path) -> None:
    with changed(path) as db:
        db.execute("CREATE TABLE entry (id)")


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("access", Access)
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (text, "is no job file"),
        (short_text, "is no job file"),
        (noise, "is no job file"),
        (another, "is no job file, but another SQLite database"),
        (folder, "is not a file"),
        (pipe, "is not a file"),
    ],
)
async def test_what_is_no_job_file_is_told_and_left_as_it_is(
    tmp_path: Path, make: Callable[[Path], None], said: str, access: Access
) -> None:
    path = tmp_path / "job.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    assert said in await refusal(path, access)
    assert (path.read_bytes() if path.is_file() else None) == before


@pytest.mark.parametrize("access", [Access.READ, Access.WRITE])
async def test_only_a_crawl_makes_files(tmp_path: Path, access: Access) -> None:
    assert "there is no job file" in await refusal(tmp_path / "job.sqlite", access)
    assert not [*tmp_path.iterdir()]
    (tmp_path / "empty.sqlite").touch()
    assert "is empty" in await refusal(tmp_path / "empty.sqlite", access)
    async with opened(tmp_path / "empty.sqlite") as frontier:
        assert await frontier.tasks() == []


async def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "can't be opened" in await refusal(tmp_path / "none" / "job.sqlite")


@pytest.mark.parametrize(("version", "said"), [(0, "older code (format 0"), (99, "newer code (format 99")])
async def test_a_file_of_another_version(tmp_path: Path, version: int, said: str) -> None:
    path = await made(tmp_path / "job.sqlite")
    with changed(path) as db:
        db.execute(f"PRAGMA user_version = {version}")
    for access in Access:
        assert said in await refusal(path, access)


async def test_a_file_of_the_format_before_is_brought_up_to_this_one(tmp_path: Path) -> None:
    path = tmp_path / "job.sqlite"
    with changed(path) as db:
        db.executescript((Path(__file__).parent / "format_1.sql").read_text())
    async with opened(path, Access.READ) as frontier:
        assert await frontier.options("t") is None
        assert [result.page for result in await frontier.results("t")] == ["stored", "failed"]
    async with opened(path, Access.WRITE) as frontier:
        assert [result.page for result in await frontier.results("t")] == ["stored"]
        await frontier.start("t", Limits(), "{}")
        (lease,) = await frontier.lease(9)
        assert await frontier.settle([Ending(lease, Kind.STORED, page="had", links=links(1))]) == [True]
        assert [result.page for result in await frontier.results("t")] == ["stored", "had"]
        check_sum(await frontier.counts("t"))
    async with opened(path) as frontier:
        assert await frontier.options("t") == "{}"
        assert frontier.db.execute("PRAGMA user_version").fetchone() == (2,)


async def test_names_that_mean_something_in_addresses(tmp_path: Path) -> None:
    path = await made(tmp_path / "a?mode=memory#%41 é.sqlite")
    assert path.stat().st_size
    async with opened(path, Access.READ) as frontier:
        assert (await frontier.counts("t")).queued == 3


async def test_a_damaged_file(tmp_path: Path) -> None:
    path = await made(tmp_path / "job.sqlite", 3_000)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(8_192)
        file.write(b"\xff" * (size - 8_192))
    with pytest.raises(FrontierError, match="is damaged"):
        async with opened(path) as frontier:
            await frontier.lease(100)


async def test_a_file_that_may_only_be_read(public: Path) -> None:
    path = await made(public / "job.sqlite")
    path.chmod(0o444)
    public.chmod(0o555)
    with unprivileged():
        async with opened(path, Access.READ) as frontier:
            assert (await frontier.counts("t")).queued == 3
        for access in (Access.WRITE, Access.CREATE):
            with pytest.raises(FrontierError, match=r"read-only|can't be opened"):
                async with opened(path, access) as frontier:
                    await frontier.start("t", Limits())


async def test_a_file_that_nobody_else_may_read(public: Path) -> None:
    path = await made(public / "job.sqlite")
    path.chmod(0)
    with unprivileged():
        for access in Access:
            assert "can't be opened" in await refusal(path, access)


async def test_a_reader_changes_nothing(tmp_path: Path) -> None:
    path = await made(tmp_path / "job.sqlite")
    async with opened(path, Access.READ) as frontier:
        with pytest.raises(FrontierError, match="read-only"):
            await frontier.cancel("t")
        assert (await frontier.counts("t")).queued == 3


async def test_another_program_that_looks_in_leaves_what_is_at_work_alone(tmp_path: Path) -> None:
    """The last that closes a database removes its log: nobody else is the last while a crawl is at work."""
    path = tmp_path / "job.sqlite"
    with closing(connect(path, Access.CREATE)) as db:
        db.execute("INSERT INTO task (name) VALUES ('t')")
        for access in Access:
            connect(path, access).close()
        look = f"import sqlite3; db = sqlite3.connect({str(path)!r}); db.execute('SELECT * FROM task'); db.close()"
        subprocess.run([sys.executable, "-c", look], check=True)
        assert {file.name for file in tmp_path.iterdir()} == {"job.sqlite", "job.sqlite-wal", "job.sqlite-shm"}
        db.execute("INSERT INTO task (name) VALUES ('u')")
    with closing(connect(path, Access.READ)) as db:
        assert db.execute("SELECT count(*) FROM task").fetchone() == (2,)


async def test_a_full_disk_holds_the_work_and_costs_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path / "job.sqlite") as frontier:
        await filled(frontier, *links(10))
        (lease, *_) = await frontier.lease(10)
        (pages,) = frontier.db.execute("PRAGMA page_count").fetchone()
        frontier.db.execute(f"PRAGMA max_page_count = {pages}")
        ending = Ending(lease, Kind.STORED, links=links(5_000, first=10))
        with pytest.raises(FrontierAway, match="the disk is full"):
            await frontier.settle([ending])
        check_sum(await frontier.counts("t"))
        assert (await frontier.counts("t")).added == 10
        frontier.db.execute("PRAGMA max_page_count = 4294967294")
        assert await frontier.settle([ending]) == [True]
        check_sum(await frontier.counts("t"))
        assert (await frontier.counts("t")).added == 5_010


class Deaf:
    """A worker that nothing has to be told."""

    def wake(self) -> None: ...

    def broken(self) -> None: ...

    def accepted(self, links: Sequence[Link], lease: object = None) -> None: ...

    def failed(self, error: Exception) -> None:
        raise error


async def test_a_crawl_holds_while_the_disk_is_full_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(tmp_path / "job.sqlite") as frontier:
        await filled(frontier, *links(10))
        await frontier.settle([Ending(lease, Kind.STORED) for lease in await frontier.lease(10)])
        frontier.db.execute("PRAGMA max_page_count = 1")  # as many as there are
        session = Session(frontier, "t", Deaf(), Pace(flush=0.001, poll=0.01), (FrontierAway,))
        await session.open()
        adding = asyncio.create_task(session.add(links(5_000, first=10)))
        await eventually(lambda: logged(caplog, "the disk is full"))
        await asyncio.sleep(0.3)  # a second attempt or two
        assert not adding.done()
        assert len(await logged(caplog, "the disk is full")) == 1
        frontier.db.execute("PRAGMA max_page_count = 4294967294")
        await adding
        assert (await frontier.counts("t")).added == 5_010
        await session.close()


async def logged(caplog: pytest.LogCaptureFixture, what: str) -> list[str]:
    return [message for message in caplog.messages if what in message]


HOLDER = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    sys.stdin.read()
"""


async def test_a_file_that_another_process_holds(tmp_path: Path) -> None:
    path = await made(tmp_path / "job.sqlite")
    with running(HOLDER, path) as holder:
        async with opened(path, Access.WRITE) as frontier:
            assert (await frontier.counts("t")).queued == 3
            with pytest.raises(FrontierAway, match="is in use"):
                await frontier.cancel("t")
            holder.communicate()
            assert await frontier.cancel("t") == 3


WRITER = """
    import asyncio, sys
    from pathlib import Path
    from servers.frontiers import links
    from scraping_ai.frontier.protocol import Ending, Kind, Limits
    from scraping_ai.frontier.sqlite import SqliteFrontier

    async def main():
        frontier = SqliteFrontier(Path(sys.argv[1]), term=0.0, max_losses=10**6)
        await frontier.open()
        await frontier.start("t", Limits())
        first = 0
        while True:
            await frontier.add("t", links(200, first=first))
            first += 200
            leases = await frontier.lease(50)
            endings = [Ending(lease, Kind.STORED, page="{}", records=["{}"]) for lease in leases]
            await frontier.settle(endings)
            print(first, flush=True)

    asyncio.run(main())
"""


@contextmanager
def running(code: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """A Python process that has said its first line."""
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", textwrap.dedent(code), str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ)
    try:
        assert process.stdout is not None
        assert process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.communicate()


async def test_a_writer_killed_at_any_moment_loses_nothing_that_it_was_told(tmp_path: Path) -> None:
    path = tmp_path / "job.sqlite"
    for moment in (0.0, 0.003, 0.017, 0.05):
        with running(WRITER, path) as writer:
            await asyncio.sleep(moment)
            writer.send_signal(signal.SIGKILL)
            said, _ = writer.communicate()
        told = int((said.split() or ["200"])[-1])
        async with opened(path) as frontier:
            counts = await frontier.counts("t")
            check_sum(counts)
            assert counts.added >= told
            assert frontier.db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            (entries,) = frontier.db.execute("SELECT count(*) FROM entry").fetchone()
            (pages,) = frontier.db.execute("SELECT count(*) FROM page").fetchone()
            assert (entries, pages) == (counts.pending, counts.stored)


async def test_a_log_cut_off_in_the_middle(tmp_path: Path) -> None:
    """As a power cut leaves it: the last transactions may be missing, half of one never stands there."""
    path = tmp_path / "job.sqlite"
    with running(WRITER, path) as writer:
        writer.kill()
        writer.communicate()
    log = path.with_name("job.sqlite-wal")
    whole = log.stat().st_size
    assert whole
    for size in (whole - 1, whole // 2, 100):
        os.truncate(log, size)
        copy = tmp_path / str(size)
        copy.mkdir()
        for file in (path, log):
            shutil.copy(file, copy)
        async with opened(copy / "job.sqlite") as frontier:
            check_sum(await frontier.counts("t"))
            assert frontier.db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_tables_are_made_all_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "job.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr("scraping_ai.frontier.sqlite.opening.SCHEMA", "CREATE TABLE task (id); SELECT nothing;")
        with pytest.raises(FrontierError, match="syntax error"):
            async with opened(path):
                pass
    async with opened(path) as frontier:
        assert await frontier.tasks() == []
