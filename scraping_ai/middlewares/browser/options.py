"""What the settings say of the browser."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

NO_CHROMIUM = "needs a browser: playwright install chromium, or apt-get install chromium"
KINDS = frozenset(
    "image font media stylesheet script xhr fetch websocket manifest texttrack other frame tracker".split()
)
ABORTED = frozenset({"image", "font", "media", "frame", "tracker"})
# Beside those that a forward proxy needs: nothing that calls home, asks, or makes new windows.
ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--block-new-web-contents",
    "--deny-permission-prompts",
    "--mute-audio",
    "--disable-gpu",
    "--js-flags=--max-old-space-size=512",
)


@dataclass(frozen=True, slots=True)
class Options:
    """BROWSER_* and PLAYWRIGHT_LAUNCH_OPTIONS; bytes and seconds."""

    user_agent: str
    launch: dict[str, Any] = field(default_factory=dict)
    contexts: int = 4
    context_pages: int = 50
    memory: int = 1_536 * 2**20
    abort: frozenset[str] = ABORTED
    budget: float = 10.0
    timeout: float = 30.0
    scrolls: int = 0
    wait_for: str = ""
    captured: int = 20
    captured_bytes: int = 2 * 2**20
    max_size: int = 20 * 2**20
    verify: bool = True

    @classmethod
    def of(cls, settings: BaseSettings) -> Options:
        """Raises NotConfigured where there is no Chromium, ValueError for a value that is none."""
        abort = frozenset(map(str, settings.getlist("BROWSER_ABORT", sorted(ABORTED))))
        if not abort <= KINDS:
            raise ValueError(
                f"BROWSER_ABORT: {', '.join(sorted(abort - KINDS))}: choose from {', '.join(sorted(KINDS))}"
            )
        return cls(
            user_agent=str(settings.get("USER_AGENT") or ""),
            launch=launch_options(settings.getdict("PLAYWRIGHT_LAUNCH_OPTIONS")),
            contexts=max(1, settings.getint("BROWSER_CONTEXTS", 4)),
            context_pages=max(1, settings.getint("BROWSER_CONTEXT_PAGES", 50)),
            memory=settings.getint("BROWSER_MEMORY", 1_536 * 2**20),
            abort=abort,
            budget=settings.getfloat("BROWSER_BUDGET", 10.0),
            timeout=settings.getfloat("DOWNLOAD_TIMEOUT", 30.0),
            scrolls=settings.getint("BROWSER_SCROLLS", 0),
            wait_for=str(settings.get("BROWSER_WAIT_FOR") or ""),
            captured=settings.getint("BROWSER_CAPTURED", 20),
            captured_bytes=settings.getint("BROWSER_CAPTURED_BYTES", 2 * 2**20),
            max_size=settings.getint("DOWNLOAD_MAXSIZE", 20 * 2**20) or 2**30,
            verify=settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES", True),
        )


def launch_options(given: dict[str, Any]) -> dict[str, Any]:
    """Playwright's launch options: the user's, and what is needed beside. Raises NotConfigured without a Chromium."""
    path = given.get("executable_path") or _chromium()
    args = [*ARGUMENTS, *given.get("args", ())]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # Chromium's sandbox refuses to run as root
        args.append("--no-sandbox")
    ours = {"executable_path": path, "args": args, "handle_sigint": False, "handle_sigterm": False}
    return {"handle_sighup": False, "timeout": 30_000, **given, **ours}


def _chromium() -> str | None:
    """Debian's where Playwright's own is not there; None for Playwright's own. Raises NotConfigured."""
    if any(_playwrights().glob("chromium*-*/*/*")):
        return None
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise NotConfigured(NO_CHROMIUM)
    return found


def _playwrights() -> Path:
    """Where `playwright install` puts browsers."""
    given = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if given == "0":
        import playwright

        return Path(playwright.__file__).parent / "driver" / "package" / ".local-browsers"
    return Path(given) if given else Path("~/.cache/ms-playwright").expanduser()
