"""ALLOWED_PRIVATE_HOSTS: names, addresses, networks, each with or without a port."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network

from scraping_ai.middlewares.guard.addresses import Address, normal_host, spelled_address


class Allowed:
    """What may be reached though it is not public.

    Entries: `intranet`, `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`, `localhost:8000`, `[::1]:8000`. Raises ValueError, with
    a line that names the entry, for one that is none of these.
    """

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._names: set[tuple[str, int | None]] = set()
        self._networks: list[tuple[IPv4Network | IPv6Network, int | None]] = []
        for entry in entries:
            try:
                self._add(entry.strip())
            except ValueError:
                raise ValueError(
                    f"ALLOWED_PRIVATE_HOSTS={entry[:80]!r}: write a name, an address or a network such as 10.0.0.0/8, "
                    "each with or without :PORT"
                ) from None

    def _add(self, entry: str) -> None:
        host, port = split_port(entry)
        if "/" in host:
            self._networks.append((ipaddress.ip_network(host.strip("[]"), strict=False), port))
            return
        name = normal_host(host)
        address = spelled_address(name)
        if address is not None:
            self._networks.append((ipaddress.ip_network(address), port))
        else:
            self._names.add((name, port))

    def has_name(self, name: str, port: int) -> bool:
        return (name, None) in self._names or (name, port) in self._names

    def has_address(self, address: Address, port: int) -> bool:
        return any(only in (None, port) and address in network for network, only in self._networks)

    def has_port(self, name: str, address: Address | None, port: int) -> bool:
        """Whether the port itself is named for that host."""
        return (name, port) in self._names or (
            address is not None and any(only == port and address in network for network, only in self._networks)
        )


def split_port(entry: str) -> tuple[str, int | None]:
    """`host:port` in two; an IPv6 address that has a port stands in brackets. Raises ValueError."""
    host, colon, port = entry.rpartition(":")
    if not colon or (":" in host and not host.endswith("]")):
        return entry, None
    if not (port.isdecimal() and port.isascii() and 0 < int(port) < 65_536):
        raise ValueError(entry)
    return host, int(port)
