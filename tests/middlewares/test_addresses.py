"""Which addresses and names are public, in every spelling that a resolver or a connection takes."""

from __future__ import annotations

import ipaddress

import pytest

from scraping_ai.middlewares.guard.addresses import is_local_name, is_public, normal_host, spelled_address

PUBLIC = """
    1.1.1.1 8.8.8.8 93.184.216.34 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.0.1.1 223.255.255.255
    2606:4700:4700::1111 2a00:1450:4001::200e 2003::1 ::ffff:8.8.8.8 64:ff9b::808:808
""".split()
NOT_PUBLIC = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254
    172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255
    198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
    :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1
    100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1 2002:7f00:1:: 2002:808:808::1 3fff::1 5f00::1
    fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 2606:4700::1111%eth0 fec0::1 ff02::1 2606:4700::5efe:7f00:1
    2606:4700::200:5efe:a00:1
""".split()


@pytest.mark.parametrize("text", PUBLIC)
def test_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001"),
        *(
            "127.0.0.1.",
            "127.1..",
            "%31%32%37.0.0.1",
            "127%2e0%2E0%2e1",
            "１２７.０.０.１",
            "127。0。0。1",
            "①②⑦.0.0.1",
        ),
        *("0X7F.1", "127.0.0.0x1"),
    ],
)
def test_loopback_in_every_spelling(host: str) -> None:
    assert str(spelled_address(normal_host(host))) == "127.0.0.1"


def test_ipv6_in_every_spelling() -> None:
    for host in ("::1", "[::1]", "0:0:0:0:0:0:0:1", "[0000::0001]"):
        assert str(spelled_address(normal_host(host))) == "::1"
    assert str(spelled_address(normal_host("[::FFFF:127.0.0.1]"))) in ("::ffff:7f00:1", "::ffff:127.0.0.1")
    zoned = spelled_address(normal_host("fe80::1%25eth0"))
    assert zoned is not None
    assert not is_public(zoned)


@pytest.mark.parametrize("host", ["example.com", "1.example", "127.0.0.1.nip.io", "0x.example", "a1", "e1.f2"])
def test_names_spell_no_address(host: str) -> None:
    assert spelled_address(normal_host(host)) is None


def test_names_have_one_form() -> None:
    assert normal_host("EXAMPLE.com.") == "example.com"
    assert normal_host("Bücher.example") == "xn--bcher-kva.example"
    assert normal_host("loc%61lhost") == "localhost"
    assert normal_host("ｌｏｃａｌｈｏｓｔ") == "localhost"
    assert normal_host("my_shop.example") == "my_shop.example"


@pytest.mark.parametrize(
    "host",
    [
        "",
        ".",
        "a b",
        "a/b",
        "a@b",
        "a:b",
        "::1::2",
        "a..b",
        "-a.example",
        "a\x00b",
        "a%00b",
        "a%2fb",
        "a\\b",
        "x" * 300,
    ],
)
def test_what_can_be_no_host(host: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        normal_host(host)


def test_local_names() -> None:
    for name in (
        "localhost",
        "a.localhost",
        "metadata",
        "metadata.google.internal",
        "nas.local",
        "redis",
        "x.home.arpa",
    ):
        assert is_local_name(name)
    for name in ("example.com", "localhost.example", "internal.example", "home.example"):
        assert not is_local_name(name)
