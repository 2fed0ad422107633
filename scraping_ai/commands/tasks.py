"""What `scrapy task` does: a task is its options, left in a frontier, and the pages that it names."""

from __future__ import annotations

import json
import os
import sys
import uuid
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from scraping_ai.commands.operations import say
from scraping_ai.commands.task import OPTIONS
from scraping_ai.environment import fit
from scraping_ai.frontier.backends import FILE, existing
from scraping_ai.frontier.fingerprint import Fingerprinter
from scraping_ai.frontier.protocol import MAX_OPTIONS, Frontier, FrontierError, Limits, Link
from scraping_ai.frontier.requests import to_json
from scraping_ai.frontier.scope import fingerprint, host_of
from scraping_ai.frontier.sqlite import Access
from scraping_ai.options import JOB_NAME, JOB_SUFFIX, OptionError, Options, parse_options, schema_text, shown
from scraping_ai.spiders.worker import WorkerSpider, context_of
from scraping_ai.storage.jobs import page_of, record_of

AT_ONCE = 1_000  # pages added, or results read, in one call
SUFFIXES = {".jsonl": "jsonl", ".jl": "jsonl", ".json": "json", ".csv": "csv", ".xml": "xml"}


async def operate(opts: Namespace, settings: BaseSettings) -> None:
    """Do what a command line asks for; raises OptionError and FrontierError."""
    try:
        fit(settings)
    except ValueError as error:
        raise OptionError(str(error)) from None
    if opts.operation == "submit":
        kept, options = options_of(opts)
        frontier = opened(settings, opts.file, Access.CREATE)
    else:
        frontier = opened(settings, opts.file, Access.READ if opts.operation == "results" else Access.WRITE)
    try:
        await frontier.open()
        if opts.operation == "submit":
            await submit(frontier, opts.name or uuid.uuid4().hex[:12], kept, options, settings)
            return
        if (said := await frontier.options(opts.name)) is None:
            raise FrontierError(f"there is no task {opts.name!r} for workers here")
        if opts.operation == "results":
            await results(frontier, opts.name, said, opts.output, settings)
        elif opts.operation == "cancel":
            say(f"{opts.name}: {await frontier.cancel(opts.name)} pages will not be fetched")
        else:
            if pending := await frontier.pending(opts.name):
                raise FrontierError(f"{pending} pages of {opts.name!r} are pending: cancel it before")
            await frontier.forget(opts.name, only_done=True)
    except LookupError:
        raise FrontierError(f"the task {opts.name!r} was forgotten meanwhile") from None
    finally:
        await frontier.close()


def opened(settings: BaseSettings, file: str | None, access: Access) -> Frontier:
    """The workers' frontier, not open yet."""
    if file is not None and access is Access.CREATE and not file.endswith(JOB_SUFFIX):
        file = str(Path(file, FILE))
    path = Path(file or (Path(settings["JOBDIR"], FILE) if settings.get("JOBDIR") else os.devnull))
    if access is Access.CREATE and path != Path(os.devnull):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FrontierError(f"can't make {path}: {error.strerror}; name another") from None
    return existing(settings, file, access=access, task=WorkerSpider.name)


def options_of(opts: Namespace) -> tuple[dict[str, str], Options]:
    """The options of a command line, and as the workers will have them; raises OptionError."""
    if opts.name and not JOB_NAME.fullmatch(opts.name):
        raise OptionError(f"{shown(opts.name)!r}: write a name of letters, digits, dots, - and _", "name")
    given = {name: value for name in OPTIONS if (value := getattr(opts, name)) is not None}
    given = {name: "\n".join(value) if isinstance(value, list) else value for name, value in given.items()}
    if "schema" in given:
        given["schema"] = schema_text(given["schema"], files=True)
    return given, parse_options(given, targets=opts.targets)


async def submit(frontier: Frontier, task: str, kept: dict[str, str], options: Options, settings: BaseSettings) -> None:
    """Leave a task in the frontier, or add pages to one; its options hold an address of each host, for its scope."""
    hosts, said = front_pages(options.urls), await frontier.options(task)
    if said is not None:
        if isinstance(context := context_of(said), str):
            raise FrontierError(f"{task!r} can't be added to: {context}; forget it, or give another --name")
        before = json.loads(said)
        if {name: text for name, text in before.items() if name != "url"} != kept:
            raise FrontierError(f"the task {task!r} wants something else: give the same options, or another --name")
        hosts |= set(before["url"].split())
    text = json.dumps({**kept, "url": " ".join(sorted(hosts))})
    if len(text) > MAX_OPTIONS:
        raise OptionError(f"pages of {len(hosts):,} hosts are too many for one task; make several")
    limits = Limits(options.max_pages, settings.getint("MAX_HOST_PAGES") or None)
    await frontier.start(task, limits, text)
    links, added = links_of(options, settings), 0
    for start in range(0, len(links), AT_ONCE):
        added += sum(await frontier.add(task, links[start : start + AT_ONCE]))
    say(task)
    sys.stderr.write(f"{added} of {len(links)} pages are new\n")


def front_pages(urls: Iterable[str]) -> set[str]:
    """An address for each host: all that a task's scope needs of its pages, which are entries of the frontier."""
    return {
        f"{parts.scheme}://{parts.netloc}/" for parts in map(urlsplit, {host_of(url): url for url in urls}.values())
    }


def links_of(options: Options, settings: BaseSettings) -> list[Link]:
    """The pages that a task names, each once however often they are submitted."""
    spider, number = WorkerSpider(), Fingerprinter(settings.getlist("FRONTIER_TRACKING_PARAMETERS"))
    links = []
    for url in {fingerprint(url): url for url in options.urls}.values():
        request = Request(url, spider.parse, errback=spider.failed, meta={"named": True}, dont_filter=True)
        own = number.of_url(url) if options.follow else number.of_request(url, "GET", b"named")
        links.append(Link(url, own, host_of(url), request=to_json(request, spider)))
    return links


async def results(frontier: Frontier, task: str, said: str, output: str | None, settings: BaseSettings) -> None:
    context = context_of(said)
    if isinstance(context, str):
        raise FrontierError(context)
    suffix = Path(output).suffix if output else ".jsonl"
    if suffix not in SUFFIXES:
        raise OptionError(f"{shown(output or '')}: end the file's name in .jsonl, .json, .csv or .xml")
    with written(output) as file:
        exporter = load_object(settings.getwithbase("FEED_EXPORTERS")[SUFFIXES[suffix]])(file, encoding="utf-8")
        exporter.options, exporter.out = context.options, file
        exporter.start_exporting()
        after: int | None = None
        while found := await frontier.results(task, AT_ONCE, after):
            for result in found:
                if (page := page_of(result.page, result.depth)) is not None:  # else nobody of ours wrote it
                    page.records = list(filter(None, map(record_of, result.records)))
                    exporter.export_item(page)
            after = found[-1].number
        exporter.finish_exporting()


@contextmanager
def written(output: str | None) -> Iterator[IO[bytes]]:
    """Standard output, or a file that takes the place of an old one when it is whole. Raises OptionError."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(output)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb") as file:
                yield file
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise OptionError(f"can't write {target}: {error.strerror or error}; name another file") from None
