"""A job's file: its frontier, and what came of its pages. One that was named is kept and can go on later."""

from __future__ import annotations

import json
import logging
import math
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import fields
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from scrapy.settings import BaseSettings

from scraping_ai.frontier.backends import FILE, file_of
from scraping_ai.frontier.protocol import FrontierError, FrontierInUse
from scraping_ai.frontier.sqlite import Access, Owner, connect
from scraping_ai.frontier.sqlite.opening import told
from scraping_ai.frontier.sqlite.statements import named
from scraping_ai.frontier.temporary import temporary_folder
from scraping_ai.items import Evidence, Outcome, Page, Record
from scraping_ai.options import OptionError, Options, is_path
from scraping_ai.schema import to_json_schema

logger = logging.getLogger(__name__)

Q = named(files("scraping_ai.storage").joinpath("jobs.sql").read_text("utf-8"))
PAGE_PARTS = ("id", "status", "named", "reason", "missed", "model_tokens")  # beside its address
PAGE_TYPES: Mapping[str, Any] = {
    "url": str,
    "id": str | int | float,
    "status": int,
    "named": bool,
    "reason": str,
    "missed": bool,
    "model_tokens": int,
    "outcome": dict,
}
OUTCOME_TYPES: Mapping[str, Any] = {
    field.name: int | float if isinstance(field.default, float) else type(field.default) for field in fields(Outcome)
}
EVIDENCE_PARTS = tuple(field.name for field in fields(Evidence))
EVIDENCE_TYPES: Mapping[str, Any] = dict.fromkeys(EVIDENCE_PARTS, str) | {"confidence": int | float}
NEEDED = {"method", "xpath", "text", "confidence"}
MAX_DEPTH = 64  # of values in values
PLAIN = Page("")
COMPACT = (",", ":")


class Job:
    """A job's file, with the frontier's tables. Raises FrontierError: it can't be one, or another process has it."""

    def __init__(self, path: Path, name: str = "", temporary: TemporaryDirectory[str] | None = None) -> None:
        self.path, self.name, self._temporary = path, name, temporary
        self._is_told = False  # that rows were passed over
        self._owner = Owner(path)  # until the outputs are written
        self._owner.lend()
        try:
            self.connect(Access.CREATE).close()
            self.is_resumed = self.note("options") is not None
        except BaseException:
            self._owner.release()
            raise

    def __str__(self) -> str:
        return self.name  # %(job)s in the address of an output

    @classmethod
    def of(cls, options: Options, settings: BaseSettings) -> Job:
        """The job that these options name, or a new one; raises OptionError when it can't be this one."""
        path = path_of(options, settings)
        if path is None:
            temporary = temporary_folder(FILE)
            job = cls(Path(temporary.name) / FILE, temporary=temporary)
        else:
            job = cls.kept(path, options.job or path.parent.name)
        try:
            job.begin(options)
        except OptionError:
            job.close()
            raise
        return job

    @classmethod
    def kept(cls, path: Path, name: str) -> Job:
        """As the class, with what is wrong as an OptionError."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return cls(path, name)
        except OSError as error:
            raise OptionError(f"can't make {path}: {error.strerror}; name another", "job") from None
        except FrontierError as error:
            status = 1 if isinstance(error, FrontierInUse) else 2
            raise OptionError(f"{error}; name another", "job", status=status) from None

    def begin(self, options: Options) -> None:
        """Note what the job is for; raises OptionError when it was begun for something else."""
        given = marks(options)
        try:
            begun = dict(json.loads(self.note("options") or "{}"))
        except (TypeError, ValueError, RecursionError):
            raise OptionError(f"{self.name} does not say what it was begun for; name another job", "job") from None
        for name, mark in given.items():
            if begun.get(name, mark) != mark:
                raise OptionError(f"{self.name} was begun with other {name}; give those, or name another job", "job")
        self.put_note("options", json.dumps(given))

    @property
    def is_done(self) -> bool:
        """Whether it came to its end, and no page that had failed was queued again since."""
        return self.note("done") is not None and not self.total()[2]

    def finish(self) -> None:
        self.put_note("done", "1")

    def close(self) -> None:
        """Let others have the file, and remove it if it was not to be kept."""
        self._owner.release()
        if self._temporary is not None:
            self._temporary.cleanup()

    def pages(self, after: int = 0) -> Iterator[tuple[int, Page]]:
        """Pages with their records, each with its number, in the order in which they ended.

        Those that no job can have written are passed over, and counted in one line of the log.
        """
        forged = 0
        with closing(self.connect()) as db:
            for number, depth, body, is_purged in db.execute(Q["pages"], {"after": after}):
                page = page_of(body, depth)
                if page is None:
                    forged += 1
                    continue
                records = [record_of(row) for (row,) in db.execute(Q["records"], {"page": number})]
                page.records = [record for record in records if record is not None]
                forged += len(records) - len(page.records)
                page.reason = "purged" if is_purged else page.reason
                yield number, page
        if forged and not self._is_told:
            self._is_told = True
            logger.warning("%s: %d pages or records are none that a job wrote, and are passed over", self.path, forged)

    def total(self) -> tuple[int, int, int]:
        """How many pages it has, how many records, and how many pages are still to be had."""
        ((pages, records, pending),) = self.rows("total")
        return pages, records, pending

    def passed_over(self) -> Mapping[str, int]:
        """How many pages gave nothing at all, by reason."""
        return dict(self.rows("passed_over"))

    def start_urls(self) -> list[str]:
        """Where the pages that the user named were had."""
        return [page.url for (body,) in self.rows("start_pages") if (page := page_of(body, 0)) is not None]

    def note(self, name: str) -> str | None:
        found = self.rows("note", name=name)
        return found[0][0] if found else None

    def put_note(self, name: str, value: str) -> None:
        self.rows("put_note", name=name, value=value)

    def rows(self, query: str, **values: Any) -> list[Any]:
        """What a statement of jobs.sql gives."""
        with told(self.path), closing(self.connect()) as db:
            return db.execute(Q[query], values).fetchall()

    def connect(self, access: Access = Access.WRITE) -> sqlite3.Connection:
        return connect(self.path, access)


def path_of(options: Options, settings: BaseSettings) -> Path | None:
    """Where the job that is named has its file; None: it has no name."""
    if options.job is None:
        return file_of(settings)
    return Path(options.job) if is_path(options.job) else Path(settings.get("JOBS_DIR"), options.job, FILE)


def marks(options: Options) -> dict[str, str]:
    """What makes it the same job, in short."""
    saved = [str(path.resolve()) for path in (*options.files, *filter(None, [options.pages]))]
    return {
        "fields": digest(to_json_schema(options.schema)),
        "follow": digest(options.follow),
        "targets": digest([sorted({*options.urls, *saved}), options.follow]),
        "include": digest([pattern.pattern for pattern in options.scope.include]),
        "exclude": digest([pattern.pattern for pattern in options.scope.exclude]),
    }


def digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def page_json(page: Page) -> str:
    """What is kept of a page beside its records."""
    said = {part: value for part in PAGE_PARTS if (value := getattr(page, part)) != getattr(PLAIN, part)}
    if page.outcome is not None:
        said["outcome"] = {name: getattr(page.outcome, name) for name in OUTCOME_TYPES}
    return json.dumps({"url": page.url, **said}, separators=COMPACT)


def record_json(record: Record) -> str:
    """A record with its evidence."""
    kept: dict[str, Any] = {"values": record.values}
    if record.evidence:
        kept["evidence"] = {path: parts_of(found) for path, found in record.evidence.items()}
    return json.dumps(kept, separators=COMPACT)


def parts_of(found: Evidence) -> dict[str, Any]:
    """As dataclasses.asdict, which copies every part and takes ten times as long."""
    return {name: getattr(found, name) for name in EVIDENCE_PARTS if getattr(found, name) is not None}


def page_of(body: Any, depth: Any) -> Page | None:
    """A page as `page_json` wrote it, without its records; None where it can't have."""
    kept = parsed(body)
    if not isinstance(kept, dict) or "url" not in kept or type(depth) is not int:
        return None
    if not all(isinstance(value, PAGE_TYPES.get(name, ())) for name, value in kept.items()):
        return None
    outcome = kept.pop("outcome", None)
    if outcome is not None and not is_outcome(outcome):
        return None
    return Page(**kept, depth=depth, outcome=None if outcome is None else Outcome(**outcome))


def is_outcome(parts: dict[str, Any]) -> bool:
    """Whether these are the parts of an Outcome."""
    if parts.keys() != OUTCOME_TYPES.keys():
        return False
    return all(isinstance(value, OUTCOME_TYPES[name]) for name, value in parts.items())


def record_of(body: Any) -> Record | None:
    """A record as `record_json` wrote it; None where it can't have."""
    kept = parsed(body)
    values, found = (kept.get("values"), kept.get("evidence", {})) if isinstance(kept, dict) else (None, None)
    if not isinstance(values, dict) or not isinstance(found, dict) or not all(map(is_evidence, found.values())):
        return None
    return Record(values, {path: Evidence(**parts) for path, parts in found.items()})


def is_evidence(parts: Any) -> bool:
    """Whether these are the parts of an Evidence."""
    if not isinstance(parts, dict) or not parts.keys() >= NEEDED:
        return False
    return all(isinstance(value, EVIDENCE_TYPES.get(name, ())) for name, value in parts.items())


def parsed(body: Any) -> Any:
    """What a column holds, None where that is not JSON, or has numbers or depths that no job writes."""
    try:
        value = json.loads(body, parse_constant=refuse) if isinstance(body, str) else None
        return value if is_plain(value) else None
    except (ValueError, RecursionError):
        return None


def refuse(constant: str) -> NoReturn:
    raise ValueError(constant)  # NaN, Infinity


def is_plain(value: Any, depth: int = 0) -> bool:
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return depth < MAX_DEPTH and all(is_plain(part, depth + 1) for part in parts)
    return not isinstance(value, float) or math.isfinite(value)
