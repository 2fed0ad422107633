"""`scrapy frontier OPERATION [FILE]`: what a crawl has before it, what failed, and what to do about that."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from argparse import SUPPRESS
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple, cast

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.project import inside_project

from scraping_ai.commands import shell

refuse = partial(shell.refuse, "frontier")

STATES = ("queued", "suspect", "delayed", "leased")


class Operation(NamedTuple):
    """What `--help` says of it."""

    short: str
    long: str
    examples: str


OPERATIONS: Mapping[str, Operation] = {
    "stats": Operation(
        "how many pages are stored, skipped, dead and still to come, and why some were not stored",
        "A line a task: added = stored + skipped + dead + pending, where pending is what is queued, delayed (waits for "
        "another try) or leased (a worker has it). Below, the reasons for which pages were skipped or are dead.",
        "scrapy frontier stats jobs/shop/frontier.sqlite\nscrapy frontier stats jobs/shop --json | jq .pending",
    ),
    "peek": Operation(
        "pages that are still to come, and change nothing",
        "Pages in one state: queued in the order in which each host's are fetched; suspect, which cost workers their "
        "lives and are fetched one by one; delayed, which wait for another try; leased, which a worker has now.",
        "scrapy frontier peek jobs/shop\nscrapy frontier peek jobs/shop --state delayed -n 100",
    ),
    "dead": Operation(
        "dead letters: pages given up, with the reason",
        "Pages that were given up. Each keeps its reason, its last HTTP status, and how often it was tried and cost a "
        "worker; `replay` tries them again, `purge` gives them up for good.",
        "scrapy frontier dead jobs/shop\nscrapy frontier dead jobs/shop --reason timeout --json | jq -r .url",
    ),
    "replay": Operation(
        "queue dead letters again, as if they were new",
        "Queues dead letters again: all, those whose reason holds a text, or single ones by the number that `dead` "
        "shows. A crawl that is at work takes them up; else start it again.",
        "scrapy frontier replay jobs/shop --reason 'HTTP 503'\nscrapy frontier replay jobs/shop --id 17 --id 23",
    ),
    "purge": Operation(
        "give dead letters up for good",
        "Dead letters become pages skipped, with the reason `purged`. Their addresses stay known: links to them are "
        "not taken in again.",
        "scrapy frontier purge jobs/shop --reason 'HTTP 410'\nscrapy frontier purge jobs/shop --all",
    ),
}


class Command(ScrapyCommand):
    """Uses the settings of the project around the current folder, or those of this project."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        return "OPERATION [FILE] [options]"

    def short_desc(self) -> str:
        return "See what a crawl has before it and what failed, and try that again"

    def long_desc(self) -> str:
        return (
            "The frontier is a crawl's memory: every page ends stored, skipped for a reason, or dead, which you can "
            "replay. FILE is a job's file, folder or name; without it the backend of the settings is meant (JOBDIR, "
            "REDIS_URL). Crawls may be at work meanwhile."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        if not inside_project():
            self.settings = shell.own_settings("frontier")
        parser.error = refuse  # type: ignore[method-assign]
        parser.epilog = "`scrapy frontier OPERATION --help` says more, with examples."
        group = parser.add_subparsers(
            title="operations", dest="operation", metavar="OPERATION", parser_class=argparse.ArgumentParser
        )
        for name, operation in OPERATIONS.items():
            described = group.add_parser(
                name,
                help=operation.short,
                usage=f"scrapy frontier {name} [FILE] [options]",
                description=operation.long,
                epilog="examples:\n  " + operation.examples.replace("\n", "\n  "),
                formatter_class=Formatter,
            )
            described.error = refuse  # type: ignore[method-assign]
            add_arguments(described, name)
        super().add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.operation is None:
            refuse(f"say what to do: {', '.join(OPERATIONS)}; `scrapy frontier --help` explains them")
        if args:
            refuse(
                f"{opts.operation} knows no {args[0]}; `scrapy frontier {opts.operation} --help` lists what it takes"
            )
        try:
            super().process_options(args, opts)
        except UsageError as error:
            refuse(str(error))
        chosen = [bool(opts.ids), opts.reason is not None, opts.all]
        if opts.operation in ("replay", "purge") and sum(chosen) != 1:
            refuse(f"say which dead letters to {opts.operation}: --all, --reason TEXT, or --id N (once or more)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from scraping_ai.commands.operations import operate  # late: what fails to import here breaks every command
        from scraping_ai.frontier.protocol import FrontierError

        try:
            asyncio.run(operate(opts, cast(Settings, self.settings)))
        except FrontierError as error:
            refuse(str(error), 1)
        except BrokenPipeError:  # as `| head` does; what Python flushes at its end has nowhere to go
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt:
            raise SystemExit(130) from None


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Wraps descriptions, and leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


def add_arguments(parser: argparse.ArgumentParser, operation: str) -> None:
    """The arguments of one operation. Others have the same names, so that all may be read of any."""
    parser.set_defaults(ids=[], reason=None, all=False, state="dead", n=None)
    add = parser.add_argument
    add("file", nargs="?", metavar="FILE", help="a job's file, its folder, or the NAME of `extract --job NAME`")
    add("--task", metavar="NAME", help="this task only; with Redis, the spider whose frontier is meant")
    add("--spider", metavar="NAME", help="with Redis, the spider whose frontier is meant: `worker` has all its tasks")
    add("--json", action="store_true", help="JSON lines, for programs")
    add("-s", "--set", action="append", default=SUPPRESS, metavar="NAME=VALUE", help="change a setting")
    if operation == "peek":
        add("--state", choices=STATES, default=STATES[0], help=f"{', '.join(STATES)} (default: {STATES[0]})")
    if operation in ("peek", "dead"):
        shown = "show at most N of a task (default: 20, with --json all; 0: all)"
        add("-n", type=whole, metavar="N", help=shown)
    if operation in ("dead", "replay", "purge"):
        add("--reason", metavar="TEXT", help="those whose reason holds this text, in capitals or not")
    if operation in ("replay", "purge"):
        add("--id", dest="ids", action="append", metavar="N", help="the one with this number (may be repeated)")
        add("--all", action="store_true", help="all of them")


def whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number
