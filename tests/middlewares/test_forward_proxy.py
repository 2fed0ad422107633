"""The loopback forward proxy: real clients, a real browser, real servers; addresses are checked and kept to."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiohttp
import pytest
from servers.site import Resource, Site
from yarl import URL

from scraping_ai.middlewares.guard import guard as guards
from scraping_ai.middlewares.guard.addresses import Address
from scraping_ai.middlewares.guard.guard import Guard
from scraping_ai.middlewares.guard.messages import MAX_HEAD
from scraping_ai.middlewares.guard.proxy import ForwardProxy

pytestmark = pytest.mark.anyio
CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@asynccontextmanager
async def proxied(guard: Guard) -> AsyncIterator[ForwardProxy]:
    proxy = ForwardProxy(guard)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.close()


@asynccontextmanager
async def client(proxy: ForwardProxy) -> AsyncIterator[aiohttp.ClientSession]:
    url = URL(proxy.url).with_user(proxy.username).with_password(proxy.password)
    async with aiohttp.ClientSession(proxy=url) as session:
        yield session


async def raw(proxy: ForwardProxy, request: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", URL(proxy.url).port)
    writer.write(request.replace(b"AUTH", b"Proxy-Authorization: " + proxy._credential))
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer


async def test_a_request_is_answered_by_the_server_it_names() -> None:
    with Site({"/page?q=1": "<h1>Shop</h1>", "/gone": Resource("no", 404)}) as site:
        async with proxied(Guard([f"127.0.0.1:{site.port}"])) as proxy, client(proxy) as session:
            async with session.get(site.url("/page?q=1"), headers={"X-Own": "1"}) as response:
                assert (response.status, await response.text()) == (200, "<h1>Shop</h1>")
            async with session.get(site.url("/gone")) as response:
                assert (response.status, await response.text()) == (404, "no")
            async with session.post(site.url("/page?q=1"), data=b"x" * 300_000) as response:
                assert response.status == 200
            async with session.head(site.url("/page?q=1")) as response:
                assert response.status == 200
        assert [hit.method for hit in site.hits] == ["GET", "GET", "POST", "HEAD"]
        assert site.hits[0].headers["x-own"] == "1"
        assert site.hits[0].headers["host"] == f"127.0.0.1:{site.port}"
        assert len(site.hits[2].body) == 300_000
        assert not any("proxy-authorization" in hit.headers for hit in site.hits)


async def test_what_is_not_allowed_is_refused_with_the_reason() -> None:
    with Site({"/": "secret"}) as site:
        async with proxied(Guard()) as proxy, client(proxy) as session:
            for url in (site.url("/"), f"http://127.1:{site.port}/", f"http://2130706433:{site.port}/"):
                async with session.get(URL(url, encoded=True)) as response:
                    assert (response.status, await response.text()) == (403, "not a public address: 127.0.0.1\n")
            with pytest.raises(aiohttp.ClientHttpProxyError) as refused:
                await session.get(f"https://127.0.0.1:{site.port}/")
            assert refused.value.status == 403
        assert site.hits == []


async def test_only_who_knows_the_password_is_served() -> None:
    with Site({"/": "page"}) as site:
        async with proxied(Guard(["127.0.0.1"])) as proxy:
            for url in (URL(proxy.url), URL(proxy.url).with_user(proxy.username).with_password("guessed")):
                async with (
                    aiohttp.ClientSession(proxy=url) as session,
                    session.get(site.url("/")) as response,
                ):
                    assert response.status == 407
                    assert response.headers["Proxy-Authenticate"].startswith("Basic ")
            answer = await raw(proxy, b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n" % site.port)
            assert answer.startswith(b"HTTP/1.1 407 ")
        assert site.hits == []


async def test_a_tunnel_carries_whatever_both_sides_send() -> None:
    with Site({"/": "page"}) as site:
        async with proxied(Guard(["127.0.0.1"])) as proxy:
            ask = b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nAUTH\r\n\r\nGET / HTTP/1.0\r\n\r\n" % site.port
            answer = await raw(proxy, ask)
            assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.")
            assert answer.endswith(b"page")


async def test_the_address_that_was_checked_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is good when it is checked and leads to loopback afterwards."""
    answers = ["127.0.0.2", "127.0.0.1"]

    async def rebinding(name: str) -> list[Address]:
        assert name == "shop.example"
        return [ipaddress.ip_address(answers.pop(0))]

    with Site({"/": "public"}, host="127.0.0.2") as public, Site({"/": "secret"}, port=public.port) as inner:
        guard = Guard(["127.0.0.2"], resolve=rebinding)
        monkeypatch.setattr(guards, "KEPT_FOR", 0.0)
        async with proxied(guard) as proxy, client(proxy) as session:
            url = f"http://shop.example:{public.port}/"
            async with session.get(url, headers={"Connection": "close"}) as response:
                assert await response.text() == "public"
            async with session.get(url) as response:
                assert (response.status, await response.text()) == (
                    403,
                    "not a public address: 127.0.0.1 (shop.example)\n",
                )
        assert answers == []
        assert inner.hits == []
        assert public.hits[0].headers["host"] == f"shop.example:{public.port}"


async def test_a_connection_serves_one_request_after_the_other() -> None:
    with Site({"/a": "a", "/b": "b"}) as site:
        async with proxied(Guard(["127.0.0.1"])) as proxy:
            asks = b"".join(
                b"GET http://127.0.0.1:%d/%s HTTP/1.1\r\nAUTH\r\n%s\r\n" % (site.port, path, end)
                for path, end in ((b"a", b""), (b"b", b"Connection: close\r\n"))
            )
            answer = await raw(proxy, asks)
            assert answer.count(b"HTTP/1.1 200 ") == 2
            assert answer.endswith(b"b")


async def test_chunks_and_bodies_without_a_length_arrive_whole() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/chunks" in head:
            writer.write(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n7;x=1\r\n, world\r\n0\r\n\r\n"
            )
        else:
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.0 200 OK\r\n\r\nuntil the end")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, proxied(Guard(["127.0.0.1"])) as proxy, client(proxy) as session:
        async with session.get(f"http://127.0.0.1:{port}/chunks") as response:
            assert await response.text() == "hello, world"
        async with session.get(f"http://127.0.0.1:{port}/") as response:
            assert await response.text() == "until the end"


async def test_hostile_requests_get_an_answer_or_an_end() -> None:
    async with proxied(Guard()) as proxy:
        for request in (
            b"GET / HTTP/1.1\r\nAUTH\r\n\r\n",
            b"GET https://example.com/ HTTP/1.1\r\nAUTH\r\n\r\n",
            b"GET http://a@example.com/ HTTP/1.1\r\nAUTH\r\n\r\n",
            b"CONNECT example.com HTTP/1.1\r\nAUTH\r\n\r\n",
            b"CONNECT example.com:99999 HTTP/1.1\r\nAUTH\r\n\r\n",
            b"GET ftp://example.com/ HTTP/1.1\r\nAUTH\r\n\r\n",
            b"\x16\x03\x01\r\n\r\n",
        ):
            assert (await raw(proxy, request)).startswith(b"HTTP/1.1 400 "), request
        assert await raw(proxy, b"GET http://example.com/ HTTP/1.1\r\nBroken\r\n\r\n") == b""
        with suppress(ConnectionResetError):  # what it did not read
            assert await raw(proxy, b"X: " + b"x" * 2 * MAX_HEAD) == b""
        answer = await raw(proxy, b"CONNECT example.com:25 HTTP/1.1\r\nAUTH\r\n\r\n")
        assert b"403" in answer.splitlines()[0]
        assert answer.endswith(b"not a port for web pages: 25\n")


async def test_a_server_that_cannot_be_reached_is_told() -> None:
    async def unknown(name: str) -> list[Address]:
        raise OSError("no such host")

    with Site({}) as site:
        port = site.port
    async with proxied(Guard(["127.0.0.1"], resolve=unknown)) as proxy, client(proxy) as session:
        async with session.get(f"http://127.0.0.1:{port}/") as response:
            assert response.status == 502
        async with session.get("http://shop.example/") as response:
            assert (response.status, await response.text()) == (502, "host not found: shop.example: no such host\n")


async def test_a_browser_that_goes_away_ends_its_request_to_the_server() -> None:
    gone = asyncio.Event()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()
        writer.close()
        gone.set()

    asked = asyncio.Event()
    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, proxied(Guard(["127.0.0.1"])) as proxy:
        _, writer = await asyncio.open_connection("127.0.0.1", URL(proxy.url).port)
        writer.write(
            b"GET http://127.0.0.1:%d/ HTTP/1.1\r\nProxy-Authorization: %s\r\n\r\n" % (port, proxy._credential)
        )
        await asyncio.wait_for(asked.wait(), 10)
        writer.close()
        await asyncio.wait_for(gone.wait(), 10)


async def test_a_browser_reaches_only_what_is_allowed() -> None:
    playwright = pytest.importorskip("playwright.async_api")
    if not Path(CHROMIUM).exists():
        pytest.skip("no chromium")
    with Site({"/": "secret"}, host="127.0.0.1") as inner, Site({"/": "secret"}, host="127.0.0.3") as other:
        page_text = f"""<title>page</title><img src="/seen.png">
            <script>
              const places = ["{inner.url()}", "http://localhost:{inner.port}/", "{other.url()}",
                "http://169.254.169.254/latest/", "http://[::ffff:127.0.0.1]:{inner.port}/", "/away"];
              const tries = places.map(url => fetch(url, {{mode: "no-cors"}}).then(r => r.text(), e => "failed"));
              const socket = new Promise(done => {{
                const one = new WebSocket("ws://127.0.0.1:{inner.port}/");
                one.onopen = () => done("open"); one.onerror = () => done("failed");
              }});
              Promise.all([...tries, socket]).then(done => {{ document.title = done.length + " done" }});
            </script><iframe src="{inner.url()}"></iframe><img src="{inner.url("/a.png")}">"""
        pages = {"/": page_text, "/seen.png": b"", "/away": Resource("", 302, {"Location": inner.url("/hop")})}
        with Site(pages, host="127.0.0.2") as site:
            async with proxied(Guard(["127.0.0.2"])) as proxy, playwright.async_playwright() as driver:
                browser = await driver.chromium.launch(
                    executable_path=CHROMIUM, args=["--no-sandbox", *proxy.arguments], proxy=proxy.launch_option
                )
                page = await browser.new_page()
                await page.goto(site.url())
                await page.wait_for_function("document.title == '7 done'", timeout=20_000)
                await browser.close()
            assert {"/", "/seen.png", "/away"} <= set(site.paths)
        assert inner.hits == other.hits == []


async def test_webrtc_does_not_pass_by_the_proxy() -> None:
    playwright = pytest.importorskip("playwright.async_api")
    if not Path(CHROMIUM).exists():
        pytest.skip("no chromium")
    came: list[str] = []

    class Listener(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, address: object) -> None:
            came.append("udp")

    loop = asyncio.get_running_loop()
    udp, _ = await loop.create_datagram_endpoint(Listener, local_addr=("127.0.0.1", 0))
    tcp = await asyncio.start_server(lambda reader, writer: came.append("tcp"), "127.0.0.1", 0)
    places = udp.get_extra_info("sockname")[1], tcp.sockets[0].getsockname()[1]
    page_text = """<script>
      const turn = {urls: "turn:127.0.0.1:TCP?transport=tcp", username: "a", credential: "b"};
      const link = new RTCPeerConnection({iceServers: [{urls: "stun:127.0.0.1:UDP"}, turn]});
      link.createDataChannel("x");
      link.onicegatheringstatechange = () => { document.title = link.iceGatheringState };
      link.createOffer().then(offer => link.setLocalDescription(offer));
    </script>"""
    for name, port in zip(("UDP", "TCP"), places, strict=True):
        page_text = page_text.replace(f":{name}", f":{port}")
    with Site({"/": page_text}, host="127.0.0.2") as site:
        async with proxied(Guard(["127.0.0.2"])) as proxy, playwright.async_playwright() as driver:
            browser = await driver.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", *proxy.arguments], proxy=proxy.launch_option
            )
            page = await browser.new_page()
            await page.goto(site.url())
            async with asyncio.timeout(30):
                while not came and await page.title() != "complete":
                    await asyncio.sleep(0.05)
            await browser.close()
    udp.close()
    tcp.close()
    assert came == []
