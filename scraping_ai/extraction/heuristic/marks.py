"""Elements whose class, id or test hook names a concept: `recipe-ingredients`, `p-yield` (microformats2), `totalTime`.

The last words of a hook decide, after words that only say "container"; the words before it are whose it is. Names of
generic concepts (title, image) count only after an owner's: `recipe-name` is a title, `ingredient-name` is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files

from lxml import etree

from scraping_ai.extraction.concepts import fold
from scraping_ai.extraction.heuristic.view import View

MAX_HOOK = 80  # characters
MAX_WORDS = 3  # of a name

_DATA = json.loads(files("scraping_ai.extraction.heuristic").joinpath("marks.json").read_text("utf-8"))
_OWNERS, _WRAPPERS, _ELSEWHERE = (frozenset(_DATA[key]) for key in ("owners", "wrappers", "elsewhere"))
_CONCEPT_OF: dict[str, str] = {name: concept for concept, names in _DATA["concepts"].items() for name in names}
MARKED = frozenset(_DATA["concepts"])  # concepts that hooks are known to name
_OWNED = frozenset(("title", "description", "image"))
_HOOKS = ("class", "id", "data-testid", "data-test", "data-component-name")


class Marks:
    """The marked elements of a page, by concept name, in document order."""

    def __init__(self, view: View) -> None:
        self._by_concept: dict[str, list[etree._Element]] = {}
        for node in view.nodes:
            for concept in _marked(node):
                self._by_concept.setdefault(concept, []).append(node)

    def of(self, concept: str) -> list[etree._Element]:
        return self._by_concept.get(concept, [])

    def names(self, node: etree._Element) -> set[str]:
        """The concepts that an element's own hooks name."""
        return _marked(node)

    def outermost(self, concept: str) -> list[etree._Element]:
        """Marked elements that are in no other of the concept."""
        marked = set(self.of(concept))
        return [node for node in self.of(concept) if not any(a in marked for a in node.iterancestors())]


def _marked(node: etree._Element) -> set[str]:
    return {concept for name in _HOOKS if (value := node.get(name)) for concept in _concepts(value)}


@lru_cache(maxsize=16384)
def _concepts(value: str) -> tuple[str, ...]:
    named = (_named(hook) for hook in value[: 8 * MAX_HOOK].split() if len(hook) <= MAX_HOOK)
    return tuple({concept for concept in named if concept})


@lru_cache(maxsize=16384)
def _named(hook: str) -> str | None:
    """The concept that one hook names."""
    words = fold(hook).split()
    if not _ELSEWHERE.isdisjoint(words):
        return None
    for count in range(min(MAX_WORDS, len(words)), 0, -1):
        for rest in _without_wrappers(words):
            concept = _CONCEPT_OF.get(" ".join(rest[-count:])) if len(rest) >= count else None
            owner = rest[-count - 1] if len(rest) > count else ""
            if concept and (count > 1 or concept not in _OWNED or owner in _OWNERS):
                return concept
    return None


def _without_wrappers(words: list[str]) -> Iterator[list[str]]:
    """The words, then without those at the end that only say that something is inside."""
    yield words
    while words and (words[-1] in _WRAPPERS or words[-1].isdigit()):
        words = words[:-1]
        yield words
