from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from scraping_ai.environment import override, parse


def test_values_take_the_type_of_their_default() -> None:
    settings = {"FLAG": False, "COUNT": 1, "SECONDS": 1.5, "NAMES": ["a"], "MAP": {"a": 1}, "TEXT": "x", "NONE": None}
    given = {"FLAG": "true", "COUNT": "7", "SECONDS": "0", "NAMES": '["b"]', "MAP": "{}", "TEXT": "y", "NONE": "z"}
    override(settings, {f"SCRAPING_AI_{name}": text for name, text in given.items()})
    assert settings == {"FLAG": True, "COUNT": 7, "SECONDS": 0.0, "NAMES": ["b"], "MAP": {}, "TEXT": "y", "NONE": "z"}


@pytest.mark.parametrize(
    ("default", "text"), [(False, "maybe"), (1, "1.5"), (1.5, "x"), (1.5, "nan"), (1, "-1"), ([], "{}"), ({}, "[")]
)
def test_what_does_not_fit_is_named(default: object, text: str) -> None:
    with pytest.raises(ValueError, match=r"SCRAPING_AI_X=.*write"):
        override({"X": default}, {"SCRAPING_AI_X": text})


def test_lists_may_be_written_with_commas_and_priorities_below_zero() -> None:
    assert parse("NAMES", "a, b", []) == ["a", "b"]
    assert parse("RETRY_PRIORITY_ADJUST", "-1", 0) == -1
    assert parse("LOG_LEVEL", "debug", "INFO") == "DEBUG"


def test_the_settings_module_reads_the_environment() -> None:
    code = "import json; from scraping_ai.settings import *; print(json.dumps([DOWNLOAD_DELAY, OPENAI_BASE_URL]))"
    environ = {**os.environ, "SCRAPING_AI_DOWNLOAD_DELAY": "0", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    out = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, check=True, text=True).stdout
    assert json.loads(out) == [0.0, "http://127.0.0.1:1/v1"]
