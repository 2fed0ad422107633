"""Naming a model, and the one protocol every model is spoken to through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

# OpenAI's model for cost-sensitive, high-volume work (developers.openai.com/api/docs/models).
DEFAULT_OPENAI_MODEL = "gpt-5.6-luna"
MAX_NAME_CHARS = 200


class ModelError(Exception):
    """A call that gave no usable answer. The message is one line without the key; the model tokens were spent."""

    def __init__(self, message: str, input_tokens: int = 0, output_tokens: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model as users write it: `openai/gpt-5.6-luna`."""

    provider: str
    name: str

    def __str__(self) -> str:
        return f"{self.provider}/{self.name}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply. Model tokens as the server counted them, 0 where it does not tell."""

    text: str
    input_tokens: int
    output_tokens: int


class Model(Protocol):
    """A model that can be asked; safe to share between tasks of one event loop."""

    async def complete(self, system: str, prompt: str, schema: dict[str, Any]) -> Reply:
        """The reply to `prompt`: JSON text that should fit `schema` (JSON Schema, its root an object).

        Raises ModelError.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections. The model can't be asked again."""
        ...


def parse_model(text: str) -> ModelName | None:
    """`none` is None, `openai/NAME` a ModelName. Raises ValueError that says what to write instead."""
    text = text.strip()
    if text == "none":
        return None
    provider, _, name = text.partition("/")
    if provider == "gemini" and name:
        raise ValueError("llm: gemini/ models are not available yet; write openai/MODEL or none")
    usable = 0 < len(name) <= MAX_NAME_CHARS and name.isprintable() and " " not in name
    if provider != "openai" or not usable:
        raise ValueError(f"llm: {text[:80]!r} is no model; write openai/MODEL (openai/{DEFAULT_OPENAI_MODEL}) or none")
    return ModelName(provider, name)


def default_model(environ: Mapping[str, str]) -> str:
    """What to use when `llm` is not given: `openai/OPENAI_MODEL` with a key or a server of one's own, else `none`."""
    if environ.get("OPENAI_API_KEY") or environ.get("OPENAI_BASE_URL"):
        return f"openai/{environ.get('OPENAI_MODEL') or DEFAULT_OPENAI_MODEL}"
    return "none"


def connect(
    model: ModelName,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 60.0,
    max_retries: int = 2,
    concurrency: int = 4,
) -> Model:
    """A Model that is ready to be asked; nothing is sent yet.

    `base_url`: None is the provider's own. `timeout`: seconds an attempt; no call takes longer than all its attempts
    together. `concurrency`: calls in flight at once, others wait. Raises ModelError for a missing key, address or
    package, and ValueError for numbers that make no sense.
    """
    if timeout <= 0 or max_retries < 0 or concurrency < 1:
        raise ValueError("LLM_TIMEOUT must be above 0, LLM_MAX_RETRIES 0 or more, LLM_CONCURRENCY 1 or more")
    try:
        from scraping_ai.llm.openai_model import OpenAIModel
    except ModuleNotFoundError:
        raise ModelError(
            f"{model} needs the openai package, not installed here: make install, or pip install 'openai>=3,<4'"
        ) from None
    return OpenAIModel(
        model.name,
        base_url=base_url,
        api_key=api_key,
        timeout=timeout,
        max_retries=max_retries,
        concurrency=concurrency,
    )
