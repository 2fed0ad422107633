"""Models as the last resort: ask one for the fields that nothing else could prove.

    model = connect(parse_model("openai/gpt-5.6-luna"), api_key=...)
    page = PrunedPage.of(selector, url, schema, limit=24_000)
    answers = await ask(model, schema, result.missing, known, page)

Knows nothing of Scrapy. What a model answers is not proved: `scraping_ai.extraction.ground` does that.
"""

from scraping_ai.llm.ask import Answers, ask
from scraping_ai.llm.client import Model, ModelError, ModelName, Reply, connect, default_model, parse_model
from scraping_ai.llm.prune import PrunedPage, page_text

__all__ = [
    "Answers",
    "Model",
    "ModelError",
    "ModelName",
    "PrunedPage",
    "Reply",
    "ask",
    "connect",
    "default_model",
    "page_text",
    "parse_model",
]
