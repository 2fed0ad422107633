"""What a user reads of how pages were had: records of pages of scripts, and the reasons of those that were no page."""

from __future__ import annotations

import json
from pathlib import Path

from servers.faults import BLOCKS, CAPTCHAS, GONE, LOGINS, SHELLS
from servers.rungs import HEADER, shell
from servers.shell import FAST, Run, scrapy
from servers.site import Answer, Hit, Resource, Site

from scraping_ai.items import Outcome
from scraping_ai.storage.jobs import Job

TESTS = Path(__file__).parent
HANDLERS = {
    "http": "scraping_ai.middlewares.handlers.HttpDownloadHandler",
    "browser": "servers.rungs.Renderer",
}
PRODUCT = '<h1>Kettle</h1><p class="price">Price: $19.90</p>' + "<p>It boils water and keeps it warm.</p>" * 9


def extracted(*args: str) -> Run:
    path = f"{TESTS.parent}:{TESTS}"
    return scrapy("extract", *FAST, *args, "-s", f"FETCH_HANDLERS={json.dumps(HANDLERS)}", env={"PYTHONPATH": path})


def test_a_shop_of_scripts_gives_its_records_and_blocks_are_told(tmp_path: Path) -> None:
    pages = {f"/{n}": shell(PRODUCT) for n in range(3)} | {
        "/cloudflare": BLOCKS["cloudflare"].resource,
        "/own": BLOCKS["own words"].resource,
        "/robot": CAPTCHAS["recaptcha"].resource,
        "/gone": GONE["title"].resource,
        "/login": LOGINS["form"].resource,
        "/plain": PRODUCT,
        "/503": Resource("down", 503),
    }
    job = str(tmp_path / "job.sqlite")
    with Site(pages) as site:
        run = extracted(*map(site.url, pages), "--fields", "title, price:number", "--job", job)
        again = extracted(*map(site.url, pages), "--fields", "title, price:number", "--job", job)
    records = {record["_url"]: record for record in run.records}
    for path in ("/0", "/1", "/2", "/plain"):
        assert records[site.url(path)] == {"title": "Kettle", "price": 19.9, "_url": site.url(path)}
    for path, reason in (
        ("/cloudflare", "blocked: Cloudflare challenge"),
        ("/own", 'blocked: the page says "you have been blocked"'),
        ("/robot", "blocked: captcha: reCAPTCHA"),
        ("/gone", 'not found: the page says "page not found"'),
        ("/login", "needs a login: a form for name and password"),
        ("/503", "HTTP 503 Service Unavailable"),
    ):
        assert records[site.url(path)] == {"title": None, "price": None, "_url": site.url(path), "_reason": reason}
        assert f"{site.url(path)}: {reason}" in run.err
    for told in (run.err, again.err):
        assert "pages by rung: browser " in told
        blocked = next(line for line in told.splitlines() if "blocked: 1" in line)
        for by in ("1 Cloudflare challenge", "1 in the site's own words", "1 captcha: reCAPTCHA"):
            assert by in blocked
    outcomes = {page.url: page.outcome for _, page in Job(Path(job)).pages()}
    plain = outcomes[site.url("/plain")]
    assert isinstance(plain, Outcome)
    assert (plain.kind, plain.size, plain.tier) == ("ok", len(PRODUCT), "")
    challenge = outcomes[site.url("/cloudflare")]
    assert isinstance(challenge, Outcome)
    assert (challenge.rung, challenge.kind, challenge.reason) == ("browser", "blocked", "Cloudflare challenge")
    assert challenge.attempts in (1, 2)  # plain HTTP is left out once the host is known to need a browser


def test_a_page_of_scripts_that_no_rung_gives_says_so() -> None:
    with Site({"/": SHELLS["vue"].resource}) as site:
        http = extracted(site.url(), "--fields", "title, price:number", "-s", "FETCH_RUNGS=http")
        browser = extracted(site.url(), "--fields", "price:number")
    assert "pages by rung" not in http.err
    assert [record["price"] for record in http.records + browser.records] == [None, None]
    assert f"{site.url()}: empty in the browser too: nothing stands in #app" in browser.err


def test_a_retry_stays_on_its_rung_also_in_a_job(tmp_path: Path) -> None:
    failed: list[Hit] = []

    def page(hit: Hit) -> Answer:
        if HEADER in hit.headers and not failed:
            failed.append(hit)
            return Resource("sorry", 503)
        return shell(PRODUCT)

    with Site({"/": page}) as site:
        job = ("--job", str(tmp_path / "job.sqlite"), "-s", "FRONTIER_RETRY_BASE=0.01")
        run = extracted(site.url(), "--fields", "title", "-s", "RETRY_TIMES=2", *job)
        assert [HEADER in hit.headers for hit in site.hits if hit.path == "/"] == [False, True, True]
    assert [record["title"] for record in run.records] == ["Kettle"]
    (outcome,) = [page.outcome for _, page in Job(tmp_path / "job.sqlite").pages()]
    assert outcome is not None
    assert (outcome.rung, outcome.attempts) == ("browser", 3)
