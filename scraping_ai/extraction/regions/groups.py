"""Elements that repeat: those reached by the same path of tags and classes, in one pass over the visible page.

Siblings that differ only in state, position or number ("first", "post-12") share a signature, and so do cousins in
rows of the same kind. A path is a candidate where it branches: where more elements share it than share their parents'.
Compare MDR (Liu, Grossman and Zhai, KDD 2003), which aligns sibling subtrees at a cost that grows with their square.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from lxml import etree

from scraping_ai.extraction.heuristic.view import View
from scraping_ai.extraction.regions.tables import Tables

Nodes = list[etree._Element]

MAX_CLASSES = 8  # of one element
MAX_KINDS = 3  # of classes that only some siblings have
MAX_SPAN = 8  # siblings of one item
COMMON = 0.6  # share of siblings that have a class
_HEADS = frozenset("dt h1 h2 h3 h4 h5 h6".split())
_NUMBER = re.compile(r"\d+")
_SPOKEN = re.compile(r"om+ent|repl|respon|antwort", re.I)
_COMMENT = re.compile(
    r"(?:[a-z]+[-_])?(?:comment|reply|response|kommentar|antwort|comentario|commentaire|commento)(?:[-_]{1,2}item)?\Z",
    re.I,
)
_POSITION = re.compile(r"(?:.*[-_])?(?:odd|even|alt|first|last|active|current|selected)\Z", re.I)


@dataclass(slots=True, eq=False)
class Group:
    """Items of one kind, in page order; each is a run of siblings, mostly a single element."""

    items: list[Nodes]
    parents: int = field(default=0)
    nested: bool = field(default=False)  # some stand inside others


class Paths:
    """Each visible element's path, as a number; elements of the same kind have the same."""

    def __init__(self, view: View, tables: Tables) -> None:
        self.view = view
        self.members: list[Nodes] = []
        self.parents: list[int] = []
        self.kinds: list[Nodes] = []
        self._ids: dict[tuple[int, str, object], int] = {}
        path_of: dict[etree._Element, int] = {}
        for index, node in enumerate(view.nodes):
            path = path_of.pop(node, -1)
            # Rows of two tables are two kinds, unless their columns have the same names.
            apart = (tuple(tables.headings(node)) or index) if node.tag == "table" else 0
            for child, signature in self._signed(node):
                thread = _thread(child)
                path_of[child] = self._path(*((-1, thread, 0) if thread else (path, signature, apart)), child)

    def _path(self, parent: int, signature: str, apart: object, node: etree._Element) -> int:
        path = self._ids.setdefault((parent, signature, apart), len(self.members))
        if path == len(self.members):
            self.members.append([])
            self.parents.append(parent)
        self.members[path].append(node)
        return path

    def _signed(self, parent: etree._Element) -> list[tuple[etree._Element, str]]:
        """The visible children with tag and classes: those that most siblings of the tag have."""
        children = [child for child in parent if child in self.view.order]
        if len(children) < 2:
            return [(child, f"{child.tag}.{'.'.join(_classes(child)[:1])}") for child in children]
        classes = [_classes(child) for child in children]
        tags = Counter(child.tag for child in children)
        common = Counter((child.tag, name) for child, names in zip(children, classes, strict=True) for name in names)
        signed = []
        for child, names in zip(children, classes, strict=True):
            alone = tags[child.tag] == 1
            kept = names[:1] if alone else [n for n in names if common[child.tag, n] > COMMON * tags[child.tag]]
            signed.append((child, f"{child.tag}.{'.'.join(kept)}"))
        self._add_kinds(children, classes, tags, common)
        return signed

    def _add_kinds(
        self, children: Nodes, classes: list[list[str]], tags: Counter[str], common: Counter[tuple[str, str]]
    ) -> None:
        """Siblings told apart by a class that not most of them have: `tr.title` among `tr`s."""
        some = [(c, t, n) for (t, n), c in common.items() if 3 <= c <= COMMON * tags[t]]
        for _, tag, name in sorted(some, reverse=True)[:MAX_KINDS]:
            self.kinds.append([c for c, names in zip(children, classes, strict=True) if c.tag == tag and name in names])


def _classes(node: etree._Element) -> list[str]:
    names = (node.get("class") or "")[:500].split()[:MAX_CLASSES]
    return sorted({_NUMBER.sub("#", name) for name in names if not _POSITION.match(name)})


def _thread(node: etree._Element) -> str:
    """What comments have in common however deep they stand; "" for anything else."""
    if _SPOKEN.search(node.get("class") or "") is None:
        return ""
    said = next((name for name in _classes(node) if _COMMENT.match(name)), None)
    return f"{node.tag}.{said}" if said else ""


def groups(view: View, tables: Tables) -> Iterator[Group]:
    """Everything that repeats on a page."""
    paths = Paths(view, tables)
    for path, members in enumerate(paths.members):
        members.sort(key=view.order.__getitem__)  # replies come after what follows their parents
        parent = paths.parents[path]
        above = len(paths.members[parent]) if parent >= 0 else 1
        if len(members) >= 2 and (len(members) > above or _are_siblings(members)):
            yield from _of(members, view)
    for members in paths.kinds:
        yield from _of(members, view)


def _are_siblings(members: Nodes) -> bool:
    """Whether one element holds all: the others of its path, such as a page's header and footer, hold none."""
    return len({node.getparent() for node in members}) == 1


def _of(members: Nodes, view: View) -> Iterator[Group]:
    parents = len({node.getparent() for node in members})
    nested = any(view.order[after] < view.end(before) for before, after in pairwise(members))
    yield Group([[node] for node in members], parents, nested)
    runs = _runs(members, view)
    if runs is not None:
        yield Group(runs, parents)


def _runs(members: Nodes, view: View) -> list[Nodes] | None:
    """Each member with the siblings up to the next one: `dt` with its `dd`s, a heading with what stands below it.

    None where that makes no items: nothing stands between, or not the same number each time.
    """
    heads, runs = set(members), []
    for node in members:
        run = [node]
        for sibling in node.itersiblings(etree.Element):
            if sibling in heads or len(run) == MAX_SPAN:
                break
            if sibling in view.order:
                run.append(sibling)
        runs.append(run)
    spans = {len(run) for run in runs[:-1]}
    regular = len(spans) == 1 or members[0].tag in _HEADS
    return runs if regular and max(spans) > 1 else None
