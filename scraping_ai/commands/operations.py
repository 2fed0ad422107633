"""What `scrapy frontier` does, and how it shows that: tables for people, JSON lines for programs."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scrapy.settings import BaseSettings

from scraping_ai.extensions.summary import count, printable
from scraping_ai.frontier.backends import existing
from scraping_ai.frontier.protocol import Counts, Entry, Frontier, FrontierError, State
from scraping_ai.frontier.sqlite import Access

SHOWN = 20  # entries, reasons
AT_ONCE = 1_000  # entries or tasks asked for in one call
COLUMNS = ("added", "stored", "skipped", "dead", "pending", "queued", "delayed", "leased")
WIDE = 200  # characters, without a terminal


async def operate(opts: Namespace, settings: BaseSettings) -> None:
    """Do what a command line asks for; raises FrontierError."""
    changes = opts.operation in ("replay", "purge")
    access = Access.WRITE if changes else Access.READ
    frontier = existing(settings, opts.file, access=access, task=opts.spider or opts.task)
    try:
        await frontier.open()
        tasks = await tasks_of(frontier, opts.task)
        if changes:
            await change(frontier, tasks, opts)
        elif opts.operation == "stats":
            await stats(frontier, tasks, opts)
        else:
            await show(frontier, tasks, opts)
    except LookupError as error:  # a task that nobody can have named
        raise FrontierError(str(error)) from None
    finally:
        await frontier.close()
    sys.stdout.flush()


async def tasks_of(frontier: Frontier, task: str | None) -> list[str]:
    """All tasks, or that one; raises FrontierError when it isn't there."""
    tasks: list[str] = []
    while more := await frontier.tasks(AT_ONCE, tasks[-1] if tasks else ""):
        tasks += more
    if task is None:
        return tasks
    if task not in tasks:
        there = ", ".join(map(repr, tasks[:5])) + (" …" if len(tasks) > 5 else "")
        raise FrontierError(f"there is no task {task!r} here" + (f", but {there}" if there else ""))
    return [task]


async def stats(frontier: Frontier, tasks: list[str], opts: Namespace) -> None:
    counts = {task: await frontier.counts(task) for task in tasks}
    if opts.json:
        for task, each in counts.items():
            print_json({"task": task, **asdict(each), "pending": each.pending})
        return
    table = Table("task", caption="added = stored + skipped + dead + pending; pending = queued + delayed + leased")
    for name in COLUMNS:
        table.add_column(name, justify="right")
    for task, each in counts.items():
        table.add_row(cell(task), *(f"{getattr(each, name):,}" for name in COLUMNS))
    if not tasks:
        say("no task was ever started here")
        return
    out = console()
    out.print(table)
    if any(each.reasons for each in counts.values()):
        out.print(reasons(counts))


def reasons(counts: dict[str, Counts]) -> Table:
    table = Table("task", "why pages were skipped or are dead")
    table.add_column("pages", justify="right")
    for task, each in counts.items():
        often = sorted(each.reasons.items(), key=lambda pair: -pair[1])
        for reason, n in often[:SHOWN]:
            table.add_row(cell(task), cell(reason), f"{n:,}")
        if often[SHOWN:]:
            table.add_row(
                cell(task), f"and {len(often) - SHOWN:,} other reasons", f"{sum(n for _, n in often[SHOWN:]):,}"
            )
        table.add_section()
    return table


async def show(frontier: Frontier, tasks: list[str], opts: Namespace) -> None:
    """Entries in a state, of each task at most n."""
    state = State(opts.state)
    most = (0 if opts.json else SHOWN) if opts.n is None else opts.n
    rows: list[tuple[str, Entry]] = []
    cut = False
    for task in tasks:
        n = 0
        async for entry in entries(frontier, task, state, opts.reason, most):
            if most and n == most:
                cut = True
                break
            n += 1
            if opts.json:
                print_json({"task": task, **asdict(entry)})
            else:
                rows.append((task, entry))
    if opts.json:
        return
    if not rows:
        say(f"nothing is {state.value} here" + (f" with {opts.reason!r} in its reason" if opts.reason else ""))
        return
    out = console()
    out.print(listing(rows, state))
    if cut:
        say(f"there are more: -n {10 * most} shows more of them, -n 0 all")


def listing(rows: list[tuple[str, Entry]], state: State) -> Table:
    """Of each state what matters in it."""
    facts = {
        State.DEAD: ("reason", "status", "tries", "losses"),
        State.DELAYED: ("wait", "tries"),
        State.LEASED: ("wait", "losses"),
        State.SUSPECT: ("losses", "tries"),
        State.QUEUED: ("priority", "depth"),
    }[state]
    heads = {"wait": "due in" if state is State.DELAYED else "ends in", "losses": "workers lost", "tries": "retries"}
    table = Table("id", "task")
    table.add_column("url", overflow="fold", ratio=3)
    for name in facts:
        table.add_column(heads.get(name, name), **({"overflow": "fold", "ratio": 2} if name == "reason" else {}))  # type: ignore[arg-type]
    for task, entry in rows:
        table.add_row(cell(entry.id), cell(task), cell(entry.url), *(shown(getattr(entry, name)) for name in facts))
    return table


def shown(value: Any) -> str:
    return f"{value:.0f} s" if isinstance(value, float) else cell("" if value is None else value)


async def entries(
    frontier: Frontier, task: str, state: State, reason: str | None = None, most: int = 0
) -> AsyncIterator[Entry]:
    """All entries in a state; with `reason` those whose own holds that text. `most` (0: all) is how many will do."""
    n = min(most + 1, AT_ONCE) if most and reason is None else AT_ONCE
    after: str | None = None
    while True:
        listed = await frontier.peek(task, state, n, after)
        for entry in listed.entries:
            if reason is None or reason.lower() in (entry.reason or "").lower():
                yield entry
        if listed.after is None:
            return
        after = listed.after


async def change(frontier: Frontier, tasks: list[str], opts: Namespace) -> None:
    """Replay or purge dead letters."""
    if opts.ids and len(tasks) > 1:
        raise FrontierError(f"there are {count(len(tasks), 'task')} here: say with --task whose --id is meant")
    work = frontier.replay if opts.operation == "replay" else frontier.purge
    done = "replayed" if opts.operation == "replay" else "purged"
    for task in tasks:
        total = await work(task, opts.ids) if opts.ids else 0
        batch: list[int | str] = []
        if not opts.ids:
            async for entry in entries(frontier, task, State.DEAD, opts.reason):
                batch.append(entry.id)
                if len(batch) == AT_ONCE:
                    total += await work(task, batch)
                    batch = []
            total += await work(task, batch)
        if opts.json:
            print_json({"task": task, done: total})
        elif opts.ids and total < len(set(opts.ids)):
            say(f"{printable(task)}: {count(total, 'dead letter')} {done}; the others of --id are no dead letters")
        else:
            say(f"{printable(task)}: {count(total, 'dead letter')} {done}")


def print_json(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def console() -> Console:
    return Console(width=None if sys.stdout.isatty() else WIDE)


def cell(value: Any) -> str:
    """Text from outside, on one line, without what a terminal or rich would obey."""
    return escape(printable(str(value)))
