import asyncio
import gzip
import json
import socket

import pytest
from servers.llm import (
    Hang,
    LLMServer,
    Raw,
    Request,
    Status,
    Text,
    cut_off,
    rate_limited,
    refusal,
    unknown_model,
    wrong_key,
)

from scraping_ai.llm import ModelError, ModelName, connect

KEY = "sk-very-secret-0123456789"
SCHEMA = {
    "type": "object",
    "properties": {"price": {"type": ["number", "null"]}},
    "required": ["price"],
    "additionalProperties": False,
}


def complete(base_url, *, prompt="page", times=1, **options):
    """The replies to `times` calls at once."""

    async def run():
        model = connect(ModelName("openai", "test"), base_url=base_url, **({"api_key": KEY, "timeout": 10} | options))
        try:
            return await asyncio.gather(*(model.complete("system", prompt, SCHEMA) for _ in range(times)))
        finally:
            await model.aclose()

    return asyncio.run(run())


def failure(script, **options):
    """The one error of a call that fails."""
    with LLMServer(script) as server, pytest.raises(ModelError) as caught:
        complete(server.base_url, **options)
    error = caught.value
    assert error.message == str(error)
    assert "\n" not in error.message
    assert KEY not in error.message
    return error, server.requests


def test_a_reply_comes_with_the_tokens_that_the_server_counted():
    with LLMServer(Text('{"price": 5}', usage={"prompt_tokens": 31, "completion_tokens": 7})) as server:
        (reply,) = complete(server.base_url)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ('{"price": 5}', 31, 7)


def test_what_is_sent():
    with LLMServer({"price": 5}) as server:
        complete(server.base_url, prompt="Die Seite: 5 €")
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "test"
    assert (request.system, request.prompt) == ("system", "Die Seite: 5 €")
    assert request.body["response_format"]["type"] == "json_schema"
    assert request.body["response_format"]["json_schema"]["strict"] is True
    assert request.schema == SCHEMA


def test_a_server_of_ones_own_needs_no_key_and_is_not_given_the_environments(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with LLMServer({"price": 5}) as server:
        complete(server.base_url, api_key=None)
    assert KEY not in str(server.requests[0].headers)


def test_no_more_calls_at_once_than_allowed():
    def slow(request: Request):
        asyncio.run(asyncio.sleep(0.05))
        return {"price": 5}

    with LLMServer(slow) as server:
        assert len(complete(server.base_url, times=10, concurrency=2)) == 10
    assert server.most_at_once == 2


@pytest.mark.parametrize("fault", [rate_limited(), Status(500), Status(503)])
def test_passing_faults_are_retried(fault):
    with LLMServer([fault, {"price": 5}]) as server:
        (reply,) = complete(server.base_url)
    assert json.loads(reply.text) == {"price": 5}
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("script", "said", "calls"),
    [
        (wrong_key(KEY), "wrong API key; check OPENAI_API_KEY", 1),
        (Status(403, KEY), "may not use the model", 1),
        (unknown_model(), "unknown model", 1),
        (rate_limited(0.01), "rate limited, 2 tries", 2),
        (Status(429, "no", "insufficient_quota", (("Retry-After", "0.01"),)), "quota is used up", 2),
        (Status(500), "server error 500, 2 tries", 2),
        (
            Status(400, "Invalid schema:\n 'x' of " + KEY),
            "request refused, Error code: 400 - Invalid schema: 'x' of ***",
            1,
        ),
        (Status(400, "x" * 5000), "x" * 100, 1),
        (Status(400, "no", "context_length_exceeded"), "lower LLM_MAX_CHARS", 1),
        (Status(307, headers=(("Location", "http://127.0.0.1:1/v1/chat/completions"),)), "set OPENAI_BASE_URL", 1),
    ],
)
def test_refused_requests_say_why(script, said, calls):
    error, requests = failure(script, max_retries=1)
    assert said in error.message
    assert error.message.startswith("openai/test at 127.0.0.1:")
    assert len(error.message) < 400
    assert len(requests) == calls


def test_a_server_that_wants_a_key_says_so():
    error, _ = failure(Status(401), api_key=None)
    assert "set OPENAI_API_KEY" in error.message


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (refusal(), "refused to answer"),
        (Text("", finish_reason="content_filter"), "refused to answer"),
        (cut_off(), "cut off"),
        (Text(None), "empty"),
        (Text(""), "empty"),
    ],
)
def test_answers_that_are_none_cost_their_tokens(script, said):
    error, _ = failure(script)
    assert said in error.message
    assert error.input_tokens > 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not JSON"),
        (b"<html>It works!</html>", "not JSON"),
        (b'{"choices": [{"mess', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"null", "empty"),
        (b'{"choices": []}', "empty"),
        (b'{"choices": {"0": 1}}', "empty"),
        (b'{"choices": [{"message": "hello"}], "usage": [1]}', "empty"),
        (b'{"choices": [{"message": {"content": [1]}}], "usage": {"prompt_tokens": "many"}}', "empty"),
    ],
)
def test_bodies_that_are_no_completion(body, said):
    error, _ = failure(Raw(body))
    assert said in error.message


def test_a_server_that_counts_no_tokens():
    with LLMServer(Raw(b'{"choices": [{"message": {"content": "{}"}}]}')) as server:
        (reply,) = complete(server.base_url)
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("{}", 0, 0)


def test_a_huge_body_is_not_read_to_its_end():
    error, _ = failure(Raw(b" " * 9_000_000))
    assert "more than 8 MB" in error.message


def test_a_packed_body_is_not_unpacked():
    error, _ = failure(Raw(gzip.compress(b" " * 9_000_000), headers=(("Content-Encoding", "gzip"),)))
    assert "encoded body" in error.message


def test_half_a_body_is_retried_and_told():
    error, requests = failure(Raw(b'{"choices": [', declared=5000), max_retries=1)
    assert "connection broke, 2 tries" in error.message
    assert len(requests) == 2


def test_a_server_that_hangs():
    error, requests = failure(Hang(), timeout=0.9, max_retries=1)
    assert "no answer" in error.message
    assert len(requests) == 2


def test_a_server_that_drips():
    error, _ = failure(Raw(b" " * 5000, drip=0.05), timeout=0.3, max_retries=0)
    assert "no answer within 0.3 s" in error.message


def test_a_wait_that_the_server_asks_for_is_bounded():
    error, requests = failure(rate_limited(90), timeout=0.2, max_retries=1)
    assert "no answer within 0.4 s" in error.message
    assert len(requests) == 1


def test_no_server_at_all():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        base_url = f"http://user:pass@127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match="cannot connect") as caught:
            complete(base_url, max_retries=0)
    assert "pass" not in caught.value.message


def test_a_slot_is_free_again_after_a_failure():
    with LLMServer([Status(400), {"price": 5}]) as server:

        async def run():
            model = connect(ModelName("openai", "test"), base_url=server.base_url, concurrency=1)
            with pytest.raises(ModelError):
                await model.complete("s", "p", SCHEMA)
            reply = await model.complete("s", "p", SCHEMA)
            await model.aclose()
            return reply

        assert asyncio.run(run()).text == '{"price": 5}'
