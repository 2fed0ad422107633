"""Models behind OpenAI's chat completions API: OpenAI itself, vLLM, Ollama, llama.cpp or any compatible server.

Needs the package `openai` 3; imported only when such a model is used.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from scraping_ai.llm.client import ModelError, Reply

OPENAI_URL = "https://api.openai.com/v1"
MAX_RESPONSE_BYTES = 8_000_000

# A client without a key refuses to start, and with None it takes the one in the environment, which may be
# meant for another server.
_NO_KEY = "none"


class OpenAIModel:
    """One model of one server. See `scraping_ai.llm.connect` for the arguments."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        max_retries: int,
        concurrency: int,
    ) -> None:
        key = (api_key or "").strip()
        self._check(base_url, key)
        self._name = name
        self._key = key
        self._where = urlsplit(base_url or OPENAI_URL).netloc.rpartition("@")[2]
        self._deadline = timeout * (max_retries + 1)
        self._tries = max_retries + 1
        self._slots = asyncio.Semaphore(concurrency)
        self._client = openai.AsyncOpenAI(
            api_key=key or _NO_KEY,
            base_url=base_url or OPENAI_URL,
            timeout=timeout,
            max_retries=max_retries,
            # Encoded bodies are refused below: a few bytes may stand for gigabytes.
            default_headers={"Accept-Encoding": "identity"},
            # A redirect would take page text and key to a server that the user did not name.
            http_client=openai.DefaultAsyncHttpxClient(
                timeout=timeout, follow_redirects=False, event_hooks={"response": [_bound]}
            ),
        )

    @staticmethod
    def _check(base_url: str | None, key: str) -> None:
        if not base_url and not key:
            raise ModelError("no key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own")
        if not (key.isascii() and key.isprintable()):
            raise ModelError("OPENAI_API_KEY holds characters that no key has; copy it again")
        try:
            parts = urlsplit(base_url or OPENAI_URL)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            usable = False
        if not usable:
            raise ModelError("OPENAI_BASE_URL is not an address; write one like http://127.0.0.1:8000/v1")

    async def complete(self, system: str, prompt: str, schema: dict[str, Any]) -> Reply:
        """See `Model.complete`."""
        async with self._slots:
            try:
                async with asyncio.timeout(self._deadline):
                    content = await self._post(system, prompt, schema)
            except TimeoutError:
                raise self._error(f"no answer within {self._deadline:g} s") from None
            except openai.APIError as error:
                raise self._error(self._explain(error)) from None
        return self._read(content)

    async def aclose(self) -> None:
        """See `Model.aclose`."""
        await self._client.close()

    async def _post(self, system: str, prompt: str, schema: dict[str, Any]) -> bytes:
        response = await self._client.chat.completions.with_raw_response.create(
            model=self._name,
            messages=[{"role": "system", "content": system}, {"role": "user", "content": prompt}],
            response_format={
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": schema, "strict": True},
            },
        )
        return response.content

    def _read(self, content: bytes) -> Reply:
        """The reply in a response body. Compatible servers differ in what they add and leave out."""
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            raise self._error("what the server sent is not JSON; is OPENAI_BASE_URL right?") from None
        choice = _get(body, "choices", 0)
        used = _count(_get(body, "usage", "prompt_tokens")), _count(_get(body, "usage", "completion_tokens"))
        if _get(choice, "message", "refusal") or _get(choice, "finish_reason") == "content_filter":
            raise self._error("the model refused to answer", *used)
        if _get(choice, "finish_reason") == "length":
            raise self._error("the answer was cut off at the model's output limit; ask for fewer fields", *used)
        text = _get(choice, "message", "content")
        if not isinstance(text, str) or not text:
            raise self._error("the answer is empty", *used)
        return Reply(text, *used)

    def _error(self, what: str, input_tokens: int = 0, output_tokens: int = 0) -> ModelError:
        if self._key:
            what = what.replace(self._key, "***")
        return ModelError(f"openai/{self._name} at {self._where}: {what}", input_tokens, output_tokens)

    def _explain(self, error: openai.APIError) -> str:
        """What happened and what to do, in one line."""
        if isinstance(error, openai.APITimeoutError):
            return f"no answer in time, {self._tries} tries"
        if isinstance(error, openai.APIStatusError):
            return self._explain_status(error)
        if isinstance(error.__cause__, httpx2.ConnectError):
            return "cannot connect; is the server running, and OPENAI_BASE_URL right?"
        return f"the connection broke, {self._tries} tries"

    def _explain_status(self, error: openai.APIStatusError) -> str:
        status = error.status_code
        if status == 401:
            return "wrong API key; check OPENAI_API_KEY" if self._key else "the server wants a key; set OPENAI_API_KEY"
        if status == 403:
            return "this API key may not use the model"
        if status == 404:
            return "unknown model, or OPENAI_BASE_URL lacks a path such as /v1"
        if status == 429 and error.code == "insufficient_quota":
            return "the account's quota is used up"
        if status == 429:
            return f"rate limited, {self._tries} tries; lower LLM_CONCURRENCY"
        if status >= 500:
            return f"server error {status}, {self._tries} tries"
        if status < 400:
            return f"the server redirects ({status}); set OPENAI_BASE_URL to the final address"
        if error.code == "context_length_exceeded":
            return "the page is longer than the model can read; lower LLM_MAX_CHARS"
        return f"request refused, {' '.join(error.message.split())[:300]}"


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_RESPONSE_BYTES:
                raise ModelError(f"the model's server sent more than {MAX_RESPONSE_BYTES // 1_000_000} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise ModelError("the model's server sent an encoded body that was not asked for")
    assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101 - an asynchronous client has no other
    response.stream = _BoundedStream(response.stream)


def _get(node: object, *path: str | int) -> object:
    """The node at `path`, or None where the JSON has another shape."""
    for key in path:
        if isinstance(node, dict) and isinstance(key, str):
            node = node.get(key)
        elif isinstance(node, list) and isinstance(key, int) and key < len(node):
            node = node[key]
        else:
            return None
    return node


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
