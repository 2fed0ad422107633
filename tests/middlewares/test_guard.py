"""What a guard lets be reached, and at which address."""

from __future__ import annotations

import asyncio
import ipaddress

import pytest
from scrapy.exceptions import CannotResolveHostError

from scraping_ai.middlewares.guard import guard as guards
from scraping_ai.middlewares.guard.addresses import Address
from scraping_ai.middlewares.guard.guard import Guard, GuardError

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


class Names:
    """A resolver of its own: the answers to a name, one after the other, the last again and again."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers = {name.replace("_", "."): answer for name, answer in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, name: str) -> list[Address]:
        self.asked.append(name)
        answers = self.answers.get(name)
        if answers is None:
            raise OSError(f"{name} is not known")
        texts = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ipaddress.ip_address(text) for text in texts.split()]


async def reached(guard: Guard, host: str, port: int = 80) -> list[str] | str:
    try:
        return [str(address) for address in await guard.addresses(host, port)]
    except GuardError as error:
        return str(error)


async def test_only_public_addresses_of_a_name_are_handed_out() -> None:
    names = Names(
        shop_example=["8.8.8.8 10.0.0.1 2606:4700::1"], inner_example=["10.0.0.1"], meta_example=["169.254.169.254"]
    )
    guard = Guard(resolve=names)
    assert await reached(guard, "shop.example") == ["8.8.8.8", "2606:4700::1"]
    assert await reached(guard, "inner.example") == "not a public address: 10.0.0.1 (inner.example)"
    assert await reached(guard, "meta.example") == "not a public address: 169.254.169.254 (meta.example)"
    assert await reached(guard, "8.8.8.8") == ["8.8.8.8"]
    assert await reached(guard, "10.0.0.1") == "not a public address: 10.0.0.1"
    assert await reached(guard, "[::1]") == "not a public address: ::1"
    assert await reached(guard, "2130706433") == "not a public address: 127.0.0.1"
    assert await reached(guard, "metadata.google.internal") == "not a public host: metadata.google.internal"
    assert await reached(guard, "loc%61lhost") == "not a public host: localhost"
    assert await reached(guard, "a b") == "not a valid host name"


async def test_ports_that_are_no_web_servers() -> None:
    guard = Guard(["intranet:22", "10.0.0.0/8:25"], ports=[6379], resolve=Names(intranet=["10.0.0.1"]))
    assert await reached(guard, "8.8.8.8", 22) == "not a port for web pages: 22"
    assert await reached(guard, "8.8.8.8", 6379) == "not a port for web pages: 6379"
    assert await reached(guard, "8.8.8.8", 8080) == ["8.8.8.8"]
    assert await reached(guard, "intranet", 22) == ["10.0.0.1"]
    assert await reached(guard, "10.1.1.1", 25) == ["10.1.1.1"]
    with pytest.raises(ValueError, match="REFUSED_PORTS='http': write whole numbers"):
        Guard(ports=["http"])


async def test_allowed_private_hosts() -> None:
    names = Names(intranet=["10.0.0.1"], wiki_corp=["10.0.0.2"], other_corp=["10.0.0.3"])
    guard = Guard(
        ["Intranet.", "wiki.corp:8080", "192.168.0.0/16", "127.0.0.1:8000", "[::1]:8000", "fd00::/8", "172.16.0.9"],
        resolve=names,
    )
    assert await reached(guard, "intranet") == ["10.0.0.1"]
    assert await reached(guard, "wiki.corp", 8080) == ["10.0.0.2"]
    assert await reached(guard, "wiki.corp", 80) == "not a public host: wiki.corp"
    assert await reached(guard, "other.corp") == "not a public host: other.corp"
    assert await reached(guard, "10.0.0.1") == "not a public address: 10.0.0.1"
    assert await reached(guard, "192.168.7.7", 1234) == ["192.168.7.7"]
    assert await reached(guard, "127.0.0.1", 8000) == ["127.0.0.1"]
    assert await reached(guard, "127.0.0.1", 8001) == "not a public address: 127.0.0.1"
    assert await reached(guard, "::1", 8000) == ["::1"]
    assert await reached(guard, "fd12::1") == ["fd12::1"]
    assert await reached(guard, "172.16.0.9") == ["172.16.0.9"]
    assert await reached(guard, "172.16.0.8") == "not a public address: 172.16.0.8"


@pytest.mark.parametrize("entry", ["", "http://intranet/", "10.0.0.0/40", "a b", "host:0", "host:99999", "host:x"])
def test_entries_that_allow_nothing_are_told(entry: str) -> None:
    with pytest.raises(ValueError, match=r"ALLOWED_PRIVATE_HOSTS=.*: write a name, an address or a network"):
        Guard([entry])


async def test_hosts_that_were_named_here() -> None:
    names = Names(
        intranet=["10.0.0.1"],
        shop_example=["8.8.8.8", "10.0.0.1"],
        keys_example=["169.254.169.254"],
        other=["10.0.0.1"],
    )
    named = [
        "http://intranet/a",
        "http://shop.example/",
        "http://keys.example/",
        "http://127.0.0.1:8000/",
        "http://[::1/",
    ]
    guard = Guard(named=named, resolve=names)
    assert await reached(guard, "intranet") == ["10.0.0.1"]
    assert await reached(guard, "127.0.0.1", 8000) == ["127.0.0.1"]
    assert await reached(guard, "other") == "not a public host: other"
    assert await reached(guard, "127.0.0.1", 25) == "not a port for web pages: 25"
    assert await reached(Guard(named=["http://127.0.0.1:25/"]), "127.0.0.1", 25) == ["127.0.0.1"]
    assert await reached(guard, "keys.example") == "not a public address: 169.254.169.254 (keys.example)"


async def test_a_named_host_that_was_public_stays_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "KEPT_FOR", 0.0)
    guard = Guard(named=["http://shop.example/"], resolve=Names(shop_example=["8.8.8.8", "10.0.0.1"]))
    assert await reached(guard, "shop.example") == ["8.8.8.8"]
    assert await reached(guard, "shop.example") == "not a public address: 10.0.0.1 (shop.example)"


async def test_a_name_is_looked_up_once_for_many() -> None:
    names = Names(shop_example=["8.8.8.8"])
    guard = Guard(resolve=names)
    await asyncio.gather(*(guard.addresses("shop.example", 80) for _ in range(20)))
    await guard.addresses("SHOP.example.", 443)
    assert names.asked == ["shop.example"]


async def test_names_that_do_not_resolve() -> None:
    async def silent(name: str) -> list[Address]:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(CannotResolveHostError, match=r"gone\.example is not known"):
        await Guard(resolve=Names()).addresses("gone.example", 80)
    guard = Guard(resolve=silent, timeout=0.01)
    with pytest.raises(CannotResolveHostError, match=r"no answer from DNS in 0\.01 s"):
        await guard.addresses("slow.example", 80)


async def test_who_stops_waiting_leaves_the_others_their_answer() -> None:
    answer = asyncio.Event()

    async def late(name: str) -> list[Address]:
        await answer.wait()
        return [ipaddress.ip_address("8.8.8.8")]

    guard = Guard(resolve=late)
    first, second = (asyncio.ensure_future(guard.addresses("shop.example", 80)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    answer.set()
    assert [str(address) for address in await second] == ["8.8.8.8"]


async def test_the_systems_resolver_reads_no_more_than_the_guard_does() -> None:
    """What getaddrinfo makes of odd spellings is checked, whatever it is."""
    guard = Guard()
    for host in ("127.1", "0x7f.1", "017700000001", "localhost.", "LOCALHOST"):
        with pytest.raises(GuardError):
            await guard.addresses(host, 80)
