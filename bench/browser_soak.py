"""Whether a browser that renders thousands of pages stays as it is: its memory, its processes and our own memory.

    python bench/browser_soak.py [--pages 2000]

Looks eight times, after equally many pages. The first quarter is the warm-up; the most of the second half may be a
fifth, and 64 MiB, above the most of the second quarter; processes may be two more, since they end a little late.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

LOOKS = 8
MORE, BYTES, PROCESSES = 1.2, 64, 2


def below(pid: int) -> list[int]:
    """Processes that a process started, and those that they started."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in map(int, task.read_text().split()):
                found += [child, *below(child)]
        except OSError:
            continue
    return found


def own_memory() -> int:
    resident = int(Path("/proc/self/statm").read_text().split()[1])
    return resident * os.sysconf("SC_PAGE_SIZE") >> 20


async def soak(pages: int) -> list[tuple[int, int, int]]:
    """MiB of the browser, number of processes, MiB of our own, at each look."""
    from lib.rendering import browser, render, shop

    seen = []
    each = max(1, pages // LOOKS)
    async with shop() as site, browser() as handler:
        for look in range(LOOKS):
            await render(handler, site, look * each, each)
            seen.append((await handler.pool.memory() >> 20, len(below(os.getpid())), own_memory()))
            held, processes, own = seen[-1]
            print(f"{(look + 1) * each:>6} pages: browser {held} MiB, {processes} processes, we {own} MiB")
    return seen


def is_flat(seen: list[tuple[int, int, int]]) -> bool:
    warm, late = seen[LOOKS // 4 : LOOKS // 2], seen[LOOKS // 2 :]
    grown = [(max(one[kind] for one in warm), max(one[kind] for one in late)) for kind in range(3)]
    (browser, browser_late), (processes, processes_late), (own, own_late) = grown
    memories = ((browser, browser_late), (own, own_late))
    return processes_late <= processes + PROCESSES and all(b <= a * MORE + BYTES for a, b in memories)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=2000)
    args = parser.parse_args()
    seen = asyncio.run(soak(args.pages))
    left = below(os.getpid())
    print("flat" if is_flat(seen) else "GROWS", "- none left" if not left else f"- LEFT: {left}")
    return 0 if is_flat(seen) and not left else 1


if __name__ == "__main__":
    sys.exit(main())
