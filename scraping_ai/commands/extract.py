"""`scrapy extract TARGET...`: records from pages, from any folder, with the project's own settings."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from scrapy.commands import BaseRunSpiderCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from scraping_ai.commands import shell
from scraping_ai.commands.interrupts import stop_at_once
from scraping_ai.environment import typed
from scraping_ai.options import KNOWN, OptionError, Options, parse_options

refuse = partial(shell.refuse, "extract")

FLAGS = ("follow", "evidence")
FORMATS = "end the file's name in .jsonl, .json, .csv or .xml"
HELP: Mapping[str, tuple[str, str]] = {
    "fields": (
        "LIST",
        'what to extract: "title, price:number, tags[], sku?"; types string, number, integer, boolean, date, datetime, '
        "url; [] for lists; ? for optional",
    ),
    "schema": ("FILE", "the same as a JSON Schema, a file or inline; root object: a record a page, root array: many"),
    "pages": (
        "FILE",
        'saved pages, no network: a JSONL of {"id"?, "url", "path"} lines, paths relative to it, .html or .html.gz',
    ),
    "examples": (
        "FILE",
        'a JSONL of answers already known, {"url", "values": {field: value}} lines: one to five a site teach how its '
        "other pages are read, without a model",
    ),
    "follow": ("", "follow the links of the pages, breadth first, on the same hosts"),
    "max_pages": ("N", "fetch at most N pages"),
    "max_depth": ("N", "follow links at most N steps away from the targets"),
    "include": ("PATTERN", "follow only links in which this regular expression is found (may be repeated)"),
    "exclude": ("PATTERN", "never follow links in which it is found (may be repeated)"),
    "evidence": ("", "add _evidence: where on the page each value stood"),
    "job": ("NAME", "keep the job under this name: started again with it, it goes on where it stopped"),
    "llm": ("MODEL", "ask a model for what is still missing: openai/NAME (any server: OPENAI_BASE_URL), or none"),
}


class HelpFormatter(ScrapyHelpFormatter):
    """Scrapy makes titles of lines that end in a colon, also of those that are broken there."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return [f"{line} " if line.endswith(":") else line for line in super()._split_lines(text, width)]


class Command(BaseRunSpiderCommand):
    """Uses its own settings, also inside other projects, whose settings stay as they are."""

    requires_project = False
    requires_crawler_process = False  # Scrapy's would be made of the current folder's project

    def syntax(self) -> str:
        return "[options] TARGET... (--fields LIST | --schema FILE)"

    def short_desc(self) -> str:
        return "Extract records from web pages or HTML files, each value with evidence"

    def long_desc(self) -> str:
        return (
            "TARGET is a URL or a local HTML file; --pages may stand for it, or beside it. Records go to the files of "
            "-O (replace) or -o (append): .jsonl, .json, .csv, .xml. Without a terminal they go to standard output as "
            "JSON lines. Example: scrapy extract https://example.com/ --follow --max-pages 50 "
            '--fields "title, price:number" -O out.csv'
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        self.settings = shell.own_settings("extract")
        super().add_options(parser)
        parser.formatter_class = HelpFormatter
        parser.error = refuse  # type: ignore[method-assign]
        group = parser.add_argument_group(title="Job")
        for name in KNOWN[1:]:
            meta, text = HELP[name]
            options: dict[str, Any] = {"help": text, "dest": name}
            if name in FLAGS:
                options |= {"action": "store_const", "const": "true"}
            else:
                options |= {"metavar": meta} | ({"action": "append"} if name in ("include", "exclude") else {})
            group.add_argument("--" + name.replace("_", "-"), **options)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        given = dict(pair.split("=", 1) for pair in opts.set if "=" in pair)
        opts.set = [pair for pair in opts.set if "=" not in pair]  # Scrapy refuses these
        if opts.loglevel:
            given["LOG_LEVEL"] = opts.loglevel = opts.loglevel.upper()
        try:
            cast(Settings, self.settings).setdict(typed(given), "cmdline")
        except ValueError as error:
            refuse(str(error))
        try:
            super().process_options(args, opts)
        except UsageError as error:
            problem = str(error)
            refuse(f"{problem.partition('. ')[0]}; {FORMATS}" if "output format" in problem else problem)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        signal.signal(signal.SIGINT, stop_at_once)
        hush_tracker()
        try:
            options = read_options(args, opts)
        except OptionError as error:
            refuse(error.for_shell(), error.status)
        from scraping_ai.commands.console import run_job  # late: what fails to import here breaks every scrapy command

        try:
            self.exitcode = run_job(options, cast(Settings, self.settings))
        except OptionError as error:
            refuse(error.for_shell(), error.status)


def read_options(args: list[str], opts: argparse.Namespace) -> Options:
    """The job of a command line; raises OptionError."""
    given: dict[str, str] = dict(opts.spargs)
    for name in KNOWN[1:]:
        value = getattr(opts, name)
        if value is not None:
            given[name] = "\n".join(value) if isinstance(value, list) else value
    unknown = [arg for arg in args if arg.startswith("--")]
    if unknown and unknown[0].partition("=")[0] == "--url":
        raise OptionError("no option here; give the address alone: scrapy extract https://example.com/", "url")
    if unknown:
        parse_options({unknown[0][2:].partition("=")[0].replace("-", "_"): ""})
    return parse_options(given, targets=args, files=True)


def hush_tracker() -> None:
    """Let Python's tracker of semaphores, a process, clean up after one that was ended without a word about it."""
    filters = filter(None, ("ignore:resource_tracker", os.environ.get("PYTHONWARNINGS")))
    os.environ["PYTHONWARNINGS"] = ",".join(filters)
