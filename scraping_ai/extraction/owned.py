"""What a visible page offers for an object below the root, such as a shop page's `seller`: the part of the page that
bears its name, labels that name it too ("Seller since"), and the text that stands for its name ("Seller: Ann").
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

from lxml import etree

from scraping_ai.extraction import paths
from scraping_ai.extraction.candidate import Candidate
from scraping_ai.extraction.concepts import base, concept_of, fold, named, phrase
from scraping_ai.extraction.heuristic.labels import Labels
from scraping_ai.extraction.heuristic.sections import Sections
from scraping_ai.extraction.heuristic.view import Part, View
from scraping_ai.extraction.regions.item import Item
from scraping_ai.extraction.regions.marks import Marks
from scraping_ai.schema import FieldSchema

MAX_NODES = 200  # of a part: more hold several things
MAX_HOOK = 200  # characters of a class or id
LEAST_TEXTS = 2  # of a part: one alone is the thing's name
_WRAPPERS = frozenset(json.loads(files(__package__).joinpath("heuristic", "marks.json").read_text("utf-8"))["wrappers"])
_MORE_WRAPPERS = frozenset(("info", "card", "panel", "profile", "about"))
_OFFER = ("price", "currency", "availability")


def part(field: FieldSchema, view: View, sections: Sections) -> Item | None:
    """The one container that is called like an object field, else what stands under a heading of its name."""
    key = _key(field.name)
    called = {node for node in view.filled if (hint := _hook(node)) and key in _keys(hint)}
    outer = [node for node in called if called.isdisjoint(node.iterancestors())]
    if len(outer) == 1 and (found := _item(field, view, outer)) is not None:
        return found
    headed = sections.under(fold(field.name))
    return _item(field, view, list(headed)) if headed else None


def labelled(field: FieldSchema, child: FieldSchema, labels: Labels, own: Item | None) -> Iterator[Candidate]:
    """Values beside a label that names the object and its part, or that the part's description is the name of; its
    name also beside a bare "Name" in its `own` part of the page.
    """
    if own is not None and is_name(child):
        yield from own.labels.candidates(child)
    owner, name = fold(field.name), fold(child.name)
    names = [f"{owner} {name}", f"{name} of {owner}"]
    if (said := phrase(child.description)) and not _is_generic(named(said)):
        names.append(said)
    for label in names:
        yield from labels.candidates(replace(child, name=label, description=""))


def named_by(field: FieldSchema) -> FieldSchema:
    """The string that an object field asks for if all that the page tells of the thing is its name."""
    return replace(field, type="string", fields=())


def apart(field: FieldSchema, schema: FieldSchema) -> FieldSchema:
    """An object schema without what the record itself asks for: the page's rating is not its seller's.

    An offer's price is the page's, though both are asked for.
    """
    record = paths.item_of(schema) or schema
    asked = {concept.name for f in record.fields if (concept := concept_of(f)) is not None} - set(_OFFER)
    fields = tuple(f for f in field.fields if (concept := concept_of(f)) is None or concept.name not in asked)
    return replace(field, fields=fields)


def is_name(child: FieldSchema) -> bool:
    concept = concept_of(child)
    return child.type == "string" and concept is not None and concept.name == "title"


def _item(field: FieldSchema, view: View, roots: list[etree._Element]) -> Item | None:
    nodes = [node for root in roots for node in view.nodes[view.order[root] : view.end(root)]]
    texts = sum(1 for node in nodes if (node.text or "").strip() or any((c.tail or "").strip() for c in node))
    if texts < LEAST_TEXTS or len(nodes) > MAX_NODES:
        return None
    item = Item(Marks(Part(view, nodes), field), 0, len(nodes))
    item.common = frozenset(text for text in item.texts if _key(text) == _key(field.name))  # its heading is no name
    return item


def _is_generic(concept: object) -> bool:
    return bool(getattr(concept, "generic", False))


@lru_cache(maxsize=1024)
def _key(name: str) -> str:
    concept = named(name)
    return f"concept:{concept.name}" if concept is not None and not concept.generic else base(fold(name))


def _hook(node: etree._Element) -> str:
    return f"{node.get('class') or ''} {node.get('id') or ''}".strip()[:MAX_HOOK]


@lru_cache(maxsize=16384)
def _keys(hook: str) -> frozenset[str]:
    """What classes and an id name: `seller-box` a seller, `seller-name` none."""
    found: set[str] = set()
    for word in hook.split():
        words = fold(word).split()
        while len(words) > 1 and words[-1] in _WRAPPERS | _MORE_WRAPPERS:
            words.pop()
        found.update(_key(" ".join(words[-count:])) for count in (1, 2) if words)
    return frozenset(found)
