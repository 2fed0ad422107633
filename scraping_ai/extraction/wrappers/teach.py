"""From examples to a wrapper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lxml import etree

from scraping_ai.extraction import paths
from scraping_ai.extraction.bodies import Unreadable
from scraping_ai.extraction.concepts import concept_of
from scraping_ai.extraction.document import Document
from scraping_ai.extraction.matching import key
from scraping_ai.extraction.normalise.placeholders import is_placeholder
from scraping_ai.extraction.wrappers import given
from scraping_ai.extraction.wrappers.amounts import amount, digits_of, is_numeric
from scraping_ai.extraction.wrappers.choice import learn_field
from scraping_ai.extraction.wrappers.crossed import is_spot_crossed
from scraping_ai.extraction.wrappers.groups import Sample
from scraping_ai.extraction.wrappers.index import index_of
from scraping_ai.extraction.wrappers.layout import Layout, label_key
from scraping_ai.extraction.wrappers.lists import WantedList, is_divisible
from scraping_ai.extraction.wrappers.places import Wanted
from scraping_ai.extraction.wrappers.rules import Rule
from scraping_ai.extraction.wrappers.vote import Learned, elect
from scraping_ai.extraction.wrappers.words import is_words
from scraping_ai.extraction.wrappers.wrapper import Wrapper, learnable
from scraping_ai.extraction.wrappers.written import WrapperError
from scraping_ai.schema import FieldSchema, read_schema

MAX_EXAMPLES = 50
MAX_LOOKED_AT = 100  # texts with the digits of a number for which no place was found
TRIPLE = "(html, url, values)"

Example = tuple[bytes | str, str, Mapping[str, Any]]


def learn(schema: Any, examples: Iterable[Example]) -> Wrapper:
    """A wrapper from pages of one template whose values are known: `(html, url, values)` triples, one to five do.

    `values` maps fields to what the schema says (`{"title": "Lamp", "price": 9.5, "tags": ["a", "b"]}`). Null says that
    the page has no value; a field left out says nothing. Raises SchemaError and WrapperError.
    """
    root = read_schema(schema)
    if root.type != "object":
        raise WrapperError("wrappers are for one record a page; write a schema whose root is an object")
    if not isinstance(examples, Iterable) or isinstance(examples, (str, bytes, Mapping)):
        raise WrapperError(f"examples are a {type(examples).__name__}; write a list of {TRIPLE} triples")
    pages = [_page(number, example, root) for number, example in enumerate(examples, 1)]
    if not 1 <= len(pages) <= MAX_EXAMPLES:
        raise WrapperError(f"{len(pages)} examples; give 1 to {MAX_EXAMPLES}")
    known = frozenset(label for _, values in pages for label in _labels_in(values)) | _names(pages)
    unfound: list[tuple[str, str]] = []
    unlearned: list[tuple[str, str]] = []
    fields: dict[str, Learned] = {}
    for path, node in learnable(root):
        if learned := _learned(path, node, pages, known, unfound, unlearned):
            fields[path] = learned
    return Wrapper(root, fields, tuple(unfound), tuple(unlearned))


def _triple(number: int, example: Any) -> Example:
    """An example, if it is one. Raises WrapperError, saying what to write."""
    if not isinstance(example, Sequence) or isinstance(example, (str, bytes)) or len(example) != 3:
        raise WrapperError(f"example {number}: no triple; write {TRIPLE}")
    html, url, values = example
    if not isinstance(html, (str, bytes)) or not isinstance(url, str):
        raise WrapperError(
            f"example {number}: {type(html).__name__} and {type(url).__name__}; write {TRIPLE}, the first two text"
        )
    if "<" in url and "<" not in (html if isinstance(html, str) else html.decode("latin-1")):
        raise WrapperError(f"example {number}: html and url are swapped; write {TRIPLE}")
    return html, url, values


def _page(number: int, example: Example, root: FieldSchema) -> tuple[Layout, Mapping[str, Any]]:
    html, url, values = _triple(number, example)
    if not isinstance(values, Mapping):
        raise WrapperError(f"example {number}: values are no object of fields; write {{field: value}}")
    if wrong := given.problem(root, values):
        raise WrapperError(f"example {number}: {wrong}")
    try:
        return Layout(Document(html, url)), values
    except (etree.LxmlError, RecursionError, ValueError) as error:
        reason = str(error) if isinstance(error, Unreadable) else "not HTML: cannot be parsed"
        raise WrapperError(f"example {number} ({url[:200]}): {reason}") from None


def _learned(
    path: str,
    node: FieldSchema,
    pages: list[tuple[Layout, Mapping[str, Any]]],
    known: frozenset[str],
    unfound: list[tuple[str, str]],
    unlearned: list[tuple[str, str]],
) -> Learned | None:
    samples: list[Sample] = []
    for number, (layout, values) in enumerate(pages, 1):
        told, value = _told(values, path)
        if not told:
            continue
        wanted = _wanted(node, value, layout, f"example {number}: {path}")
        if wanted is not None and not wanted.places:
            (unlearned if _stands(wanted, layout) else unfound).append((layout.document.url, path))
        else:
            samples.append(Sample(layout, wanted, paths.item_of(node) or node))
    rules, labels = learn_field(node, samples, known)
    if not rules:
        unlearned += [(sample.layout.document.url, path) for sample in samples if sample.wanted]
        return None
    texts = [text for sample in samples if sample.wanted for text in sample.wanted.texts()]
    learned = Learned(
        rules, _lettered(node, texts), labels, _units(node, rules, samples), _alone(samples), _crossed(rules, samples)
    )
    unlearned += [(s.layout.document.url, path) for s in samples if not _gives_back(node, learned, s)]
    return learned


def _gives_back(node: FieldSchema, learned: Learned, sample: Sample) -> bool:
    """Whether the rules together find on an example what it says."""
    found = elect(node, learned, sample.layout, paths.item_of(node))
    if sample.wanted is None or not found:
        return sample.wanted is None and not found
    if isinstance(sample.wanted, WantedList):
        return sample.wanted.reads([*found[0].spots])
    return sample.wanted.reads(found[0].spots[0].text)


def _told(values: Mapping[str, Any], path: str) -> tuple[bool, Any]:
    """Whether an example says anything about a field, and what."""
    value: Any = values
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return value is None, None
        if name not in value:
            return False, None
        value = value[name]
    return True, value


def _wanted(node: FieldSchema, value: Any, layout: Layout, where: str) -> Wanted | WantedList | None:
    if value is None or value in ("", []) or (isinstance(value, str) and is_placeholder(value)):
        return None
    item = paths.item_of(node)
    values = value if item is not None and isinstance(value, list) else [value]
    if not all(isinstance(v, (str, int, float, bool)) for v in values):
        kind = "a list of texts or numbers" if item is not None else "one text or number"
        raise WrapperError(f"{where}: {str(value)[:60]!r}; write {kind}, or null")
    return Wanted(node, value, layout) if item is None else WantedList(item, values, layout)


def _labels_in(values: Any) -> Iterator[str]:
    """What an example's values would be as labels."""
    if isinstance(values, Mapping):
        for value in values.values():
            yield from _labels_in(value)
    elif isinstance(values, list):
        for value in values:
            yield from _labels_in(value)
    elif isinstance(values, (str, int, float)) and not isinstance(values, bool) and (label := label_key(str(values))):
        yield label


def _names(pages: list[tuple[Layout, Mapping[str, Any]]]) -> frozenset[str]:
    """What the examples' headings would be as labels, but for what stands in all of several."""
    found = [
        {label_key(layout.text(node)) for tag in ("h1", "title") for node in layout.tokens.get(tag, ())}
        for layout, _ in pages
    ]
    shared = set.intersection(*found) if len(found) > 1 else set()
    return frozenset(set().union(*found) - shared - {""})


def _stands(wanted: Wanted | WantedList, layout: Layout) -> bool:
    """Whether all of a value stands somewhere on its page."""
    if isinstance(wanted, WantedList):
        return all(_stands(value, layout) for value in wanted.values)
    index = index_of(layout)
    if isinstance(wanted.value, str):
        return key(wanted.value) in index.whole
    near = index.numbers.get(digits_of(str(wanted.value)), [])[:MAX_LOOKED_AT]
    return any(wanted.holds(layout.chunks[place].text) for place in near)


def _lettered(node: FieldSchema, texts: list[str]) -> bool | None:
    """Whether values of a field are words, are none, or may be either.

    One short text such as the title "1984" proves nothing; neither does a title that is not a number.
    """
    bare = not any(c.isalpha() for text in texts for c in text)
    if bare:
        return False if len(texts) > 1 or any(len(text) > 4 for text in texts) else None
    concept = concept_of(node)
    named = concept is not None and concept.name == "title"
    worded = not any(c.isdigit() for text in texts for c in text) and all(map(is_words, texts))
    return True if worded and not named else None


def _alone(samples: list[Sample]) -> bool:
    """Whether all lists have one item that can't be taken for several."""
    found = [sample.wanted for sample in samples if isinstance(sample.wanted, WantedList)]
    return bool(found) and all(len(w.values) == 1 and not is_divisible(w.texts()[0]) for w in found)


def _crossed(rules: tuple[Rule, ...], samples: list[Sample]) -> bool:
    """Whether a number of an example is crossed out where a rule finds it."""
    return any(
        spot is not None and is_spot_crossed(sample.layout, spot) and sample.wanted.reads(spot.text)
        for sample in samples
        if isinstance(sample.wanted, Wanted) and is_numeric(sample.field)
        for spot in (rule.find(sample.layout) for rule in rules)
    )


def _units(node: FieldSchema, rules: tuple[Rule, ...], samples: list[Sample]) -> tuple[str, ...]:
    """The units of a number on the examples, with "" where one has none; nothing when none has any."""
    units: dict[str, None] = {}
    for sample in samples if is_numeric(node) else ():
        for spot in (rule.find(sample.layout) for rule in rules if sample.wanted):
            if spot and (found := amount(node, spot.text, sample.layout.document)) and found.leads:
                units[found.unit] = None
    return tuple(units) if any(units) else ()
