"""`scrapy task OPERATION`: jobs for workers that serve every task (`scrapy crawl worker`), and what they brought."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from argparse import SUPPRESS
from functools import partial
from typing import Any, cast

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.project import inside_project

from scraping_ai.commands import shell
from scraping_ai.commands.extract import HELP
from scraping_ai.options import OptionError

refuse = partial(shell.refuse, "task")

OPTIONS = ("fields", "schema", "follow", "max_pages", "max_depth", "include", "exclude", "evidence", "llm")
FLAGS = ("follow", "evidence")
OPERATIONS = {
    "submit": "hand pages to the workers: its name is printed",
    "results": "write the records that a task has by now",
    "cancel": "fetch no more of a task's pages; what was had stays",
    "forget": "delete all of a task, its results too",
}


class Command(ScrapyCommand):
    """Uses the settings of the project around the current folder, or those of this project."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        return "OPERATION [options]"

    def short_desc(self) -> str:
        return "Put tasks in for long-lived workers, and take their records"

    def long_desc(self) -> str:
        return (
            "Workers (`scrapy crawl worker`, any number of them) serve every task of one frontier: in Redis "
            "(REDIS_URL), or in a file on one machine (JOBDIR, or --file). Example: scrapy task submit "
            'https://example.com/ --follow --fields "title, price:number" --name shop; '
            "scrapy task results shop -O shop.csv. "
            "`scrapy frontier stats --spider worker` shows how far each is."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        if not inside_project():
            self.settings = shell.own_settings("task")
        parser.error = refuse  # type: ignore[method-assign]
        group = parser.add_subparsers(
            title="operations", dest="operation", metavar="OPERATION", parser_class=argparse.ArgumentParser
        )
        for name, text in OPERATIONS.items():
            takes = "TARGET... (--fields LIST | --schema FILE)" if name == "submit" else "NAME"
            usage = f"scrapy task {name} {takes} [options]"
            described = group.add_parser(name, help=text, usage=usage, description=text.capitalize() + ".")
            described.error = refuse  # type: ignore[method-assign]
            add_arguments(described, name)
        super().add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.operation is None:
            refuse(f"say what to do: {', '.join(OPERATIONS)}; `scrapy task --help` explains them")
        if opts.operation == "submit":  # argparse takes those before the first option alone
            opts.targets += [arg for arg in args if not arg.startswith("-")]
            args = [arg for arg in args if arg.startswith("-")]
        if args:
            refuse(f"{opts.operation} knows no {args[0]}; `scrapy task {opts.operation} --help` lists what it takes")
        try:
            super().process_options(args, opts)
        except UsageError as error:
            refuse(str(error))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from scraping_ai.commands import tasks  # late: what fails to import here breaks every command
        from scraping_ai.frontier.protocol import FrontierError

        try:
            asyncio.run(tasks.operate(opts, cast(Settings, self.settings)))
        except OptionError as error:
            refuse(error.for_shell())
        except FrontierError as error:
            refuse(str(error), 1)
        except BrokenPipeError:  # as `| head` does; what Python flushes at its end has nowhere to go
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except KeyboardInterrupt:
            raise SystemExit(130) from None


def add_arguments(parser: argparse.ArgumentParser, operation: str) -> None:
    add = parser.add_argument
    if operation == "submit":
        add("targets", nargs="+", metavar="TARGET", help="addresses of pages")
        for name in OPTIONS:
            meta, text = HELP[name]
            given: dict[str, Any] = {"help": text.replace("%", "%%"), "dest": name}
            if name in FLAGS:
                given |= {"action": "store_const", "const": "true"}
            else:
                given |= {"metavar": meta} | ({"action": "append"} if name in ("include", "exclude") else {})
            add("--" + name.replace("_", "-"), **given)
        add("--name", help="the task's name (default: a new one); the same again adds pages to it")
    else:
        add("name", metavar="NAME", help="the task's name")
    if operation == "results":
        add("-O", dest="output", metavar="FILE", help="a file to replace: .jsonl, .json, .csv, .xml (default: stdout)")
    add("--file", metavar="FILE", help="the frontier's file or its folder, when it is not in Redis (default: JOBDIR)")
    add("-s", "--set", action="append", default=SUPPRESS, metavar="NAME=VALUE", help="change a setting")
