"""What flows through the crawl: a `Page` a fetched URL, its `Record`s, and the `Evidence` of each value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a value stood in its page, and how it was found.

    `text` stands verbatim in the node that `xpath` names in `parsel.Selector(text=decoded body)`, or, when that
    node holds JSON, in the value that the JSON Pointer `pointer` (RFC 6901) names inside it.
    """

    method: str  # structured, wrapper, heuristic, llm, parser
    xpath: str
    text: str
    confidence: float  # 0 to 1
    pointer: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The form of `_evidence` in a record: `pointer` only where there is one."""
        found: dict[str, Any] = {"method": self.method, "xpath": self.xpath}
        if self.pointer is not None:
            found["pointer"] = self.pointer
        return found | {"text": self.text, "confidence": round(self.confidence, 3)}


@dataclass(slots=True)
class Record:
    """One row extracted from a page.

    `values` holds every field of the schema, absent ones null. `evidence` and `missing` use field paths:
    `price`, `brand.name`, `ingredients[0]`, `offers[1].price`.
    """

    values: dict[str, Any]
    evidence: dict[str, Evidence] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


# What came of a page whose status alone says nothing of it, before what that was told by.
TOLD = {
    "js_shell": "needs a browser",
    "blocked": "blocked",
    "captcha": "blocked: captcha",
    "rate_limited": "rate limited",
    "login_wall": "needs a login",
    "soft_404": "not found",
    "empty": "empty",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a page was had, or why it was not."""

    rung: str = "http"  # http, browser, api: the last one
    kind: str = "ok"  # the class of what came (scraping_ai.middlewares.classify)
    reason: str = ""  # what that was told by
    size: int = 0  # bytes of the body
    seconds: float = 0.0  # until the host's answer was there, without waiting at its gate
    tier: str = ""  # of the proxy; "": none
    attempts: int = 1  # requests, without redirects

    @property
    def words(self) -> str:
        """One line for the user of what came that is no page: `blocked: Cloudflare challenge`."""
        if self.kind == "js_shell" and self.rung != "http":
            return f"empty in the browser too: {self.reason}"
        return f"{TOLD[self.kind]}: {self.reason}" if self.kind in TOLD else self.reason


@dataclass(slots=True)
class Page:
    """One fetched URL. Pipelines fill in `records`; `reason` says why a page gave none."""

    url: str
    id: str | int | float | None = None  # as given in a `pages` line
    status: int | None = None
    content_type: str = ""  # the header, parameters included
    body: bytes = field(default=b"", repr=False)
    depth: int = 0
    named: bool = False  # asked for itself, not as a start to follow links from: always gives a record
    records: list[Record] = field(default_factory=list)
    reason: str | None = None
    missed: bool = False  # it could not be had: it counts against no limit of pages
    model_tokens: int = 0
    task: str | None = None  # None: the crawl's only one
    outcome: Outcome | None = None  # None: it was not fetched
