"""What the benches of the frontier share: addresses, and how a figure is given."""

from __future__ import annotations

from typing import Any

from scraping_ai.frontier.protocol import Link


def links(first: int, n: int, hosts: int) -> list[Link]:
    """Addresses of 50 characters by their numbers, with fingerprints spread as hashes are."""
    made = []
    for i in range(first, first + n):
        host = f"shop{i % hosts:03}.example.com"
        made.append(Link(f"https://{host}/catalogue/item-{i:08}", spread(i), host))
    return made


def spread(number: int) -> int:
    """A number of 64 bits, signed, that looks like chance: splitmix64 (Steele et al. 2014)."""
    mixed = (number * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & (2**64 - 1)
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
    return (mixed ^ (mixed >> 31)) - 2**63


def bar(name: str, value: float, unit: str, target: float, ok: bool) -> dict[str, Any]:
    return {"name": name, "value": value, "unit": unit, "target": target, "ok": ok}
