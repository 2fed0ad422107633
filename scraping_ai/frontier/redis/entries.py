"""Links on their way into Redis, and leases out of it: bytes around a JSON array of address and request.

The layout of the bytes stands in scripts/parts/lanes.lua. What is read back is never trusted.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import TypeAlias

from scraping_ai.frontier.protocol import Ending, Entry, Kind, Lease, Link, Listing, Result, State

Argument: TypeAlias = str | bytes | int | float

RECORD = struct.Struct(">IdH")  # task, score, length of the host
ENTRY = struct.Struct(">HQBH")  # depth, number, losses, tries
MAX_DEPTH = 2**16 - 1
MAX_PRIORITY = 2**53  # scores are doubles
MAX_HOST = 1_000  # bytes
_json = json.JSONEncoder(ensure_ascii=False).encode
SUSPICION = 2  # losses from which an entry is leased alone, as in scripts/parts/state.lua


class Forged(ValueError):
    """Bytes that no entry was written as."""


def link_arguments(link: Link) -> tuple[Argument, ...]:
    """The five arguments that scripts/parts/adding.lua takes a link in by."""
    return (
        "" if link.fingerprint is None else link.fingerprint,
        encoded(link.host)[:MAX_HOST],
        min(max(link.depth, 0), MAX_DEPTH),
        max(-MAX_PRIORITY, min(-link.priority, MAX_PRIORITY)),
        payload(link.url, link.request),
    )


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def payload(url: str, request: str | None) -> bytes:
    """`["http://…"]`, with the request if there is more to it than its address."""
    return encoded(f"[{_json(url)}]" if request is None else f"[{_json(url)},{_json(request)}]")


def is_kept(ending: Ending) -> bool:
    """Whether something is kept of its page."""
    return ending.page is not None and ending.kind in (Kind.STORED, Kind.SKIPPED, Kind.DEAD)


def result_of(ending: Ending) -> bytes:
    """As scripts/parts/results.lua has it; b"" for an ending of which nothing is kept."""
    return encoded(_json([ending.lease.depth, ending.page, *ending.records])) if is_kept(ending) else b""


def read_result(member: bytes, score: bytes) -> Result | None:
    """None for what nobody of ours can have written."""
    _, bracket, rest = member.partition(b"[")
    try:
        match json.loads((bracket + rest).decode("utf-8", "surrogatepass")):
            case [int(depth), str(page), *records] if all(isinstance(record, str) for record in records):
                return Result(int(float(score)), depth, page, tuple(records))
    except (ValueError, OverflowError, RecursionError):
        pass
    return None


def lease_of(task: str, token: int, record: bytes) -> Lease:
    """The lease of a record. Raises Forged."""
    try:
        task_id, score, length = RECORD.unpack_from(record)
        start = RECORD.size + length
        host = record[RECORD.size : start].decode("utf-8", "replace")
        depth, number, losses, tries = ENTRY.unpack_from(record, start)
        said = json.loads(record[start + ENTRY.size :].decode("utf-8", "surrogatepass"))
        url, request = _parts(said)
        alone = losses >= SUSPICION
        return Lease(task, number, token, url, host, depth, -int(score), request, losses, tries, alone, task_id)
    except (ValueError, OverflowError, RecursionError, struct.error) as error:
        raise Forged(f"{type(error).__name__}: {error}") from None


def _parts(said: object) -> tuple[str, str | None]:
    match said:
        case [str(url)]:
            return url, None
        case [str(url), str(request)]:
            return url, request
    raise Forged("not an address with its request")


def listed(found: Sequence[bytes], state: State, n: int) -> Listing:
    """At most n of the entries that scripts/peek.lua gave; those that cannot be read are left out."""
    rows = [found[i : i + 5] for i in range(0, len(found), 5)]
    entries = [entry for row in rows[:n] if (entry := _entry_of(row, state)) is not None]
    return Listing(entries, rows[n - 1][0].decode("utf-8", "surrogatepass") if len(rows) > n else None)


def _entry_of(row: Sequence[bytes], state: State) -> Entry | None:
    _, wait, reason, status, record = row
    try:
        lease = lease_of("", 0, record)
    except Forged:
        return None
    return Entry(
        *(lease.id, lease.url, lease.host, state, lease.depth, lease.priority, lease.losses, lease.tries),
        wait=float(wait) if wait else None,
        reason=reason.decode("utf-8", "replace") or None,
        status=int(status) or None,
    )
