"""Settings as text: from the environment (`SCRAPING_AI_NAME`, a few names that other programs share) and `-s`."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings

PREFIX = "SCRAPING_AI_"
SHARED = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "REDIS_URL")
CHOICES = {"GATE_BY": ("host", "site")}
LEVELS = ("LOG_LEVEL", "RETRY_GIVE_UP_LOG_LEVEL")
# The least that a number may be, where 0 would let a job stand still for ever; of others it is 0.
LEAST: Mapping[str, float] = {
    **dict.fromkeys(
        ("CONCURRENT_ITEMS", "CONCURRENT_REQUESTS", "CONCURRENT_REQUESTS_PER_DOMAIN", "LLM_CONCURRENCY"), 1
    ),
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 0.01,
    **dict.fromkeys(("DOWNLOAD_TIMEOUT", "EXTRACT_TIMEOUT", "LLM_TIMEOUT", "FRONTIER_LEASE"), 0.1),
}
TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def parse(name: str, text: str, default: object) -> Any:
    """The text of a variable in its default's type.

    Raises ValueError, with one line that names the variable, when it does not fit.
    """
    try:
        if isinstance(default, bool):
            return boolean(text)
        if isinstance(default, int | float):
            return number(name.removeprefix(PREFIX), text, type(default))
        if isinstance(default, list) and not text.lstrip().startswith(("[", "{")):
            return [part.strip() for part in text.split(",") if part.strip()]
        if isinstance(default, list | dict):
            value = json.loads(text)
            if not isinstance(value, type(default)):
                raise ValueError
            return value
        if name.removeprefix(PREFIX) in LEVELS:
            return level(text)
        if name.removeprefix(PREFIX) in CHOICES:
            return choice(text, CHOICES[name.removeprefix(PREFIX)])
    except (ValueError, RecursionError) as error:
        kind = {"dict": "a JSON object", "list": "a JSON array", "bool": "true or false", "int": "a whole number"}
        wanted = error.args[0] if isinstance(error, Unfit) else kind.get(type(default).__name__, "a number")
        raise ValueError(f"{name}={text[:80]!r}: write {wanted}") from None
    return text


class Unfit(ValueError):
    """A text that is no value of its setting; the message says what would be."""


def number(name: str, text: str, kind: type[int | float]) -> int | float:
    """A finite number that is not less than its setting may be; only priorities may be negative."""
    least = LEAST.get(name, -math.inf if "PRIORITY" in name else 0)
    found = kind(text)
    if not least <= found < math.inf:
        raise Unfit(f"{'a whole' if kind is int else 'a'} number of at least {least:g}")
    return found


def level(text: str) -> str:
    """The name of a level of Python's logging."""
    levels = [name for name in logging.getLevelNamesMapping() if name != "NOTSET"]
    if text.upper() not in levels:
        raise Unfit(f"one of {', '.join(levels)}")
    return text.upper()


def choice(text: str, known: Sequence[str]) -> str:
    """One of a few words."""
    if text not in known:
        raise Unfit(f"one of {', '.join(known)}")
    return text


def boolean(text: str) -> bool:
    """Raises ValueError for what is neither true nor false."""
    if text.strip().lower() in TRUE | FALSE:
        return text.strip().lower() in TRUE
    raise ValueError(text)


def override(settings: MutableMapping[str, Any], environ: Mapping[str, str]) -> None:
    """Put the environment's values over the defaults of a settings module, in place.

    A variable for a setting that neither the module nor Scrapy names goes in as text: Scrapy's getters convert it.
    """
    for name in SHARED:
        if environ.get(name):
            settings[name] = environ[name]
    for variable, text in environ.items():
        name = variable.removeprefix(PREFIX)
        if variable.startswith(PREFIX) and name.isupper():
            settings[name] = parse(variable, text, settings.get(name, getattr(default_settings, name, None)))


def typed(given: Mapping[str, str]) -> dict[str, Any]:
    """Settings given as text, in the types of their defaults; raises ValueError as `parse` does."""
    from scraping_ai import settings  # late: it is made with this module

    defaults = vars(default_settings) | vars(settings)
    return {name: parse(name, text, defaults.get(name)) for name, text in given.items()}


def fit(settings: BaseSettings) -> None:
    """Give the texts that a command line set the types of their defaults, in place; raises ValueError."""
    priority = SETTINGS_PRIORITIES["cmdline"]
    names = [name for name in settings if settings.getpriority(name) == priority and isinstance(settings[name], str)]
    settings.setdict(typed({name: settings[name] for name in names}), priority)
