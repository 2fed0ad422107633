"""The extract stage: wrappers learned from examples, structured data, heuristics, then a model for what is missing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import BaseSettings

from scraping_ai.examples import Lessons
from scraping_ai.extraction import Extractor, Result
from scraping_ai.extraction.parsers import installed
from scraping_ai.extraction.wrappers import Example, Wrapper, WrapperError
from scraping_ai.frontier.scope import host_of
from scraping_ai.items import Page
from scraping_ai.llm import Model, ModelError, ModelName, PrunedPage, ask, connect, default_model, parse_model
from scraping_ai.options import HasTasks, Options
from scraping_ai.pipelines.pool import InLine, Killed, Pool
from scraping_ai.pipelines.workers import Asked, Work
from scraping_ai.schema import FieldSchema, parse_fields

logger = logging.getLogger(__name__)

MAX_MODELS = 16  # that tasks name
ANY = parse_fields("title")  # what workers start with whose tasks say what they want


class ExtractPipeline:
    """Fills a page's records, each value with evidence; `reason` where there is nothing to extract from."""

    def __init__(self, crawler: Crawler) -> None:
        spider: Any = crawler.spider
        if not isinstance(spider, HasTasks):
            raise NotConfigured
        self.spider, self.settings, self.stats = spider, crawler.settings, crawler.stats
        own = getattr(spider, "options", None)  # None: each task has its own
        self.models: dict[tuple[bool, ModelName | None], Model | None] = {}
        with_model = self.model_of(own) is not None if isinstance(own, Options) else True
        self.extraction = extraction(own.schema if own else ANY, crawler.settings, with_model=with_model)
        self.lessons: Lessons | None = getattr(spider, "lessons", None)
        self.wrappers: dict[str, asyncio.Task[Wrapper | None]] = {}  # by host

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ExtractPipeline:
        return cls(crawler)

    def model_of(self, options: Options) -> Model | None:
        """The model of a job, opened once; one that can't be had is told once."""
        wanted = options.llm_given, options.llm
        if wanted not in self.models:
            if len(self.models) == MAX_MODELS:
                return None
            self.models[wanted] = self.opened(options)
            if len(self.models) == MAX_MODELS:
                logger.warning("llm: tasks named %d models; those that come now are not asked", MAX_MODELS)
        return self.models[wanted]

    def opened(self, options: Options) -> Model | None:
        """None for none; one that was asked for and can't be had ends a crawl for it alone before it starts."""
        try:
            name = name_of(options, self.settings)
            return None if name is None else open_model(name, self.settings)
        except (ModelError, ValueError) as error:
            logger.error("llm: %s", error)
            if options.llm_given and options is getattr(self.spider, "options", None):
                raise SystemExit(2) from None
            return None

    async def open_spider(self) -> None:
        """Workers start while the first pages are fetched."""
        self.opening = asyncio.create_task(self.extraction.open())

    async def close_spider(self) -> None:
        await self.opening
        await self.extraction.close()
        for model in filter(None, self.models.values()):
            await model.aclose()

    async def process_item(self, page: Page) -> Page:
        if page.reason is not None:
            return page
        options = self.spider.options_of(page.task)
        model = self.model_of(options)
        wrapper = await self.wrapper_of(page.url)
        schema = None if page.task is None else options.schema
        asked = Asked(page.body, page.url, page.content_type or None, wrapper, schema, model is not None)
        try:
            result, pruned = await self.extraction.extract(asked)
        except Killed as error:
            page.reason = str(error)
            return page
        except Exception as error:  # a fault of ours costs the page, and is told with it
            logger.debug("%s: extraction failed", page.url, exc_info=True)
            page.reason = f"extraction failed: {type(error).__name__}"
            return page
        if model and pruned and result.reason is None:
            result = await self.ask_model(model, page, result, pruned)
        page.records, page.reason = result.as_records(), result.reason
        return page

    async def wrapper_of(self, url: str) -> Wrapper | None:
        """What the examples of a page's site teach, learned once; None without examples."""
        if self.lessons is None:
            return None
        await self.lessons.complete.wait()
        lessons, host = self.lessons.of(url), host_of(url)
        if not lessons:
            return None
        if host not in self.wrappers:
            self.wrappers[host] = asyncio.create_task(self.learn(lessons, host))
        return await self.wrappers[host]

    async def learn(self, lessons: Sequence[Example], host: str) -> Wrapper | None:
        """A wrapper; None, and the reason in the log, where nothing can be learned."""
        try:
            wrapper = await self.extraction.learn(lessons)
        except (Killed, WrapperError) as error:
            logger.error("examples of %s: %s; going on without", host or "the files", error)
            return None
        for url, path in wrapper.unfound:
            logger.warning("examples: the value of %s stands nowhere on %s; passed over", path, url)
        for url, path in wrapper.unlearned:
            logger.warning("examples: no rules were found that give what %s is on %s", path, url)
        return wrapper

    async def ask_model(self, model: Model, page: Page, result: Result, pruned: PrunedPage) -> Result:
        """The result with the model's proved answers; as it was when the model fails."""
        try:
            answers = await ask(model, result.schema, result.missing, known(result), pruned)
        except ModelError as error:
            logger.error("%s: model: %s", page.url, error)
            self.stats.inc_value("scraping_ai/model_errors")
            self.count(page, error.input_tokens + error.output_tokens)
            return result
        self.count(page, answers.input_tokens + answers.output_tokens)
        try:
            grounded = await self.extraction.ground(result, answers.values, page.body)
        except Killed as error:
            logger.warning("%s: the model's answers can't be looked for: %s", page.url, error)
            return result
        self.stats.inc_value("scraping_ai/ungrounded", grounded.ungrounded)
        return grounded

    def count(self, page: Page, tokens: int) -> None:
        page.model_tokens += tokens
        self.stats.inc_value("scraping_ai/model_tokens", tokens)


def extraction(schema: FieldSchema, settings: BaseSettings, with_model: bool) -> InLine | Pool:
    """Extraction as the settings want it: in worker processes, or with none in this one."""
    try:
        parsers = [*settings.getlist("PARSERS"), *installed()]
        extractor = Extractor(schema, settings.getlist("EXTRACT_METHODS"), parsers)
    except ValueError as error:
        logger.error("%s", error)
        raise SystemExit(2) from None
    work = Work(extractor, settings.getint("LLM_MAX_CHARS") if with_model else None)
    if not (processes := settings.getint("EXTRACT_PROCESSES")):
        return InLine(work)
    return Pool(work, processes, settings.getfloat("EXTRACT_TIMEOUT"), settings.getint("EXTRACT_MEMORY"))


def known(result: Result) -> dict[str, Any]:
    """What is proved already, as context for the model; of a list it is asked for the whole."""
    return result.records[0] if result.schema.type == "object" and result.records else {}


def name_of(options: Options, settings: BaseSettings) -> ModelName | None:
    """The model that the job names, or else the environment; None for none. Raises ModelError."""
    return options.llm if options.llm_given else parse_model(default_model(shared(settings)))


def open_model(name: ModelName, settings: BaseSettings) -> Model:
    """Raises ModelError."""
    return connect(
        name,
        base_url=settings.get("OPENAI_BASE_URL") or None,
        api_key=settings.get("OPENAI_API_KEY") or None,
        timeout=settings.getfloat("LLM_TIMEOUT"),
        max_retries=settings.getint("LLM_MAX_RETRIES"),
        concurrency=settings.getint("LLM_CONCURRENCY"),
    )


def shared(settings: BaseSettings) -> Mapping[str, str]:
    """The settings by which a model is chosen when none is named."""
    return {name: settings.get(name) or "" for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL")}
