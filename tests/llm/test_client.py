import subprocess
import sys

import pytest

from scraping_ai.llm import ModelError, ModelName, connect, default_model, parse_model
from scraping_ai.llm.client import DEFAULT_OPENAI_MODEL


def test_none_is_no_model():
    assert parse_model(" none ") is None


@pytest.mark.parametrize("name", ["gpt-5.6-luna", "meta-llama/Llama-3.3-70B", "qwen3:4b", "モデル"])
def test_openai_models_keep_their_name(name):
    model = parse_model(f"openai/{name}")
    assert model == ModelName("openai", name)
    assert str(model) == f"openai/{name}"


def test_gemini_is_told_to_be_missing():
    with pytest.raises(ValueError, match=r"not available yet; write openai/MODEL or none"):
        parse_model("gemini/gemini-3")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "openai",
        "openai/",
        "openai/a b",
        "openai/a\nb",
        "openai/\ud800",
        "gemini/",
        "gpt-5",
        "x/y",
        "openai/" + "a" * 201,
    ],
)
def test_other_names_say_what_to_write(text):
    with pytest.raises(ValueError, match=r"^llm: .*write openai/MODEL .*or none$") as caught:
        parse_model(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    ("environ", "model"),
    [
        ({}, "none"),
        ({"OPENAI_MODEL": "x"}, "none"),
        ({"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}, "none"),
        ({"OPENAI_API_KEY": "k"}, f"openai/{DEFAULT_OPENAI_MODEL}"),
        ({"OPENAI_API_KEY": "k", "OPENAI_MODEL": "x"}, "openai/x"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_MODEL": "x"}, "openai/x"),
    ],
)
def test_the_default_is_what_the_keys_allow(environ, model):
    assert default_model(environ) == model
    assert str(parse_model(model) or "none") == model


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "OPENAI_API_KEY"),
        ({"api_key": "  "}, "OPENAI_API_KEY"),
        ({"api_key": "sk-secret\x00"}, "OPENAI_API_KEY"),
        ({"api_key": "sk-secretё"}, "OPENAI_API_KEY"),
        ({"base_url": "localhost:8000"}, "http://127.0.0.1:8000/v1"),
        ({"base_url": "http://"}, "http://127.0.0.1:8000/v1"),
        ({"base_url": "http://host:99999"}, "http://127.0.0.1:8000/v1"),
        ({"base_url": "http://[::1"}, "http://127.0.0.1:8000/v1"),
        ({"base_url": "file:///etc/passwd"}, "http://127.0.0.1:8000/v1"),
    ],
)
def test_a_model_without_key_or_address_is_refused(given, said):
    with pytest.raises(ModelError) as caught:
        connect(ModelName("openai", "x"), **given)
    assert said in caught.value.message
    assert "secret" not in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("given", [{"timeout": 0}, {"max_retries": -1}, {"concurrency": 0}])
def test_numbers_that_make_no_sense_are_refused(given):
    with pytest.raises(ValueError, match="LLM_CONCURRENCY"):
        connect(ModelName("openai", "x"), api_key="k", **given)


def test_the_openai_package_is_imported_only_when_used():
    code = "import sys, scraping_ai.llm; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_openai_package_says_how_to_install_it():
    code = (
        "import sys; sys.modules['openai'] = None\n"
        "from scraping_ai.llm import *\n"
        "try: connect(parse_model('openai/x'), api_key='k')\n"
        "except ModelError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "needs the openai package" in done.stdout
