"""The frontier in Redis: each operation is one Lua script, so that it happens as a whole or not at all.

Time is the server's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from redis.asyncio import Redis

from scraping_ai.frontier.protocol import (
    Counts,
    Ending,
    FrontierAway,
    Lease,
    Limits,
    Link,
    Listing,
    Result,
    State,
    general,
    refuse_long,
)
from scraping_ai.frontier.redis.calls import Calls
from scraping_ai.frontier.redis.entries import (
    Argument,
    Forged,
    encoded,
    is_kept,
    lease_of,
    link_arguments,
    listed,
    payload,
    read_result,
    result_of,
)

FIELDS = ("added", "duplicates", "stored", "skipped", "dead", "queued", "delayed", "leased")
LINKS, ENDINGS, LEASES = 2_000, 500, 500  # in one call of a script: a server does nothing else meanwhile
KEPT = 4_000_000  # bytes of results in one call, or those of one page
TASKS = 1_000  # looked at in one call
MAX_REASON = 1_000  # bytes
FORGED = "not an entry"


class RedisFrontier:
    """Keeps frontiers of tasks under keys that begin with `prefix`; `term` is the seconds of a lease, `max_losses` what
    makes a dead letter of an entry.

    Methods raise `FrontierAway` when the server cannot be reached or cannot work now; to be called again with the same
    arguments until it does.
    """

    def __init__(self, client: Redis, prefix: str, *, term: float = 60.0, max_losses: int = 3) -> None:
        self.client, self.prefix, self.term, self.max_losses = client, prefix, term, max_losses
        self._calls = Calls(client, prefix)

    @property
    def breaks(self) -> int:
        """A server that was restarted may have gone back by what it had not written yet."""
        return getattr(self.client.connection_pool.connection_class, "breaks", 0)

    async def open(self) -> None:
        await self._calls.check()

    async def close(self) -> None:
        await self._calls.close()

    async def start(self, task: str, limits: Limits, options: str | None = None) -> None:
        if options is not None:
            refuse_long(options)
        pages, host_pages = ("" if n is None else n for n in (limits.max_pages, limits.max_host_pages))
        given = () if options is None else (encoded(options),)
        await self._calls.plain("start", encoded(task), pages, host_pages, limits.weight, *given)

    async def options(self, task: str) -> str | None:
        found = await self._calls.plain("options", encoded(task))
        return None if found is None else found.decode("utf-8", "surrogatepass")

    async def add(self, task: str, links: Sequence[Link]) -> list[bool]:
        name = encoded(task)
        batches = [
            [name, *(argument for link in links[i : i + LINKS] for argument in link_arguments(link))]
            for i in range(0, len(links), LINKS)
        ]
        flags = await self._calls.once("add", batches)
        return [flag == ord("1") for part in flags for flag in part]

    async def lease(self, n: int, *, per_host: int | None = None) -> list[Lease]:
        share = "" if per_host is None else per_host
        leases: list[Lease] = []
        while len(leases) < n:
            wanted = min(n - len(leases), LEASES)
            try:
                (found,) = await self._calls.once("lease", [[wanted, share, self.term, self.max_losses]])
                readable = await self._readable(found)
            except FrontierAway:
                if not leases:
                    raise
                break
            leases += readable
            if len(found) < 3 * wanted or any(lease.alone for lease in readable):
                break
        return leases

    async def _readable(self, found: Sequence[bytes]) -> list[Lease]:
        """Leases of what a script handed out; what nobody of ours can have queued is set aside."""
        leases, forged = [], []
        for name, token, record in zip(found[::3], found[1::3], found[2::3], strict=True):
            try:
                leases.append(lease_of(name.decode("utf-8", "surrogatepass"), int(token), record))
            except Forged:
                forged.append((name, int(token), "forged", "", FORGED, 0, 0, "", "", 0))
        if forged:
            with suppress(FrontierAway):  # then they come back when their lease ends
                await self._calls.once("settle", [[0, *(argument for one in forged for argument in one)]])
        return leases

    async def pause(self, hosts: Mapping[str, float]) -> None:
        given = [argument for host, seconds in hosts.items() for argument in (encoded(host), seconds)]
        for i in range(0, len(given), 2 * LEASES):
            await self._calls.plain("pause", *given[i : i + 2 * LEASES])

    async def begin(self, leases: Sequence[Lease]) -> None:
        for i in range(0, len(leases), LEASES):
            await self._calls.plain("begin", *_named(leases[i : i + LEASES]))

    async def claim(self, lease: Lease, fingerprint: int) -> bool:
        return bool(await self._calls.plain("claim", encoded(lease.task), lease.token, fingerprint))

    async def renew(self, leases: Sequence[Lease]) -> list[Lease]:
        lost: list[Lease] = []
        for i in range(0, len(leases), LEASES):
            part = leases[i : i + LEASES]
            flags = await self._calls.plain("renew", self.term, *_named(part))
            lost += [lease for lease, flag in zip(part, flags, strict=True) if flag == ord("0")]
        return lost

    async def settle(self, endings: Sequence[Ending]) -> list[bool]:
        batches = [
            [sum(1 for one in part if one.links or is_kept(one)), *(a for one in part for a in _ending_arguments(one))]
            for part in _portions(endings)
        ]
        replies = await self._calls.once("settle", batches)
        if any(sweeps for _, sweeps in replies):
            await self._sweep()
        return [flag == ord("1") for flags, _ in replies for flag in flags]

    async def cancel(self, task: str) -> int:
        ((skipped, sweeps),) = await self._calls.once("cancel", [[encoded(task)]])
        return int(skipped + (await self._sweep() if sweeps else 0))

    async def forget(self, task: str, *, only_done: bool = False) -> None:
        (sweeps,) = await self._calls.once("forget", [[encoded(task), int(only_done)]])
        if sweeps:
            await self._sweep()

    async def _sweep(self) -> int:
        """Go on until nothing is left of tasks that are over: how many entries were skipped."""
        total, sweeps = 0, 1
        while sweeps:
            ((skipped, sweeps),) = await self._calls.once("sweep", [[]])
            total += skipped
        return total

    async def pending(self, task: str) -> int:
        return (await self.counts(task)).pending

    async def counts(self, task: str) -> Counts:
        numbers, reasons = await self._calls.plain("counts", encoded(task), *FIELDS)
        counts = Counts()
        for field, number in zip(FIELDS, numbers, strict=False):
            setattr(counts, field, int(number or 0))
        for name, n in zip(reasons[::2], reasons[1::2], strict=True):
            reason = name.decode("utf-8", "replace").partition(":")[2]
            counts.reasons[reason] = counts.reasons.get(reason, 0) + int(n)
        return counts

    async def tasks(self, n: int = 1_000, after: str = "") -> list[str]:
        names = await self._calls.plain("tasks", n, encoded(after))
        return [name.decode("utf-8", "surrogatepass") for name in names]

    async def unfinished(self, n: int = 1_000, after: str = "") -> list[str]:
        found: list[str] = []
        last = encoded(after)
        while len(found) < n:
            last, *names = await self._calls.plain("unfinished", last, TASKS)
            found += [name.decode("utf-8", "surrogatepass") for name in names]
            if not last:
                break
        return found[:n]

    async def results(self, task: str, n: int = 100, after: int | None = None) -> list[Result]:
        found: list[Result] = []
        last = after or 0
        while (wanted := n - len(found)) > 0:
            rows = await self._calls.plain("results", encoded(task), last, wanted)
            members, scores = rows[::2], rows[1::2]
            found += [result for row in zip(members, scores, strict=True) if (result := read_result(*row)) is not None]
            if len(members) < wanted:
                break
            last = int(float(scores[-1]))
        return found

    async def peek(self, task: str, state: State, n: int = 20, after: str | None = None) -> Listing:
        found = await self._calls.plain("peek", encoded(task), state.value, n + 1, encoded(after or ""))
        return listed(found, state, n)

    async def replay(self, task: str, ids: Sequence[int | str]) -> int:
        replies = await self._calls.once("replay", _numbered(task, ids))
        if any(sweeps for _, sweeps in replies):
            await self._sweep()
        return sum(replayed for replayed, _ in replies)

    async def purge(self, task: str, ids: Sequence[int | str]) -> int:
        return sum(await self._calls.once("purge", _numbered(task, ids)))


def _named(leases: Sequence[Lease]) -> list[Argument]:
    return [argument for lease in leases for argument in (encoded(lease.task), lease.token)]


def _numbered(task: str, ids: Sequence[int | str]) -> list[list[Argument]]:
    return [[encoded(task), *ids[i : i + LEASES]] for i in range(0, len(ids), LEASES)]


def _portions(endings: Sequence[Ending]) -> Iterator[list[Ending]]:
    """As many in each as one call of a script is to take."""
    part: list[Ending] = []
    links = kept = 0
    for ending in endings:
        size = len(ending.page or "") + sum(map(len, ending.records))
        links, kept = links + len(ending.links), kept + size
        if part and (len(part) >= ENDINGS or links > LINKS or kept > KEPT):
            yield part
            part, links, kept = [], len(ending.links), size
        part.append(ending)
    if part:
        yield part


def _ending_arguments(ending: Ending) -> Iterable[Argument]:
    lease = ending.lease
    again = b"" if ending.request is None else payload(lease.url, ending.request)
    yield from (
        *(encoded(lease.task), lease.token, ending.kind.value),
        *(encoded(ending.reason or "")[:MAX_REASON], encoded(general(ending.reason))[:MAX_REASON]),
        *(ending.status or 0, ending.after, again, result_of(ending), len(ending.links)),
    )
    for link in ending.links:
        yield from link_arguments(link)
