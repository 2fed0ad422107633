"""Which addresses, names and ports are public. Pure: nothing is looked up.

`ipaddress.is_global` is not enough: it differs between versions of Python, calls multicast global, and does not look
at the IPv4 address inside an IPv6 one.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from urllib.parse import unquote

Address = IPv4Address | IPv6Address

# IANA's special-purpose registries, multicast, what is reserved, and Azure's metadata service under a public address.
NOT_PUBLIC_4 = tuple(
    map(
        IPv4Network,
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 "
        "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 "
        "240.0.0.0/4".split(),
    )
)
PUBLIC_6 = IPv6Network("2000::/3")  # all that is handed out
# Inside it: protocol assignments with Teredo, documentation, 6to4. The tunnels lead to whatever IPv4 host they name.
NOT_PUBLIC_6 = tuple(map(IPv6Network, "2001::/23 2001:db8::/32 2002::/16 3fff::/20".split()))
NAT64 = IPv6Network("64:ff9b::/96")
ISATAP = 0x5EFE  # in the third quarter of an address whose last one is an IPv4 address

# Never a public host's, whatever they resolve to (RFC 6761, 6762, 8375; what home routers and clouds use).
LOCAL_SUFFIXES = tuple(f".{name}" for name in "localhost local localdomain internal intranet lan home corp".split())
LOCAL_SUFFIXES += (".private", ".home.arpa")
NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")

# Those that browsers refuse (https://fetch.spec.whatwg.org/#port-blocking): services that can be talked into something
# by a request of HTTP.
BAD_PORTS = frozenset(
    map(
        int,
        "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 "
        "123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 "
        "990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 "
        "10080".split(),
    )
)


def is_public(address: Address) -> bool:
    """Whether an address is one of the public Internet's, and so is the IPv4 address inside it, if it has one."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    if address.scope_id is not None:
        return False
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    last = IPv4Address(int(address) & 0xFFFFFFFF)
    if address in NAT64:
        return is_public(last)
    if int(address) >> 32 & 0xFFFF == ISATAP and not is_public(last):
        return False
    return address in PUBLIC_6 and not any(address in network for network in NOT_PUBLIC_6)


def normal_host(host: str) -> str:
    """A host's name as it is looked up: lower case, no brackets, percent signs, final dots or full-width characters.

    Raises ValueError for what can be no host.
    """
    host = host.removeprefix("[").removesuffix("]")
    if ":" in host:
        return str(ipaddress.IPv6Address(host))  # a zone (`%eth0`) stays, and makes it no public one
    host = unicodedata.normalize("NFKC", unquote(host)).replace("。", ".").lower()
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    host = host.rstrip(".")
    if len(host) > 253 or NAME.fullmatch(host) is None:
        raise ValueError(f"not a valid host name: {host[:80]!r}")
    return host


def spelled_address(host: str) -> Address | None:
    """The address that a name spells, also as resolvers read it: `127.1`, `0x7f000001`, `2130706433`, `0177.0.0.1`."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return IPv4Address(socket.inet_aton(host)) if host[-1:].isalnum() and host[:1].isdigit() else None
    except OSError:
        return None


def is_local_name(name: str) -> bool:
    """Whether a name is this machine's or its network's by its form alone: `localhost`, `printer`, `nas.local`."""
    return "." not in name or f".{name}".endswith(LOCAL_SUFFIXES)
