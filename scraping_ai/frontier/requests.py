"""Requests as JSON: what a plain GET does not say, so that any worker can take one up.

What is read back is never trusted: no class is loaded, and a callback is a method that the spider's own code defines.
A subclass of Request comes back as a Request of the same method, headers and body.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from typing import Any

from scrapy import Request, Spider

from scraping_ai.frontier.protocol import Lease

# What a request has when nothing is said of it. Address and priority stand in its link.
PLAIN: dict[str, Any] = {
    "method": "GET",
    "headers": {},
    "body": b"",
    "cookies": {},
    "meta": {},
    "cb_kwargs": {},
    "encoding": "utf-8",
    "dont_filter": False,
    "flags": [],
    "callback": None,
    "errback": None,
}
TRIED = "retry_times"  # Scrapy's count of a request's retries, in its meta
# What Scrapy and the fetch ladder note on the way.
OWN_META = ("download_slot", "download_latency", "_auth_proxy", "raw_body", "captured", "verdict", "rung_probe")
MAX_LENGTH = 1_000_000  # characters
METHOD = re.compile(r"[A-Za-z]{1,40}")


class NotJson(ValueError):
    """A request that only its own process can hold."""


class NotRequest(ValueError):
    """Text that no request was written as."""


def to_json(request: Request, spider: Spider) -> str | None:
    """What a request says beside address and priority; None for a plain GET. Raises NotJson."""
    said: dict[str, Any] = {
        name: value for name, plain in PLAIN.items() if (value := getattr(request, name)) != plain and value is not None
    }
    for name in ("callback", "errback"):
        if name in said:
            said[name] = method_name(said[name], spider)
    if "meta" in said:
        said["meta"] = {key: value for key, value in said["meta"].items() if key not in OWN_META}
    if "body" in said:
        said["body"] = b64encode(said["body"]).decode()
    if "headers" in said:
        said["headers"] = [[_text(key), _text(v)] for key, values in said["headers"].items() for v in values]
    said = {name: value for name, value in said.items() if value != PLAIN[name]}
    return _dumped(said) if said else None


def retried(lease: Lease, request: Request, spider: Spider) -> str | None:
    """As `to_json`, of the retry of a lease's request; after a redirect all of it is done again.

    How often it was tried stands beside the request, which is as it was: dead letters begin anew.
    """
    before = json.loads(lease.request or "{}")
    said = json.loads(to_json(request, spider) or "{}") if request.url == lease.url else dict(before)
    meta = {key: value for key, value in said.pop("meta", {}).items() if key != TRIED}
    if TRIED in before.get("meta", {}):
        meta[TRIED] = before["meta"][TRIED]
    return _dumped(said | ({"meta": meta} if meta else {}) | {"dont_filter": True, TRIED: request.meta[TRIED]})


def method_name(function: Any, spider: Spider) -> str:
    """The name under which the spider has a callback. Raises NotJson for one that is no method of it."""
    plain = getattr(function, "__name__", "")
    for name in (
        plain,
        *(f"_{kind.__name__.lstrip('_')}{plain}" for kind in type(spider).__mro__),
    ):  # of `self.__parse`
        if _is_callback(name) and getattr(function, "__self__", None) is spider and _own(spider, name) == function:
            return str(name)
    raise NotJson(f"{function!r} is no method of the spider's own")


def _is_callback(name: str) -> bool:
    """Whether a method is the spider's own code, not Scrapy's."""
    return not name.startswith("__") and (name in ("parse", "_parse") or not hasattr(Spider, name))


def _own(spider: Spider, name: str) -> Any:
    method = getattr(spider, name, None)
    return method if getattr(method, "__self__", None) is spider else None


def _dumped(said: dict[str, Any]) -> str:
    try:
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJson(str(error)) from None
    if not _is_text(text):
        raise NotJson("characters that no encoding has")
    if len(text) > MAX_LENGTH:
        raise NotJson(f"{len(text):,} characters")
    if json.loads(text) != _listed(said):
        raise NotJson("a dict has keys that are not text")
    return text


def _is_text(text: str) -> bool:
    try:
        return bool(text.encode())
    except UnicodeEncodeError:
        return False


def _listed(value: Any) -> Any:
    """Tuples as the lists that JSON makes of them."""
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, list | tuple) else value


def from_json(text: str | None, url: str, priority: int, spider: Spider, *, tries: int = 0) -> Request:
    """The request again. Raises NotRequest for what to_json and retried cannot have written.

    `tries`: how often its page was given back to be tried again; 0: also of one that was, and begins anew.

    A spider's `queued_meta`, if it has one, names the keys of `meta` that are believed.

    The link of a page goes to `parse`, and to the errback that the spider names in its `link_errback`, if any.
    """
    try:
        if text is None:
            return Request(url, priority=priority, errback=getattr(spider, getattr(spider, "link_errback", ""), None))
        said = json.loads(text)
        if "meta" in said and (kept := getattr(spider, "queued_meta", None)) is not None:
            said["meta"] = {key: value for key, value in said["meta"].items() if key in kept}
        if isinstance(tried := said.pop(TRIED, None), int) and tries:
            said["meta"] = said.get("meta", {}) | {TRIED: tried}
        if not said.keys() <= PLAIN.keys():
            raise NotRequest("unknown parts")
        if not METHOD.fullmatch(said.get("method", "GET")) or not isinstance(said.get("meta", {}).get("depth", 0), int):
            raise NotRequest("no method or depth")
        for name in ("callback", "errback"):
            if name in said:
                said[name] = _method(said[name], spider)
        if "body" in said:
            said["body"] = b64decode(said["body"], validate=True)
        if "headers" in said:
            said["headers"] = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in said["headers"]]
        return Request(url, priority=priority, **said)
    except NotRequest:
        raise
    except Exception as error:  # noqa: BLE001  # whatever hostile text makes of a constructor's checks
        raise NotRequest(f"{type(error).__name__}: {error}") from None


def _method(name: Any, spider: Spider) -> Any:
    method = _own(spider, name) if isinstance(name, str) and _is_callback(name) else None
    if method is None:
        raise NotRequest(f"no callback {name!r}")
    return method


def _text(raw: bytes) -> str:
    return raw.decode("latin-1")
