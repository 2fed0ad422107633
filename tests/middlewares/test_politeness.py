"""What servers see of crawls: real servers, real processes, arrivals by the kernel's clock."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from servers.redis import RedisServer, binaries
from servers.shell import KEYS, extract
from servers.site import Answer, Hit, Resource, Site

PROGRAM = Path(__file__).with_name("polite_crawl.py")
SETTINGS = {"AUTOTHROTTLE_ENABLED": False, "DOWNLOAD_DELAY": 0.15, "RETRY_TIMES": 1}
SCRAPYS = "scrapy.core.scheduler.Scheduler"
Job = dict[str, Any]


def job(*urls: str, **settings: Any) -> Job:
    return {"urls": urls, "settings": SETTINGS | settings}


def crawl(*jobs: Job, env: dict[str, str] | None = None) -> tuple[list[dict[str, Any]], str]:
    """The outcomes of spiders that one process runs at once, and its log."""
    environ = {name: value for name, value in os.environ.items() if name not in KEYS} | (env or {})
    command = [sys.executable, str(PROGRAM), json.dumps(jobs)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environ)
    return json.loads(done.stdout), done.stderr


def gaps(site: Site) -> list[float]:
    """Seconds between arrivals."""
    return [after - before for before, after in pairwise(sorted(hit.arrived for hit in site.hits))]


def statuses(outcomes: dict[str, Any]) -> list[Any]:
    return [outcome[0] for outcome in outcomes.values()]


def at_first(answer: Answer, then: Answer) -> Any:
    """A page that answers something else the first time."""
    times = count()
    return lambda hit: answer if next(times) == 0 else then


def test_three_spiders_with_redirects_retries_and_robots_keep_the_interval_of_a_host() -> None:
    pages = {f"/{n}": f"<h1>{n}</h1>" for n in range(12)}
    pages |= {f"/old/{n}": Resource("", 302, {"Location": f"/{n}"}) for n in range(3)}
    pages |= {f"/flaky/{n}": at_first(Resource("", 500), "<h1>back</h1>") for n in range(3)}
    with Site(pages) as site:
        paths = [[f"/{n}" for n in range(k, k + 4)] + [f"/old/{k // 4}", f"/flaky/{k // 4}"] for k in (0, 4, 8)]
        outcomes, _ = crawl(*(job(*(site.url(path) for path in some), RETRY_PRIORITY_ADJUST=0) for some in paths))
    assert [statuses(found) for found in outcomes] == [[200] * 6] * 3
    assert len(site.hits) == 3 * (1 + 4 + 2 + 2)
    assert min(gaps(site)) >= 0.15


@pytest.mark.slow
@pytest.mark.parametrize("binary", binaries(), ids=lambda path: path.name)
def test_two_workers_with_three_jobs_keep_the_interval_of_a_host(binary: Path, tmp_path: Path) -> None:
    """Each job has a frontier of its own, which both work on; redirects, robots.txt and what a 429 asks for count."""
    pages: dict[str, Any] = {f"/{n}": f"<h1>{n}</h1>" for n in range(18)}
    pages |= {f"/old/{n}": Resource("", 302, {"Location": f"/{n}?old"}) for n in range(6)}
    pages |= {"/busy": at_first(Resource("", 429, {"Retry-After": "1"}), "x")}
    with Site(pages) as site, RedisServer(tmp_path, binary) as server:
        parts = [[f"/{n}", f"/{n + 6}", f"/{n + 12}", f"/old/{n}"] for n in range(6)]
        parts[0].append("/busy")
        jobs = [job(*map(site.url, part), REDIS_URL=server.url) for part in parts]
        for number, one in enumerate(jobs):
            one["settings"]["FRONTIER_KEY"] = f"job-{number % 3}"
        found = at_once(jobs[:3], jobs[3:])
    assert {status for one in found for status in statuses(one)} == {200}
    assert sum(map(len, found)) == 25
    paths = sorted_paths(site)
    assert (paths.count("/robots.txt"), len(paths)) == (6, 6 + 18 + 12 + 2)
    assert min(gaps(site)) >= 0.15
    assert gaps(site)[paths.index("/busy")] >= 1.0


def at_once(*workers: list[Job]) -> list[dict[str, Any]]:
    """The outcomes of all their jobs: each worker is a process."""
    with ThreadPoolExecutor() as pool:
        return [one for found, _ in pool.map(lambda jobs: crawl(*jobs), workers) for one in found]


@pytest.mark.slow
@pytest.mark.parametrize("binary", binaries(), ids=lambda path: path.name)
def test_a_hold_is_every_workers_where_nobody_wants_an_interval(binary: Path, tmp_path: Path) -> None:
    def busy(hit: Hit) -> Answer:
        """Once the other worker is at work."""
        give_up = time.monotonic() + 30
        while not any(path.startswith("/?") for path in site.paths) and time.monotonic() < give_up:
            time.sleep(0.01)
        told.append(time.time())
        return Resource("", 429, {"Retry-After": "3"})

    told: list[float] = []
    with Site({"/": Resource("x", delay=0.1), "/busy": busy}) as site, RedisServer(tmp_path, binary) as server:
        given = {"REDIS_URL": server.url, "DOWNLOAD_DELAY": 0, "ROBOTSTXT_OBEY": False, "RETRY_TIMES": 0}
        given |= {"CONCURRENT_REQUESTS_PER_DOMAIN": 1}
        asks = job(site.url("/busy"), FRONTIER_KEY="a", **given)
        pages_of_another = job(*(site.url(f"/?{n}") for n in range(60)), FRONTIER_KEY="b", **given)
        found = at_once([asks], [pages_of_another])
        ends = told[0] + 3.0
    assert statuses(found[1]) == [200] * 60
    held = [hit for hit in site.hits if ends - 2.0 < hit.arrived < ends]  # a look and what was under way are over
    assert not held
    assert any(hit.arrived > ends for hit in site.hits)


def test_hosts_do_not_wait_for_each_other() -> None:
    with Site({"/robots.txt": "User-agent: *\nCrawl-delay: 30"}) as slow, Site({"/": "x"}, host="127.0.0.2") as free:
        outcomes, _ = crawl(job(*(free.url(f"/?{n}") for n in range(9))), job(free.url("/"), DOWNLOAD_DELAY=0))
        assert {status for found in outcomes for status in statuses(found)} == {200}
        assert not slow.hits


def test_crawl_delay_holds_for_every_spider_of_the_process() -> None:
    robots = "User-agent: *\nDisallow:\n\nUser-agent: ScrapingAI\nCrawl-delay: 0.5\n"
    with Site({"/robots.txt": robots, "/": "<h1>x</h1>"}) as site:
        obeys = job(site.url("/?1"), site.url("/?2"), DOWNLOAD_DELAY=0)
        does_not = job(*(site.url(f"/?{n}") for n in "345"), ROBOTSTXT_OBEY=False, DOWNLOAD_DELAY=0.3)
        outcomes, _ = crawl(obeys, does_not)
    assert [statuses(found) for found in outcomes] == [[200] * 2, [200] * 3]
    first = next(index for index, path in enumerate(sorted_paths(site)) if path == "/robots.txt")
    assert min(gaps(site)[first + 1 :]) >= 0.5


def sorted_paths(site: Site) -> list[str]:
    return [hit.path for hit in sorted(site.hits, key=lambda hit: hit.arrived)]


def test_request_rate_is_an_interval() -> None:
    with Site({"/robots.txt": "User-agent: *\nRequest-rate: 2/1s\nCrawl-delay: 0.1\n", "/": "x"}) as site:
        crawl(job(*(site.url(f"/?{n}") for n in range(3)), DOWNLOAD_DELAY=0))
    assert min(gaps(site)) >= 0.5


def test_a_crawl_delay_has_a_limit_and_nonsense_has_no_effect() -> None:
    with Site({"/robots.txt": "User-agent: *\nCrawl-delay: 86400\n", "/": "x"}) as site:
        _, log = crawl(job(site.url("/"), site.url("/?2"), ROBOTSTXT_MAX_CRAWL_DELAY=0.4))
    assert min(gaps(site)) >= 0.4
    assert "asks for 86400 s between requests: it gets 0.4 s (ROBOTSTXT_MAX_CRAWL_DELAY)" in log
    for value in ("nan", "-5", "soon", "1/0s"):
        with Site({"/robots.txt": f"User-agent: *\nCrawl-delay: {value}\nRequest-rate: {value}\n", "/": "x"}) as site:
            outcomes, _ = crawl(job(site.url("/"), site.url("/?2")))
        assert statuses(outcomes[0]) == [200, 200], value


def test_retry_after_closes_the_host_for_every_spider() -> None:
    asks = Resource("", 503, {"Retry-After": "1"})
    with Site({"/": "<h1>x</h1>", "/busy": at_first(asks, "<h1>y</h1>")}) as site:
        pages = [site.url(f"/?{n}") for n in range(8)]
        outcomes, log = crawl(job(site.url("/busy"), *pages[:4]), job(*pages[4:]))
    assert [set(statuses(found)) for found in outcomes] == [{200}, {200}]
    busy = sorted_paths(site).index("/busy")
    assert gaps(site)[busy] >= 1.0
    assert log.count("127.0.0.1 asks to be left alone for 1 s (503)") == 1


def test_retry_after_has_a_limit() -> None:
    with Site({"/busy": at_first(Resource("", 429, {"Retry-After": "9" * 30}), "x")}) as site:
        outcomes, log = crawl(job(site.url("/busy"), RETRY_AFTER_MAX=1))
    assert statuses(outcomes[0]) == [200]
    assert gaps(site)[-1] >= 1.0
    assert "1 s are granted (RETRY_AFTER_MAX)" in log


def test_who_would_wait_for_too_long_is_given_back_unsent() -> None:
    asks = Resource("", 429, {"Retry-After": "600"})
    with Site({"/busy": asks, "/": "x"}) as site, Site({"/": "x"}, host="127.0.0.2") as other:
        urls = [site.url("/busy"), site.url("/"), *(other.url(f"/?{n}") for n in range(5))]
        outcomes, _ = crawl(job(*urls, RETRY_TIMES=0, SCHEDULER=SCRAPYS))
    assert outcomes[0][urls[0]][0] == 429
    assert outcomes[0][urls[1]] == ["NotSent", "the host asks to be left alone for 600 s"]
    assert [outcomes[0][url][0] for url in urls[2:]] == [200] * 5
    assert site.paths == ["/robots.txt", "/busy"]


def test_pages_of_a_slow_host_take_no_place_of_others() -> None:
    robots = "User-agent: *\nCrawl-delay: 6"
    with Site({"/robots.txt": robots, "/": "x"}) as slow, Site({"/": "x"}, host="127.0.0.2") as free:
        urls = [slow.url("/?1"), slow.url("/?2"), *(free.url(f"/?{n}") for n in range(40))]
        given = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS": 2}
        outcomes, log = crawl(job(*urls, **given))
        assert set(statuses(outcomes[0])) == {200}, log
        assert max(hit.arrived for hit in free.hits) < min(hit.arrived for hit in slow.hits) + 6
        assert min(gaps(slow)) >= 6


def test_the_frontier_has_what_is_given_back_tried_later() -> None:
    asks = Resource("", 429, {"Retry-After": "2"})
    with Site({"/busy": at_first(asks, "x"), "/": "x", "/old": Resource("", 302, {"Location": "/?there"})}) as site:
        urls = [site.url(path) for path in ("/busy", "/?1", "/?2", "/old")]
        outcomes, log = crawl(job(*urls, FRONTIER_RETRY_BASE=0.01, GATE_PATIENCE=0.5))
        busy = sorted_paths(site).index("/busy")
        assert gaps(site)[busy] >= 2.0
    assert statuses(outcomes[0]) == [200] * 4, log
    assert sorted(site.paths) == sorted(["/robots.txt", "/busy", "/busy", "/?1", "/?2", "/old", "/?there"])


def test_a_robots_txt_that_cannot_be_asked_for_yet_is_not_taken_for_unreadable() -> None:
    with Site({"/robots.txt": Resource("", 503, {"Retry-After": "600"}), "/": "x"}) as site:
        outcomes, _ = crawl(job(site.url("/"), RETRY_TIMES=1, SCHEDULER=SCRAPYS))
    assert outcomes[0][site.url("/")] == ["NotSent", "the host asks to be left alone for 600 s"]


def test_waiting_at_the_gate_counts_neither_for_the_timeout_nor_as_latency() -> None:
    with Site({"/robots.txt": "User-agent: *\nCrawl-delay: 0.8", "/": Resource("x", delay=0.1)}) as site:
        urls = [site.url(f"/?{n}") for n in range(4)]
        outcomes, _ = crawl(job(*urls, DOWNLOAD_TIMEOUT=0.5, RETRY_TIMES=0))
    assert statuses(outcomes[0]) == [200] * 4
    assert all(0.1 <= latency < 0.5 for _, latency in outcomes[0].values())


def test_a_server_that_does_not_answer_is_not_waited_for() -> None:
    with Site({"/": Resource("x", delay=30)}) as site:
        outcomes, _ = crawl(job(site.url("/"), DOWNLOAD_TIMEOUT=0.5, RETRY_TIMES=0))
    kind, text = outcomes[0][site.url("/")]
    assert kind == "DownloadTimeoutError"
    assert text == f"Getting {site.url('/')} took longer than 0.5 seconds."


def test_the_pace_follows_a_slow_host() -> None:
    throttle = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.05, "AUTOTHROTTLE_TARGET_CONCURRENCY": 1}
    with Site({"/": Resource("x", delay=0.4)}) as site:
        crawl(job(*(site.url(f"/?{n}") for n in range(6)), DOWNLOAD_DELAY=0, **throttle))
    assert min(gaps(site)[-1:]) >= 0.4


def test_the_pace_backs_off_in_trouble() -> None:
    with Site({"/": "x", "/down": Resource("", 502)}) as site:
        urls = [site.url("/down"), site.url("/?1"), site.url("/?2")]
        crawl(job(*urls, AUTOTHROTTLE_ENABLED=True, AUTOTHROTTLE_START_DELAY=0.2, CONCURRENT_REQUESTS_PER_DOMAIN=1))
    down = sorted_paths(site).index("/down")
    assert gaps(site)[down] >= 0.2
    assert gaps(site)[down + 1] >= 1.0 or gaps(site)[down] >= 1.0


def test_spiders_of_a_process_share_the_most_at_once() -> None:
    inside: list[int] = []
    now: set[int] = set()

    def page(hit: Hit) -> Resource:
        now.add(id(hit))
        inside.append(len(now))
        time.sleep(0.2)
        now.discard(id(hit))
        return Resource("x")

    with Site({"/": page}) as site:
        urls = [site.url(f"/?{n}") for n in range(12)]
        settings = {"DOWNLOAD_DELAY": 0, "CONCURRENT_REQUESTS_PER_DOMAIN": 2, "ROBOTSTXT_OBEY": False}
        crawl(job(*urls[:6], **settings), job(*urls[6:], **settings))
    assert max(inside) == 2


@pytest.mark.parametrize("delay", [0, 0.1])
def test_a_connection_that_broke_leaves_room_for_the_one_that_is_tried_instead(delay: float) -> None:
    """A client sends once more what went out on a kept connection that was closed meanwhile."""

    def drop(hit: Hit) -> Answer:
        raise ConnectionError

    with Site({"/robots.txt": Resource("", 404), "/": "x", "/bad": drop}) as site:
        settings = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": delay, "RETRY_TIMES": 0}
        outcomes, _ = crawl(job(site.url("/"), site.url("/bad"), site.url("/?2"), **settings))
    assert statuses(outcomes[0]).count(200) == 2
    assert site.paths.count("/bad") >= 2
    assert not delay or min(gaps(site)) >= delay


def test_hosts_of_a_site_can_share_a_gate() -> None:
    """The names are a proxy's to resolve: every request arrives there."""
    names = [f"http://{name}.example.co.uk/" for name in ("a", "b", "www")]
    for gate, together in (("host", False), ("site", True)):
        with Site(dict.fromkeys(names, "x")) as proxy:
            given = {"GATE_BY": gate, "DOWNLOAD_DELAY": 0.4, "ROBOTSTXT_OBEY": False}
            outcomes, _ = crawl(job(*names, **given), env={"http_proxy": proxy.url()})
        assert statuses(outcomes[0]) == [200] * 3
        assert (min(gaps(proxy)) >= 0.4) is together


def test_a_setting_by_host() -> None:
    slots = {"127.0.0.1": {"delay": 0.5, "concurrency": 1}}
    with Site({"/": "x"}) as site:
        crawl(job(*(site.url(f"/?{n}") for n in range(2)), DOWNLOAD_DELAY=0, DOWNLOAD_SLOTS=slots))
    assert min(gaps(site)) >= 0.5


def test_an_unknown_gate_is_refused() -> None:
    run = extract("http://127.0.0.1:9/", "--fields", "title", "-s", "GATE_BY=planet")
    assert (run.status, run.err) == (2, "scrapy extract: GATE_BY='planet': write one of host, site\n")


def test_a_job_that_is_stopped_does_not_wait_for_a_slow_host() -> None:
    with Site({"/robots.txt": "User-agent: *\nCrawl-delay: 200", "/": "<h1>x</h1>"}) as site:
        command = [sys.executable, "-m", "scrapy", "extract", site.url("/"), site.url("/?2"), "--fields", "title"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            give_up = time.monotonic() + 30
            while not site.hits and time.monotonic() < give_up:
                time.sleep(0.05)
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
    assert "stopped before the end" in err
    assert site.paths == ["/robots.txt"]
