"""How many light pages of scripts the browser rung renders in a second, with four contexts.

python bench/browser.py [--pages 200] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from typing import Any

from lib.figures import bar

TARGET = 4.0


async def measure(pages: int) -> dict[str, Any]:
    from lib.rendering import browser, render, shop

    async with shop() as site, browser() as handler:
        await render(handler, site, 0, 8)  # it is started by then
        began = time.monotonic()
        await render(handler, site, 8, pages)
        rate = pages / (time.monotonic() - began)
    return bar("pages of scripts, 4 contexts", round(rate, 1), "pages/s", TARGET, rate >= TARGET)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="one object for programs")
    args = parser.parse_args()
    found = asyncio.run(measure(args.pages))
    if args.json:
        print(json.dumps({"bars": [found]}))
    else:
        mark = "ok" if found["ok"] else "MISSED"
        print(f"{found['name']}: {found['value']} {found['unit']}, target {TARGET:g}: {mark}")
    return 0 if found["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
