"""Under which number an address is known: 64 bits over its canonical form (RFC 3986, section 6), method and body."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import urlsplit, urlunsplit

from w3lib.url import canonicalize_url

# Says who sent a visitor, never what is shown. A trailing `*` is any ending.
TRACKING = (
    *(
        "utm_*",
        "gclid",
        "gclsrc",
        "dclid",
        "gbraid",
        "wbraid",
        "fbclid",
        "msclkid",
        "yclid",
        "ysclid",
        "twclid",
        "ttclid",
    ),
    *("igshid", "igsh", "mc_cid", "mc_eid", "_ga", "_gl", "_hsenc", "_hsmi", "__hstc", "__hssc", "vero_id", "mkt_tok"),
    *("oly_anon_id", "oly_enc_id", "wickedid", "srsltid", "li_fat_id", "epik", "rb_clickid", "s_kwcid", "spm"),
)
# Says which visitor asks; a site that writes it into its links has each page under ever new addresses.
SESSIONS = (
    r"(?:phpsessid|jsessionid|aspsessionid[a-z]*|cfid|cftoken|oscsid|xtcsid|zenid)(?:=[^&]*)?",
    r"(?:s|sid|sess|sessid|session|session_?id)=[0-9a-z]{16,}",
)
SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;]*|/\((?:[A-Z]\([^()/]+\))+\)(?=/)", re.IGNORECASE)
DEFAULT_PORTS = {"http": ":80", "https": ":443"}
# What is canonical as it stands, as most links are.
HOST = r"[a-z0-9-]+(?:\.[a-z0-9-]+)*"
PLAIN = re.compile(
    rf"(?:http://{HOST}(?!:80/)|https://{HOST}(?!:443/))(?::[1-9]\d*)?(?:/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*)?)+\Z"
)


class Fingerprinter:
    """Gives addresses their numbers; `tracking` are names of query parameters dropped beside the usual ones."""

    def __init__(self, tracking: Iterable[str] = ()) -> None:
        names = [*TRACKING, *tracking]
        exact = "|".join(re.escape(n) for n in names if not n.endswith("*"))
        starts = "|".join(re.escape(n[:-1]) + "[^=&]*" for n in names if n.endswith("*"))
        named = rf"(?:{exact}|{starts})(?:=[^&]*)?"
        self._dropped = re.compile(rf"(?:^|(?<=&))(?:{'|'.join((named, *SESSIONS))})(?:&|$)", re.IGNORECASE)
        self.of_url = lru_cache(maxsize=65_536)(self._of_url)

    def canonical(self, url: str) -> str:
        """The one spelling of an address: `HTTP://Example.com:80/a/../b?z=1&a=2#top` is `http://example.com/b?a=2&z=1`.

        Session ids are dropped too; fragments count only as `#!`. What cannot be read as an address stays as it is.
        """
        if PLAIN.match(url):
            return url
        try:
            url, _, fragment = url.strip().partition("#")
            parts = urlsplit(canonicalize_url(url))
            host = parts.netloc.removesuffix(DEFAULT_PORTS.get(parts.scheme, "\0"))
            query = self._dropped.sub("", parts.query).strip("&")
            kept = "!" + fragment[1:] if fragment.startswith("!") else ""
            return urlunsplit((parts.scheme, host, _without_dots(SESSION_IN_PATH.sub("", parts.path)), query, kept))
        except ValueError:
            return url

    def _of_url(self, url: str) -> int:
        return _number(self.canonical(url).encode("utf-8", "surrogatepass"))

    def of_request(self, url: str, method: str = "GET", body: bytes = b"") -> int:
        """As `of_url` for a plain GET; method and body make others of it."""
        if method == "GET" and not body:
            return self.of_url(url)
        return _number(b"\0".join((method.encode(), body, self.canonical(url).encode("utf-8", "surrogatepass"))))


def _number(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)


def _without_dots(path: str) -> str:
    """A path without `.` and `..` (RFC 3986, section 5.2.4)."""
    if "/." not in path:
        return path or "/"
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    return "/" + "/".join(kept) + ("/" if segments[-1] in (".", "..") and kept else "")
