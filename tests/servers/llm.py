"""A loopback server that speaks OpenAI's chat completions, with scripted answers and faults.

    with LLMServer(lambda request: {"price": 5}) as server:
        connect(ModelName("openai", "test"), base_url=server.base_url, ...)

An answer is a value (sent as the JSON text of the reply) or one of the faults below; a list of them is used up
request by request, its last one stays; a function is given each `Request`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    path: str
    headers: dict[str, str]  # names in lower case
    body: dict[str, Any]

    @property
    def schema(self) -> dict[str, Any]:
        return self.body["response_format"]["json_schema"]["schema"]

    @property
    def system(self) -> str:
        return self._message("system")

    @property
    def prompt(self) -> str:
        return self._message("user")

    def _message(self, role: str) -> str:
        (content,) = (m["content"] for m in self.body["messages"] if m["role"] == role)
        return content


@dataclass(frozen=True)
class Text:
    """A reply's text as it stands: broken JSON, fences, anything."""

    text: str | None
    finish_reason: str = "stop"
    refusal: str | None = None
    usage: dict[str, Any] | None = None  # None: counted by characters


@dataclass(frozen=True)
class Status:
    """An error status with OpenAI's error body."""

    status: int
    message: str = "no"
    code: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Raw:
    """A whole response body, whatever it is."""

    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    declared: int | None = None  # Content-Length, when it is not the body's
    drip: float = 0  # seconds between single bytes


@dataclass(frozen=True)
class Hang:
    """No response until the server stops."""


Answer: TypeAlias = Any
Script: TypeAlias = Answer | list[Answer] | Callable[[Request], Answer]


def refusal(why: str = "I can't help with that.") -> Text:
    return Text(None, refusal=why)


def cut_off(text: str = '{"price": ') -> Text:
    return Text(text, finish_reason="length")


def wrong_key(key: str) -> Status:
    return Status(401, f"Incorrect API key provided: {key}.", "invalid_api_key")


def unknown_model() -> Status:
    return Status(404, "The model `test` does not exist", "model_not_found")


def rate_limited(seconds: float = 0.05) -> Status:
    return Status(429, "Rate limit reached", "rate_limit_exceeded", (("Retry-After", str(seconds)),))


class LLMServer:
    """The server, on a free loopback port while the `with` block runs. `requests` holds what came, in order."""

    def __init__(self, script: Script = None) -> None:
        self.requests: list[Request] = []
        self.most_at_once = 0
        self._script = script
        self._lock = threading.Lock()
        self._open = 0
        self.stopping = threading.Event()
        self._http = _HTTPServer(("127.0.0.1", 0), _Handler)
        self._http.llm = self

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> LLMServer:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def answer(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            if isinstance(self._script, list):
                return self._script.pop(0) if len(self._script) > 1 else self._script[0]
        return self._script(request) if callable(self._script) else self._script

    def count(self, step: int) -> None:
        with self._lock:
            self._open += step
            self.most_at_once = max(self.most_at_once, self._open)


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    llm: LLMServer


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _HTTPServer

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        self.server.llm.count(1)
        try:
            self._send(self.server.llm.answer(request), request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self.server.llm.count(-1)

    def _send(self, answer: Answer, request: Request) -> None:
        if isinstance(answer, Hang):
            self.server.llm.stopping.wait(60)
            self.close_connection = True
        elif isinstance(answer, Raw):
            self._respond(200, answer.body, answer.headers, answer.declared, answer.drip)
        elif isinstance(answer, Status):
            error = {"message": answer.message, "type": "error", "param": None, "code": answer.code}
            self._respond(answer.status, json.dumps({"error": error}).encode(), answer.headers)
        else:
            text = answer if isinstance(answer, Text) else Text(json.dumps(answer, ensure_ascii=False))
            self._respond(200, json.dumps(completion(text, request)).encode())

    def _respond(
        self,
        status: int,
        body: bytes,
        headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),),
        declared: int | None = None,
        drip: float = 0,
    ) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if declared is None else declared))
        self.end_headers()
        for start in range(0, len(body), 1) if drip else ():
            self.wfile.write(body[start : start + 1])
            if self.server.llm.stopping.wait(drip):
                return
        if not drip:
            self.wfile.write(body)
        self.close_connection = declared is not None


def completion(text: Text, request: Request) -> dict[str, Any]:
    """A chat completion object (platform.openai.com/docs/api-reference/chat/object)."""
    used = {"prompt_tokens": len(str(request.body["messages"])) // 4, "completion_tokens": len(text.text or "") // 4}
    message = {"role": "assistant", "content": text.text, "refusal": text.refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": request.body["model"],
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": text.finish_reason}],
        "usage": text.usage or used | {"total_tokens": sum(used.values())},
    }
