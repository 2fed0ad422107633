"""Settings from the environment: `SCRAPING_AI_NAME`, and a few names that other programs share."""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping
from typing import Any

PREFIX = "SCRAPING_AI_"
SHARED = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")
TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def parse(name: str, text: str, default: object) -> Any:
    """The text of a variable in its default's type.

    Raises ValueError, with one line that names the variable, when it does not fit.
    """
    try:
        if isinstance(default, bool):
            return boolean(text)
        if isinstance(default, int | float):
            return int(text) if isinstance(default, int) else float(text)
        if isinstance(default, list | dict):
            value = json.loads(text)
            if not isinstance(value, type(default)):
                raise ValueError
            return value
    except ValueError:
        kind = {"dict": "a JSON object", "list": "a JSON array", "bool": "true or false", "int": "a whole number"}
        raise ValueError(f"{name}={text!r}: write {kind.get(type(default).__name__, 'a number')}") from None
    return text


def boolean(text: str) -> bool:
    """Raises ValueError for what is neither true nor false."""
    if text.strip().lower() in TRUE | FALSE:
        return text.strip().lower() in TRUE
    raise ValueError(text)


def override(settings: MutableMapping[str, Any], environ: Mapping[str, str]) -> None:
    """Put the environment's values over the defaults of a settings module, in place.

    A variable for a setting that is not named in the module goes in as text: Scrapy's getters convert it.
    """
    for name in SHARED:
        if environ.get(name):
            settings[name] = environ[name]
    for variable, text in environ.items():
        name = variable.removeprefix(PREFIX)
        if variable.startswith(PREFIX) and name.isupper():
            settings[name] = parse(variable, text, settings.get(name))
