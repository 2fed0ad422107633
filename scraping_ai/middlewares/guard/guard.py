"""The guard of a crawl: what may be reached, and at which address."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar
from urllib.parse import urlsplit
from urllib.request import getproxies
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, IgnoreRequest

from scraping_ai.middlewares.guard.addresses import (
    BAD_PORTS,
    Address,
    is_local_name,
    is_public,
    normal_host,
    spelled_address,
)
from scraping_ai.middlewares.guard.allowed import Allowed

KEPT_FOR = 30.0  # seconds that a look-up's answer is used again
KEPT = 10_000  # names
LINK_LOCAL = tuple(map(ipaddress.ip_network, ("169.254.0.0/16", "fe80::/10", "168.63.129.16/32", "fd00:ec2::/32")))

Resolve = Callable[[str], Awaitable[list[Address]]]


class GuardError(IgnoreRequest):
    """What must not be reached; its text is the page's reason in words for the user."""


class Guard:
    """Says at which addresses a host may be reached; whoever asks connects to these and to no other.

    `allowed` has the form of ALLOWED_PRIVATE_HOSTS, `named` are addresses of pages that somebody at this machine named:
    their hosts may be private too, but a name that once was public never is again, and neither form of trust opens
    the link-local addresses where clouds keep keys. `ports` are refused, `timeout` are seconds a look-up may take.
    Raises ValueError, with one line, for entries that can't be used.
    """

    _of: ClassVar[WeakKeyDictionary[Crawler, Guard]] = WeakKeyDictionary()

    def __init__(
        self,
        allowed: Iterable[str] = (),
        named: Iterable[str] = (),
        *,
        ports: Iterable[str | int] = (),
        timeout: float = 15.0,
        resolve: Resolve | None = None,
    ) -> None:
        self.allowed = Allowed(allowed)
        self._named: set[str] = set()
        self._places: set[tuple[str, int | None]] = set()
        self.name(named)
        self._ports = BAD_PORTS | refused_ports(ports)
        self._proxies = set(map(place_of, getproxies().values()))
        self._timeout = timeout
        self._resolve = resolve or look_up
        self._kept: OrderedDict[str, tuple[float, list[Address]]] = OrderedDict()
        self._asked: dict[str, asyncio.Task[list[Address]]] = {}

    @classmethod
    def of(cls, crawler: Crawler) -> Guard:
        """The one of a crawl: ALLOWED_PRIVATE_HOSTS, REFUSED_PORTS, DNS_TIMEOUT.

        A project's code may name what it likes: the `start_urls` of a spider's class. Those of its instance are not
        asked for, since spider arguments, also those of remote callers, can set them.
        """
        if crawler not in cls._of:
            settings = crawler.settings
            cls._of[crawler] = cls(
                [*settings.getlist("ALLOWED_PRIVATE_HOSTS"), *place_allowed(settings.get("FETCH_API_URL") or "")],
                getattr(crawler.spidercls, "start_urls", ()),
                ports=settings.getlist("REFUSED_PORTS"),
                timeout=settings.getfloat("DNS_TIMEOUT", 15.0),
            )
        return cls._of[crawler]

    def name(self, urls: Iterable[str]) -> None:
        """Somebody at this machine named these pages: their hosts may be private, their ports any."""
        for url in urls:
            if host := host_of(url):
                self._named.add(host)
                self._places.add((host, place_of(url)[1]))

    def trust_proxy(self, url: str) -> None:
        """A proxy that the operator named may be anywhere; those of the environment (`http_proxy`) are known."""
        self._proxies.add(place_of(url))

    def is_trusted_proxy(self, url: object) -> bool:
        return place_of(str(url)) in self._proxies

    def check_name(self, host: str, port: int) -> str:
        """The host's name in its normal form; raises GuardError as far as can be told without looking it up.

        It is all that can be checked where somebody else looks the name up: a proxy of a third party.
        """
        try:
            name = normal_host(host)
        except ValueError:
            raise GuardError("not a valid host name") from None
        address = spelled_address(name)
        is_asked_for = (name, port) in self._places or self.allowed.has_port(name, address, port)
        if port in self._ports and not is_asked_for:
            raise GuardError(f"not a port for web pages: {port}")
        if address is not None:
            self._check(name, address, port)
        elif not self._is_trusted(name, port) and is_local_name(name):
            raise GuardError(f"not a public host: {name}")
        return name

    async def addresses(self, host: str, port: int) -> list[Address]:
        """Where a host may be connected to, at least one address.

        Raises GuardError where there is none, CannotResolveHostError where the name is not known or not in time.
        """
        name = self.check_name(host, port)
        address = spelled_address(name)
        if address is not None:
            return [address]
        found = await self._looked_up(name)
        good = [address for address in found if self._is_good(name, address, port)]
        if not good:
            raise GuardError(f"not a public address: {found[0]} ({name})")
        if name in self._named and all(map(is_public, good)):
            self._named.discard(name)
        return good

    def _is_trusted(self, name: str, port: int) -> bool:
        return name in self._named or self.allowed.has_name(name, port)

    def _check(self, name: str, address: Address, port: int) -> None:
        if not self._is_good(name, address, port):
            raise GuardError(f"not a public address: {address}")

    def _is_good(self, name: str, address: Address, port: int) -> bool:
        if is_public(address) or self.allowed.has_name(name, port) or self.allowed.has_address(address, port):
            return True
        if name not in self._named:
            return False
        return spelled_address(name) is not None or not any(address in network for network in LINK_LOCAL)

    async def _looked_up(self, name: str) -> list[Address]:
        kept = self._kept.get(name)
        if kept is not None and kept[0] > time.monotonic():
            return kept[1]
        task = self._asked.get(name)
        if task is None:
            task = self._asked[name] = asyncio.ensure_future(self._ask(name))
            task.add_done_callback(lambda done: self._answered(name, done))
        return await asyncio.shield(task)  # who gives up leaves the others waiting

    def _answered(self, name: str, task: asyncio.Task[list[Address]]) -> None:
        self._asked.pop(name, None)
        if not task.cancelled():
            task.exception()  # nobody may be left to hear of it

    async def _ask(self, name: str) -> list[Address]:
        try:
            async with asyncio.timeout(self._timeout):
                found = await self._resolve(name)
        except TimeoutError:
            raise CannotResolveHostError(f"{name}: no answer from DNS in {self._timeout:g} s") from None
        except (OSError, UnicodeError) as error:
            raise CannotResolveHostError(f"{name}: {error}") from None
        if not found:
            raise CannotResolveHostError(f"{name}: no address")
        self._kept[name] = time.monotonic() + KEPT_FOR, found
        self._kept.move_to_end(name)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found


async def look_up(name: str) -> list[Address]:
    """A name's addresses by the system's resolver, in its order; raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(ipaddress.ip_address(place[0]) for *_, place in found))


def host_of(url: str) -> str:
    """The normal form of an address's host; "" where it has none."""
    try:
        return normal_host(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def place_of(url: str) -> tuple[str, int | None]:
    """Host and port of a proxy's address."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        return (parts.hostname or "").lower(), parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", None


def place_allowed(url: str) -> list[str]:
    """An address's host and port as an entry of ALLOWED_PRIVATE_HOSTS; none for one that has none."""
    host, port = place_of(url)
    try:
        return [f"[{host}]:{port}" if ":" in host else f"{normal_host(host)}:{port}"] if port else []
    except ValueError:
        return []


def refused_ports(ports: Iterable[str | int]) -> frozenset[int]:
    """The REFUSED_PORTS; raises ValueError."""
    try:
        return frozenset(map(int, ports))
    except ValueError:
        raise ValueError(f"REFUSED_PORTS={', '.join(map(str, ports))[:80]!r}: write whole numbers") from None
