"""A site's own code: parsers for pages of known hosts, whose answers are proved like those of any other method.

See docs/parsers.md. Parsers are found by the setting PARSERS or by the entry-point group `scraping_ai.parsers`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.metadata import entry_points
from itertools import islice
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from lxml import etree
from parsel import Selector

from scraping_ai.extraction import paths
from scraping_ai.extraction.candidate import Candidate, prove
from scraping_ai.extraction.document import Anchor, Document, attribute_of, string_value
from scraping_ai.extraction.normalise.placeholders import is_placeholder
from scraping_ai.schema import FieldSchema

GROUP = "scraping_ai.parsers"
MAX_ANSWERS = 20_000  # a page
MAX_SHOWN = 60  # characters of a text in the log
_NOWHERE = etree.Element("nowhere")
_INDEX = re.compile(r"\[\d+\]")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a parser says that a field is. Paths are those of records: `price`, `tags[0]`, `[3].title` in a listing."""

    path: str
    candidate: Candidate


@runtime_checkable
class Parser(Protocol):
    """A site's own code. `hosts` are patterns such as "shop.example" and "*.shop.example"."""

    hosts: tuple[str, ...]

    def parse(self, document: Document, schema: FieldSchema) -> Iterable[Answer]:
        """What the page says, for the fields that the schema asks for."""
        ...


def answer(
    path: str,
    node: Selector | etree._Element,
    text: str | None = None,
    attribute: str | None = None,
    confidence: float = 0.95,
) -> Answer:
    """An answer that stands in an element or one of its attributes: all of its text, or the part that is given."""
    element = node.root if isinstance(node, Selector) else node
    if not isinstance(element, etree._Element):
        raise TypeError(f"{path}: name the element, and the attribute by `attribute`, not a text of it")
    if text is None:
        text = (element.get(attribute) or "") if attribute else string_value(element)
    return Answer(path, Candidate(text.strip(), Anchor(element, attribute), confidence, "parser"))


def installed() -> list[str]:
    """Dotted paths of the parsers that installed packages offer; one that cannot be loaded is logged and left out."""
    found = []
    for point in entry_points(group=GROUP):
        path = point.value.replace(":", ".")
        try:
            load(path)
        except ValueError as error:
            logger.error("%s", error)
        else:
            found.append(path)
    return found


def load(path: str) -> Parser:
    """The parser at a dotted path: `package.module.Class`, or an object. Raises ValueError, one line, for others."""
    module, _, name = path.rpartition(".")
    if not module or not name:
        raise ValueError(f"parser {path!r} names no class: write module.Class, such as {path.strip('.')}.Parser")
    try:
        found = getattr(import_module(module), name)
        parser = found() if isinstance(found, type) else found
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a plug-in does when it is imported
        is_lost = isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]
        hint = "; a module of this folder is found with PYTHONPATH=$PWD before the command" if is_lost else ""
        raise ValueError(f"parser {path!r} cannot be loaded: {type(error).__name__}: {error}{hint}") from None
    hosts: object = getattr(parser, "hosts", None)
    if (
        not isinstance(parser, Parser)
        or not isinstance(hosts, (tuple, list))
        or not all(isinstance(h, str) for h in hosts)
    ):
        raise ValueError(f"parser {path!r} needs `hosts`, a tuple of host patterns, and a method `parse`")
    return parser


class Answers:
    """The answers of all parsers of a page's host, by path."""

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self._at: dict[str, list[Candidate]] = {}
        self._counts: dict[str, int] = {}
        for one in answers:
            self._add(one.path, one.candidate)

    def join(self, others: Iterable[tuple[str, Candidate]]) -> None:
        """Add another method's answers, of lists only those that have none yet."""
        lists = {path for path, count in self._counts.items() if count}
        for path, candidate in others:
            if path.partition("[")[0] not in lists:
                self._add(path, candidate)

    def _add(self, path: str, candidate: Candidate) -> None:
        self._at.setdefault(path, []).append(candidate)
        self._count(path)

    def _count(self, path: str) -> None:
        """Note what a path implies: `a.b[2].c` is below `a`, and makes a list of three at `a.b`."""
        for index, char in enumerate(path):
            if char == ".":
                self._counts.setdefault(path[:index], 0)
            elif char == "[":
                number = path[index + 1 : path.find("]", index)]
                if number.isdecimal() and len(number) < 6:
                    self._counts[path[:index]] = max(self._counts.get(path[:index], 0), int(number) + 1)

    def at(self, path: str) -> list[Candidate]:
        """Candidates for a scalar field."""
        return self._at.get(path, [])

    def below(self, path: str) -> bool:
        """Whether a part of an object is answered."""
        return path in self._counts

    def count(self, path: str) -> int:
        """How many items of a list (of records: at "") are answered."""
        return self._counts.get(path, 0)


class Parsers:
    """The parsers of an extractor. One that fails is logged once and left out of that page; a field of which no answer
    stands where the parser says, or fits the field's type, once too.

    Another process gets those that were given by path by their path, so that they need not be picklable.
    """

    def __init__(self, parsers: Iterable[Parser | str]) -> None:
        self._given = tuple(parsers)
        self._parsers = [load(parser) if isinstance(parser, str) else parser for parser in self._given]
        self._told: set[str] = set()

    def __reduce__(self) -> tuple[type[Parsers], tuple[tuple[Parser | str, ...]]]:
        return Parsers, (self._given,)

    def answers(self, document: Document, schema: FieldSchema) -> Answers:
        """What the parsers for a page's host say about it."""
        if not self._parsers:
            return Answers()
        try:
            host = (urlsplit(document.url).hostname or "").lower()
        except ValueError:
            return Answers()
        fitting = [p for p in self._parsers if any(fnmatchcase(host, pattern.lower()) for pattern in p.hosts)]
        return Answers(one for parser in fitting for one in self._run(parser, document, schema))

    def _run(self, parser: Parser, document: Document, schema: FieldSchema) -> Iterator[Answer]:
        """One parser's answers. It works on a copy: what it writes into the tree stands on no page."""
        name = f"parser {type(parser).__qualname__}"
        twin = document.twin()
        nodes = dict(zip(twin.root.iter(), document.root.iter(), strict=True))
        try:
            given = list(islice(parser.parse(twin, schema), MAX_ANSWERS))
            if others := [one for one in given if not is_answer(one)]:
                raise TypeError(f"parse() gave {type(others[0]).__name__}, not what answer() makes")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a plug-in's fault, even sys.exit(), must cost neither page nor job
            self._tell(logging.ERROR, name, f"{type(error).__name__}: {error}", document.url)
            return
        found = [_moved(one, nodes) for one in given]
        problems = [(one.path, problem(document, schema, one)) for one in found]
        fine = {path for path, wrong in problems if not wrong}
        for path, wrong in problems:
            if wrong and path not in fine:
                self._tell(logging.WARNING, f"{name}: {_INDEX.sub('[]', path)}", f"{wrong}; dropped", document.url)
        yield from found

    def _tell(self, level: int, once: str, what: str, url: str) -> None:
        """Log a line, of those that begin so the first."""
        if once not in self._told:
            self._told.add(once)
            logger.log(level, "%s: %s (%s)", once, what, url, extra={"once": once})


def is_answer(one: object) -> bool:
    """Whether a parser gave what `answer` makes, with parts of the types that it has."""
    if not isinstance(one, Answer) or not isinstance(one.path, str) or not isinstance(one.candidate, Candidate):
        return False
    candidate = one.candidate
    return (
        isinstance(candidate.text, str)
        and isinstance(candidate.anchor, Anchor)
        and isinstance(candidate.anchor.node, etree._Element)
        and isinstance(candidate.confidence, (int, float))
        and 0 <= candidate.confidence <= 1
    )


def _moved(one: Answer, nodes: Mapping[etree._Element, etree._Element]) -> Answer:
    """An answer of a page's copy as one of the page; one of an element that the page does not have stands nowhere."""
    anchor = one.candidate.anchor
    node = nodes.get(anchor.node)
    moved = Anchor(_NOWHERE) if node is None else replace(anchor, node=node)
    return replace(one, candidate=replace(one.candidate, anchor=moved))


def problem(document: Document, schema: FieldSchema, one: Answer) -> str:
    """Why an answer gives its field no value; "" when it gives one, says that there is none, or is of no field."""
    field = paths.field_at(schema, one.path)
    text, anchor = one.candidate.text, one.candidate.anchor
    if field is None or field.type in ("object", "array") or not text or is_placeholder(text):
        return ""
    if prove(document, field, one.candidate) is not None:
        return ""
    standing = string_value(anchor.node) if anchor.attribute is None else attribute_of(anchor.node, anchor.attribute)
    if anchor.pointer is None and text not in standing:
        return f"{text[:MAX_SHOWN]!r} does not stand there"
    return f"{text[:MAX_SHOWN]!r} is no value of this field ({field.type})"
